package dev.kenaz.kernels;

import dev.kenaz.analysis.Operators;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.loops.Arrays;
import dev.kenaz.loops.Scope;
import dev.kenaz.loops.Val;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Makes kernels whose blocks accumulate in shared memory first. */
final class SharedAccs {
  private static final long ALIGN = 16;

  private final GpuTarget target;
  private final Scope scope;
  private final Arrays arrays;

  SharedAccs(GpuTarget target) {
    this.target = target;
    scope = target.scope;
    arrays = target.arrays;
  }

  /** Returns the number of bytes of shared memory for all of them. */
  Expr bytes(List<Val.Acc> accs) {
    Expr sum = Expr.i64(0);
    for (var acc : accs) {
      for (var a : acc.arrays()) {
        sum = Expr.add(sum, aligned(a.bytes()));
      }
    }
    return sum;
  }

  private static Expr aligned(Expr bytes) {
    return Expr.mul(IndexMath.ceil(bytes, Expr.i64(ALIGN)), Expr.i64(ALIGN));
  }

  /**
   * Launches a kernel that runs the body at every point.
   *
   * @param accs the accumulators that the body gets, by those that they stand for
   * @param local those of them that are accumulated in shared memory
   */
  void kernel(
      String what,
      List<Expr> dims,
      Expr extent,
      Expr blocks,
      Expr bytes,
      Map<Val.Acc, Val.Acc> accs,
      List<Val.Acc> local,
      BiConsumer<Map<Val.Acc, Val.Acc>, List<Expr>> body) {
    var span = target.span();
    var grid = Kernel.Grid.fresh();
    var memory = new Kernel.Shared(Reg.index("shared"), Prim.U8, 0);
    var code =
        scope.task(
            () -> {
              var mine = new LinkedHashMap<Val.Acc, Val.Acc>();
              Expr at = Expr.use(memory.base());
              for (var acc : local) {
                var views = new ArrayList<View>();
                for (var a : acc.arrays()) {
                  var base = scope.let("part", at);
                  views.add(
                      ArrayVal.contiguous(
                          a.prim(), base, a.dims(), scope.depth(), ArrayVal.Owner.NONE));
                  at = Expr.add(base, aligned(a.bytes()));
                }
                mine.put(acc, acc.at(views));
              }
              mine.values().forEach(acc -> clear(acc, grid));
              barrier();
              points(grid, extent, dims, point -> body.accept(with(accs, mine), point));
              barrier();
              mine.forEach((acc, part) -> merge(acc, part, grid));
            });
    var draft = new Kernels.Draft(what + " in shared memory", span, grid, List.of(memory), code);
    var shape = new Kernels.Shape(blocks, Expr.i64(Kernels.THREADS), bytes);
    target.kernels.launch(draft, shape).forEach(scope::add);
  }

  private static Map<Val.Acc, Val.Acc> with(
      Map<Val.Acc, Val.Acc> accs, Map<Val.Acc, Val.Acc> mine) {
    var all = new LinkedHashMap<Val.Acc, Val.Acc>();
    accs.forEach((key, acc) -> all.put(key, mine.getOrDefault(acc, acc)));
    return all;
  }

  private void barrier() {
    scope.add(new Code.Gpu(new GpuCode.Barrier()));
  }

  private void points(Kernel.Grid grid, Expr extent, List<Expr> dims, Consumer<List<Expr>> body) {
    var step = scope.let("step", Expr.mul(Expr.use(grid.blocks()), Expr.use(grid.threads())));
    var gid = Reg.index("gid");
    var here = Expr.use(gid);
    var code = scope.block(() -> body.accept(arrays.unflatten(dims, here)));
    scope.add(new Code.Set(gid, IndexMath.global(grid)));
    if (ThreadCoarsening.suits(code)) {
      List<Expr> points =
          IntStream.range(0, ThreadCoarsening.POINTS)
              .mapToObj(k -> Expr.add(here, Expr.mul(Expr.i64(k), step)))
              .toList();
      var several = new ArrayList<>(ThreadCoarsening.of(code, gid, points));
      var all = Expr.mul(Expr.i64(ThreadCoarsening.POINTS), step);
      several.add(new Code.Set(gid, Expr.add(here, all)));
      scope.add(new Code.While(Scope.less(points.getLast(), extent), several));
    }
    var one = new ArrayList<Code>();
    one.add(new Code.Gpu(new GpuCode.Attempt(code)));
    one.add(new Code.Set(gid, Expr.add(here, step)));
    scope.add(new Code.While(Scope.less(here, extent), one));
  }

  private void strided(String name, Expr from, Expr step, Expr to, Consumer<Expr> body) {
    scope.whileLess(name, from, to, i -> Expr.add(i, step), body);
  }

  private Expr neutral(Val.Acc acc, View view, Expr i) {
    return switch (scope.val(acc.combine().orElseThrow().neutral().getFirst())) {
      case Val.Scalar(var e) -> e;
      case ArrayVal a -> {
        var point = arrays.unflatten(view.dims(), i);
        var inner = point.subList(acc.space().size(), point.size());
        yield ((Val.Scalar) arrays.index(a, inner)).expr();
      }
      case Val.Acc _ -> throw new dev.kenaz.error.CompilerBug("kernels", "neutral accumulator");
    };
  }

  private void clear(Val.Acc acc, Kernel.Grid grid) {
    var view = acc.arrays().getFirst();
    strided(
        "i",
        Expr.use(grid.thread()),
        Expr.use(grid.threads()),
        scope.let("count", ArrayVal.count(view.dims())),
        i -> scope.add(new Code.Store(view.prim(), view.base(), i, neutral(acc, view, i))));
  }

  /** Adds the block's part to the accumulator. */
  private void merge(Val.Acc acc, Val.Acc part, Kernel.Grid grid) {
    var op = Operators.elementwise(acc.combine().orElseThrow().op()).orElseThrow();
    var from = part.arrays().getFirst();
    var to = acc.arrays().getFirst();
    strided(
        "i",
        Expr.use(grid.thread()),
        Expr.use(grid.threads()),
        scope.let("count", ArrayVal.count(from.dims())),
        i -> {
          var x = scope.let("x", new Expr.Load(from.prim(), from.base(), i));
          var place = Expr.add(to.offset(), i);
          var update = new Code.AtomicUpdate(op, to.prim(), to.base(), place, x);
          var untouched = Scope.equal(x, neutral(part, from, i));
          scope.add(new Code.If(Cooperation.not(untouched), List.of(update), List.of()));
        });
  }
}
