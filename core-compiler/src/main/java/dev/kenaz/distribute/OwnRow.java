package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a row by a number that is the same in every piece: the piece that has the row gives it, all
 * others give what a sum ignores, so that the sum over all pieces is the row. For floating-point
 * numbers that is minus zero: {@code x + -0.0} is x for all x, both zeros included.
 */
final class OwnRow {
  private OwnRow() {}

  static List<Stm> read(
      Stm stm, Var array, List<Atom> indices, int dim, boolean checked, Space space) {
    var b = new Builder(stm.span());
    var number = indices.get(dim);
    if (checked) {
      check(b, number, space.total());
    }
    var own = b.sub(number, space.before());
    var inside =
        b.and(
            b.compare(CompareOp.LE, Atom.i64(0), own), b.compare(CompareOp.LT, own, space.rows()));
    var type = stm.var().type();
    var at = new ArrayList<>(indices);
    at.set(dim, own);
    var row =
        b.ifThenElse(
            inside,
            List.of(type),
            in -> List.of(in.bind("row", type, new Index(array, at, checked))),
            in -> List.of(nothing(in, type)));
    b.bindAll(stm.pattern(), new dev.kenaz.ir.Exp.Alias(row.getFirst()));
    return b.stms();
  }

  /** Checks that there is a row of the number at all. */
  static void check(Builder b, Atom number, Atom rows) {
    var inside =
        b.and(b.compare(CompareOp.LE, Atom.i64(0), number), b.compare(CompareOp.LT, number, rows));
    b.check(inside, "index [{}] is outside of an array of shape [{}]", List.of(number, rows));
  }

  private static Atom nothing(Builder b, Type type) {
    var prim = type.elemPrim();
    var none = prim.isFloat() ? Atom.of(prim, -0.0) : b.zero(Type.scalar(prim));
    return type.isScalar() ? none : b.replicate(type.dims(), none);
  }
}
