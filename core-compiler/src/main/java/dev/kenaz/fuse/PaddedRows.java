package dev.kenaz.fuse;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.DimSlice.Range;
import dev.kenaz.ir.Exp.Iota;
import dev.kenaz.ir.Exp.Replicate;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.Soac;
import dev.kenaz.ir.Exp.Update;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes a map of a row that is filled with one value and then partly overwritten, where that stands
 * in another map, so that each element has a thread and the readers can be joined with it:
 *
 * <pre>
 *   (replicate n x) with [a:+m] = ys
 *     is  map (\i -> if a <= i && i < a + m then ys[i - a] else x) (iota n)
 * </pre>
 *
 * The derivatives of {@code take} and {@code drop} are such rows.
 */
final class PaddedRows implements CodeRewriter {
  /** The rows that are filled with one value. */
  private final Map<Var, Replicate> filled = new HashMap<>();

  /** How many operators are around. */
  private int nested;

  private PaddedRows() {}

  static CoreProgram run(CoreProgram program) {
    return new PaddedRows().program(program);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    if (stm.exp() instanceof Replicate r
        && r.shape().size() == 1
        && stm.var().type().dims().size() == 1) {
      filled.put(stm.var(), r);
    }
    if (nested > 0 && stm.exp() instanceof Update u && padded(u)) {
      return map(stm, filled.get(u.array()), u);
    }
    int more = stm.exp() instanceof Soac ? 1 : 0;
    nested += more;
    var inner = CodeRewriter.super.stm(stm);
    nested -= more;
    return inner;
  }

  private boolean padded(Update u) {
    return !u.checked()
        && filled.containsKey(u.array())
        && u.value() instanceof Var
        && u.slice().getFirst() instanceof Range r
        && r.stride().isConst(1);
  }

  private static List<Stm> map(Stm stm, Replicate row, Update u) {
    var part = (Range) u.slice().getFirst();
    var b = new Builder(stm.span());
    var width = row.shape().getFirst();
    var iota = b.bind("iota", new Iota(width, Atom.i64(0), Atom.i64(1)));
    var value =
        b.lambdaOf(
            List.of(Names.fresh("i", Type.I64)),
            (inner, params) -> {
              var place = inner.sub(params.getFirst(), part.start());
              var from = inner.compare(CompareOp.LE, Atom.i64(0), place);
              var to = inner.compare(CompareOp.LT, place, part.count());
              return inner.ifThenElse(
                  inner.and(from, to),
                  List.of(row.value().type()),
                  then -> List.of(then.index((Var) u.value(), place)),
                  _ -> List.of(row.value()));
            });
    b.bindAll(List.of(stm.var()), new Screma(width, List.of(iota), List.of(), List.of(), value));
    return b.stms();
  }
}
