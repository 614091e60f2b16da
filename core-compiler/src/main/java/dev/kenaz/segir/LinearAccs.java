package dev.kenaz.segir;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.IllFormed;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Accumulators are used linearly: whichever way control goes, at most one statement or result
 * mentions each. A loop mentions only those that it carries, for it would mention others once an
 * iteration, and so does a sequential operator. The body of a seg-op may mention others: the
 * updates of all its points go into one accumulator.
 */
final class LinearAccs {
  /** What has been bound and not been mentioned. */
  private Set<Var> unused = new HashSet<>();

  private LinearAccs() {}

  static void check(SegBody body) {
    new LinearAccs().body(body);
  }

  private void body(SegBody body) {
    for (var stm : body.stms()) {
      try {
        exp(stm.exp());
      } catch (IllFormed e) {
        throw e.in(SegPrinter.print(stm) + "  at " + stm.span());
      }
      bind(stm.pattern());
    }
    use(body.results());
  }

  private void bind(List<Var> vars) {
    unused.addAll(vars);
  }

  private void use(Collection<? extends Atom> atoms) {
    for (var a : atoms) {
      if (a instanceof Var v && v.type() instanceof Type.Acc && !unused.remove(v)) {
        throw new IllFormed(
            "the accumulator " + v + " is used a second time, or once an iteration");
      }
    }
  }

  private void exp(SegExp exp) {
    switch (exp) {
      case SegExp.Plain(Exp.Screma s) -> {
        use(s.inputs());
        repeated(s.map().params(), SegBody.sequential(s.map().body()));
      }
      case SegExp.Plain(var e) -> use(FreeVars.of(e));
      case SegExp.Branch(_, var then, var otherwise) -> either(then, otherwise);
      case SegExp.Versions(_, var wide, var narrow) -> either(wide, narrow);
      case SegExp.Iterate(var params, _, var body) -> {
        use(params.stream().map(Exp.LoopParam::init).toList());
        repeated(params.stream().map(Exp.LoopParam::var).toList(), body);
      }
      case SegExp.Accumulate(_, var accs, var body) -> {
        bind(accs);
        body(body);
      }
      case SegExp.Par(var op) -> body(op.body());
    }
  }

  private void repeated(List<Var> params, SegBody body) {
    var outside = unused;
    unused = new HashSet<>(params);
    body(body);
    unused = outside;
  }

  private void either(SegBody a, SegBody b) {
    var before = Set.copyOf(unused);
    body(a);
    var after = unused;
    unused = new HashSet<>(before);
    body(b);
    unused.retainAll(after);
  }
}
