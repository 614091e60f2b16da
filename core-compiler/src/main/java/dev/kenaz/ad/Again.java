package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Variables of code that is executed again whose values an earlier execution has kept: statements
 * that read what has been overwritten since, and the overwriting ones, which have no effect now.
 */
final class Again {
  private final Map<Var, ReadLog.Kept> values = new HashMap<>();

  void put(Map<Var, ReadLog.Kept> more) {
    values.putAll(more);
  }

  /** Elements; nothing for arrays. */
  void putElements(Map<Var, Optional<Var>> more) {
    more.forEach((v, x) -> values.put(v, new ReadLog.Kept(x, 0)));
  }

  /** The values of a loop's parameter in all iterations of that loop, if they have been kept. */
  Optional<Var> parameter(Var v) {
    var kept = values.get(v);
    return kept == null || kept.depth() != 1 ? Optional.empty() : kept.rows();
  }

  boolean contains(Stm stm) {
    return stm.pattern().size() == 1 && values.containsKey(stm.var());
  }

  /** Whether it is a branch or a loop with such statements. */
  boolean isInside(Stm stm) {
    return !values.isEmpty()
        && (stm.exp() instanceof If || stm.exp() instanceof Loop)
        && UndoLog.bound(new Body(List.of(stm), List.of())).stream().anyMatch(values::containsKey);
  }

  /** The statement to execute instead. */
  Stm instead(Stm stm) {
    return instead(stm, List.of());
  }

  private Stm instead(Stm stm, List<Atom> at) {
    if (contains(stm)) {
      return values.get(stm.var()).stm(stm, at);
    }
    var exp =
        switch (stm.exp()) {
          case If(var c, var then, var otherwise) ->
              new If(c, instead(then, at), instead(otherwise, at));
          case Loop(var params, For f, var body) -> {
            var indices = new ArrayList<>(at);
            indices.add(f.i());
            yield new Loop(params, f, instead(body, indices));
          }
          default -> stm.exp();
        };
    return new Stm(stm.pattern(), exp, stm.attrs(), stm.span());
  }

  private Body instead(Body body, List<Atom> at) {
    return new Body(body.stms().stream().map(s -> instead(s, at)).toList(), body.results());
  }

  /** A copy of a branch is to be executed again too. */
  void renamed(Body original, Renaming renaming) {
    for (var v : UndoLog.bound(original)) {
      if (values.containsKey(v)) {
        values.put((Var) renaming.atom(v), values.get(v));
      }
    }
  }

  /** A copy of one iteration of a loop is to be executed again too. */
  void renamed(Builder b, Body original, Renaming renaming, Atom iteration) {
    for (var v : UndoLog.bound(original)) {
      if (values.containsKey(v)) {
        values.put((Var) renaming.atom(v), values.get(v).at(b, iteration));
      }
    }
  }
}
