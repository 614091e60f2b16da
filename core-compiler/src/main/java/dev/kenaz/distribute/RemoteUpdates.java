package dev.kenaz.distribute;

import dev.kenaz.ad.StripAccumulators;
import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Binders;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Expresses an accumulation into rows, such as the adjoint of a read by a computed number, by
 * histograms: the indices and values of all updates become results of the operators around them,
 * and are then added to the rows that they name. An update in a branch that isn't taken has the
 * index -1, which is none.
 *
 * <p>A map that adds to all elements along the last dimension, one each, is an update of a whole
 * row: the row travels with one index, rather than each element with all of its own.
 */
final class RemoteUpdates {
  /**
   * What an update is given, in some scope: arrays, if operators are around it. If there are fewer
   * indices than the accumulator has dimensions, the values are rows.
   */
  private record Update(List<Atom> indices, List<Atom> values) {
    List<Atom> all() {
      var all = new ArrayList<>(indices);
      all.addAll(values);
      return all;
    }

    Update with(List<? extends Atom> all) {
      var atoms = List.<Atom>copyOf(all);
      return new Update(
          atoms.subList(0, indices.size()), atoms.subList(indices.size(), atoms.size()));
    }
  }

  /**
   * A scope without an accumulator, and the updates that were in it.
   *
   * @param lists for updates of which each row has a list: what makes the lists, of the rows
   */
  private record Without(List<Stm> stms, List<Update> updates, Map<Update, Screma> lists) {
    Without(List<Stm> stms, List<Update> updates) {
      this(stms, updates, Map.of());
    }
  }

  /** An accumulation of another form than this class knows. */
  private static final class Unknown extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Unknown() {
      super(null, null, false, false);
    }
  }

  private final Cutter cutter;
  private final Spaces spaces;
  private final Moves moves;
  private final NewSpaces newSpaces;

  /** What the accumulation binds, in any scope. */
  private Set<Var> inside = Set.of();

  /** The dimensions of the accumulator. */
  private List<Atom> space = List.of();

  RemoteUpdates(Cutter cutter, Moves moves, NewSpaces newSpaces) {
    this.cutter = cutter;
    this.spaces = cutter.labeller().spaces();
    this.moves = moves;
    this.newSpaces = newSpaces;
  }

  /** Places the statement, if it accumulates into rows. */
  boolean place(Stm stm) {
    if (!(stm.exp() instanceof WithAcc w)) {
      return false;
    }
    for (int k = 0; k < w.inputs().size(); k++) {
      if (spaces.has(w.inputs().get(k).space().getFirst())) {
        try {
          place(stm, w, k);
          return true;
        } catch (Unknown _) {
          return false;
        }
      }
    }
    return false;
  }

  private void place(Stm stm, WithAcc w, int k) {
    var lambda = w.body();
    inside = Binders.of(lambda);
    space = w.inputs().get(k).space();
    var without = scope(lambda.body().stms(), lambda.params().get(k));
    var b = new Builder(stm.span());
    // What a step after this one refuses is computed in one place, and binds the results there.
    var last = new Builder(stm.span());
    var updates = rest(b, last, stm, w, k, without);
    b.stms().forEach(cutter::place);
    var in = w.inputs().get(k);
    var arrays = in.arrays();
    for (int i = 0; i < updates.size(); i++) {
      var lists = without.lists().get(without.updates().get(i));
      var update = lists == null ? updates.get(i) : updates.get(i).with(joined(stm, lists));
      var one = new Builder(stm.span());
      arrays = updated(one, in, arrays, update);
      one.stms().forEach(cutter::place);
    }
    int at = 0;
    for (var before : w.inputs().subList(0, k)) {
      at += before.arrays().size();
    }
    for (int i = 0; i < arrays.size(); i++) {
      last.bindAll(List.of(stm.pattern().get(at + i)), new Alias(arrays.get(i)));
    }
    last.stms().forEach(cutter::place);
  }

  /** Joins the lists of all rows. */
  private List<Var> joined(Stm stm, Screma lists) {
    var rows = Names.fresh("elements", Type.I64);
    var pattern = new ArrayList<Var>();
    var elements = new ArrayList<Var>();
    for (var t : lists.map().returns()) {
      pattern.add(Names.fresh("list", t.under(lists.width())));
      if (t.dims().size() > 0) {
        elements.add(Names.fresh("update", Builder.rowType(t).under(rows)));
      }
    }
    var first = Names.fresh("first", Type.I64.under(lists.width()));
    new RaggedMap(cutter, moves, newSpaces)
        .place(new Stm(pattern, lists, stm.span()), new RaggedMap.Joined(rows, first, elements));
    return elements;
  }

  /**
   * Emits what is left without the accumulator; returns the updates, as the scope has them.
   *
   * @param last gets what binds the statement's other results
   */
  private static List<Update> rest(
      Builder b, Builder last, Stm stm, WithAcc w, int k, Without without) {
    var lambda = w.body();
    var results = new ArrayList<>(lambda.body().results());
    results.remove(k);
    var pattern = new ArrayList<>(stm.pattern());
    int at = 0;
    for (var before : w.inputs().subList(0, k)) {
      at += before.arrays().size();
    }
    pattern.subList(at, at + w.inputs().get(k).arrays().size()).clear();
    if (w.inputs().size() > 1) {
      var bound = Stm.bound(lambda.body().stms());
      bound.addAll(lambda.params());
      for (var lists : without.lists().values()) {
        if (!Collections.disjoint(FreeVars.of(lists), bound)) {
          throw new Unknown();
        }
      }
    }
    if (w.inputs().size() == 1) {
      without.stms().forEach(b::add);
      for (int i = 0; i < pattern.size(); i++) {
        last.bindAll(List.of(pattern.get(i)), new Alias(results.get(i)));
      }
      return without.updates();
    }
    for (int i = 0; i < pattern.size(); i++) {
      var own = Names.like(pattern.get(i));
      last.bindAll(List.of(pattern.get(i)), new Alias(own));
      pattern.set(i, own);
    }
    var outside = new ArrayList<Update>();
    for (var update : without.updates()) {
      if (without.lists().containsKey(update)) {
        outside.add(update);
        continue;
      }
      var own = update.all().stream().map(x -> Names.fresh("update", x.type())).toList();
      results.addAll(update.all());
      pattern.addAll(own);
      outside.add(update.with(own));
    }
    var inputs = new ArrayList<>(w.inputs());
    inputs.remove(k);
    var params = new ArrayList<>(lambda.params());
    params.remove(k);
    var returns = results.stream().map(Atom::type).toList();
    b.bindAll(
        pattern,
        new WithAcc(inputs, new Lambda(params, new Body(without.stms(), results), returns)));
    return outside;
  }

  /** Emits the histogram, or the scatter, of one update. */
  private List<Var> updated(Builder b, AccInput in, List<Var> arrays, Update update) {
    int nest = update.indices().getFirst().type().dims().size();
    var all = new ArrayList<Var>();
    for (var x : update.all()) {
      all.add(flat(b, x, nest));
    }
    var width = all.getFirst().type().dims().getFirst();
    var dims = in.space().subList(0, update.indices().size());
    var row = in.space().subList(update.indices().size(), in.space().size());
    if (in.combine().isPresent()) {
      var op = overRows(b, row, new Renaming().lambda(in.combine().get().op()));
      var neutral =
          in.combine().get().neutral().stream()
              .map(x -> row.isEmpty() ? x : b.replicate(row, x))
              .toList();
      var hist = new HistOp(dims, arrays, neutral, op);
      return b.bindAll(
          "acc",
          arrays.stream().map(Var::type).toList(),
          new Hist(width, all, List.of(hist), b.identity(all)));
    }
    int indices = update.indices().size();
    var results = new ArrayList<Var>();
    for (int i = 0; i < arrays.size(); i++) {
      var inputs = new ArrayList<>(all.subList(0, indices));
      inputs.add(all.get(indices + i));
      var dest = new ScatterDest(dims, arrays.get(i));
      results.add(
          b.bind(
              "acc",
              arrays.get(i).type(),
              new Scatter(width, inputs, List.of(dest), b.identity(inputs))));
    }
    return results;
  }

  /** Returns the operator that combines rows of these dimensions element by element. */
  private static Lambda overRows(Builder b, List<Atom> row, Lambda op) {
    if (row.isEmpty()) {
      return op;
    }
    var elements = overRows(b, row.subList(1, row.size()), op);
    var types = elements.params().stream().map(p -> p.type().under(row.getFirst())).toList();
    return b.lambda(
        types, (in, rows) -> in.screma(row.getFirst(), rows, List.of(), List.of(), elements));
  }

  /** Returns what an update is given as one array, whatever was around the update. */
  private static Var flat(Builder b, Atom x, int nest) {
    var dims = x.type().dims();
    if (nest == 0) {
      return b.bind("update", new Replicate(List.of(Atom.i64(1)), x));
    }
    if (nest == 1) {
      return (Var) x;
    }
    Atom size = dims.getFirst();
    for (var d : dims.subList(1, nest)) {
      size = b.mul(size, d);
    }
    var shape = new ArrayList<Atom>(List.of(size));
    shape.addAll(dims.subList(nest, dims.size()));
    return b.bind("update", new Reshape(shape, (Var) x));
  }

  private Without scope(List<Stm> stms, Var acc) {
    var current = acc;
    var left = new ArrayList<Stm>();
    var updates = new ArrayList<Update>();
    var lists = new IdentityHashMap<Update, Screma>();
    for (var stm : stms) {
      if (!FreeVars.of(stm).contains(current)) {
        left.add(stm);
        continue;
      }
      var here = stm(stm, current);
      left.addAll(here.stms());
      updates.addAll(here.updates());
      lists.putAll(here.lists());
      current = stm.pattern().get(result(stm, acc));
    }
    return new Without(left, updates, lists);
  }

  private static int result(Stm stm, Var acc) {
    var token = ((Type.Acc) acc.type()).token();
    return IntStream.range(0, stm.pattern().size())
        .filter(i -> stm.pattern().get(i).type() instanceof Type.Acc a && a.token() == token)
        .findFirst()
        .orElseThrow(Unknown::new);
  }

  private Without stm(Stm stm, Var acc) {
    return switch (stm.exp()) {
      case UpdateAcc(_, var is, var xs) -> new Without(List.of(), List.of(new Update(is, xs)));
      case Alias _ -> new Without(List.of(), List.of());
      case Screma s -> screma(stm, s, acc);
      case If branch -> branch(stm, branch, acc);
      case Loop(var params, For form, var body) -> loop(stm, params, form, body, acc);
      case WithAcc other -> within(stm, other, acc);
      default -> throw new Unknown();
    };
  }

  private Without screma(Stm stm, Screma s, Var acc) {
    int input = s.inputs().indexOf(acc);
    if (input < 0) {
      throw new Unknown();
    }
    var inner = scope(s.map().body().stms(), s.map().params().get(input));
    if (!inner.lists().isEmpty()) {
      throw new Unknown();
    }
    var inside = Stm.bound(s.map().body().stms());
    inside.addAll(Stm.bound(inner.stms()));
    inside.addAll(s.map().params());
    var inputs = Lists.without(s.inputs(), input);
    var params = Lists.without(s.map().params(), input);
    int out = result(stm, acc);
    var results = Lists.without(s.map().body().results(), out);
    var pattern = Lists.without(stm.pattern(), out);
    var b = new Builder(stm.span());
    if (inputs.isEmpty()) {
      inputs.add(b.iota(s.width()));
      params.add(Names.fresh("i", Type.I64));
    }
    var updates = new ArrayList<Update>();
    var lists = new IdentityHashMap<Update, Screma>();
    var after = new Builder(stm.span());
    for (var update : inner.updates()) {
      int listed = IteratedReads.listed(update.indices().getFirst().type(), inside);
      if (listed > 0) {
        var map = lists(stm, s.width(), inputs, params, inner.stms(), update, listed);
        if (spaces.has(s.width())) {
          updates.add(update);
          lists.put(update, map);
        } else {
          updates.add(update.with(joinedHere(after, map)));
        }
        continue;
      }
      var arrays = new ArrayList<Var>();
      var row = ofRow(update, s.width(), inputs, params, inside);
      var given = row.map(Update::values).orElse(update.all());
      for (var x : given) {
        if (FreeVars.of(x.type()).stream().anyMatch(inside::contains)) {
          throw new Unknown();
        }
        arrays.add(Names.fresh("update", x.type().under(s.width())));
      }
      results.addAll(given);
      pattern.addAll(arrays);
      updates.add(
          row.isPresent()
              ? new Update(row.get().indices(), List.copyOf(arrays))
              : update.with(arrays));
    }
    var returns = results.stream().map(Atom::type).toList();
    var map = new Lambda(params, new Body(inner.stms(), results), returns);
    b.with(stm.attrs())
        .bindAll(pattern, new Screma(s.width(), inputs, s.scans(), s.reduces(), map));
    b.addAll(after.stms());
    return new Without(b.stms(), updates, lists);
  }

  /**
   * Returns the update with the index of its row alone, if the map makes it once for each element
   * along the last dimension that is indexed.
   */
  private Optional<Update> ofRow(
      Update update, Atom width, List<Var> inputs, List<Var> params, Set<Var> inside) {
    int last = update.indices().size() - 1;
    var number = params.indexOf(update.indices().get(last));
    var others = update.indices().subList(0, last);
    if (number < 0
        || last == 0
        || !space.get(last).equals(width)
        || !Collections.disjoint(others, inside)
        || !others.stream().allMatch(i -> i.type().isScalar())
        || !isCount(inputs.get(number))) {
      return Optional.empty();
    }
    return Optional.of(new Update(others, update.values()));
  }

  /** Whether the elements of an array are 0, 1, 2 and so on. */
  private boolean isCount(Var array) {
    return cutter.labeller().definition(array) instanceof Iota(_, var start, var step)
        && start.equals(Atom.i64(0))
        && step.equals(Atom.i64(1));
  }

  /** Returns the map that gives the lists of an update's indices and values, and nothing else. */
  private static Screma lists(
      Stm stm,
      Atom width,
      List<Var> inputs,
      List<Var> params,
      List<Stm> stms,
      Update update,
      int listed) {
    var tokens = new HashSet<Integer>();
    var ownInputs = new ArrayList<Var>();
    var ownParams = new ArrayList<Var>();
    for (int i = 0; i < inputs.size(); i++) {
      if (inputs.get(i).type() instanceof Type.Acc a) {
        tokens.add(a.token());
      } else {
        ownInputs.add(inputs.get(i));
        ownParams.add(params.get(i));
      }
    }
    var stripped = new StripAccumulators(tokens).body(new Body(stms, update.all()));
    var slice = BackwardSlice.withEffects(stripped.stms(), update.all()).stms();
    var list = IteratedReads.list(stm.span(), ownParams, new Body(slice, update.all()), listed);
    if (ownInputs.isEmpty()) {
      throw new Unknown();
    }
    return new Screma(width, ownInputs, List.of(), List.of(), list);
  }

  /** Emits the lists of an operator inside the function of a row, joined. */
  private static List<Var> joinedHere(Builder b, Screma lists) {
    var where = RaggedMap.lengths(b, lists.width(), lists.inputs(), lists.map());
    var returns = lists.map().returns();
    var elements =
        returns.subList(1, returns.size()).stream()
            .map(t -> Names.fresh("update", Builder.rowType(t).under(where.rows())))
            .toList();
    RaggedMap.join(b, lists, new RaggedMap.Joined(where.rows(), where.first(), elements));
    return elements;
  }

  /** Takes updates out of an accumulation into something else, such as the row of its own. */
  private Without within(Stm stm, WithAcc other, Var acc) {
    var lambda = other.body();
    var inner = scope(lambda.body().stms(), acc);
    var bound = Binders.of(lambda);
    int out = result(stm, acc);
    int arrays = other.inputs().stream().mapToInt(i -> i.arrays().size()).sum();
    var results = Lists.without(lambda.body().results(), out - arrays + other.inputs().size());
    var pattern = Lists.without(stm.pattern(), out);
    var updates = new ArrayList<Update>();
    for (var update : inner.updates()) {
      var types = update.all().stream().map(Atom::type).toList();
      boolean known = types.stream().allMatch(t -> Collections.disjoint(FreeVars.of(t), bound));
      if (!known || !inner.lists().isEmpty()) {
        throw new Unknown();
      }
      var own = types.stream().map(t -> Names.fresh("update", t)).toList();
      results.addAll(update.all());
      pattern.addAll(own);
      updates.add(update.with(own));
    }
    var returns = results.stream().map(Atom::type).toList();
    var body = new Lambda(lambda.params(), new Body(inner.stms(), results), returns);
    var exp = new WithAcc(other.inputs(), body);
    return new Without(List.of(new Stm(pattern, exp, stm.attrs(), stm.span())), updates);
  }

  /** Has a loop fill arrays with what it gives to updates. */
  private Without loop(Stm stm, List<LoopParam> params, For form, Body body, Var acc) {
    int k =
        IntStream.range(0, params.size())
            .filter(i -> params.get(i).init().equals(acc))
            .findFirst()
            .orElseThrow(Unknown::new);
    var inner = scope(body.stms(), params.get(k).var());
    if (!inner.lists().isEmpty()) {
      throw new Unknown();
    }
    var inside = Stm.bound(body.stms());
    inside.addAll(Stm.bound(inner.stms()));
    params.forEach(p -> inside.add(p.var()));
    inside.add(form.i());
    var b = new Builder(stm.span());
    var trips = b.binary(BinaryOp.MAX, Atom.i64(0), b.convert(Prim.I64, form.bound()));
    var in = new Builder(stm.span());
    in.addAll(inner.stms());
    var at = in.convert(Prim.I64, form.i());
    var more = Lists.without(params, k);
    var results = Lists.without(body.results(), k);
    var pattern = Lists.without(stm.pattern(), result(stm, acc));
    var updates = new ArrayList<Update>();
    for (var update : inner.updates()) {
      var arrays = new ArrayList<Var>();
      for (var x : update.all()) {
        if (FreeVars.of(x.type()).stream().anyMatch(inside::contains)) {
          throw new Unknown();
        }
        var type = x.type().under(trips);
        var filled = Names.fresh("update", type);
        more.add(
            new LoopParam(filled, b.bind("scratch", new Scratch(type.elemPrim(), type.dims()))));
        results.add(in.update(filled, List.of(at), x));
        arrays.add(Names.fresh("update", type));
      }
      pattern.addAll(arrays);
      updates.add(update.with(arrays));
    }
    b.with(stm.attrs()).bindAll(pattern, new Loop(more, form, in.body(results)));
    return new Without(b.stms(), updates);
  }

  private Without branch(Stm stm, If branch, Var acc) {
    int out = result(stm, acc);
    var then = scope(branch.then().stms(), acc);
    var otherwise = scope(branch.otherwise().stms(), acc);
    var thenResults = new ArrayList<>(branch.then().results());
    var elseResults = new ArrayList<>(branch.otherwise().results());
    thenResults.remove(out);
    elseResults.remove(out);
    var thenStms = new Builder(stm.span()).addAll(then.stms());
    var elseStms = new Builder(stm.span()).addAll(otherwise.stms());
    var pattern = new ArrayList<>(stm.pattern());
    pattern.remove(out);
    var updates = new ArrayList<Update>();
    if (!then.lists().isEmpty() || !otherwise.lists().isEmpty()) {
      throw new Unknown();
    }
    for (var update : then.updates()) {
      updates.add(outside(pattern, update, thenStms, thenResults, elseStms, elseResults));
    }
    for (var update : otherwise.updates()) {
      updates.add(outside(pattern, update, elseStms, elseResults, thenStms, thenResults));
    }
    var exp = new If(branch.condition(), thenStms.body(thenResults), elseStms.body(elseResults));
    return new Without(List.of(new Stm(pattern, exp, stm.attrs(), stm.span())), updates);
  }

  /** Has one branch give the update, and the other one an update of nothing. */
  private Update outside(
      List<Var> pattern,
      Update update,
      Builder there,
      List<Atom> results,
      Builder elsewhere,
      List<Atom> others) {
    // A size that isn't that of all rows may be none where the branch isn't taken.
    var bound = new HashSet<>(inside);
    bound.addAll(Stm.bound(there.stms()));
    int listed = IteratedReads.listed(update.indices().getFirst().type(), bound);
    if (listed == 0) {
      results.addAll(update.all());
      others.addAll(none(elsewhere, update));
      var own = update.all().stream().map(x -> Names.fresh("update", x.type())).toList();
      pattern.addAll(own);
      return update.with(own);
    }
    var arrays = new Body(List.of(), update.all());
    var list = IteratedReads.list(there.span(), List.of(), arrays, listed).body();
    results.addAll(there.inline(list));
    var size = Names.fresh("size", Type.I64);
    pattern.add(size);
    others.add(Atom.i64(0));
    var own = new ArrayList<Var>();
    for (var x : list.results().subList(1, list.results().size())) {
      var row = Builder.rowType(x.type());
      own.add(Names.fresh("update", row.under(size)));
      var shape = row.under(Atom.i64(0)).dims();
      others.add(elsewhere.bind("update", new Scratch(row.elemPrim(), shape)));
    }
    pattern.addAll(own);
    return update.with(own);
  }

  /** Returns an update of nothing, of the same types. */
  private static List<Atom> none(Builder b, Update update) {
    var all = new ArrayList<Atom>();
    for (var i : update.indices()) {
      all.add(i.type().isScalar() ? Atom.i64(-1) : b.replicate(i.type().dims(), Atom.i64(-1)));
    }
    update.values().forEach(x -> all.add(b.zero(x.type())));
    return all;
  }
}
