package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Assert;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
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
      var shape = new ArrayList<>(array.type().dims().subList(0, indices.size()));
      shape.set(dim, space.total());
      check(b, indices, shape);
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
            in -> List.of(in.bind("row", type, new Index(array, at, false))),
            in -> List.of(nothing(in, type)));
    b.bindAll(stm.pattern(), new Exp.Alias(row.getFirst()));
    return b.stms();
  }

  /** Checks that there is a row of the number at all. */
  static void check(Builder b, Atom number, Atom rows) {
    check(b, List.of(number), List.of(rows));
  }

  /** Checks that the first dimensions of an array have these indices, as a read of it would. */
  static void check(Builder b, List<Atom> indices, List<Atom> shape) {
    Atom inside = Atom.bool(true);
    for (int k = 0; k < indices.size(); k++) {
      var notBefore = b.compare(CompareOp.LE, Atom.i64(0), indices.get(k));
      var before = b.compare(CompareOp.LT, indices.get(k), shape.get(k));
      inside = b.and(inside, b.and(notBefore, before));
    }
    var index = String.join(", ", Collections.nCopies(indices.size(), "{}"));
    var size = "[{}]".repeat(indices.size());
    var message = "Index [%s] out of bounds for array of shape %s.".formatted(index, size);
    var told = new ArrayList<>(indices);
    told.addAll(shape.subList(0, indices.size()));
    b.bindAll(List.of(), new Assert(inside, Assert.OUTSIDE, message, told));
  }

  private static Atom nothing(Builder b, Type type) {
    var prim = type.elemPrim();
    var none = prim.isFloat() ? Atom.of(prim, -0.0) : b.zero(Type.scalar(prim));
    return type.isScalar() ? none : b.replicate(type.dims(), none);
  }
}
