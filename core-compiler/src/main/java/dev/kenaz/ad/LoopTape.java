package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the return sweep gets from the forward sweep.
 *
 * @param kept for variables of the body the array of their values, one an iteration
 * @param logs for arrays that are updated in place how to undo that
 * @param writeOnly arrays that are only written
 * @param reads the arrays with what is read of arrays that are updated in place
 * @param contractions variables that are kept and so need not be computed again
 * @param checkpoints how to get the parameters by executing iterations again, if nothing is kept
 */
record LoopTape(
    Map<Var, Var> kept,
    Map<Var, UndoLog.Logged> logs,
    Set<Var> writeOnly,
    Map<ReadLog, Map<Var, Var>> reads,
    Set<Var> contractions,
    Optional<Checkpoints> checkpoints) {
  static LoopTape of(Optional<Checkpoints> checkpoints) {
    return new LoopTape(
        new HashMap<>(),
        new HashMap<>(),
        new HashSet<>(),
        new LinkedHashMap<>(),
        new HashSet<>(),
        checkpoints);
  }

  /**
   * A loop that keeps what its return sweep needs.
   *
   * @param pattern the loop's results and then what it keeps
   */
  record Taped(LoopTape tape, List<Var> pattern, Loop loop) {}

  /**
   * Makes the loop keep what its return sweep needs.
   *
   * @param outer where sizes are computed
   * @param n for how many iterations there is room
   */
  static Taped taped(Reverse r, Builder outer, Builder b, Stm stm, Loop plain, For form, Atom n) {
    var tape = LoopTape.of(Optional.empty());
    var params = new ArrayList<>(plain.params());
    var pattern = new ArrayList<>(stm.pattern());
    var results = new ArrayList<>(plain.body().results());
    var inner = b.inner();
    var at = inner.convert(Prim.I64, form.i());
    var readLogs =
        r.options.generalOnly()
            ? Set.<Var>of()
            : LoopReads.find(r, outer, b, stm.with(plain), n, tape.reads());
    var body = LoopReads.keep(inner, plain.body(), at, tape.reads(), params, pattern, results);
    var inside = UndoLog.Inside.of(r.forms(), new Loop(plain.params(), form, body));
    var logs = new ArrayList<UndoLog>();
    var kept = new ArrayList<Var>();
    for (int k : ReverseLoop.changing(plain)) {
      var p = plain.params().get(k).var();
      if (readLogs.contains(p)) {
        if (tape.reads().keySet().stream().noneMatch(l -> l.usesEnd() && l.start().equals(p))) {
          tape.writeOnly().add(p);
        }
        continue;
      }
      var log = UndoLog.of(body, body.results().get(k), p, inside);
      if (!p.type().isArray() || log.isEmpty()) {
        kept.add(p);
      } else if (isWriteOnly(body, log.get())) {
        tape.writeOnly().add(p);
      } else {
        logs.add(log.get());
      }
    }
    for (var p : kept) {
      var before = r.again().parameter(p);
      if (before.isEmpty()) {
        results.add(keep(b, inner, n, at, p, params, pattern));
      }
      tape.kept().put(p, before.orElseGet(pattern::getLast));
    }
    var logged =
        UndoLog.emit(inner, body.stms(), logs, inside, UndoLog.lengths(outer, logs, inside));
    for (int k = 0; k < logs.size(); k++) {
      tape.logs().put(logs.get(k).start(), logged.get(k));
      for (var v : logged.get(k).saved()) {
        if (!tape.kept().containsKey(v)) {
          results.add(keep(b, inner, n, at, v, params, pattern));
          tape.kept().put(v, pattern.getLast());
        }
      }
    }
    var values = new ArrayList<>(SavedSums.of(body, inside.changing()));
    tape.reads().keySet().forEach(log -> values.addAll(log.results()));
    for (var v : values) {
      if (!tape.kept().containsKey(v)) {
        results.add(keep(b, inner, n, at, v, params, pattern));
        tape.kept().put(v, pattern.getLast());
        tape.contractions().add(v);
      }
    }
    return new Taped(tape, pattern, new Loop(params, form, inner.body(results)));
  }

  /** Keeps a variable's value of every iteration; returns the loop's result for that. */
  static Var keep(
      Builder b, Builder inner, Atom n, Atom at, Var v, List<LoopParam> params, List<Var> pattern) {
    var type = v.type().under(n);
    var init = b.bind("ck", new Scratch(v.type().elemPrim(), type.dims()));
    var param = Names.fresh("ck", type);
    params.add(new LoopParam(param, init));
    pattern.add(Names.fresh("ck", type));
    return inner.update(param, List.of(at), v);
  }

  /** Whether the body never reads the array that it updates. */
  private static boolean isWriteOnly(Body body, UndoLog log) {
    var chain = new HashSet<Var>(List.of(log.start()));
    var updates = new HashSet<Stm>();
    for (var step : log.steps()) {
      if (!(step instanceof UndoLog.Step.Single)) {
        return false;
      }
      chain.addAll(step.stm().pattern());
      updates.add(step.stm());
    }
    for (var stm : body.stms()) {
      var used =
          updates.contains(stm)
              ? FreeVars.of(List.of(((Update) stm.exp()).value()))
              : FreeVars.of(stm);
      if (used.stream().anyMatch(chain::contains)) {
        return false;
      }
    }
    return body.results().stream().filter(chain::contains).count() == 1;
  }
}
