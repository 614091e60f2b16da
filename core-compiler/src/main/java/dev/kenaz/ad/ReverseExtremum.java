package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.List;

/**
 * Minimum and maximum (003 §3.2.2). The forward sweep finds the extremum together with its first
 * index k; only a_k gets ȳ. Of an empty array, or where the neutral element is the only extremum, k
 * is n and nothing is added. The contribution stays sparse (001 §5.1.1): where the array comes from
 * a map, only iteration k has a return sweep, see {@link ReverseSparseMap}.
 */
final class ReverseExtremum {
  private ReverseExtremum() {}

  static Reverse.Return forward(Builder b, Var y, Atom n, Var input, Reduce reduce) {
    var op = Operators.scalar(reduce.op()).orElseThrow();
    var prim = y.type().elemPrim();
    var lifted = new Reduce(lifted(b, op, y.type()), List.of(reduce.neutral().getFirst(), n), true);
    var index = dev.kenaz.ir.Names.fresh("arg", Type.I64);
    var inputs = List.of(input, b.iota(n));
    var identity = b.lambda(List.of(Type.scalar(prim), Type.I64), (_, p) -> p);
    b.bindAll(List.of(y, index), new Screma(n, inputs, List.of(), List.of(lifted), identity));
    return s -> {
      if (!s.isZero(y)) {
        s.addRow(input, new Adjoint.Entry(index, s.takeValue(y), false));
      }
    };
  }

  /** On values with indices; of equal values the one with the smaller index. */
  static Lambda lifted(Builder b, BinaryOp op, Type value) {
    return b.lambda(
        List.of(value, Type.I64, value, Type.I64),
        (in, p) -> {
          var better = in.binary(op, p.get(0), p.get(2));
          var left = in.compare(CompareOp.EQ, better, p.get(0));
          var right = in.compare(CompareOp.EQ, better, p.get(2));
          var first = in.binary(BinaryOp.MIN, p.get(1), p.get(3));
          var tie = in.and(left, right);
          var one = ScalarDerivatives.choose(in, left, p.get(1), p.get(3));
          return List.of(better, ScalarDerivatives.choose(in, tie, first, one));
        });
  }

  /** Whether {@code 0 <= i < n}. */
  static Atom inside(Builder b, Atom i, Atom n) {
    return b.and(b.compare(CompareOp.LE, i64(0), i), b.compare(CompareOp.LT, i, n));
  }
}
