package dev.kenaz.distribute;

import dev.kenaz.analysis.Affine;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A loop that carries rows, and reads and writes those near the iteration's number, in their order
 * or from the last one to the first: {@code ys with [t] = f ys[t - 1]}, and the derivative of such
 * a loop. In the place of the array, the loop carries the few rows that later iterations use. In
 * each iteration, another row comes in, and the row that is not used any more becomes the
 * iteration's own row of a new array. After the loop, the array is put together.
 */
final class MovingWindow {
  private final Labeller labeller;
  private final Stm stm;
  private final Loop loop;
  private final For form;
  private final NearRows near;
  private final Map<Var, Window> windows = new LinkedHashMap<>();

  /**
   * The rows of a carried array that an iteration uses.
   *
   * @param init the array at first
   * @param first the number of the first row, in the first iteration
   * @param fill what all elements are at first, if it is known
   */
  private record Window(Var init, NearRows.Near rows, Atom first, Optional<Atom> fill) {
    Type row() {
      return Builder.rowType(init.type());
    }

    int slope() {
      return rows.slope();
    }

    /** Returns the number of the row at the place, in an iteration. */
    Atom number(Builder b, Atom iteration, int place) {
      var distance = b.add(iteration, Atom.i64(place));
      return slope() > 0 ? b.add(first, distance) : b.sub(first, distance);
    }

    Optional<Atom> filled(Builder b) {
      return fill.map(x -> row().isScalar() ? x : b.replicate(row().dims(), x));
    }
  }

  MovingWindow(Labeller labeller, Stm stm, Loop loop) {
    this.labeller = labeller;
    this.stm = stm;
    this.loop = loop;
    this.form = (For) loop.form();
    var rows = loop.params().stream().filter(this::isRows).map(LoopParam::var).toList();
    this.near = new NearRows(labeller, loop, rows);
  }

  private boolean isRows(LoopParam p) {
    return p.var().type().isArray() && labeller.of(p.init()).equals(new Label.Sharded(0));
  }

  /** Returns statements whose loop reads and writes rows of its own number, if that helps. */
  Optional<List<Stm>> inOrder() {
    if (!form.i().type().equals(Type.I64)) {
      return Optional.empty();
    }
    var b = new Builder(stm.span());
    for (var p : loop.params()) {
      if (!isRows(p)) {
        continue;
      }
      var rows = near.of(p.var());
      if (rows.isPresent() && !isOwn(p.var(), rows.get())) {
        var init = (Var) p.init();
        Optional<Atom> fill =
            labeller.definition(init) instanceof Scratch
                ? Optional.of(Atom.of(init.type().elemPrim(), 0))
                : labeller.fill(init);
        var first = rows.get().first().emit(b);
        windows.put(p.var(), new Window(init, rows.get(), first, fill));
      }
    }
    if (windows.isEmpty()) {
      return Optional.empty();
    }
    moved(b);
    return Optional.of(b.stms());
  }

  /** Whether these are the iteration's own rows, of which it has one in each iteration. */
  private boolean isOwn(Var array, NearRows.Near rows) {
    return rows.equals(new NearRows.Near(Affine.ZERO, 1, 1))
        && array.type().dims().getFirst().equals(form.bound());
  }

  private void moved(Builder b) {
    var params = new ArrayList<LoopParam>();
    var pattern = new ArrayList<Var>();
    var in = new Builder(stm.span());
    var move = new Move();
    var done = new HashMap<Var, Var>();
    var after = new HashMap<Var, List<Var>>();
    for (int i = 0; i < loop.params().size(); i++) {
      var p = loop.params().get(i);
      var w = windows.get(p.var());
      if (w == null) {
        params.add(p);
        pattern.add(stm.pattern().get(i));
        continue;
      }
      var all = b.bind("done", new Scratch(w.row().elemPrim(), w.row().under(form.bound()).dims()));
      done.put(p.var(), Names.like(all));
      params.add(new LoopParam(done.get(p.var()), all));
      var rows = new ArrayList<Atom>();
      for (int k = 0; k < w.rows().count() - 1; k++) {
        var state = Names.fresh(p.var().name(), w.row());
        params.add(new LoopParam(state, before(b, w, k)));
        rows.add(state);
      }
      rows.add(enters(in, w));
      move.current.put(p.var(), rows);
      after.put(p.var(), IntStream.range(0, rows.size()).mapToObj(k -> like(p, w, k)).toList());
      pattern.addAll(after.get(p.var()));
    }
    for (var s : loop.body().stms()) {
      in.addAll(move.stm(s));
    }
    var results = new ArrayList<Atom>();
    for (int i = 0; i < loop.params().size(); i++) {
      var v = loop.params().get(i).var();
      var result = loop.body().results().get(i);
      if (windows.containsKey(v)) {
        var rows = move.current.get(result);
        results.add(in.update(done.get(v), List.of(form.i()), rows.getFirst()));
        results.addAll(rows.subList(1, rows.size()));
      } else {
        results.add(result);
      }
    }
    b.with(stm.attrs()).bindAll(pattern, new Loop(params, form, in.body(results)));
    for (int i = 0; i < loop.params().size(); i++) {
      var v = loop.params().get(i).var();
      if (windows.containsKey(v)) {
        var whole = together(b, windows.get(v), after.get(v));
        b.bindAll(List.of(stm.pattern().get(i)), new Alias(whole));
      }
    }
  }

  /** Returns what is bound after the loop: the rows that are done, then those of the window. */
  private Var like(LoopParam p, Window w, int k) {
    return Names.fresh(p.var().name(), k == 0 ? w.row().under(form.bound()) : w.row());
  }

  /** Returns a row of the window before the loop; a number that is none of a row gives any. */
  private Atom before(Builder b, Window w, int place) {
    return w.filled(b)
        .orElseGet(
            () -> {
              var number = w.number(b, Atom.i64(0), place);
              return b.bind("row", w.row(), new Index(w.init(), List.of(number), false));
            });
  }

  /** Returns the row that comes into the window in an iteration, if there is one. */
  private Atom enters(Builder in, Window w) {
    return w.filled(in)
        .orElseGet(
            () -> {
              var number = w.number(in, form.i(), w.rows().count() - 1);
              var rows = w.init().type().dims().getFirst();
              return in.ifThenElse(
                      within(in, number, rows),
                      List.of(w.row()),
                      c ->
                          List.of(
                              c.bind("row", w.row(), new Index(w.init(), List.of(number), false))),
                      c -> List.of(c.zero(w.row())))
                  .getFirst();
            });
  }

  private static Atom within(Builder b, Atom number, Atom rows) {
    return b.and(
        b.compare(CompareOp.LE, Atom.i64(0), number), b.compare(CompareOp.LT, number, rows));
  }

  /** Returns the array after the loop. */
  private Var together(Builder b, Window w, List<Var> after) {
    var rows = w.init().type().dims().getFirst();
    var inputs = new ArrayList<>(List.of(b.iota(rows)));
    if (w.fill().isEmpty()) {
      inputs.add(w.init());
    }
    return b.map(
            rows,
            inputs,
            (in, p) -> {
              var number = p.getFirst();
              var place = w.slope() > 0 ? in.sub(number, w.first()) : in.sub(w.first(), number);
              var done = after.getFirst();
              return in.ifThenElse(
                  within(in, place, form.bound()),
                  List.of(w.row()),
                  c -> List.of(c.bind("row", w.row(), new Index(done, List.of(place), false))),
                  c -> List.of(left(c, w, after, 1, place, p)));
            })
        .getFirst();
  }

  /** Returns the row at a place that is in the window after the loop, or that the loop left. */
  private Atom left(Builder b, Window w, List<Var> after, int k, Atom place, List<Var> params) {
    if (k == after.size()) {
      return w.filled(b).orElseGet(params::getLast);
    }
    var at = b.add(form.bound(), Atom.i64(k - 1));
    return b.ifThenElse(
            b.compare(CompareOp.EQ, place, at),
            List.of(w.row()),
            _ -> List.of(after.get(k)),
            c -> List.of(left(c, w, after, k + 1, place, params)))
        .getFirst();
  }

  /** Has the loop use the rows of the window in the place of those of the array. */
  private final class Move implements Rewriter {
    /** The rows of the window, for each version of the array. */
    private final Map<Atom, List<Atom>> current = new HashMap<>();

    private int place(Var array, Atom number) {
      return windows.get(near.carried(array)).rows().place(near.atFirst(number));
    }

    @Override
    public List<Stm> stm(Stm s) {
      var b = new Builder(s.span());
      switch (s.exp()) {
        case Index(var array, var is, var checked) when current.containsKey(array) -> {
          if (checked) {
            OwnRow.check(b, is, array.type().dims());
          }
          var row = row(b, array, is.getFirst(), false);
          var rest = is.subList(1, is.size());
          b.bindAll(
              s.pattern(), rest.isEmpty() ? new Alias(row) : new Index((Var) row, rest, false));
        }
        case Slice(var array, var dims, var checked) when current.containsKey(array) -> {
          var row = row(b, array, ((DimSlice.Fix) dims.getFirst()).index(), checked);
          b.bindAll(s.pattern(), new Slice((Var) row, dims.subList(1, dims.size()), checked));
        }
        case Update(var array, var dims, var value, var checked)
            when current.containsKey(array) -> {
          var number = ((DimSlice.Fix) dims.getFirst()).index();
          var row = row(b, array, number, checked);
          var rows = new ArrayList<>(current.get(array));
          rows.set(place(array, number), written(b, row, dims, value, checked));
          current.put(s.var(), rows);
        }
        case If branch when branch.then().results().stream().anyMatch(this::isMoved) ->
            branch(b, s, branch);
        default -> {
          return Rewriter.super.stm(s);
        }
      }
      return b.stms();
    }

    private boolean isMoved(Atom x) {
      return near.carried(x) != null && windows.containsKey(near.carried(x));
    }

    private Atom row(Builder b, Var array, Atom number, boolean checked) {
      if (checked) {
        OwnRow.check(b, number, array.type().dims().getFirst());
      }
      return current.get(array).get(place(array, number));
    }

    private static Atom written(
        Builder b, Atom row, List<DimSlice> dims, Atom value, boolean checked) {
      if (row.type().isScalar()) {
        return value;
      }
      var rest = dims.subList(1, dims.size());
      boolean all =
          IntStream.range(0, rest.size())
              .allMatch(i -> rest.get(i).isWhole(row.type().dims().get(i)));
      // Both are copied, as the program may go on to update what it has written.
      var own = b.bind("row", new Copy((Var) (all ? value : row)));
      return all ? own : b.bind("row", row.type(), new Update(own, rest, value, checked));
    }

    private void branch(Builder b, Stm s, If branch) {
      var then = body(branch.then());
      var otherwise = body(branch.otherwise());
      var pattern = new ArrayList<Var>();
      for (int k = 0; k < s.pattern().size(); k++) {
        var v = s.pattern().get(k);
        var rows = current.get(branch.then().results().get(k));
        if (rows == null) {
          pattern.add(v);
          continue;
        }
        var given = rows.stream().map(x -> Names.fresh(v.name(), x.type())).toList();
        pattern.addAll(given);
        current.put(v, List.copyOf(given));
      }
      b.with(s.attrs()).bindAll(pattern, new If(branch.condition(), then, otherwise));
    }

    @Override
    public Body body(Body body) {
      var stms = new ArrayList<Stm>();
      body.stms().forEach(s -> stms.addAll(stm(s)));
      var results = new ArrayList<Atom>();
      for (var r : body.results()) {
        if (current.containsKey(r)) {
          results.addAll(current.get(r));
        } else {
          results.add(r);
        }
      }
      return new Body(stms, results);
    }
  }
}
