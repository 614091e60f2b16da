package dev.kenaz.kernels;

import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.loops.Arrays;
import dev.kenaz.loops.Scope;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Copies between layouts by tiles in shared memory, so that both reads and writes of neighbouring
 * threads are neighbours; and makes such copies of arrays in which each thread would walk along a
 * row of its own.
 */
final class Transposition {
  private static final int TILE = 32;
  private static final int LINES = Kernels.THREADS / TILE;
  private static final int PITCH = TILE + 1;

  /** This length of a side is worth a tile. */
  private static final long LEAST = 16;

  /** Caches don't keep a row of this many bytes for a thread until it has read all. */
  private static final long LONG_ROW = 256;

  private final GpuTarget target;
  private final Scope scope;
  private final Arrays arrays;

  Transposition(GpuTarget target) {
    this.target = target;
    scope = target.scope;
    arrays = target.arrays;
  }

  /**
   * The dimension, not the last, whose neighbours are neighbours in memory; -1 if there is none.
   */
  private static int innermost(View v) {
    int last = v.dims().size() - 1;
    if (last < 1 || Expr.isConst(v.strides().get(last), 1)) {
      return -1;
    }
    for (int d = 0; d < last; d++) {
      if (Expr.isConst(v.strides().get(d), 1)) {
        return d;
      }
    }
    return -1;
  }

  static boolean applies(View to, View from) {
    int last = to.dims().size() - 1;
    return innermost(from) >= 0 && Expr.isConst(to.strides().get(last), 1);
  }

  /** Copies by tiles, or by {@code otherwise} where the arrays are too small for that. */
  void copy(View to, View from, Runnable otherwise) {
    var rows = to.dims().get(innermost(from));
    var columns = to.dims().getLast();
    var worth = new Expr.Cmp(CompareOp.LE, Expr.i64(LEAST), IndexMath.min(rows, columns));
    var tiled = scope.block(() -> launch(to, from, rows, columns));
    scope.add(new Code.If(worth, tiled, scope.block(otherwise)));
  }

  private void launch(View to, View from, Expr rows, Expr columns) {
    int row = innermost(from);
    int column = to.dims().size() - 1;
    var others = new ArrayList<Integer>();
    var batch = new ArrayList<Expr>();
    for (int d = 0; d < column; d++) {
      if (d != row) {
        others.add(d);
        batch.add(to.dims().get(d));
      }
    }
    var across = scope.let("across", IndexMath.ceil(columns, Expr.i64(TILE)));
    var down = scope.let("down", IndexMath.ceil(rows, Expr.i64(TILE)));
    var blocks = scope.let("blocks", Expr.mul(ArrayVal.count(batch), Expr.mul(across, down)));
    var grid = Kernel.Grid.fresh();
    var tile = new Kernel.Shared(Reg.index("tile"), to.prim(), (long) TILE * PITCH);
    var code =
        scope.task(
            () -> {
              var number = Expr.use(grid.block());
              var line = scope.let("line", IndexMath.quot(number, across));
              var j0 = times(Expr.sub(number, Expr.mul(line, across)), TILE);
              var outer = scope.let("batch", IndexMath.quot(line, down));
              var i0 = times(Expr.sub(line, Expr.mul(outer, down)), TILE);
              var fixed = batch.isEmpty() ? List.<Expr>of() : arrays.unflatten(batch, outer);
              var thread = Expr.use(grid.thread());
              var x = scope.let("x", IndexMath.rem(thread, Expr.i64(TILE)));
              var y = scope.let("y", IndexMath.quot(thread, Expr.i64(TILE)));
              var base = Expr.use(tile.base());
              lines(
                  y,
                  k -> {
                    var i = scope.let("i", Expr.add(i0, x));
                    var j = scope.let("j", Expr.add(j0, k));
                    var at = Expr.add(Expr.mul(k, Expr.i64(PITCH)), x);
                    var point = point(others, fixed, row, i, j);
                    var load = new Expr.Load(from.prim(), from.base(), from.place(point));
                    inside(i, rows, j, columns, new Code.Store(to.prim(), base, at, load));
                  });
              scope.add(new Code.Gpu(new GpuCode.Barrier()));
              lines(
                  y,
                  k -> {
                    var i = scope.let("i", Expr.add(i0, k));
                    var j = scope.let("j", Expr.add(j0, x));
                    var at = Expr.add(Expr.mul(x, Expr.i64(PITCH)), k);
                    var value = new Expr.Load(to.prim(), base, at);
                    var place = to.place(point(others, fixed, row, i, j));
                    inside(i, rows, j, columns, new Code.Store(to.prim(), to.base(), place, value));
                  });
            });
    var draft = new Kernels.Draft("transpose", target.span(), grid, List.of(tile), code);
    var shape = new Kernels.Shape(blocks, Expr.i64(Kernels.THREADS), Expr.i64(0));
    target.kernels.launch(draft, shape).forEach(scope::add);
  }

  private Expr times(Expr a, long b) {
    return scope.let("first", Expr.mul(a, Expr.i64(b)));
  }

  private void lines(Expr y, Consumer<Expr> body) {
    for (int k = 0; k < TILE; k += LINES) {
      body.accept(scope.let("k", Expr.add(y, Expr.i64(k))));
    }
  }

  private void inside(Expr i, Expr rows, Expr j, Expr columns, Code then) {
    var condition = Scope.and(Scope.less(i, rows), Scope.less(j, columns));
    scope.add(new Code.If(condition, List.of(then), List.of()));
  }

  private static List<Expr> point(List<Integer> others, List<Expr> fixed, int row, Expr i, Expr j) {
    var point = new ArrayList<Expr>();
    for (int d = 0; d < others.size() + 1; d++) {
      point.add(d == row ? i : fixed.get(others.indexOf(d)));
    }
    point.add(j);
    return point;
  }

  // Rows that threads walk along

  /** Runs the action with such arrays in another layout. */
  void coalesced(SegOp op, Runnable action) {
    Map<Var, View> before = new LinkedHashMap<>();
    for (var v : walked(op)) {
      if (scope.bound(v)
          && scope.array(v) instanceof View view
          && view.dims().size() >= 2
          && Expr.isConst(view.strides().getLast(), 1)
          && !(ArrayVal.count(rest(view)) instanceof Expr.Lit)) {
        before.put(v, view);
      }
    }
    before.forEach((v, view) -> scope.bind(v, other(v, view)));
    action.run();
    before.forEach(scope::bind);
  }

  private static List<Expr> rest(View v) {
    return v.dims().subList(1, v.dims().size());
  }

  /** Arrays of which each thread, by its number, has a row that it reduces or maps over. */
  private static Set<Var> walked(SegOp op) {
    var point = op.space().innermost().index();
    Map<Var, Var> rows = new LinkedHashMap<>();
    var found = new LinkedHashSet<Var>();
    var made = new HashSet<Var>();
    for (var stm : op.body().stms()) {
      switch (stm.exp()) {
        case SegExp.Plain(Index(var array, var indices, var checked))
            when !checked && indices.equals(List.of(point)) && !made.contains(array) ->
            rows.put(stm.pattern().getFirst(), array);
        case SegExp.Plain(Screma s) ->
            FreeVars.of(s).stream().filter(rows::containsKey).forEach(v -> found.add(rows.get(v)));
        default -> {}
      }
      made.addAll(stm.pattern());
    }
    return found;
  }

  /**
   * Whether the body is only a map that reduces a row for each point, each its own: then lanes that
   * share a row read it better.
   */
  static boolean alongRows(Scope scope, SegBody body) {
    if (body.stms().size() != 1
        || !(body.stms().getFirst().exp() instanceof SegExp.Par(SegMap m))
        || GpuTiling.find(m, scope::counts).isPresent()) {
      return false;
    }
    var stms = m.body().stms();
    boolean reduces =
        stms.getLast().exp() instanceof SegExp.Plain(Screma s)
            && s.scans().isEmpty()
            && s.reduceWidth() == s.map().returns().size()
            && s.map().params().stream().allMatch(p -> p.type().isScalar())
            && stms.getLast().pattern().equals(m.body().results());
    int rows = 0;
    for (var stm : stms.subList(0, stms.size() - 1)) {
      if (!(stm.exp() instanceof SegExp.Plain(Index(var array, _, _)))
          || !scope.bound(array)
          || !(scope.array(array) instanceof View v)
          || !Expr.isConst(v.strides().getLast(), 1)) {
        return false;
      }
      rows++;
    }
    return reduces && rows > 0;
  }

  /**
   * Returns the array in a layout in which the elements of neighbouring rows are neighbours, if its
   * rows are long.
   */
  private View other(Var v, View view) {
    var n = view.dims().getFirst();
    var rest = rest(view);
    var row = scope.let("row", ArrayVal.count(rest));
    Prim prim = view.prim();
    var limit = Expr.i64(LONG_ROW / prim.byteSize());
    var long_ = scope.let("long_rows", new Expr.Cmp(dev.kenaz.ir.CompareOp.LE, limit, row));
    var count = scope.let("count", new Expr.Select(long_, Expr.mul(row, n), Expr.i64(0)));
    var room = scope.allocate(v.name() + "_columns", prim, List.of(count));
    var dims = Lists.<Expr>concat(rest, List.of(n));
    var to = ArrayVal.contiguous(prim, room.base(), dims, scope.depth(), ArrayVal.Owner.NONE);
    var perm = new ArrayList<Integer>();
    for (int d = 1; d < view.dims().size(); d++) {
      perm.add(d);
    }
    perm.add(0);
    var copy = scope.block(() -> arrays.copy(to, arrays.rearrange(perm, view)));
    scope.add(new Code.If(long_, copy, List.of()));
    var strides = new ArrayList<Expr>();
    strides.add(choose(long_, Expr.i64(1), view.strides().getFirst()));
    for (int d = 1; d < view.dims().size(); d++) {
      strides.add(choose(long_, to.strides().get(d - 1), view.strides().get(d)));
    }
    return new View(
        prim,
        choose(long_, room.base(), view.base()),
        choose(long_, Expr.i64(0), view.offset()),
        view.dims(),
        strides,
        false,
        -1,
        view.owner());
  }

  private Expr choose(Expr condition, Expr a, Expr b) {
    return a.equals(b) ? a : scope.let("chosen", new Expr.Select(condition, a, b));
  }
}
