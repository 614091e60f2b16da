package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Var;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The {@link ReadLog}s of a loop: one an array that it updates in place. */
final class LoopReads {
  private LoopReads() {}

  /**
   * Parameters of which what is read is kept.
   *
   * @param outer where sizes are computed
   * @param changing the parameters in question, by position
   * @param n for how many iterations there is room
   * @param tapes gets the arrays for what is read
   */
  static Set<Var> find(
      Builder outer,
      Builder b,
      Loop plain,
      List<Integer> changing,
      Atom n,
      Map<ReadLog, Map<Var, Var>> tapes) {
    var found = new HashSet<Var>();
    var inside = UndoLog.bound(plain.body());
    for (int k : changing) {
      var p = plain.params().get(k).var();
      if (p.type().isArray()) {
        ReadLog.of(plain.body(), plain.body().results().get(k), p, inside)
            .ifPresent(
                log -> {
                  found.add(p);
                  tapes.put(log, log.scratch(outer, b, n));
                });
      }
    }
    return found;
  }

  /**
   * The body that also keeps what it reads.
   *
   * @param tapes the arrays as the loop gets them; replaced by what it returns
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
