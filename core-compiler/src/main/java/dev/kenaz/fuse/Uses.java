package dev.kenaz.fuse;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Var;
import java.util.HashMap;
import java.util.Map;

/** Counts how often a body reads each variable, inner scopes and results included. */
final class Uses {
  private final Map<Var, Integer> counts = new HashMap<>();

  private Uses() {}

  static Uses in(Body body) {
    var uses = new Uses();
    new Rewriter() {
      @Override
      public Atom atom(Atom atom) {
        if (atom instanceof Var v) {
          uses.counts.merge(v, 1, Integer::sum);
        }
        return atom;
      }
    }.body(body);
    return uses;
  }

  /** Returns how often the operand is read; 0 if it is a constant. */
  int of(Atom x) {
    return x instanceof Var v ? counts.getOrDefault(v, 0) : 0;
  }
}
