package dev.kenaz.loops;

import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Scan;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Strides;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp;
import dev.kenaz.segir.SegOp.SegRed;
import dev.kenaz.segir.SegOp.SegScan;
import java.util.List;
import java.util.Optional;

/**
 * Runs reductions and scans of vectors that lie one beside the other, by an operator on each
 * element of theirs, along memory:
 *
 * <pre>
 *   reduce (map2 op) ne (transpose xs)
 *   transpose (scan (map2 op) ne (transpose xs))
 * </pre>
 *
 * <p>Vector by vector, each element would be in another line of the cache. In a chunk of the
 * vectors, all first elements are combined instead, then all second ones. This is the interchange
 * of {@link dev.kenaz.simplify.OperatorInterchange} within each chunk, so there are as many chunks
 * as for other reductions, however few elements a vector has. What is scanned is left in memory as
 * it was found, and the transposition that follows is a view.
 */
final class TransposedFolds {
  private static final Expr UNBOUNDED = Expr.i64(Long.MAX_VALUE);

  private final Lowering lowering;
  private final Scope scope;
  private final Arrays arrays;
  private final Partials parts;

  TransposedFolds(Lowering lowering, Partials parts) {
    this.lowering = lowering;
    this.scope = lowering.scope;
    this.arrays = lowering.arrays;
    this.parts = parts;
  }

  /**
   * An operator on vectors.
   *
   * @param element the operator on their elements
   */
  record Found(SegOp op, Lambda element, Atom neutral) {}

  Optional<Found> find(SegRed r) {
    return r.reduces().size() == 1
        ? find(r, r.reduces().getFirst().op(), r.reduces().getFirst().neutral())
        : Optional.empty();
  }

  /** Finds one whose result is only transposed. */
  Optional<Found> find(SegScan s, List<Var> pattern) {
    return s.scans().size() == 1
            && s.reduces().isEmpty()
            && lowering.wantedParts.onlyTransposed(pattern.getFirst())
            && scope.wanted(pattern.getFirst()) == null
        ? find(s, s.scans().getFirst().op(), s.scans().getFirst().neutral())
        : Optional.empty();
  }

  private Optional<Found> find(SegOp op, Lambda operator, List<Atom> neutral) {
    var element = Operators.ofRows(operator);
    boolean fits =
        element.isPresent()
            && element.get().params().stream().allMatch(p -> p.type().isScalar())
            && neutral.size() == 1
            && op.returns().size() == 1
            && op.space().dims().size() == 1
            && element.get().body().stms().stream().allMatch(s -> plain(s.exp()))
            && op.body().stms().stream()
                .allMatch(s -> s.exp() instanceof SegExp.Plain(var e) && plain(e))
            && alongMemory(op);
    return fits ? Optional.of(new Found(op, element.get(), neutral.getFirst())) : Optional.empty();
  }

  private static boolean plain(Exp e) {
    return ColumnReductions.repeatable(e) || ColumnReductions.scalarBranch(e);
  }

  /** Whether neighbours in memory are the same element of neighbouring vectors. */
  private boolean alongMemory(SegOp op) {
    var vector = Reg.index("vector");
    var element = Reg.index("element");
    var strides = new Strides(scope.task(() -> operand(op, Expr.use(vector), Expr.use(element))));
    return strides.plain()
        && !strides.loads().isEmpty()
        && strides.loads().stream().allMatch(l -> along(strides, l, vector, element));
  }

  private static boolean along(Strides strides, Expr.Load load, Reg vector, Reg element) {
    var next = strides.of(load.index(), vector);
    var down = strides.of(load.index(), element);
    return next != null
        && down != null
        && Expr.isConst(next, 1)
        && !Expr.isConst(down, 0)
        && !Expr.isConst(down, 1)
        && Expr.isConst(strides.of(load.base(), vector), 0)
        && Expr.isConst(strides.of(load.base(), element), 0);
  }

  /** Returns an element of a vector. */
  private Val operand(SegOp op, Expr vector, Expr element) {
    scope.bind(op.space().innermost().index(), new Val.Scalar(vector));
    var row = (ArrayVal) lowering.body(op.body()).getFirst();
    return arrays.index(row, List.of(element));
  }

  private Expr combined(Found f, Expr left, Val right) {
    var results = lowering.call(f.element, List.of(new Val.Scalar(left), right));
    return ((Val.Scalar) results.getFirst()).expr();
  }

  private Partials.Chunked chunked(SegOp op) {
    var extent = scope.let("n", scope.scalar(op.space().innermost().width()));
    var work = scope.let("work", new Cost(scope).of(op.body()));
    return new Partials.Chunked(extent, work, arrays.plan(extent, work, UNBOUNDED));
  }

  void reduce(List<Var> pattern, Found f, List<Reduce> reduces) {
    var c = chunked(f.op);
    var partials = parts.allocate(pattern, 0, c.chunks());
    boolean independent = Operators.scalar(f.element).isPresent();
    fold(f, c, partials.getFirst(), independent, (_, _, _) -> {});
    parts.combine(pattern, reduces, partials, c.chunks());
  }

  void scan(List<Var> pattern, Found f, List<Scan> scans) {
    var c = chunked(f.op);
    var result = pattern.getFirst();
    var dims = scope.dims(result.type());
    var memory = scope.allocate(result.name(), result.type().elemPrim(), dims.reversed());
    var partials = parts.allocate(pattern, 1, c.chunks());
    Step keep = (vector, element, x) -> arrays.store(memory, List.of(element, vector), x);
    fold(f, c, partials.getFirst(), false, keep);
    parts.prepend(
        c, scans, partials, (before, lo, hi) -> prepend(f, memory, before.getFirst(), lo, hi));
    scope.bind(result, arrays.rearrange(List.of(1, 0), memory));
  }

  private interface Step {
    void accept(Expr vector, Expr element, Expr soFar);
  }

  /** Combines the vectors of each chunk. */
  private void fold(Found f, Partials.Chunked c, View partial, boolean independent, Step step) {
    arrays.inParallel(
        c.extent(),
        c.work(),
        c.chunks(),
        false,
        (chunk, lo, hi) -> fold(f, partial, chunk, lo, hi, independent, step));
  }

  /** Combines the vectors of a chunk, element by element. */
  private void fold(
      Found f, View partial, Expr chunk, Expr lo, Expr hi, boolean independent, Step step) {
    var vectors = scope.let("n", Expr.sub(hi, lo));
    var size = partial.dims().getLast();
    scope.forSequence(
        "element",
        size,
        element -> {
          var sum = Reg.fresh("x", partial.prim());
          var neutral = arrays.index(scope.array((Var) f.neutral), List.of(element));
          scope.add(new Code.Set(sum, ((Val.Scalar) neutral).expr()));
          var t = Reg.index("t");
          var code =
              scope.block(
                  () -> {
                    var vector = scope.let("i", Expr.add(lo, Expr.use(t)));
                    var next = combined(f, Expr.use(sum), operand(f.op, vector, element));
                    scope.add(new Code.Set(sum, next));
                    step.accept(vector, element, Expr.use(sum));
                  });
          var op = Operators.scalar(f.element);
          var reductions =
              independent ? List.of(new Code.Reduction(sum, op.get())) : List.<Code.Reduction>of();
          scope.add(new Code.For(t, vectors, code, independent, reductions));
          arrays.store(partial, List.of(chunk, element), Expr.use(sum));
        });
  }

  private void prepend(Found f, View memory, Val before, Expr lo, Expr hi) {
    var vectors = scope.let("n", Expr.sub(hi, lo));
    scope.forSequence(
        "element",
        memory.dims().getFirst(),
        element -> {
          var first = (Val.Scalar) arrays.index((ArrayVal) before, List.of(element));
          scope.forEach(
              "t",
              vectors,
              t -> {
                var at = List.of(element, scope.let("i", Expr.add(lo, t)));
                arrays.store(memory, at, combined(f, first.expr(), arrays.index(memory, at)));
              });
        });
  }
}
