package dev.kenaz.kernels;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.Scope;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Adds code for what the threads of a block do together to a kernel that is being made. All threads
 * of the block must reach it.
 */
final class Cooperation {
  static final int WARP = 32;

  private final Scope scope;
  private final Monoid monoid;
  final Kernel.Grid grid = Kernel.Grid.fresh();
  private final List<Kernel.Shared> shared = new ArrayList<>();
  private final long warps;
  private List<Reg> totals;

  Cooperation(Scope scope, Monoid monoid) {
    this(scope, monoid, Kernels.THREADS);
  }

  /**
   * Starts for blocks of {@code threads} threads.
   *
   * @param threads of a block, a multiple of a warp's
   */
  Cooperation(Scope scope, Monoid monoid, long threads) {
    this.scope = scope;
    this.monoid = monoid;
    warps = threads / WARP;
  }

  List<Kernel.Shared> shared() {
    return shared;
  }

  Expr thread() {
    return Expr.use(grid.thread());
  }

  /** Makes a shared array for each component. */
  List<Reg> sharedArrays(String name, long count) {
    return monoid.prims().stream().map(prim -> sharedArray(name, prim, count)).toList();
  }

  Reg sharedArray(String name, Prim prim, long count) {
    var base = Reg.index(name);
    shared.add(new Kernel.Shared(base, prim, count));
    return base;
  }

  void barrier() {
    scope.add(new Code.Gpu(new GpuCode.Barrier()));
  }

  // Tuples in registers

  /** Makes new registers with the neutral element. */
  List<Reg> neutral(String name) {
    var regs = new ArrayList<Reg>();
    for (var e : monoid.neutral()) {
      var reg = Reg.fresh(name, e.prim());
      scope.add(new Code.Set(reg, e));
      regs.add(reg);
    }
    return regs;
  }

  static List<Expr> uses(List<Reg> regs) {
    return regs.stream().<Expr>map(Expr::use).toList();
  }

  /** Adds code for {@code into = into + value}. */
  void accumulate(List<Reg> into, List<Expr> value) {
    Monoid.assign(scope, into, monoid.combine(uses(into), value));
  }

  /** Adds code for {@code into = value + into}. */
  void accumulateLeft(List<Expr> value, List<Reg> into) {
    Monoid.assign(scope, into, monoid.combine(value, uses(into)));
  }

  List<Expr> combined(List<Expr> left, List<Expr> right) {
    return monoid.combine(left, right);
  }

  List<Expr> load(List<Reg> bases, Expr index) {
    var values = new ArrayList<Expr>();
    for (int k = 0; k < bases.size(); k++) {
      var prim = monoid.prims().get(k);
      values.add(scope.let("x", new Expr.Load(prim, Expr.use(bases.get(k)), index)));
    }
    return values;
  }

  void store(List<Reg> bases, Expr index, List<Expr> values) {
    for (int k = 0; k < bases.size(); k++) {
      var prim = monoid.prims().get(k);
      scope.add(new Code.Store(prim, Expr.use(bases.get(k)), index, values.get(k)));
    }
  }

  void when(Expr condition, Runnable then) {
    scope.add(new Code.If(condition, scope.block(then), List.of()));
  }

  // Reductions

  /**
   * Gives the first lane of each group of {@code width} (a power of two) the group's reduction, in
   * order.
   */
  void reduceLanes(List<Reg> x, Expr width) {
    doubling(width, d -> accumulate(x, shuffle(x, GpuCode.Lane.DOWN, d)));
  }

  /**
   * Reduces like {@link #reduceLanes} in a warp, but a higher lane's tuple comes before a lower
   * one's.
   */
  void reduceLanesBackwards(List<Reg> x) {
    doubling(Expr.i64(WARP), d -> accumulateLeft(shuffle(x, GpuCode.Lane.DOWN, d), x));
  }

  /** Returns the neutral element. */
  List<Expr> neutral() {
    return monoid.neutral();
  }

  void set(List<Reg> regs, List<Expr> values) {
    Monoid.assign(scope, regs, values);
  }

  private List<Expr> shuffle(List<Reg> x, GpuCode.Lane how, Expr lane) {
    var other = new ArrayList<Expr>();
    for (var reg : x) {
      var to = Reg.fresh("y", reg.prim());
      scope.add(new Code.Gpu(new GpuCode.Shuffle(to, how, Expr.use(reg), lane)));
      other.add(Expr.use(to));
    }
    return other;
  }

  Expr lane() {
    return scope.let("lane", IndexMath.rem(thread(), Expr.i64(WARP)));
  }

  Expr warp() {
    return scope.let("warp", IndexMath.quot(thread(), Expr.i64(WARP)));
  }

  /**
   * Gives the block's first thread the reduction of all threads' tuples, in order. There must be a
   * barrier before this is done again.
   */
  void reduceBlock(List<Reg> x, Expr lane, Expr warp) {
    if (totals == null) {
      totals = sharedArrays("totals", warps);
    }
    reduceLanes(x, Expr.i64(WARP));
    when(Scope.equal(lane, Expr.i64(0)), () -> store(totals, warp, uses(x)));
    barrier();
    when(
        Scope.equal(warp, Expr.i64(0)),
        () -> {
          Monoid.assign(scope, x, monoid.neutral());
          when(
              Scope.less(lane, Expr.i64(warps)), () -> Monoid.assign(scope, x, load(totals, lane)));
          reduceLanes(x, Expr.i64(WARP));
        });
  }

  // Scans

  /** Gives each lane the combination of its warp's lanes up to itself. */
  private void scanLanes(List<Reg> x, Expr lane) {
    doubling(
        Expr.i64(WARP),
        d -> {
          var before = shuffle(x, GpuCode.Lane.UP, d);
          when(new Expr.Cmp(CompareOp.LE, d, lane), () -> accumulateLeft(before, x));
        });
  }

  /**
   * Turns each thread's tuple into the combination of all threads' before it, which is the neutral
   * element for the first; {@code all} gets the whole block's. There must be a barrier before this
   * is done again.
   */
  void exclusiveScanBlock(List<Reg> x, List<Reg> all, Expr lane, Expr warp) {
    if (totals == null) {
      totals = sharedArrays("totals", warps);
    }
    scanLanes(x, lane);
    when(Scope.equal(lane, Expr.i64(WARP - 1)), () -> store(totals, warp, uses(x)));
    var before = shuffle(x, GpuCode.Lane.UP, Expr.i64(1));
    Monoid.assign(scope, x, before);
    when(Scope.equal(lane, Expr.i64(0)), () -> Monoid.assign(scope, x, monoid.neutral()));
    barrier();
    Monoid.assign(scope, all, monoid.neutral());
    scope.forSequence(
        "w",
        Expr.i64(warps),
        w -> {
          when(
              Scope.equal(w, warp),
              () -> Monoid.assign(scope, x, monoid.combine(uses(all), uses(x))));
          accumulate(all, load(totals, w));
        });
  }

  // Small helpers

  /** Adds a loop over the powers of two below a limit. */
  private void doubling(Expr limit, Consumer<Expr> body) {
    scope.whileLess("d", Expr.i64(1), limit, d -> Expr.mul(d, Expr.i64(2)), body);
  }

  static Expr not(Expr e) {
    return new Expr.Un(UnaryOp.NOT, e, Prim.BOOL);
  }

  static Expr or(Expr a, Expr b) {
    return new Expr.Bin(BinaryOp.OR, a, b);
  }
}
