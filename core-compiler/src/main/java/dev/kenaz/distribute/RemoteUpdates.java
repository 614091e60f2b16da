package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Expresses an accumulation into rows, such as the adjoint of a read by a computed number, by
 * histograms: the indices and values of all updates become results of the operators around them,
 * and are then added to the rows that they name. An update in a branch that isn't taken has the
 * index -1, which is none.
 */
final class RemoteUpdates {
  /** What an update is given, in some scope: arrays, if operators are around it. */
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

  /** A scope without an accumulator, and the updates that were in it. */
  private record Without(List<Stm> stms, List<Update> updates) {}

  /** An accumulation of another form than this class knows. */
  private static final class Unknown extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Unknown() {
      super(null, null, false, false);
    }
  }

  private final Spaces spaces;

  RemoteUpdates(Labeller labeller) {
    this.spaces = labeller.spaces();
  }

  /** Returns statements in the place of this one, if it accumulates into rows. */
  Optional<List<Stm>> of(Stm stm) {
    if (!(stm.exp() instanceof WithAcc w)) {
      return Optional.empty();
    }
    for (int k = 0; k < w.inputs().size(); k++) {
      if (spaces.has(w.inputs().get(k).space().getFirst())) {
        try {
          return Optional.of(replaced(stm, w, k));
        } catch (Unknown _) {
          return Optional.empty();
        }
      }
    }
    return Optional.empty();
  }

  private List<Stm> replaced(Stm stm, WithAcc w, int k) {
    var lambda = w.body();
    var without = scope(lambda.body().stms(), lambda.params().get(k));
    var b = new Builder(stm.span());
    var updates = rest(b, stm, w, k, without);
    var in = w.inputs().get(k);
    var arrays = in.arrays();
    for (var update : updates) {
      arrays = updated(b, in, arrays, update);
    }
    int at = 0;
    for (var before : w.inputs().subList(0, k)) {
      at += before.arrays().size();
    }
    for (int i = 0; i < arrays.size(); i++) {
      b.bindAll(List.of(stm.pattern().get(at + i)), new Alias(arrays.get(i)));
    }
    return b.stms();
  }

  /** Emits what is left without the accumulator; returns the updates, as the scope has them. */
  private static List<Update> rest(Builder b, Stm stm, WithAcc w, int k, Without without) {
    var lambda = w.body();
    var results = new ArrayList<>(lambda.body().results());
    results.remove(k);
    var pattern = new ArrayList<>(stm.pattern());
    int at = 0;
    for (var before : w.inputs().subList(0, k)) {
      at += before.arrays().size();
    }
    pattern.subList(at, at + w.inputs().get(k).arrays().size()).clear();
    if (w.inputs().size() == 1) {
      without.stms().forEach(b::add);
      for (int i = 0; i < pattern.size(); i++) {
        b.bindAll(List.of(pattern.get(i)), new Alias(results.get(i)));
      }
      return without.updates();
    }
    var outside = new ArrayList<Update>();
    for (var update : without.updates()) {
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
    if (in.combine().isPresent()) {
      var op = new Renaming().lambda(in.combine().get().op());
      var hist = new HistOp(in.space(), arrays, in.combine().get().neutral(), op);
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
      var dest = new ScatterDest(in.space(), arrays.get(i));
      results.add(
          b.bind(
              "acc",
              arrays.get(i).type(),
              new Scatter(width, inputs, List.of(dest), b.identity(inputs))));
    }
    return results;
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
    for (var stm : stms) {
      if (!FreeVars.of(stm).contains(current)) {
        left.add(stm);
        continue;
      }
      var here = stm(stm, current);
      left.addAll(here.stms());
      updates.addAll(here.updates());
      current = stm.pattern().get(result(stm, acc));
    }
    return new Without(left, updates);
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
      default -> throw new Unknown();
    };
  }

  private Without screma(Stm stm, Screma s, Var acc) {
    int input = s.inputs().indexOf(acc);
    if (input < 0) {
      throw new Unknown();
    }
    var inner = scope(s.map().body().stms(), s.map().params().get(input));
    var inside = Stm.bound(s.map().body().stms());
    inside.addAll(s.map().params());
    var inputs = new ArrayList<>(s.inputs());
    inputs.remove(input);
    var params = new ArrayList<>(s.map().params());
    params.remove(input);
    var results = new ArrayList<>(s.map().body().results());
    var pattern = new ArrayList<>(stm.pattern());
    int out = result(stm, acc);
    pattern.remove(out);
    results.remove(out);
    var updates = new ArrayList<Update>();
    for (var update : inner.updates()) {
      var arrays = new ArrayList<Var>();
      for (var x : update.all()) {
        if (FreeVars.of(x.type()).stream().anyMatch(inside::contains)) {
          throw new Unknown();
        }
        arrays.add(Names.fresh("update", x.type().under(s.width())));
      }
      results.addAll(update.all());
      pattern.addAll(arrays);
      updates.add(update.with(arrays));
    }
    var b = new Builder(stm.span());
    if (inputs.isEmpty()) {
      inputs.add(b.iota(s.width()));
      params.add(Names.fresh("i", Type.I64));
    }
    var returns = results.stream().map(Atom::type).toList();
    var map = new Lambda(params, new Body(inner.stms(), results), returns);
    b.with(stm.attrs())
        .bindAll(pattern, new Screma(s.width(), inputs, s.scans(), s.reduces(), map));
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
    for (var update : then.updates()) {
      thenResults.addAll(update.all());
      elseResults.addAll(none(elseStms, update));
      updates.add(outside(pattern, update));
    }
    for (var update : otherwise.updates()) {
      elseResults.addAll(update.all());
      thenResults.addAll(none(thenStms, update));
      updates.add(outside(pattern, update));
    }
    var exp = new If(branch.condition(), thenStms.body(thenResults), elseStms.body(elseResults));
    return new Without(List.of(new Stm(pattern, exp, stm.attrs(), stm.span())), updates);
  }

  private static Update outside(List<Var> pattern, Update update) {
    var own = update.all().stream().map(x -> Names.fresh("update", x.type())).toList();
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
