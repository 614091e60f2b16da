package dev.kenaz.loops;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.simplify.IndexedExtremum;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Finds an extremum and its index, where most blocks of elements have no better one than those
 * before. That is known from their extremum alone, which is found in vectors:
 *
 * <pre>
 *   for b &lt; n / 512:
 *     best = acc
 *     for l &lt; 512: best = min(best, x[512 b + l])
 *     if best differs from acc:
 *       for l &lt; 512: (acc, index) = op((acc, index), (x[512 b + l], 512 b + l))
 * </pre>
 *
 * <p>Where it doesn't, all elements are worse or as good, and of two that are as good the operator
 * takes the smaller index, which is the earlier one's: the neutral element has the index -1.
 */
final class ExtremumFolds {
  private static final Expr BLOCK = Expr.i64(512);

  private final Scope scope;

  ExtremumFolds(Scope scope) {
    this.scope = scope;
  }

  /** Returns which extremum is all that is reduced, from an index on that is before all others. */
  static Optional<BinaryOp> of(List<Reduce> reduces) {
    var first = reduces.getFirst();
    return reduces.size() == 1 && first.neutral().getLast().equals(Atom.i64(-1))
        ? IndexedExtremum.in(first.op())
        : Optional.empty();
  }

  /**
   * Folds the whole blocks of the points from {@code lo} to {@code hi}, if their indices are their
   * numbers.
   *
   * @param folds the accumulators of the only reduction
   * @param point computes the value and the index of the point with this number
   * @return the first of the points that are left
   */
  Expr blocks(BinaryOp op, Soacs.Folds folds, Expr lo, Expr hi, Function<Expr, List<Val>> point) {
    var blocks = Reg.index("blocks");
    var counted = new boolean[1];
    var code =
        scope.block(
            () ->
                scope.forSequence(
                    "b",
                    Expr.use(blocks),
                    b -> {
                      var start = scope.let("start", Expr.add(lo, Expr.mul(b, BLOCK)));
                      counted[0] = block(op, folds, start, point);
                    }));
    if (!counted[0]) {
      return lo;
    }
    scope.add(new Code.Set(blocks, Arrays.quot(Expr.sub(hi, lo), BLOCK)));
    code.forEach(scope::add);
    return scope.let("rest", Expr.add(lo, Expr.mul(Expr.use(blocks), BLOCK)));
  }

  private boolean block(
      BinaryOp op, Soacs.Folds folds, Expr start, Function<Expr, List<Val>> point) {
    var sofar = Expr.use(folds.registers().getFirst());
    var best = Reg.fresh("best", sofar.prim());
    scope.add(new Code.Set(best, sofar));
    var counted = new boolean[1];
    var l = Reg.index("l");
    var search =
        scope.block(
            () -> {
              var i = scope.let("i", Expr.add(start, Expr.use(l)));
              var x = point.apply(i);
              counted[0] = x.get(1).equals(new Val.Scalar(i));
              var value = ((Val.Scalar) x.getFirst()).expr();
              scope.add(new Code.Set(best, new Expr.Bin(op, Expr.use(best), value)));
            });
    scope.add(new Code.For(l, BLOCK, search, true, List.of(new Code.Reduction(best, op))));
    var better =
        scope.block(
            () ->
                scope.forSequence(
                    "l",
                    BLOCK,
                    k -> {
                      folds.begin();
                      folds.step(point.apply(scope.let("i", Expr.add(start, k))));
                    }));
    var before = List.<Val>of(new Val.Scalar(sofar));
    var after = List.<Val>of(new Val.Scalar(Expr.use(best)));
    scope.add(new Code.If(Accs.differ(before, after), better, List.of()));
    return counted[0];
  }
}
