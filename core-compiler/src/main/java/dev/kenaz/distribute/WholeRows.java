package dev.kenaz.distribute;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.Iota;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Brings all rows of row-wise values to the driver, which then computes with them. */
final class WholeRows {
  private final Labeller labeller;
  private final Spaces spaces;
  private final Schedule schedule;
  private final WholeRows outer;

  /** For variables that are sharded in stages, what the driver has of them: all rows. */
  private final Map<Var, Var> wholes = new HashMap<>();

  WholeRows(Labeller labeller, Schedule schedule, WholeRows outer) {
    this.labeller = labeller;
    this.spaces = labeller.spaces();
    this.schedule = schedule;
    this.outer = outer;
  }

  /** Whether the driver computes the value, so that stages have their rows from it. */
  boolean hasDriver(Var v) {
    return v.equals(wholes.get(v));
  }

  /** Runs a statement in the driver, on all rows of what it uses; returns what is brought there. */
  List<Var> inDriver(Stm stm) {
    var all = new HashMap<Var, Atom>();
    var brought = new ArrayList<Var>();
    for (var v : FreeVars.of(stm)) {
      if (labeller.of(v) instanceof Label.Sharded(var dim)) {
        var whole = whole(v, dim);
        all.put(v, whole);
        if (!whole.equals(v) && !(labeller.definition(v) instanceof Iota)) {
          brought.add(v);
        }
      }
    }
    int at = 0;
    for (var s : new Substitution(all).stm(stm)) {
      at = schedule.driver(s, at);
    }
    for (var v : stm.pattern()) {
      boundByDriver(stm.span(), v, at);
    }
    return brought;
  }

  /**
   * Labels what the driver computes with all rows. If it has the dataset's rows itself, a stage
   * that uses it takes the piece's rows of the whole, which it is sent.
   */
  private void boundByDriver(Span span, Var v, int at) {
    if (!spaces.inType(v.type())) {
      labeller.label(span, v, Label.REPLICATED);
      return;
    }
    int dim = spaces.dimOf(v.type());
    if (dim < 0) {
      labeller.label(span, v, new Label.Whole());
      return;
    }
    labeller.label(span, v, new Label.Sharded(dim));
    wholes.put(v, v);
    var space = spaces.of(v.type().dims().get(dim));
    var sent = sent(span, v, v, dim, at);
    int from = schedule.levelOf(sent);
    var slice = new ArrayList<DimSlice>();
    for (int i = 0; i < v.type().dims().size(); i++) {
      var first = i == dim ? space.before() : Atom.i64(0);
      slice.add(new DimSlice.Range(first, v.type().dims().get(i), Atom.i64(1)));
    }
    schedule.local(new Stm(List.of(v), new Exp.Slice(sent, slice, false), span), from);
  }

  /** Returns all rows of a sharded variable as the driver sends them to all pieces. */
  Var everywhere(Span span, Var v, int dim) {
    return sent(span, v, whole(v, dim), dim, 0);
  }

  private Var sent(Span span, Var v, Var whole, int dim, int at) {
    var shape = new ArrayList<>(v.type().dims());
    shape.set(dim, spaces.of(shape.get(dim)).total());
    var sent = Names.fresh(v.name(), Type.of(v.type().elemPrim(), shape));
    schedule.driver(new Stm(List.of(sent), new Exp.Reshape(shape, whole), span), at);
    return sent;
  }

  /** Returns what the driver has of a sharded variable: all rows. A stage gathers them. */
  Var whole(Var v, int dim) {
    if (wholes.containsKey(v)) {
      return wholes.get(v);
    }
    if (outer != null && !schedule.owns(v)) {
      var whole = outer.whole(v, dim);
      schedule.waitFor(outer.schedule.levelOf(whole));
      return whole;
    }
    if (labeller.definition(v) instanceof Iota iota) {
      var again = bound(v, iota);
      schedule.driver(again, 0);
      wholes.put(v, again.var());
      return again.var();
    }
    // The driver must know how many rows it gets.
    var space = spaces.of(v.type().dims().get(dim));
    int at = Math.max(schedule.levelOf(v), schedule.levelOf(space.total()));
    var rowsFirst = new ArrayList<Integer>();
    rowsFirst.add(dim);
    IntStream.range(0, v.type().dims().size()).filter(i -> i != dim).forEach(rowsFirst::add);
    var rows = bound(v, dim == 0 ? new Alias(v) : new Exp.Rearrange(rowsFirst, v));
    schedule.local(rows, at);
    schedule.gather(rows.var(), at);
    var whole = rows;
    if (dim > 0) {
      var back = IntStream.range(0, rowsFirst.size()).mapToObj(rowsFirst::indexOf).toList();
      whole = bound(v, new Exp.Rearrange(back, rows.var()));
      schedule.driver(whole, at + 1);
    }
    wholes.put(v, whole.var());
    return whole.var();
  }

  /** Binds what is to be found whole in the driver. */
  private Stm bound(Var v, Exp exp) {
    var b = new Builder(labeller.span(v));
    var bound = b.bind(v.name(), exp);
    labeller.label(labeller.span(v), bound, new Label.Whole());
    return b.stms().getLast();
  }
}
