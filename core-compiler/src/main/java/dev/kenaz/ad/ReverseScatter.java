package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.List;

/**
 * Differentiates scatter without duplicate indices (001 §5.3). {@code ys[is[k]] = vs[k]}, hence
 * {@code v̄s[k] += ȳs[is[k]]}, and x̄s is ȳs with the places cleared that were written.
 *
 * <p>Where we differ: nothing is saved or restored, see {@link PreservedArrays}; and the map in
 * front of the writes is differentiated with them.
 */
final class ReverseScatter {
  private ReverseScatter() {}

  static Reverse.Return forward(Reverse r, Builder b, Stm stm, Stm primal) {
    var e = (Scatter) stm.exp();
    // the indices and values are needed as arrays: they tell to what index each write went
    List<Var> outs =
        e.map().body().results().stream()
            .map(x -> dev.kenaz.ir.Names.fresh("w", x.type().under(e.width())))
            .toList();
    var map = new Screma(e.width(), e.inputs(), List.of(), List.of(), e.map());
    var back = r.forward(b, List.of(stm.with(outs, map)));
    var dests = ((Scatter) primal.exp()).dests();
    var exp = new Scatter(e.width(), outs, dests, b.identity(outs));
    b.with(stm.attrs()).bindAll(stm.pattern(), exp);
    return s -> {
      int at = 0;
      int values = outs.size() - e.dests().size();
      for (int k = 0; k < e.dests().size(); k++) {
        var dest = e.dests().get(k);
        var indices = outs.subList(at, at + dest.shape().size());
        at += dest.shape().size();
        var y = stm.pattern().get(k);
        if (!s.isZero(y)) {
          emit(s, e.width(), y, dest, indices, outs.get(values + k));
        }
      }
      back.emit(s);
    };
  }

  private static void emit(Sweep s, Atom n, Var y, ScatterDest dest, List<Var> indices, Var value) {
    var adjoint = (Var) s.value(y);
    if (s.activity.active(value)) {
      s.add(value, gather(s.b, n, adjoint, dest.shape(), indices), true);
    }
    if (s.activity.active(dest.dest())) {
      var into = s.owned(y);
      s.take(y);
      var map =
          s.b.lambda(
              indices.stream().map(_ -> (Type) Type.I64).toList(),
              (in, p) -> {
                return Lists.with(p, in.zero(Builder.rowType(value.type())));
              });
      var cleared =
          s.b.bind(
              into.name(),
              new Scatter(n, indices, List.of(new ScatterDest(dest.shape(), into)), map));
      s.add(dest.dest(), cleared, true);
    } else {
      s.take(y);
    }
  }

  /** Reads {@code map (\i -> array[i])}, with zero where that is out of bounds. */
  static Var gather(Builder b, Atom n, Var array, List<Atom> shape, List<Var> indices) {
    return b.map(
            n,
            indices,
            (in, p) -> {
              var element = elementType(array, shape.size());
              return in.ifThenElse(
                  inside(in, p, shape),
                  List.of(element),
                  then -> List.of(then.bind("x", new Index(array, List.copyOf(p), false))),
                  otherwise -> List.of(otherwise.zero(element)));
            })
        .getFirst();
  }

  static Type elementType(Var array, int indexed) {
    var dims = array.type().dims();
    return Type.of(array.type().elemPrim(), dims.subList(indexed, dims.size()));
  }

  static Atom inside(Builder b, List<? extends Atom> indices, List<Atom> shape) {
    Atom inside = b.inBounds(indices.getFirst(), shape.getFirst());
    for (int d = 1; d < indices.size(); d++) {
      inside = b.and(inside, b.inBounds(indices.get(d), shape.get(d)));
    }
    return inside;
  }
}
