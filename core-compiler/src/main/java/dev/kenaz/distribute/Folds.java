package dev.kenaz.distribute;

import dev.kenaz.analysis.Effects;
import dev.kenaz.error.Limitation;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Places loops over the rows, one row after the other: {@code loop s = a for i < n do f s xs[i]}.
 * The pieces run one after the other. Each goes over its own rows, from the state in which the
 * piece before it ended. In each iteration the loop may read rows of the iteration's own number,
 * and write them; rows of other numbers that the state doesn't decide are brought before.
 */
final class Folds {
  private final Cutter cutter;
  private final Labeller labeller;
  private final Spaces spaces;
  private final Schedule schedule;
  private final Moves moves;

  Folds(Cutter cutter, Moves moves) {
    this.cutter = cutter;
    this.labeller = cutter.labeller();
    this.spaces = labeller.spaces();
    this.schedule = cutter.schedule();
    this.moves = moves;
  }

  /** Whether the loop goes over rows one after the other, and does nothing with all of them. */
  boolean goesOverRows(Loop loop) {
    return loop.form() instanceof For(_, var trips)
        && spaces.has(trips)
        && !worksOnRows(loop.body());
  }

  /**
   * Returns a loop of about as many iterations as there are rows, such as {@code n - 1}, as one
   * over rows of its own. Otherwise each iteration would have a stage that picks its rows.
   */
  Optional<List<Stm>> overOwnRows(Stm stm, NewSpaces newSpaces) {
    if (!(stm.exp() instanceof Loop(var params, For(var i, Var trips), var body))
        || spaces.has(trips)
        || !newSpaces.isLarge(trips)
        || worksOnRows(body)) {
      return Optional.empty();
    }
    var b = new Builder(stm.span());
    var rows = b.bind("trips", new Binary(BinaryOp.MAX, Atom.i64(0), trips));
    b.stms().forEach(cutter::place);
    if (labeller.definition(trips) instanceof Binary(var op, Var n, var less)
        && (op == BinaryOp.SUB || op == BinaryOp.ADD && less instanceof Const)
        && spaces.has(n)) {
      newSpaces.aligned(stm.span(), rows, spaces.of(n), Atom.i64(0));
    } else {
      newSpaces.needed(stm.span(), rows);
    }
    var loop = new Loop(params, new For(i, rows), body);
    return Optional.of(List.of(new Stm(stm.pattern(), loop, stm.attrs(), stm.span())));
  }

  /** Whether there is an operator over rows, of which many can be at work at once. */
  private boolean worksOnRows(Body body) {
    var found = new boolean[1];
    new Rewriter() {
      @Override
      public Exp exp(Exp exp) {
        found[0] |=
            switch (exp) {
              case Screma s -> spaces.has(s.width());
              case Hist h -> spaces.has(h.width());
              case Scatter s -> spaces.has(s.width());
              case Filter f -> spaces.has(f.width());
              default -> false;
            };
        return Rewriter.super.exp(exp);
      }
    }.body(body);
    return found[0];
  }

  /** Places the loop; it goes over rows. */
  void place(Stm stm, Loop loop) {
    var inOrder = new MovingWindow(labeller, stm, loop).inOrder();
    if (inOrder.isPresent()) {
      inOrder.get().forEach(cutter::place);
      return;
    }
    var read = remote(stm, RowsRead.first(labeller, loop));
    if (read != loop) {
      place(new Stm(stm.pattern(), read, stm.attrs(), stm.span()), read);
      return;
    }
    // Its variables get other names, as labels that were tried on it before may not hold.
    inTurn(stm, (Loop) new Renaming().exp(loop));
  }

  /** Has the pieces go over their rows one after the other. */
  private void inTurn(Stm stm, Loop loop) {
    var form = (For) loop.form();
    var space = spaces.of(form.bound());
    check(stm, loop, form);
    var b = new Builder(stm.span());
    var states = new ArrayList<Var>();
    var params = new ArrayList<LoopParam>();
    int at = Math.max(schedule.levelOf(space.total()), schedule.stageLevel(stm));
    for (var p : loop.params()) {
      if (spaces.inType(p.var().type())) {
        params.add(new LoopParam(p.var(), b.bind(p.var().name(), new Copy((Var) p.init()))));
      } else {
        var state = Names.like(p.var());
        var given = new Stm(List.of(state), new Alias(p.init()), stm.span());
        at = Math.max(at, schedule.driver(given, 0));
        states.add(state);
        params.add(new LoopParam(p.var(), state));
      }
    }
    var own = b.bind("own", new Alias(space.rows()));
    spaces.addOwn(own);
    var j = Names.fresh("j", Type.I64);
    var rows = ownRows(b, loop, form.bound());
    var in = new Builder(stm.span());
    var number = in.convert(form.i().type().elemPrim(), in.add(space.before(), j));
    in.bindAll(List.of(form.i()), new Alias(number));
    var body = new OwnNumber(form.i(), j, form.bound(), rows).body(loop.body());
    var stms = new ArrayList<>(in.stms());
    stms.addAll(body.stms());
    b.bindAll(stm.pattern(), new Loop(params, new For(j, own), new Body(stms, body.results())));
    for (var s : b.stms()) {
      schedule.local(s, at);
    }
    if (Effects.observable(loop)) {
      schedule.observe(b.stms().getLast(), at);
    }
    bound(stm, states, at);
  }

  private void bound(Stm stm, List<Var> states, int at) {
    int k = 0;
    for (var v : stm.pattern()) {
      if (spaces.inType(v.type())) {
        labeller.label(stm.span(), v, new Label.Sharded(0));
        schedule.storeLater(v, at);
      } else {
        schedule.carry(states.get(k++), v, stm.span(), at);
      }
    }
  }

  /** Binds the rows that the loop reads to other names, which have no label. */
  private Map<Var, Var> ownRows(Builder b, Loop loop, Atom width) {
    var rows = new HashMap<Var, Var>();
    var free = FreeVars.of(loop.body());
    loop.params().forEach(p -> free.remove(p.var()));
    for (var v : free) {
      if (labeller.of(v) instanceof Label.Sharded && v.type().dims().getFirst().equals(width)) {
        rows.put(v, b.bind(v.name(), new Alias(v)));
      }
    }
    return rows;
  }

  /** Reads and writes rows by the number of the row in its piece. */
  private record OwnNumber(Var number, Var own, Atom width, Map<Var, Var> rows)
      implements Rewriter {
    @Override
    public Exp exp(Exp exp) {
      return switch (exp) {
        case Index(var array, var is, var checked)
            when number.equals(is.getFirst()) && isRows(array) -> {
          var at = new ArrayList<>(is);
          at.set(0, own);
          yield new Index(rows.getOrDefault(array, array), at, checked);
        }
        case Update(var array, var dims, var value, var checked)
            when dims.getFirst() instanceof DimSlice.Fix(var i)
                && number.equals(i)
                && isRows(array) -> {
          var at = new ArrayList<>(dims);
          at.set(0, new DimSlice.Fix(own));
          yield new Update(array, at, value, checked);
        }
        default -> Rewriter.super.exp(exp);
      };
    }

    private boolean isRows(Var array) {
      return array.type().dims().getFirst().equals(width);
    }
  }

  /** Checks that the loop touches rows by the iteration's number only. */
  private void check(Stm stm, Loop loop, For form) {
    var carried = new HashSet<Var>();
    for (var p : loop.params()) {
      boolean rows = spaces.inType(p.var().type());
      var label = labeller.of(p.init());
      if (rows != label.equals(new Label.Sharded(0)) || !rows && label != Label.REPLICATED) {
        throw fault(stm, "a loop over the rows starts from " + labeller.words().of(p.var()));
      }
      if (rows) {
        carried.add(p.var());
      }
    }
    var uses = new Uses(stm, form.i(), form.bound(), carried);
    uses.body(loop.body());
    for (int i = 0; i < loop.params().size(); i++) {
      var v = loop.params().get(i).var();
      if (carried.contains(v) && !v.equals(uses.of.get(loop.body().results().get(i)))) {
        throw exchanged(stm, v);
      }
    }
  }

  /** A piece goes over its own rows only, so it doesn't know how often two arrays change places. */
  private static Limitation exchanged(Stm stm, Var v) {
    return Undistributable.at(
        stm.span(),
        "a loop over the rows hands on another array in the place of " + v.name(),
        "carry each array in its own place, and choose between the values of a row");
  }

  private static Limitation fault(Stm stm, String what) {
    return Undistributable.at(
        stm.span(),
        what + ", whose rows are read or written by other numbers than the iteration's",
        "have an iteration for each row, which writes this row and reads rows near it; an if leaves"
            + " rows out");
  }

  /** Refuses what isn't a read or a write of the iteration's own row. */
  private final class Uses implements Rewriter {
    private final Stm loop;
    private final Var number;
    private final Atom width;

    /** What the loop carries each of its arrays of rows for. */
    private final Map<Atom, Var> of = new HashMap<>();

    Uses(Stm loop, Var number, Atom width, Set<Var> carried) {
      this.loop = loop;
      this.number = number;
      this.width = width;
      carried.forEach(v -> of.put(v, v));
    }

    private boolean isRows(Atom x) {
      return x instanceof Var v
          && v.type().isArray()
          && (spaces.inType(v.type()) || labeller.of(v) != Label.REPLICATED);
    }

    @Override
    public Body body(Body body) {
      for (var stm : body.stms()) {
        stm(stm);
      }
      for (var r : body.results()) {
        if (isRows(r) && !of.containsKey(r)) {
          throw fault(loop, "a loop over the rows gives " + labeller.words().of((Var) r));
        }
      }
      return body;
    }

    @Override
    public List<Stm> stm(Stm stm) {
      switch (stm.exp()) {
        case Index(var array, var is, _)
            when isRows(array) && is.getFirst().equals(number) && isLong(array) ->
            is.subList(1, is.size()).forEach(this::atom);
        case Slice(var array, var dims, _) when spaces.stretches(array, width) ->
            dims.forEach(this::dim);
        case Update(var array, var dims, var value, _)
            when of.containsKey(array)
                && dims.getFirst() instanceof DimSlice.Fix(var i)
                && i.equals(number)
                && isLong(array) -> {
          atom(value);
          of.put(stm.var(), of.get(array));
        }
        case If(_, var then, var otherwise) when stm.pattern().stream().anyMatch(this::isRows) -> {
          // The branches hand on what is carried.
          exp(stm.exp());
          for (int k = 0; k < stm.pattern().size(); k++) {
            var array = of.get(then.results().get(k));
            if (isRows(stm.pattern().get(k))) {
              if (!array.equals(of.get(otherwise.results().get(k)))) {
                throw exchanged(loop, array);
              }
              of.put(stm.pattern().get(k), array);
            }
          }
        }
        default -> {
          exp(stm.exp());
          if (stm.pattern().stream().anyMatch(this::isRows)) {
            throw fault(loop, "a loop over the rows makes rows of its own");
          }
        }
      }
      return List.of(stm);
    }

    private boolean isLong(Var array) {
      return array.type().dims().getFirst().equals(width);
    }

    @Override
    public Atom atom(Atom x) {
      if (isRows(x)) {
        throw fault(loop, "a loop over the rows uses " + labeller.words().of((Var) x));
      }
      return x;
    }
  }

  /**
   * Has exchanges bring the rows that the loop reads by other numbers, if these don't depend on
   * what the loop carries. Returns the loop itself if there are none.
   */
  private Loop remote(Stm stm, Loop loop) {
    var form = (For) loop.form();
    if (form.i().type().elemPrim() != Prim.I64) {
      return loop;
    }
    var b = new Builder(stm.span());
    var numbers = b.iota(form.bound());
    var types = loop.body().results().stream().map(Atom::type).toList();
    var map = new Lambda(List.of(form.i()), loop.body(), types);
    var pattern = types.stream().map(t -> Names.fresh("row", t.under(form.bound()))).toList();
    var exp = new Screma(form.bound(), List.of(numbers), List.of(), List.of(), map);
    var carried = loop.params().stream().map(LoopParam::var).toList();
    var found = new RemoteReads(labeller, form, carried).in(new Stm(pattern, exp, stm.span()));
    if (found.isEmpty() || !Collections.disjoint(FreeVars.of(found.get().number()), carried)) {
      return loop;
    }
    b.stms().forEach(cutter::place);
    var read = found.get();
    moves.bring(stm, read);
    var rest = ((Screma) read.rest().exp()).map();
    var own = rest.params().getLast();
    var in = new Builder(stm.span());
    var input = ((Screma) read.rest().exp()).inputs().getLast();
    in.bindAll(List.of(own), new Index(input, List.of(form.i()), false));
    var stms = new ArrayList<>(in.stms());
    stms.addAll(rest.body().stms());
    return new Loop(loop.params(), form, new Body(stms, rest.body().results()));
  }
}
