package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Bins that points make of floats, and keep for what each of them does by itself, as integers of 32
 * bits: twice as many of them are in a vector, and all processors have an instruction for it.
 *
 * <pre>
 *   bin = i64(x * 1000); if 0 &lt;= bin and bin &lt; n: a[bin] += x
 *     =&gt;  narrow = i32(x * 1000); bin = i64(narrow); if 0 &lt;= bin and bin &lt; n: a[bin] += x
 * </pre>
 *
 * <p>Both conversions saturate. So they differ only for numbers that are no bins, if the bound is
 * at most the largest integer of 32 bits, and if nothing but the guarded code looks at the bin.
 *
 * @param together what the points do together
 * @param alone what each of them does by itself
 * @param fits whether the bounds, which a program may compute, are small enough
 */
record NarrowBins(List<Code> together, List<Code> alone, Expr fits) {
  private static final Expr MOST = Expr.i64(Integer.MAX_VALUE);

  /** Returns the two parts of a loop's body with all bins narrow that may be. */
  static NarrowBins in(List<Code> together, List<Code> alone) {
    var narrow = new NarrowBins(together, alone, Expr.bool(true));
    for (int k = 0; k < together.size(); k++) {
      if (together.get(k) instanceof Code.Set(var bin, Expr.Conv(var to, var x))
          && to == Prim.I64
          && x.prim().isFloat()) {
        narrow = narrow.with(k, bin, x);
      }
    }
    return narrow;
  }

  private NarrowBins with(int at, Reg bin, Expr x) {
    var others = new ArrayList<>(together);
    others.remove(at);
    if (Registers.of(others).mentions(bin)) {
      return this;
    }
    var all = fits;
    for (var c : alone) {
      if (Registers.of(List.of(c)).mentions(bin)) {
        var bound = bound(c, bin);
        if (bound.isEmpty()) {
          return this;
        }
        all = LaneBlock.and(all, new Expr.Cmp(CompareOp.LE, bound.get(), MOST));
      }
    }
    var narrow = Reg.fresh(bin.name(), Prim.I32);
    var first = new ArrayList<>(together);
    first.set(at, new Code.Set(narrow, new Expr.Conv(Prim.I32, x)));
    var then = new ArrayList<Code>();
    then.add(new Code.Set(bin, new Expr.Conv(Prim.I64, Expr.use(narrow))));
    then.addAll(alone);
    return new NarrowBins(first, then, all);
  }

  /** Returns the bound of the bins for which the statement does anything. */
  private Optional<Expr> bound(Code c, Reg bin) {
    if (!(c instanceof Code.If(var condition, var then, var otherwise))
        || !otherwise.isEmpty()
        || Registers.of(then).assigned().contains(bin)) {
      return Optional.empty();
    }
    var all = new ArrayList<Expr>();
    conjuncts(condition, all);
    if (!all.contains(new Expr.Cmp(CompareOp.LE, Expr.i64(0), Expr.use(bin)))) {
      return Optional.empty();
    }
    var changed = Registers.of(together).assigned();
    return all.stream()
        .filter(e -> e instanceof Expr.Cmp(var op, var i, _) && isUse(op, i, bin))
        .map(e -> ((Expr.Cmp) e).y())
        .filter(n -> n instanceof Expr.Lit || n instanceof Expr.Use(var r) && !changed.contains(r))
        .findFirst();
  }

  private static boolean isUse(CompareOp op, Expr i, Reg bin) {
    return op == CompareOp.LT && i.equals(Expr.use(bin));
  }

  private static void conjuncts(Expr e, List<Expr> to) {
    if (e instanceof Expr.Bin(var op, var x, var y) && op == BinaryOp.AND) {
      conjuncts(x, to);
      conjuncts(y, to);
    } else {
      to.add(e);
    }
  }
}
