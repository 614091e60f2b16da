package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads row {@code n - 1 - i} of an array of n rows at the beginning of iteration i, where a loop
 * reads it in operators inside of the iteration: so the return sweep of {@code for i < n do map (\w
 * -> f w xs[i]) ws} reads one row, which can be sent. The row exists, as there is an iteration.
 */
final class RowsRead implements Rewriter {
  private final Labeller labeller;
  private final Var number;
  private final Atom width;

  /** For arrays of rows, the row that is read. */
  private final Map<Var, Var> rows = new LinkedHashMap<>();

  private final Builder reads;

  private RowsRead(Labeller labeller, Stm number, Atom width) {
    this.labeller = labeller;
    this.number = number.var();
    this.width = width;
    this.reads = new Builder(number.span());
  }

  /** Returns the loop with such reads at the beginning, or the loop itself if there are none. */
  static Loop first(Labeller labeller, Loop loop) {
    if (!(loop.form() instanceof For(var i, var width))) {
      return loop;
    }
    var stms = new ArrayList<Stm>();
    var rest = new ArrayList<>(loop.body().stms());
    while (!rest.isEmpty()) {
      var stm = rest.removeFirst();
      stms.add(stm);
      if (stm.exp() instanceof Binary(var op, var last, var x)
          && op == BinaryOp.SUB
          && x.equals(i)
          && isLast(labeller, last, width)) {
        var reads = new RowsRead(labeller, stm, width);
        var after = new ArrayList<Stm>();
        // a read outside of operators is one already, and would be moved again and again
        rest.forEach(r -> after.addAll(r.exp() instanceof Index ? List.of(r) : reads.stm(r)));
        if (!reads.rows.isEmpty()) {
          stms.addAll(reads.reads.stms());
          stms.addAll(after);
          return new Loop(loop.params(), loop.form(), new Body(stms, loop.body().results()));
        }
      }
    }
    return loop;
  }

  /** Whether it is the number of the last of so many rows. */
  static boolean isLast(Labeller labeller, Atom x, Atom rows) {
    return x instanceof Var v
        && labeller.definition(v) instanceof Binary(var op, var n, var one)
        && n.equals(rows)
        && (op == BinaryOp.ADD && one.isConst(-1) || op == BinaryOp.SUB && one.isConst(1));
  }

  @Override
  public Exp exp(Exp exp) {
    if (!(exp instanceof Index(var array, var is, var checked))
        || !is.getFirst().equals(number)
        || !array.type().dims().getFirst().equals(width)
        || !labeller.of(array).equals(new Label.Sharded(0))) {
      return Rewriter.super.exp(exp);
    }
    var row = rows.computeIfAbsent(array, a -> (Var) reads.index(a, number));
    var rest = is.subList(1, is.size());
    return rest.isEmpty() ? new Alias(row) : new Index(row, rest, checked);
  }
}
