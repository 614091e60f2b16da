package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ad.UndoLog.Logged;
import dev.kenaz.ad.UndoLog.Step;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes the part of an {@link UndoLog} for a loop within a loop's body: it keeps what its own
 * iterations overwrite in arrays with one row for each iteration, and is undone by a loop over the
 * rows in reverse.
 */
final class NestedLog {
  private NestedLog() {}

  static void emit(
      Builder b,
      Stm stm,
      Map<Integer, Step> steps,
      UndoLog.Inside inside,
      Map<Stm, Atom> lengths,
      List<Logged> logged) {
    var loop = (Loop) stm.exp();
    var form = (For) loop.form();
    var n = lengths.get(stm);
    var order = List.copyOf(steps.keySet());
    var inner = b.inner();
    var at = inner.convert(Prim.I64, form.i());
    var logs = order.stream().map(k -> ((Step.Nested) steps.get(k)).each()).toList();
    var each = UndoLog.emit(inner, loop.body().stms(), logs, inside, lengths);
    var params = new ArrayList<>(loop.params());
    var pattern = new ArrayList<>(stm.pattern());
    var results = new ArrayList<>(loop.body().results());
    var kept = new HashMap<Var, Var>();
    for (int k = 0; k < order.size(); k++) {
      var mine = logged.get(order.get(k));
      for (var v : each.get(k).saved()) {
        if (!kept.containsKey(v)) {
          results.add(LoopTape.keep(b, inner, n, at, v, params, pattern));
          kept.put(v, pattern.getLast());
        }
        mine.saved().add(kept.get(v));
      }
      if (inside.contains(form.bound())) {
        mine.saved().add((Var) form.bound());
      }
      mine.undos().add(undo(form, each.get(k), kept));
    }
    b.with(stm.attrs()).bindAll(pattern, new Loop(params, form, inner.body(results)));
  }

  private static UndoLog.Undo undo(For form, Logged each, Map<Var, Var> kept) {
    return (c, after, values) -> {
      var n = ReverseLoop.length(c, new Substitution(values).atom(form.bound()));
      return c.forLoop(
              n,
              List.of(after),
              (j, state) ->
                  in -> {
                    var at = in.sub(in.sub(n, i64(1)), j);
                    var known = new HashMap<>(values);
                    known.put(form.i(), in.convert(form.i().type().elemPrim(), at));
                    for (var v : each.saved()) {
                      var rows = (Var) values.get(kept.get(v));
                      known.put(v, in.bind(v.name(), new Index(rows, List.of(at), false)));
                    }
                    return List.of(each.undo(in, state.getFirst(), known));
                  })
          .getFirst();
    };
  }
}
