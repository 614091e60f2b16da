package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.List;

/**
 * A stable radix sort of keys from 0 to {@code most}, as core code: one pass a binary digit, and as
 * many passes as {@code most} has digits. A pass places the zeros before the ones, each in their
 * order: with z zeros, o(i) ones and i - o(i) zeros before element i, a zero goes to i - o(i) and a
 * one to z + o(i).
 */
final class Sort {
  private Sort() {}

  /** The keys in order, and where each was before. */
  record Sorted(Var keys, Var origins) {}

  static Sorted byKey(Builder b, Atom n, Var keys, Atom most) {
    var leading = b.unary(UnaryOp.CLZ, most);
    var digits = b.sub(i64(64), b.convert(Prim.I64, leading));
    var sorted =
        b.forLoop(
            digits,
            List.of(b.bind("keys", new Fresh(keys)), b.iota(n)),
            (digit, acc) -> in -> pass(in, n, digit, acc.get(0), acc.get(1)));
    return new Sorted(sorted.get(0), sorted.get(1));
  }

  private static List<Var> pass(Builder b, Atom n, Var digit, Var keys, Var origins) {
    var bits =
        b.map(
                n,
                List.of(keys),
                (in, p) -> {
                  var shifted = in.binary(BinaryOp.SHR, p.getFirst(), digit);
                  return List.of(in.binary(BinaryOp.AND, shifted, i64(1)));
                })
            .getFirst();
    var plus = b.operator(BinaryOp.ADD, Prim.I64);
    var ones = Scans.inclusive(b, n, List.of(bits), plus, List.of(i64(0))).getFirst();
    var empty = b.compare(CompareOp.LE, n, i64(0));
    var all =
        b.ifThenElse(
                empty,
                List.of(Type.I64),
                _ -> List.of(i64(0)),
                c -> List.of(c.index(ones, c.sub(n, i64(1)))))
            .getFirst();
    var zeros = b.sub(n, all);
    var map =
        b.lambda(
            List.of(Type.I64, Type.I64, Type.I64, Type.I64, Type.I64),
            (in, p) -> {
              // the inclusive count of ones includes a one itself
              var before = in.sub(p.get(1), p.get(0));
              var isOne = in.compare(CompareOp.EQ, p.get(0), i64(1));
              var low = in.sub(p.get(2), before);
              var high = in.add(zeros, before);
              var to = ScalarDerivatives.choose(in, isOne, high, low);
              return List.of(to, to, p.get(3), p.get(4));
            });
    var shape = List.of(n);
    var dests =
        List.of(
            new ScatterDest(shape, b.bind("keys", new Scratch(Prim.I64, shape))),
            new ScatterDest(shape, b.bind("origins", new Scratch(Prim.I64, shape))));
    var inputs = List.of(bits, ones, b.iota(n), keys, origins);
    return b.bindAll("sorted", new Scatter(n, inputs, dests, map));
  }
}
