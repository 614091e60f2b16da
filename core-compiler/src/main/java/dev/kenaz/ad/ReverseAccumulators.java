package dev.kenaz.ad;

import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;

/**
 * Differentiates accumulators in the program, which is what an inner reverse derivative leaves for
 * an outer one. {@code ys = xs + Σ (v at i)} over all updates, so {@code x̄s += ȳs}, and each
 * update adds {@code ȳs[i]} to v̄ (by 001 equation 3). The adjoint of an accumulator is therefore
 * the array ȳs, complete from the start and only read; when the scope is executed again the updates
 * themselves are left out. Operators other than addition are in {@link SequentialAccs}.
 */
final class ReverseAccumulators {
  private ReverseAccumulators() {}

  /** Whether each array by itself is added to, and no other operator is applied. */
  static boolean areSums(WithAcc w) {
    return w.inputs().stream()
        .allMatch(
            in ->
                in.arrays().size() == 1
                    && in.combine().filter(c -> Operators.isSum(c.op())).isPresent());
  }

  static void emit(Reverse r, Sweep s, List<Var> pattern, WithAcc w) {
    if (pattern.stream().allMatch(s::isZero)) {
      return;
    }
    var body = new Renaming().body(w.body().body());
    w.body().params().forEach(p -> r.withoutAccumulator(((Type.Acc) p.type()).token()));
    var back = r.forward(s.b, body);
    int at = 0;
    var arrays = new ArrayList<Runnable>();
    for (int i = 0; i < w.inputs().size(); i++) {
      var in = w.inputs().get(i);
      var results = pattern.subList(at, at + in.arrays().size());
      at += in.arrays().size();
      if (results.stream().allMatch(s::isZero)) {
        continue;
      }
      var adjoint = s.takeValue(results.getFirst());
      s.set((Var) body.results().get(i), new Adjoint.Value(adjoint, false));
      arrays.add(() -> s.add(in.arrays().getFirst(), adjoint, false));
    }
    for (int k = at; k < pattern.size(); k++) {
      if (!s.isZero(pattern.get(k))) {
        s.add(body.results().get(w.inputs().size() + k - at), s.take(pattern.get(k)));
      }
    }
    back.emit(s);
    w.body().params().forEach(s::take);
    arrays.forEach(Runnable::run);
  }

  /** The return sweep of one update. */
  static void update(
      Sweep s, Adjoint.Value adjoint, Var acc, List<Atom> indices, List<Atom> values) {
    var array = (Var) adjoint.atom();
    var value = values.getFirst();
    if (!s.activity.active(value)) {
      return;
    }
    var b = s.b;
    Atom inside = null;
    for (int d = 0; d < indices.size(); d++) {
      var i = indices.get(d);
      var size = array.type().dims().get(d);
      var ok = b.and(b.compare(CompareOp.LE, Atom.i64(0), i), b.compare(CompareOp.LT, i, size));
      inside = inside == null ? ok : b.binary(BinaryOp.AND, inside, ok);
    }
    var part =
        b.ifThenElse(
                inside,
                List.of(value.type()),
                then -> List.of(then.bind("x", new Index(array, indices, false))),
                otherwise -> List.of(otherwise.zero(value.type())))
            .getFirst();
    s.add(value, part, false);
  }
}
