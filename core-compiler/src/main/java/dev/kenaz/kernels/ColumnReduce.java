package dev.kenaz.kernels;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal;
import dev.kenaz.loops.Scope;
import dev.kenaz.value.Prim;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Reduces columns, that is segments that lie side by side in memory. A block takes a part of up to
 * a warp of neighbouring columns, so that neighbouring threads read neighbours; threads of one
 * column share its rows, by turns or, where the operator doesn't commute, each a run of them, and
 * combine what they have in shared memory.
 */
final class ColumnReduce {
  /** A block may take this many bytes of shared memory. */
  private static final long SHARED_BYTES = 40L << 10;

  /** This many rows are worth a thread. */
  private static final long ROWS = 8;

  private final GpuTarget target;
  private final Scope scope;
  private final Monoid monoid;
  private final boolean commutative;
  private final Cooperation c;

  ColumnReduce(GpuTarget target, Monoid monoid, boolean commutative) {
    this.target = target;
    scope = target.scope;
    this.monoid = monoid;
    this.commutative = commutative;
    c = new Cooperation(scope, monoid);
  }

  /** Whether a block's shared memory has room for an operand of each thread. */
  boolean fits() {
    long bytes = monoid.prims().stream().mapToLong(Prim::byteSize).sum();
    return bytes * Kernels.THREADS <= SHARED_BYTES;
  }

  /**
   * How a block is divided: the number of columns, a power of two, and of threads for each of them;
   * and how many blocks there are side by side.
   */
  record Plan(Expr columns, Expr threads, Expr groups) {}

  Plan plan(List<Expr> outer) {
    Expr columns = Expr.i64(1);
    for (long w = 2; w <= Cooperation.WARP; w *= 2) {
      columns = new Expr.Select(Scope.less(Expr.i64(w / 2), outer.getLast()), Expr.i64(w), columns);
    }
    var x = scope.let("columns", columns);
    var y = scope.let("rows", IndexMath.quot(Expr.i64(Kernels.THREADS), x));
    return new Plan(x, y, scope.let("groups", IndexMath.ceil(outer.getLast(), x)));
  }

  /** The number of parts of the rows: enough for so many blocks, if the rows are long enough. */
  Expr parts(Plan p, List<Expr> outer, Expr width, long blocks) {
    var batch = ArrayVal.count(outer.subList(0, outer.size() - 1));
    var side = IndexMath.max(Expr.mul(batch, p.groups), Expr.i64(1));
    var wanted = IndexMath.max(IndexMath.quot(Expr.i64(blocks), side), Expr.i64(1));
    var most = IndexMath.ceil(width, Expr.mul(p.threads, Expr.i64(ROWS)));
    return scope.let("parts", IndexMath.max(Expr.i64(1), IndexMath.min(most, wanted)));
  }

  /**
   * Launches the kernel.
   *
   * @param into where the results go: part after part, segment after segment
   */
  void launch(
      Plan p,
      List<Expr> outer,
      Expr width,
      Expr parts,
      BiFunction<List<Expr>, Expr, List<Expr>> element,
      List<Expr> into) {
    var span = target.span();
    var length = scope.let("length", IndexMath.ceil(width, parts));
    var batch = ArrayVal.count(outer.subList(0, outer.size() - 1));
    var blocks = scope.let("blocks", Expr.mul(Expr.mul(batch, p.groups), parts));
    var code = scope.task(() -> block(p, outer, width, parts, length, element, into));
    var draft = new Kernels.Draft("reduce columns", span, c.grid, c.shared(), code);
    var shape = new Kernels.Shape(blocks, Expr.i64(Kernels.THREADS), Expr.i64(0));
    target.kernels.launch(draft, shape).forEach(scope::add);
  }

  private void block(
      Plan p,
      List<Expr> outer,
      Expr width,
      Expr parts,
      Expr length,
      BiFunction<List<Expr>, Expr, List<Expr>> element,
      List<Expr> into) {
    var block = Expr.use(c.grid.block());
    var group = scope.let("group", IndexMath.quot(block, parts));
    var part = scope.let("part", Expr.sub(block, Expr.mul(group, parts)));
    var batch = scope.let("batch", IndexMath.quot(group, p.groups));
    var first = Expr.mul(Expr.sub(group, Expr.mul(batch, p.groups)), p.columns);
    var y = scope.let("y", IndexMath.quot(c.thread(), p.columns));
    var x = Expr.sub(c.thread(), Expr.mul(y, p.columns));
    var column = scope.let("column", Expr.add(first, x));
    var inside = scope.let("inside", Scope.less(column, outer.getLast()));
    var number = scope.let("segment", Expr.add(Expr.mul(batch, outer.getLast()), column));
    var lo = scope.let("lo", Expr.mul(part, length));
    var hi = scope.let("hi", IndexMath.min(width, Expr.add(lo, length)));
    var sum = c.neutral("sum");
    c.when(inside, () -> rows(p, outer, number, y, lo, hi, element, sum));
    var sums = c.sharedArrays("sums", Kernels.THREADS);
    c.store(sums, c.thread(), Cooperation.uses(sum));
    c.barrier();
    var d = Reg.index("d");
    scope.add(new Code.Set(d, Expr.i64(1)));
    var step =
        scope.block(
            () -> {
              var twice = scope.let("twice", Expr.mul(Expr.use(d), Expr.i64(2)));
              c.when(
                  Scope.equal(IndexMath.rem(y, twice), Expr.i64(0)),
                  () -> {
                    var other = Expr.add(c.thread(), Expr.mul(Expr.use(d), p.columns));
                    c.accumulate(sum, c.load(sums, scope.let("other", other)));
                    c.store(sums, c.thread(), Cooperation.uses(sum));
                  });
              c.barrier();
              scope.add(new Code.Set(d, twice));
            });
    scope.add(new Code.While(Scope.less(Expr.use(d), p.threads), step));
    c.when(
        Scope.and(inside, Scope.equal(y, Expr.i64(0))),
        () -> {
          var at = scope.let("at", Expr.add(Expr.mul(number, parts), part));
          for (int k = 0; k < sum.size(); k++) {
            var value = Expr.use(sum.get(k));
            scope.add(new Code.Store(sum.get(k).prim(), into.get(k), at, value));
          }
        });
  }

  /** Combines a thread's own rows of its column. */
  private void rows(
      Plan p,
      List<Expr> outer,
      Expr number,
      Expr y,
      Expr lo,
      Expr hi,
      BiFunction<List<Expr>, Expr, List<Expr>> element,
      List<Reg> sum) {
    var segment = target.arrays.unflatten(outer, number);
    var zero = Expr.i64(0);
    var rows = IndexMath.max(zero, Expr.sub(hi, lo));
    var each = scope.let("each", IndexMath.ceil(rows, p.threads));
    var start = scope.let("start", Expr.add(lo, commutative ? y : Expr.mul(y, each)));
    var rounds =
        commutative
            ? IndexMath.ceil(IndexMath.max(zero, Expr.sub(hi, start)), p.threads)
            : IndexMath.max(zero, Expr.sub(IndexMath.min(hi, Expr.add(start, each)), start));
    var t = Reg.index("t");
    var body =
        scope.block(
            () -> {
              var step = commutative ? Expr.mul(Expr.use(t), p.threads) : Expr.use(t);
              var at = scope.let("i", Expr.add(start, step));
              var add = scope.block(() -> c.accumulate(sum, element.apply(segment, at)));
              scope.add(new Code.Gpu(new GpuCode.Attempt(add)));
            });
    scope.add(new Code.For(t, scope.let("rounds", rounds), body, true, List.of()));
  }
}
