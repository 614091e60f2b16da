package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Places histograms and scatters into arrays that have rows. Each update goes to the piece that has
 * the row of its first index; there it is done as it is in the program.
 */
final class Updates {
  private final Cutter cutter;
  private final Labeller labeller;
  private final Spaces spaces;
  private final Schedule schedule;

  Updates(Cutter cutter) {
    this.cutter = cutter;
    this.labeller = cutter.labeller();
    this.spaces = labeller.spaces();
    this.schedule = cutter.schedule();
  }

  /** Whether some of the destinations have rows. */
  boolean intoRows(Stm stm) {
    return switch (stm.exp()) {
      case Hist h -> h.ops().stream().anyMatch(op -> spaces.has(op.shape().getFirst()));
      case Scatter s -> s.dests().stream().anyMatch(d -> spaces.has(d.shape().getFirst()));
      default -> false;
    };
  }

  /**
   * Returns statements that first compute all indices and values, and then update one destination
   * after the other; nothing if the statement is of that form.
   */
  Optional<List<Stm>> apart(Stm stm) {
    return switch (stm.exp()) {
      case Hist h when !isApart(h.inputs(), h.map()) || h.ops().size() > 1 ->
          Optional.of(apart(stm, h));
      case Scatter s when !isApart(s.inputs(), s.map()) || s.dests().size() > 1 ->
          Optional.of(apart(stm, s));
      default -> Optional.empty();
    };
  }

  private static boolean isApart(List<Var> inputs, Lambda map) {
    return map.body().stms().isEmpty()
        && map.body().results().equals(map.params())
        && inputs.size() == map.params().size();
  }

  private List<Stm> apart(Stm stm, Hist h) {
    var b = new Builder(stm.span());
    var columns = columns(b, h.width(), h.inputs(), h.map());
    int index = 0;
    int value = h.ops().stream().mapToInt(op -> op.shape().size()).sum();
    int result = 0;
    for (var op : h.ops()) {
      var inputs = new ArrayList<>(columns.subList(index, index + op.shape().size()));
      int n = op.dests().size();
      inputs.addAll(columns.subList(value, value + n));
      b.bindAll(
          stm.pattern().subList(result, result + n),
          new Hist(h.width(), inputs, List.of(op), b.identity(inputs)));
      index += op.shape().size();
      value += n;
      result += n;
    }
    return b.stms();
  }

  private List<Stm> apart(Stm stm, Scatter s) {
    var b = new Builder(stm.span());
    var columns = columns(b, s.width(), s.inputs(), s.map());
    int index = 0;
    int value = s.dests().stream().mapToInt(d -> d.shape().size()).sum();
    for (int k = 0; k < s.dests().size(); k++) {
      var dest = s.dests().get(k);
      var inputs = new ArrayList<>(columns.subList(index, index + dest.shape().size()));
      inputs.add(columns.get(value + k));
      b.bindAll(
          List.of(stm.pattern().get(k)),
          new Scatter(s.width(), inputs, List.of(dest), b.identity(inputs)));
      index += dest.shape().size();
    }
    return b.stms();
  }

  private static List<Var> columns(Builder b, Atom width, List<Var> inputs, Lambda map) {
    var types = map.returns().stream().map(t -> t.under(width)).toList();
    return b.bindAll("update", types, new Screma(width, inputs, List.of(), List.of(), map));
  }

  /** Places a statement with one destination, which has rows, and nothing to compute. */
  void place(Stm stm) {
    var columns = inputs(stm.exp());
    var target = target(stm.exp());
    var width = width(stm.exp());
    if (!spaces.has(width)) {
      local(stm, columns, width, target, 0);
      return;
    }
    var source = spaces.of(width);
    int at = Math.max(schedule.levelOf(source.cut()), schedule.levelOf(target.cut()));
    for (var c : columns) {
      if (!labeller.of(c).equals(new Label.Sharded(0))) {
        throw Undistributable.at(stm.span(), "an update whose operands aren't rows", "map them");
      }
      at = Math.max(at, schedule.store(c));
    }
    var size = Names.fresh("arrived", Type.I64);
    var space = Space.of(size, schedule.pieces().bounds());
    var to = new ArrayList<Var>();
    columns.forEach(c -> to.add(Names.fresh(c.name(), Builder.rowType(c.type()).under(size))));
    spaces.add(space);
    schedule.exchange(
        new Plan.Send(
            columns.getFirst(),
            columns.subList(1, columns.size()),
            source,
            target,
            space,
            to,
            stm.span()),
        at);
    for (var v : List.of(space.rows(), space.total(), space.cut())) {
      schedule.bound(v, at + 1);
    }
    to.forEach(v -> labeller.label(stm.span(), v, new Label.Sharded(0)));
    local(stm, to, size, target, at + 1);
  }

  private Space target(Exp exp) {
    return switch (exp) {
      case Hist h -> spaces.of(h.ops().getFirst().shape().getFirst());
      case Scatter s -> spaces.of(s.dests().getFirst().shape().getFirst());
      default -> throw new IllegalStateException("no update");
    };
  }

  private static List<Var> inputs(Exp exp) {
    return switch (exp) {
      case Hist h -> h.inputs();
      case Scatter s -> s.inputs();
      default -> throw new IllegalStateException("no update");
    };
  }

  private static Atom width(Exp exp) {
    return switch (exp) {
      case Hist h -> h.width();
      case Scatter s -> s.width();
      default -> throw new IllegalStateException("no update");
    };
  }

  /** Has the stages do the updates that they have, at their own numbers of the rows. */
  private void local(Stm stm, List<Var> columns, Atom width, Space target, int notBefore) {
    var b = new Builder(stm.span());
    var map =
        b.lambda(
            columns.stream().map(c -> Builder.rowType(c.type())).toList(),
            (in, p) -> {
              var results = new ArrayList<Atom>(p);
              results.set(0, in.sub(p.getFirst(), target.before()));
              return results;
            });
    var exp =
        switch (stm.exp()) {
          case Hist h -> {
            var op = h.ops().getFirst();
            var dests = op.dests().stream().map(d -> own(b, d)).toList();
            var local = new Renaming().lambda(op.op());
            labeller.everywhere(stm.span(), "a neutral element", op.neutral());
            yield new Hist(
                width, columns, List.of(new HistOp(op.shape(), dests, op.neutral(), local)), map);
          }
          case Scatter s -> {
            var dest = s.dests().getFirst();
            yield new Scatter(
                width, columns, List.of(new ScatterDest(dest.shape(), own(b, dest.dest()))), map);
          }
          default -> throw new IllegalStateException("no update");
        };
    b.bindAll(stm.pattern(), exp);
    int at = Math.max(notBefore, schedule.levelOf(target.total()));
    for (var s : b.stms()) {
      cutter.local(s, at);
    }
  }

  private Var own(Builder b, Var dest) {
    if (!labeller.of(dest).equals(new Label.Sharded(0))) {
      throw Undistributable.at(
          labeller.span(dest),
          labeller.words().of(dest) + " isn't divided by its first dimension",
          "transpose it");
    }
    return b.bind(dest.name(), new Copy(dest));
  }
}
