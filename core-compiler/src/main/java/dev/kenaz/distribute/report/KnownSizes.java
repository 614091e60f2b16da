package dev.kenaz.distribute.report;

import dev.kenaz.distribute.Plan;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.ScalarValue;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/** The integers of a plan that are known before it runs, and what follows from them. */
final class KnownSizes {
  private final Map<Var, ScalarValue> known = new HashMap<>();
  private final Set<String> names = new TreeSet<>();

  /**
   * @param given the number of rows, other sizes and integer parameters, by their names
   */
  KnownSizes(Plan plan, Map<String, Long> given, long pieces) {
    for (var space : plan.pieces().datasets()) {
      give(space.rows(), given);
      if (known.containsKey(space.rows())) {
        known.put(space.total(), known.get(space.rows()));
      }
    }
    known.put(plan.pieces().pieces(), ScalarValue.i64(pieces));
    known.put(plan.pieces().bounds(), ScalarValue.i64(pieces + 1));
    plan.replicated().forEach(v -> give(v, given));
  }

  private void give(Var v, Map<String, Long> given) {
    if (v.type() instanceof Type.Scalar(var prim) && prim.isInteger()) {
      names.add(v.name());
      if (given.containsKey(v.name())) {
        known.put(v, ScalarValue.ofLong(prim, given.get(v.name())));
      }
    }
  }

  /** What could be given. */
  Set<String> names() {
    return names;
  }

  /** Works out which of a driver's results follow from what is known. */
  void learn(Plan.Compute step) {
    for (var stm : step.function().body().stms()) {
      if (stm.pattern().size() == 1) {
        value(stm).ifPresent(x -> known.put(stm.var(), x));
      }
    }
    var results = step.function().body().results();
    for (int i = 0; i < results.size(); i++) {
      var x = of(results.get(i));
      if (x.isPresent()) {
        known.put(step.outputs().get(i), x.get());
      }
    }
  }

  private Optional<ScalarValue> value(Stm stm) {
    try {
      return switch (stm.exp()) {
        case Exp.Alias(var x) -> of(x);
        case Exp.Convert(var to, var x) -> of(x).map(v -> ScalarOps.convert(to, v));
        case Exp.Unary(var op, var x) -> of(x).map(v -> ScalarOps.unary(op, v));
        case Exp.Binary(var op, var x, var y) ->
            of(x).flatMap(a -> of(y).map(b -> ScalarOps.binary(op, a, b)));
        default -> Optional.empty();
      };
    } catch (UserError | ArithmeticException fails) {
      return Optional.empty(); // the plan itself will tell, when it runs
    }
  }

  private Optional<ScalarValue> of(Atom x) {
    return switch (x) {
      case Const(var c) -> Optional.of(c);
      case Var v -> Optional.ofNullable(known.get(v));
    };
  }

  /** All integers that are known. */
  Map<Var, Double> numbers() {
    var numbers = new HashMap<Var, Double>();
    known.forEach((v, x) -> number(v).ifPresent(n -> numbers.put(v, (double) n)));
    return numbers;
  }

  OptionalLong number(Atom x) {
    return of(x)
        .filter(v -> v.prim().isInteger())
        .map(v -> OptionalLong.of(v.asLong()))
        .orElse(OptionalLong.empty());
  }

  /** How much memory a value of the type takes. */
  Quantity bytes(Type type, ShownNames names) {
    var all = Quantity.of(type.elemPrim().byteSize());
    for (var d : type.dims()) {
      var n = number(d);
      all = n.isPresent() ? all.times(n.getAsLong()) : all.times(names.of((Var) d));
    }
    return all;
  }
}
