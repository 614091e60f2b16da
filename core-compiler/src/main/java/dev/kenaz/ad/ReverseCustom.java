package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.WithVjp;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;

/**
 * Uses the derivatives that the program itself gives for a function f: {@code y = f(x)} with a rule
 * that computes x̄ from x, y, ȳ and what f leaves for it. The forward sweep calls the function and
 * keeps what it leaves; the return sweep calls the rule and adds what that returns to x̄. The
 * papers don't have this rule.
 */
final class ReverseCustom {
  private ReverseCustom() {}

  static Reverse.Return forward(Builder b, Stm stm) {
    var e = (WithVjp) stm.exp();
    var all = b.call(e.function(), e.arguments());
    int k = stm.pattern().size();
    for (int i = 0; i < k; i++) {
      b.bindAll(List.of(stm.pattern().get(i)), new Exp.Alias(all.get(i)));
    }
    var tape = all.subList(k, all.size());
    return s -> emit(s, stm.pattern(), e, tape);
  }

  private static void emit(Sweep s, List<Var> results, WithVjp e, List<Atom> tape) {
    if (results.stream().allMatch(s::isZero)) {
      return;
    }
    var arguments = new ArrayList<Atom>(e.arguments());
    arguments.addAll(results);
    arguments.addAll(tape);
    for (var v : results) {
      arguments.add(s.value(v));
      s.take(v);
    }
    var adjoints = s.b.call(e.rule(), arguments);
    for (int i = 0; i < e.arguments().size(); i++) {
      s.add(e.arguments().get(i), adjoints.get(i), false);
    }
  }
}
