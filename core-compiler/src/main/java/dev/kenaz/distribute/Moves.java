package dev.kenaz.distribute;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp.Filter;
import dev.kenaz.ir.Exp.Hist;
import dev.kenaz.ir.Exp.Reshape;
import dev.kenaz.ir.Exp.Scatter;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.Slice;
import dev.kenaz.ir.Exp.WithAcc;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Places statements that need other rows than a piece has, or give other rows. */
final class Moves {
  private final Cutter cutter;
  private final Labeller labeller;
  private final Spaces spaces;
  private final Schedule schedule;
  private final NewSpaces newSpaces;

  Moves(Cutter cutter, NewSpaces newSpaces) {
    this.cutter = cutter;
    this.labeller = cutter.labeller();
    this.spaces = labeller.spaces();
    this.schedule = cutter.schedule();
    this.newSpaces = newSpaces;
  }

  /** Places the statement if there is a rule for it. */
  boolean place(Stm stm) {
    return switch (stm.exp()) {
      case Filter f when spaces.has(f.width()) -> filter(stm, f);
      case Screma s when spaces.has(s.width()) -> remote(stm);
      case WithAcc w -> remote(stm, w);
      case Slice(var array, var dims, _) when newSpaces.isStretch(stm) ->
          stretch(stm, array, (DimSlice.Range) dims.getFirst());
      case Reshape(var shape, var array)
          when labeller.of(array).equals(new Label.Sharded(0))
              && newSpaces.isLarge(shape.getFirst()) ->
          reshape(stm, shape, array);
      case Hist _, Scatter _ when new Updates(cutter).intoRows(stm) -> {
        new Updates(cutter).place(stm);
        yield true;
      }
      default -> false;
    };
  }

  /** Each piece keeps what it finds of its own rows; there are as many rows as it finds. */
  private boolean filter(Stm stm, Filter f) {
    new OperatorLabels(labeller, stm, new LinearLabels(labeller, stm))
        .checkRowWise(f.width(), f.inputs(), f.map());
    int at = schedule.stageLevel(stm);
    var count = stm.pattern().getFirst();
    schedule.local(stm, at);
    newSpaces.counted(stm.span(), count, at);
    for (var v : stm.pattern().subList(1, stm.pattern().size())) {
      labeller.label(stm.span(), v, new Label.Sharded(0));
      schedule.storeLater(v, at);
    }
    return true;
  }

  /** Brings the other rows that a function of rows reads. */
  private boolean remote(Stm stm) {
    var read = new RemoteReads(labeller).in(stm);
    if (read.isEmpty()) {
      return false;
    }
    bring(stm, read.get());
    cutter.place(read.get().rest());
    return true;
  }

  /** Brings the other rows that functions of rows read, which accumulate. */
  private boolean remote(Stm stm, WithAcc w) {
    var stms = new ArrayList<>(w.body().body().stms());
    var inside = Stm.bound(stms);
    inside.addAll(w.body().params());
    for (int k = 0; k < stms.size(); k++) {
      var read = new RemoteReads(labeller).in(stms.get(k));
      if (read.isPresent() && Collections.disjoint(FreeVars.of(read.get().number()), inside)) {
        bring(stm, read.get());
        stms.set(k, read.get().rest());
        var body = new Body(stms, w.body().body().results());
        var lambda = new Lambda(w.body().params(), body, w.body().returns());
        cutter.place(stm.with(new WithAcc(w.inputs(), lambda)));
        return true;
      }
    }
    return false;
  }

  /** Brings the rows that a function of rows reads. */
  void bring(Stm stm, RemoteReads.Found read) {
    read.sizes().forEach(cutter::place);
    if (read.joined().isPresent()) {
      new RaggedMap(cutter, this, newSpaces).place(read.number(), read.joined().get());
      spaces.addStretches(read.brought(), ((Screma) read.number().exp()).width());
    } else {
      cutter.place(read.number());
    }
    fetch(stm, read.array(), read.numbers(), read.brought());
  }

  /** Gives the pieces the rows of a stretch as its space is cut. */
  private boolean stretch(Stm stm, Var array, DimSlice.Range range) {
    var source = spaces.of(array.type().dims().getFirst());
    var rows = (Var) range.count();
    if (!spaces.has(rows)) {
      newSpaces.aligned(stm.span(), rows, source, range.start());
    }
    recut(stm.span(), array, source, range.start(), stm.var(), spaces.of(rows));
    return true;
  }

  private void recut(Span span, Var from, Space source, Atom offset, Var to, Space target) {
    int at = schedule.store(from);
    for (var v : FreeVars.of(List.of(offset, source.cut(), target.cut()))) {
      at = Math.max(at, schedule.levelOf(v));
    }
    schedule.exchange(new Plan.Recut(from, source, offset, to, target, span), at);
    labeller.label(span, to, new Label.Sharded(0));
  }

  /**
   * Gives rows another shape. Each piece does so with its own elements, after the rows are cut as
   * those of the result are.
   */
  private boolean reshape(Stm stm, List<Atom> shape, Var array) {
    var dims = array.type().dims();
    var rows = (Var) shape.getFirst();
    if (dims.getFirst().equals(rows)) {
      return false;
    }
    var b = new Builder(stm.span());
    var source = spaces.of(dims.getFirst());
    var each = product(b, dims);
    var into = product(b, shape);
    b.stms().forEach(cutter::place);
    if (shape.size() == 1 && !spaces.has(rows) && schedule.isKnown(rows, source.cut())) {
      newSpaces.cut(stm.span(), rows, (in, p) -> in.mul(in.index(source.cut(), p), each));
      cutter.local(stm, 0);
      return true;
    }
    var flat = flat(stm.span(), array, source, each);
    var target = newSpaces.needed(stm.span(), rows);
    var cut = newSpaces.times(stm.span(), target, into);
    var moved = Names.fresh(array.name(), Type.of(array.type().elemPrim(), List.of(cut.rows())));
    var from = spaces.of(flat.type().dims().getFirst());
    recut(stm.span(), flat, from, Atom.i64(0), moved, cut);
    cutter.local(new Stm(stm.pattern(), new Reshape(shape, moved), stm.attrs(), stm.span()), 0);
    return true;
  }

  /** Returns all elements of an array, as rows of one element. */
  private Var flat(Span span, Var array, Space source, Atom each) {
    if (array.type().dims().size() == 1) {
      return array;
    }
    var space = newSpaces.times(span, source, each);
    var type = Type.of(array.type().elemPrim(), List.of(space.rows()));
    var flat = Names.fresh(array.name(), type);
    cutter.local(new Stm(List.of(flat), new Reshape(List.of(space.rows()), array), span), 0);
    return flat;
  }

  private static Atom product(Builder b, List<Atom> dims) {
    Atom product = Atom.i64(1);
    for (var d : dims.subList(1, dims.size())) {
      product = b.mul(product, d);
    }
    return product;
  }

  void fetch(Stm stm, Var from, Var index, Var to) {
    var source = spaces.of(from.type().dims().getFirst());
    var space = spaces.of(index.type().dims().getFirst());
    int at = Math.max(schedule.store(from), schedule.store(index));
    at = Math.max(at, Math.max(schedule.levelOf(source.cut()), schedule.levelOf(space.cut())));
    schedule.exchange(new Plan.Fetch(from, source, index, space, to, stm.span()), at);
    labeller.label(stm.span(), to, new Label.Sharded(0));
  }
}
