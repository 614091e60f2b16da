package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.simplify.IndexedExtremum;
import java.util.List;

/**
 * Differentiates minimum and maximum of an array (001 §5.1.1, 003 §3.2.2). With {@code y = a_k}
 * only that element has an adjoint: {@code ā_k += ȳ}. The forward sweep finds the extremum together
 * with its first index k. The neutral element counts as one before the first: where it is the
 * extremum, as in an empty array, k is -1 and nothing is added. The contribution stays sparse (001
 * §5.1.1): where the array comes from a map, only iteration k has a return sweep, see {@link
 * ReverseSparseMap}.
 */
final class ReverseExtremum {
  private ReverseExtremum() {}

  static Reverse.Return forward(Builder b, Var y, Atom n, Var input, Reduce reduce) {
    var op = Operators.scalar(reduce.op()).orElseThrow();
    var prim = y.type().elemPrim();
    var lifted =
        new Reduce(
            IndexedExtremum.of(b, op, y.type()),
            List.of(reduce.neutral().getFirst(), i64(-1)),
            true);
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
}
