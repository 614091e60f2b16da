package dev.kenaz.kernels;

import dev.kenaz.error.Span;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.loops.Code;
import dev.kenaz.loops.Expr;
import dev.kenaz.loops.GpuCode;
import dev.kenaz.loops.LoopFun;
import dev.kenaz.loops.LoopFun.ArrayResult;
import dev.kenaz.loops.LoopFun.ScalarResult;
import dev.kenaz.loops.Reg;
import dev.kenaz.loops.Registers;
import dev.kenaz.loops.Slot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An entry's loop IR as host code: parallel loops become kernels, a thread a chunk or a point, and
 * sequential loops over elements of arrays become kernels of one thread, so that the host doesn't
 * fetch each.
 */
final class HostPass {
  /** Chunks of parallel loops that keep something for each, such as a partial result. */
  private static final long CHUNKS = 1 << 12;

  private final Kernels kernels;
  private final Map<Reg, Integer> mentions = new HashMap<>();

  private HostPass(Kernels kernels) {
    this.kernels = kernels;
  }

  static LoopFun function(LoopFun f, Kernels kernels) {
    var pass = new HostPass(kernels);
    var all = new ArrayList<>(f.body());
    for (var r : f.results()) {
      switch (r) {
        case ScalarResult(var e) -> all.add(new Code.Print("", e));
        case ArrayResult(_, var slot, var address, var dims) -> {
          all.add(new Code.Free(slot));
          all.add(new Code.Print("", address));
          dims.forEach(d -> all.add(new Code.Print("", d)));
        }
      }
    }
    count(all, pass.mentions);
    var host = new LoopFun(f.entry(), f.params(), pass.code(f.body()), f.results());
    return new LoopFun(f.entry(), f.params(), LastUses.free(host, f.body()), f.results());
  }

  /** How often each register is read or set. */
  private static void count(List<Code> code, Map<Reg, Integer> into) {
    java.util.function.Consumer<Reg> add = r -> into.merge(r, 1, Integer::sum);
    Walk.code(
        code,
        c -> {
          switch (c) {
            case Code.Set(var reg, _) -> add.accept(reg);
            case Code.For f -> add.accept(f.i());
            case Code.Plan p -> add.accept(p.chunks());
            case Code.Ensure(var slot, _) -> slot(slot, add);
            case Code.Free(var slot) -> slot(slot, add);
            case Code.Swap(var a, var b) -> {
              slot(a, add);
              slot(b, add);
            }
            case Code.Gpu(var g) -> g.sets().ifPresent(add);
            default -> {}
          }
        },
        e -> {
          if (e instanceof Expr.Use(var reg)) {
            add.accept(reg);
          }
        });
  }

  private static void slot(Slot slot, java.util.function.Consumer<Reg> add) {
    add.accept(slot.base());
    add.accept(slot.capacity());
  }

  private List<Code> code(List<Code> code) {
    var host = new ArrayList<Code>();
    code.forEach(c -> host.addAll(statement(c)));
    return host;
  }

  private List<Code> statement(Code c) {
    if (oneThread(c)) {
      return serial(List.of(c));
    }
    return switch (c) {
      case Code.Plan(var chunks, var extent, _, var most) -> {
        var few = Places.min(Places.min(extent, most), Expr.i64(CHUNKS));
        yield List.of(new Code.Set(chunks, new Expr.Bin(BinaryOp.MAX, few, Expr.i64(1))));
      }
      case Code.Parallel p -> p.divisible() && !mentions(p) ? points(p) : chunks(p);
      case Code.If(var condition, var then, var otherwise) ->
          List.of(new Code.If(condition, code(then), code(otherwise)));
      case Code.For(var i, var bound, var body, var independent, var reductions) ->
          List.of(new Code.For(i, bound, code(body), independent, reductions));
      case Code.While(var condition, var body) -> List.of(new Code.While(condition, code(body)));
      case Code.Set _,
          Code.Store _,
          Code.AtomicUpdate _,
          Code.Ensure _,
          Code.Free _,
          Code.Swap _,
          Code.CopyBytes _,
          Code.MatrixProduct _,
          Code.Check _,
          Code.Call _,
          Code.Print _,
          Code.Gpu _ ->
          List.of(c);
    };
  }

  // Parallel loops

  private static boolean mentions(Code.Parallel p) {
    return Registers.of(p.body()).mentions(p.chunk());
  }

  private List<Code> points(Code.Parallel p) {
    var at = Reg.index("gid");
    var body = new ArrayList<Code>();
    body.add(new Code.Set(p.lo(), Expr.use(at)));
    body.add(new Code.Set(p.hi(), Expr.add(Expr.use(at), Expr.i64(1))));
    body.addAll(p.body());
    return kernels.perPoint("map over points", span(p.body()), p.extent(), at, body);
  }

  private List<Code> chunks(Code.Parallel p) {
    var grid = Kernel.Grid.fresh();
    var n = Reg.index("extent");
    var chunks = Reg.index("chunks");
    var c = Expr.use(p.chunk());
    var size = Reg.index("size");
    var larger = Reg.index("larger");
    var body = new ArrayList<Code>();
    body.add(
        new Code.Set(
            p.lo(), Expr.add(Expr.mul(c, Expr.use(size)), Places.min(c, Expr.use(larger)))));
    var one =
        new Expr.Select(new Expr.Cmp(CompareOp.LT, c, Expr.use(larger)), Expr.i64(1), Expr.i64(0));
    body.add(new Code.Set(p.hi(), Expr.add(Expr.add(Expr.use(p.lo()), Expr.use(size)), one)));
    body.addAll(p.body());
    var all = new ArrayList<Code>();
    all.add(new Code.Set(p.chunk(), Places.global(grid)));
    var attempt = new Code.Gpu(new GpuCode.Attempt(body));
    var inside = new Expr.Cmp(CompareOp.LT, c, Expr.use(chunks));
    all.add(new Code.If(inside, List.of(attempt), List.of()));
    var threads = Expr.i64(Kernels.THREADS / 4);
    var blocks = Reg.index("blocks");
    var host = new ArrayList<Code>();
    host.add(new Code.Set(n, p.extent()));
    host.add(new Code.Set(chunks, p.chunks()));
    host.add(new Code.Set(size, new Expr.Bin(BinaryOp.QUOT, Expr.use(n), Expr.use(chunks))));
    host.add(new Code.Set(larger, new Expr.Bin(BinaryOp.REM, Expr.use(n), Expr.use(chunks))));
    host.add(new Code.Set(blocks, Places.ceil(Expr.use(chunks), threads)));
    var draft = new Kernels.Draft("chunks", span(p.body()), grid, List.of(), all);
    var shape = new Kernels.Shape(Expr.use(blocks), threads, Expr.i64(0));
    host.addAll(kernels.launch(draft, shape));
    return host;
  }

  /** Where the code is from, as far as it says. */
  private static Span span(List<Code> code) {
    var found = new Span[] {Span.NONE};
    Walk.code(
        code,
        c -> {
          if (c instanceof Code.Check check && !found[0].known()) {
            found[0] = check.fault().span();
          }
        },
        _ -> {});
    return found[0];
  }

  // Sequential loops

  /** Whether it is a loop with accesses to memory that one thread can run. */
  private boolean oneThread(Code c) {
    if (!(c instanceof Code.For || c instanceof Code.While)) {
      return false;
    }
    var accesses = new boolean[1];
    var unsuitable = new boolean[1];
    var slots = new HashSet<Slot>();
    Walk.code(
        List.of(c),
        x -> {
          switch (x) {
            case Code.Store _, Code.AtomicUpdate _ -> accesses[0] = true;
            case Code.Parallel _,
                Code.Plan _,
                Code.Gpu _,
                Code.Print _,
                Code.CopyBytes _,
                Code.Call _ ->
                unsuitable[0] = true;
            case Code.Ensure(var slot, _) -> slots.add(slot);
            case Code.Free(var slot) -> slots.add(slot);
            case Code.Swap(var a, var b) -> slots.addAll(List.of(a, b));
            default -> {}
          }
        },
        e -> accesses[0] |= e instanceof Expr.Load);
    return accesses[0] && !unsuitable[0] && slots.stream().allMatch(s -> inside(s.base(), c));
  }

  /** Whether nothing else mentions the register. */
  private boolean inside(Reg reg, Code c) {
    var here = new HashMap<Reg, Integer>();
    count(List.of(c), here);
    return here.getOrDefault(reg, 0).equals(mentions.getOrDefault(reg, 0));
  }

  private List<Code> serial(List<Code> code) {
    var here = new HashMap<Reg, Integer>();
    count(code, here);
    Set<Reg> outs = new java.util.LinkedHashSet<>(Registers.of(code).assigned());
    outs.removeIf(r -> here.getOrDefault(r, 0).equals(mentions.getOrDefault(r, 0)));
    var grid = Kernel.Grid.fresh();
    var results = Slot.fresh("results");
    var body = new ArrayList<Code>();
    body.add(new Code.Gpu(new GpuCode.Attempt(code)));
    var host = new ArrayList<Code>();
    var after = new ArrayList<Code>();
    long k = 0;
    for (var reg : outs) {
      long scale = 8 / reg.prim().byteSize();
      var base = Expr.use(results.base());
      var place = Expr.i64(k++ * scale);
      body.add(new Code.Store(reg.prim(), base, place, Expr.use(reg)));
      after.add(new Code.Set(reg, new Expr.Load(reg.prim(), base, place)));
    }
    if (!outs.isEmpty()) {
      host.add(new Code.Ensure(results, Expr.i64(8 * k)));
    }
    var draft = new Kernels.Draft("serial loop", span(code), grid, List.of(), body);
    var shape = new Kernels.Shape(Expr.i64(1), Expr.i64(1), Expr.i64(0));
    host.addAll(kernels.launch(draft, shape));
    host.addAll(after);
    return host;
  }
}
