package dev.kenaz.distribute;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Var;
import dev.kenaz.ir.Views;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Copies what a driver's step overwrites and others must still read. Such a step runs before the
 * stage of its level, and before the steps of later levels, even where the program has them in
 * another order. So a statement that overwrites the memory of something that the step returns works
 * on a copy.
 */
final class KeptInputs {
  private final List<Var> returned;

  /** Makes the rewriting for a step; {@code returned} are the variables that are used after it. */
  KeptInputs(List<Var> returned) {
    this.returned = returned;
  }

  Body body(Body body) {
    var memory = memory(body);
    var kept = new HashSet<Var>();
    returned.forEach(v -> kept.add(root(memory, v)));
    var stms = new ArrayList<Stm>();
    for (var stm : body.stms()) {
      stms.addAll(onCopies(stm, memory, kept));
    }
    return new Body(stms, body.results());
  }

  private static List<Stm> onCopies(Stm stm, Map<Var, Var> memory, Set<Var> kept) {
    var copies = new ArrayList<Stm>();
    var renamed = new HashMap<Var, Atom>();
    var overwritten = Aliases.of(stm).consumed();
    for (var v : FreeVars.of(stm)) {
      if (v.type().isArray() && overwritten.contains(v) && kept.contains(root(memory, v))) {
        var copy = Names.like(v);
        copies.add(new Stm(List.of(copy), new Copy(v), stm.span()));
        renamed.put(v, copy);
      }
    }
    copies.addAll(renamed.isEmpty() ? List.of(stm) : new Substitution(renamed).stm(stm));
    return copies;
  }

  /**
   * Returns, as a forest, which variables may share memory. The result of a statement that
   * overwrites memory is a root of its own.
   */
  private static Map<Var, Var> memory(Body body) {
    var parent = new HashMap<Var, Var>();
    for (var stm : body.stms()) {
      var sources =
          switch (stm.exp()) {
            case If _, Loop _ -> FreeVars.of(stm);
            case Exp e -> FreeVars.of(Views.operand(e).stream().toList());
          };
      for (var source : sources) {
        for (var v : stm.pattern()) {
          if (source.type().isArray() && v.type().isArray()) {
            parent.put(root(parent, v), root(parent, source));
          }
        }
      }
    }
    return parent;
  }

  private static Var root(Map<Var, Var> parent, Var v) {
    var at = v;
    while (parent.containsKey(at) && !parent.get(at).equals(at)) {
      at = parent.get(at);
    }
    return at;
  }
}
