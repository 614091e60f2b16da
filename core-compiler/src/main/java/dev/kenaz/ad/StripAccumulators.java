package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Removes updates of certain accumulators from code that is executed again: as an accumulator can't
 * be read, nothing else depends on it.
 *
 * @param tokens the tokens of those accumulators
 */
public record StripAccumulators(Set<Integer> tokens) implements Rewriter {
  @Override
  public List<Stm> stm(Stm stm) {
    var pattern = kept(stm.pattern());
    return switch (stm.exp()) {
      case UpdateAcc(var acc, _, _) when gone(acc) -> List.of();
      case Alias(var x) when gone(x) -> List.of();
      case Screma s -> {
        var map = lambda(s.map());
        yield List.of(
            stm.with(
                pattern, new Screma(s.width(), kept(s.inputs()), s.scans(), s.reduces(), map)));
      }
      case If(var c, var then, var otherwise) ->
          List.of(stm.with(pattern, new If(c, body(then), body(otherwise))));
      case Loop loop -> {
        var params = loop.params().stream().filter(p -> !gone(p.var())).toList();
        yield List.of(stm.with(pattern, new Loop(params, loop.form(), body(loop.body()))));
      }
      case WithAcc w -> List.of(stm.with(pattern, new WithAcc(w.inputs(), lambda(w.body()))));
      default -> List.of(stm);
    };
  }

  @Override
  public Body body(Body body) {
    var stms = new ArrayList<Stm>();
    body.stms().forEach(s -> stms.addAll(stm(s)));
    return new Body(stms, kept(body.results()));
  }

  @Override
  public Lambda lambda(Lambda lambda) {
    var body = body(lambda.body());
    return new Lambda(
        kept(lambda.params()), body, body.results().stream().map(Atom::type).toList());
  }

  private boolean gone(Atom x) {
    return x.type() instanceof Type.Acc a && tokens.contains(a.token());
  }

  private <T extends Atom> List<T> kept(List<T> atoms) {
    return atoms.stream().filter(x -> !gone(x)).toList();
  }
}
