package dev.kenaz.simplify;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Var;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Computes one result of a map's lambda at one index, in place of reading it. */
final class MappedElement implements Rewriter {
  private final Env env;
  private final Map<Var, Atom> now = new HashMap<>();

  MappedElement(Env env) {
    this.env = env;
  }

  Atom of(Screma map, Atom result, Atom index) {
    for (int i = 0; i < map.inputs().size(); i++) {
      var element = new Index(map.inputs().get(i), List.of(index), false);
      now.put(map.map().params().get(i), env.emit("x", element));
    }
    for (var stm : map.map().body().stms()) {
      now.put(stm.var(), env.emit(stm.var().name(), exp(stm.exp())));
    }
    return atom(result);
  }

  @Override
  public Atom atom(Atom atom) {
    return atom instanceof Var v ? now.getOrDefault(v, v) : atom;
  }
}
