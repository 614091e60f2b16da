package dev.kenaz.ad;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.error.Limitation;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Collects the {@link ReadLog}s of a loop: one for each array that it updates in place. */
final class LoopReads {
  private LoopReads() {}

  /**
   * Returns the parameters of which what is read is kept, or still there in the end.
   *
   * @param outer where sizes are computed
   * @param stm the loop, with what the user says about it
   * @param n for how many iterations there is room
   * @param tapes gets the arrays for what is read
   */
  static Set<Var> find(
      Reverse r, Builder outer, Builder b, Stm stm, Atom n, Map<ReadLog, Map<Var, Var>> tapes) {
    var plain = (Loop) stm.exp();
    var found = new HashSet<Var>();
    var inside = UndoLog.changing(plain);
    boolean noFalse = LoopAttributes.hasNoFalseDependencies(stm);
    var aliases = noFalse ? Aliases.of(plain.body()) : new Aliases();
    for (int k : ReverseLoop.changing(plain)) {
      var p = plain.params().get(k).var();
      if (p.type().isArray()) {
        var log = ReadLog.of(r.forms(), plain, k, inside, noFalse);
        if (log.isPresent()) {
          found.add(p);
          tapes.put(log.get(), log.get().scratch(outer, b, n));
        } else if (noFalse && aliases.consumed().contains(p)) {
          throw new Limitation(
              stm.span(),
              "#[true_dep] on a loop that does more to an array than to read it and to update"
                  + " elements or slices of it in place");
        }
      }
    }
    return found;
  }

  /**
   * Makes the body also keep what it reads.
   *
   * @param tapes the arrays as the loop gets them; what it returns replaces them
   */
  static Body keep(
      Builder inner,
      Body plain,
      Atom at,
      Map<ReadLog, Map<Var, Var>> tapes,
      List<LoopParam> params,
      List<Var> pattern,
      List<Atom> results) {
    var stms = plain.stms();
    for (var log : tapes.entrySet()) {
      var now = new LinkedHashMap<Var, Var>();
      var outs = new LinkedHashMap<Var, Var>();
      log.getValue()
          .forEach(
              (v, init) -> {
                now.put(v, Names.like(init));
                params.add(new LoopParam(now.get(v), init));
                outs.put(v, Names.like(init));
                pattern.add(outs.get(v));
              });
      var code = inner.inner();
      log.getKey().emit(code, stms, List.of(at), now);
      stms = code.stms();
      results.addAll(now.values());
      log.setValue(outs);
    }
    return new Body(stms, plain.results());
  }
}
