package dev.kenaz.fuse;

import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.WithAcc;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Computes before an accumulation what it shares with a map beside it, if that are scalars:
 *
 * <pre>
 *   with_acc a (map (\x y -> let s = sum (map2 (*) x w)
 *                            in (acc += map (* s) y, map (* s) w)) xs ys)
 *     is  let ss = map (\x -> sum (map2 (*) x w)) xs
 *         with_acc a (map (\s y -> (acc += map (* s) y, map (* s) w)) ss ys)
 * </pre>
 *
 * <p>Then the two can be divided ({@link AccSplit}), and nothing long is computed twice.
 *
 * @param map the map that has the scalars
 * @param rest what accumulates
 */
record SharedScalars(Stm map, Stm rest) {
  private static final int MOST = 2;

  /**
   * @param pure what the accumulation makes besides
   * @param rest the accumulation alone
   */
  static Optional<SharedScalars> of(Stm stm, WithAcc w, Body pure, Body rest) {
    var stms = w.body().body().stms();
    if (stms.size() != 1
        || !(stms.getFirst().exp() instanceof Screma s)
        || !s.isMap()
        || !(only(pure) instanceof Screma p)
        || !(only(rest) instanceof Screma r)) {
      return Optional.empty();
    }
    var both = shared(s.map().body(), p.map().body(), r.map().body());
    var others = new ArrayList<>(s.map().body().stms());
    others.removeAll(both);
    var after = new Body(others, s.map().body().results());
    var used = FreeVars.of(after);
    var shared = Stm.bound(both).stream().filter(used::contains).toList();
    boolean isLong = both.stream().anyMatch(x -> x.exp() instanceof Screma);
    if (!isLong
        || shared.size() > MOST
        || !shared.stream().allMatch(v -> v.type() instanceof Type.Scalar)) {
      return Optional.empty();
    }
    return Optional.of(divided(stm, w, s, both, shared, after));
  }

  /**
   * Returns the statements of a body that two parts of it have, too, and that need no other one,
   * such as a statement of which the two need different results.
   */
  private static List<Stm> shared(Body body, Body pure, Body rest) {
    var both = new ArrayList<Stm>();
    var others = new HashSet<Var>();
    for (var stm : body.stms()) {
      if (pure.stms().contains(stm)
          && rest.stms().contains(stm)
          && FreeVars.of(stm).stream().noneMatch(others::contains)) {
        both.add(stm);
      } else {
        others.addAll(stm.pattern());
      }
    }
    return both;
  }

  private static Object only(Body body) {
    return body.stms().size() == 1 ? body.stms().getFirst().exp() : null;
  }

  private static SharedScalars divided(
      Stm stm, WithAcc w, Screma s, List<Stm> both, List<Var> shared, Body after) {
    var types = shared.stream().map(Var::type).toList();
    var arrays =
        shared.stream()
            .map(v -> Names.fresh(v.name(), v.type().under(List.of(s.width()))))
            .toList();
    var first = new Lambda(s.map().params(), new Body(both, List.copyOf(shared)), types);
    var before = map(s, s.inputs(), new Renaming().lambda(first));
    var map = new Stm(arrays, before, List.of(), stm.span());
    var params = Lists.concat(s.map().params(), shared);
    var then = new Lambda(params, after, s.map().returns());
    var adding = map(s, Lists.concat(s.inputs(), arrays), then);
    var body = w.body().body();
    var inner = body.stms().getFirst().with(body.stms().getFirst().pattern(), adding);
    var lambda =
        new Lambda(w.body().params(), new Body(List.of(inner), body.results()), w.body().returns());
    return new SharedScalars(map, stm.with(stm.pattern(), new WithAcc(w.inputs(), lambda)));
  }

  private static Screma map(Screma s, List<Var> inputs, Lambda function) {
    return new Screma(s.width(), inputs, List.of(), List.of(), function).withUsedInputs();
  }
}
