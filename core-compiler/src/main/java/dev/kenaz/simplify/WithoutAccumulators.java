package dev.kenaz.simplify;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Removes all uses of some accumulators, as nothing uses what they add up to. */
record WithoutAccumulators(Set<Integer> tokens) implements CodeRewriter {
  private boolean gone(Type type) {
    return type instanceof Type.Acc a && tokens.contains(a.token());
  }

  private <T extends Atom> List<T> rest(List<T> atoms) {
    return atoms.stream().filter(a -> !gone(a.type())).toList();
  }

  @Override
  public Body body(Body body) {
    var stms = new ArrayList<Stm>();
    body.stms().forEach(s -> stms.addAll(stm(s)));
    return new Body(stms, rest(body.results()));
  }

  @Override
  public List<Stm> stm(Stm stm) {
    if (stm.exp() instanceof UpdateAcc u && gone(u.acc().type())
        || stm.exp() instanceof Alias(var x) && gone(x.type())) {
      return List.of();
    }
    return List.of(stm.with(rest(stm.pattern()), exp(stm.exp())));
  }

  @Override
  public Lambda lambda(Lambda lambda) {
    var returns = lambda.returns().stream().filter(t -> !gone(t)).toList();
    return new Lambda(rest(lambda.params()), body(lambda.body()), returns);
  }

  @Override
  public Exp exp(Exp exp) {
    return switch (exp) {
      case Screma(var w, var ins, var scans, var reduces, var map) ->
          new Screma(w, rest(ins), scans, reduces, lambda(map));
      case Loop(var params, var form, var body) ->
          new Loop(params.stream().filter(p -> !gone(p.var().type())).toList(), form, body(body));
      default -> CodeRewriter.super.exp(exp);
    };
  }

  @Override
  public Var binder(Var v) {
    return v;
  }
}
