package dev.kenaz.distribute;

import dev.kenaz.ad.StripAccumulators;
import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.analysis.Effects;
import dev.kenaz.distribute.AddedValues.Unknown;
import dev.kenaz.ir.Atom;
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
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Accumulations by functions of rows that need other rows: the derivatives of what is computed with
 * all pairs of rows.
 *
 * <p>Let a map over the rows x of xs map over the rows y of ys, and add {@code v x y} to the
 * element of y. For each y that is the sum over all x: so {@code map (\y -> reduce op ne (map (\x
 * -> v x y) xs)) ys} computes what is added, and {@link Pairs} divides it. What the function of x
 * computes before its map over ys, and {@code v} needs, is computed by a map over xs first.
 *
 * <p>What is added to an array that is the same everywhere becomes a reduction, over the rows of ys
 * and over those of xs ({@link AddedValues}).
 */
final class PairedUpdates {
  private final Labeller labeller;
  private final Spaces spaces;

  PairedUpdates(Labeller labeller) {
    this.labeller = labeller;
    this.spaces = labeller.spaces();
  }

  /** Returns statements in the place of such an accumulation, with an accumulator less. */
  Optional<List<Stm>> of(Stm stm) {
    if (!(stm.exp() instanceof WithAcc w)
        || w.body().body().stms().stream().noneMatch(this::needsOtherRows)) {
      return Optional.empty();
    }
    for (int k = 0; k < w.inputs().size(); k++) {
      var in = w.inputs().get(k);
      try {
        if (in.combine().isPresent() && spaces.has(in.space().getFirst())) {
          return Optional.of(byRows(stm, w, k, in.combine().get()));
        } else if (in.combine().isPresent() && !spaces.hasAny(in.space())) {
          boolean neutral = labeller.startsNeutral(in.arrays(), in.combine().get().neutral());
          return Optional.of(AddedValues.apart(stm, w, k, neutral, labeller::definition));
        }
      } catch (Unknown _) {
        // another accumulator, perhaps
      }
    }
    return Optional.empty();
  }

  private boolean needsOtherRows(Stm stm) {
    return stm.exp() instanceof Screma s
        && spaces.has(s.width())
        && s.inputs().stream().anyMatch(v -> v.type() instanceof Type.Acc)
        && FreeVars.of(s.map()).stream().anyMatch(v -> labeller.of(v) instanceof Label.Sharded);
  }

  /**
   * Returns the function of a row with its own accumulations over other rows as reductions of these
   * rows.
   */
  static Lambda reducing(Labeller labeller, Lambda function) {
    var map = SpreadUpdates.asMaps(labeller, function);
    var stms = new ArrayList<Stm>();
    for (var stm : map.body().stms()) {
      stms.addAll(reducing(labeller, stm));
    }
    return stms.equals(map.body().stms())
        ? map
        : new Lambda(map.params(), withoutAliases(map.body().with(stms)), map.returns());
  }

  private static Body withoutAliases(Body body) {
    var stms = new ArrayList<Stm>();
    var same = new HashMap<Var, Atom>();
    for (var stm : body.stms()) {
      for (var s : new Substitution(same).stm(stm)) {
        if (s.exp() instanceof Alias(var x)) {
          same.put(s.var(), x);
        } else {
          stms.add(s);
        }
      }
    }
    var results = new Substitution(same).body(new Body(List.of(), body.results())).results();
    return new Body(stms, results);
  }

  private static List<Stm> reducing(Labeller labeller, Stm stm) {
    if (stm.exp() instanceof WithAcc w
        && w.body().body().stms().stream()
            .anyMatch(
                s -> s.exp() instanceof Screma inner && labeller.spaces().has(inner.width()))) {
      for (int k = 0; k < w.inputs().size(); k++) {
        if (!labeller.spaces().hasAny(w.inputs().get(k).space())) {
          try {
            return AddedValues.apart(stm, w, k, false, labeller::definition).stream()
                .flatMap(s -> reducing(labeller, s).stream())
                .toList();
          } catch (Unknown _) {
            // another accumulator, perhaps
          }
        }
      }
    }
    return List.of(stm);
  }

  /** Takes what maps over other rows add to these out of an accumulation. */
  private List<Stm> byRows(Stm stm, WithAcc w, int k, Combine combine) {
    var in = w.inputs().get(k);
    var added = new AddedValues(w.body().params().get(k), combine, labeller::definition);
    var b = new Builder(stm.span());
    var left = new ArrayList<Stm>();
    var sums = new ArrayList<List<Var>>();
    for (var s : w.body().body().stms()) {
      if (left.isEmpty() && FreeVars.of(s).stream().noneMatch(v -> v.type() instanceof Type.Acc)) {
        b.add(s); // nothing keeps it inside
      } else {
        left.add(needsOtherRows(s) && added.uses(s) ? new OfRows(added, in, s, b, sums).rest() : s);
      }
    }
    var inside = new HashSet<>(Stm.bound(left));
    inside.addAll(w.body().params());
    if (sums.isEmpty() || !Collections.disjoint(FreeVars.of(b.body(List.of())), inside)) {
      throw new Unknown();
    }
    int at = w.inputs().subList(0, k).stream().mapToInt(i -> i.arrays().size()).sum();
    var pattern = new ArrayList<>(stm.pattern());
    List<Atom> all = new ArrayList<>();
    for (int i = at; i < at + in.arrays().size(); i++) {
      pattern.set(i, Names.like(pattern.get(i)));
      all.add(pattern.get(i));
    }
    var body = w.body().body().with(left);
    var lambda = new Lambda(w.body().params(), body, w.body().returns());
    b.with(stm.attrs()).bindAll(pattern, new WithAcc(w.inputs(), lambda));
    for (var sum : sums) {
      all = added.both(b, all, List.copyOf(sum), in.space());
    }
    for (int i = 0; i < in.arrays().size(); i++) {
      b.bindAll(List.of(stm.pattern().get(at + i)), new Alias(all.get(i)));
    }
    return b.stms();
  }

  /** The function of rows x, and the maps over other rows y in it that add to the elements of y. */
  private final class OfRows {
    private final AddedValues added;
    private final AccInput in;
    private final Stm stm;
    private final Screma outer;
    private final Builder b;
    private final List<List<Var>> sums;

    /**
     * @param b gets the statements that compute what is added
     * @param sums gets what is added
     */
    OfRows(AddedValues added, AccInput in, Stm stm, Builder b, List<List<Var>> sums) {
      this.added = added;
      this.in = in;
      this.stm = stm;
      this.outer = (Screma) stm.exp();
      this.b = b;
      this.sums = sums;
    }

    /** Returns the statement without these maps' additions. */
    Stm rest() {
      var map = reducing(labeller, outer.map());
      map = GuardedUpdates.outOfBranches(spaces, map).orElse(map);
      for (var next = Optional.of(map); next.isPresent(); ) {
        map = next.get();
        next = RowFunction.recomputed(spaces, map);
      }
      var stms = new ArrayList<Stm>();
      var same = new HashMap<Var, Atom>();
      for (int i = 0; i < map.body().stms().size(); i++) {
        var s = map.body().stms().get(i);
        if (!added.uses(s)
            || !(s.exp() instanceof Screma inner)
            || !inner.width().equals(in.space().getFirst())) {
          stms.add(s);
          continue;
        }
        int place = added.placeIn(inner.inputs());
        var own = turned(map, i, inner, place);
        int out = added.placeIn(s.pattern());
        same.put(s.pattern().get(out), inner.inputs().get(place));
        var pattern = Lists.without(s.pattern(), out);
        var results = Lists.without(inner.map().body().results(), out);
        var exp =
            new Screma(
                inner.width(),
                Lists.without(inner.inputs(), place),
                inner.scans(),
                inner.reduces(),
                lambda(Lists.without(inner.map().params(), place), own, results));
        if (!pattern.isEmpty()) {
          stms.add(s.with(pattern, exp));
        } else if (Effects.observable(exp)) {
          throw new Unknown();
        }
      }
      var body = new Body(stms, map.body().results());
      for (int i = 0; i < same.size(); i++) {
        body = new Substitution(same).body(body); // one accumulator may stand for the next
      }
      var rest = new Lambda(map.params(), body, map.returns());
      return stm.with(
          new Screma(outer.width(), outer.inputs(), outer.scans(), outer.reduces(), rest));
    }

    /**
     * Emits the map over the rows y that reduces over the rows x.
     *
     * @param at the place of the statement in the function of x
     * @return the statements of the function of y for one x, without what it adds
     */
    private List<Stm> turned(Lambda map, int at, Screma inner, int place) {
      var row = added.numbered(inner).orElseThrow(Unknown::new);
      var rest = in.space().subList(1, in.space().size());
      var own = added.from(row.body().stms(), List.of(row.number()), rest);
      if (own.values().isEmpty()) {
        throw new Unknown();
      }
      var inside = Binders.of(map);
      var inputs = Lists.without(inner.inputs(), place);
      if (!Collections.disjoint(inputs, inside)) {
        throw new Unknown();
      }
      var slice = BackwardSlice.of(own.stms(), own.values()).stms();
      var before = map.body().stms().subList(0, at);
      var handed = handed(map, before, new Body(slice, own.values()), inside);
      var arrays = new ArrayList<>(ofEachRow(map, before, handed));
      var params = new ArrayList<>(handed);
      if (arrays.isEmpty()) {
        arrays.add(b.iota(outer.width()));
        params.add(Names.fresh("i", Type.I64));
      }
      var reduces = List.of(added.reduce(b, rest));
      var one = new Renaming().lambda(lambda(params, slice, own.values()));
      var ofRow =
          b.lambdaOf(
              Lists.without(inner.map().params(), place),
              (y, _) -> y.screma(outer.width(), arrays, List.of(), reduces, one));
      sums.add(b.screma(inner.width(), inputs, List.of(), List.of(), new Renaming().lambda(ofRow)));
      return own.stms();
    }

    /** Returns what the function of x has, and what is added for y needs. */
    private List<Var> handed(Lambda map, List<Stm> before, Body body, Set<Var> inside) {
      var bound = new HashSet<>(Stm.bound(before));
      bound.addAll(map.params());
      var handed = new ArrayList<Var>();
      for (var v : FreeVars.of(body)) {
        if (bound.contains(v)) {
          boolean known = Collections.disjoint(FreeVars.of(v.type()), inside);
          if (v.type() instanceof Type.Acc || !known || spaces.inType(v.type())) {
            throw new Unknown();
          }
          handed.add(v);
        }
      }
      return handed;
    }

    /** Returns arrays of what is handed, with an element for each row x. */
    private List<Var> ofEachRow(Lambda map, List<Stm> before, List<Var> handed) {
      var computed = handed.stream().filter(v -> !map.params().contains(v)).toList();
      var arrays = new HashMap<Var, Var>();
      for (int i = 0; i < map.params().size(); i++) {
        arrays.put(map.params().get(i), outer.inputs().get(i));
      }
      if (!computed.isEmpty()) {
        Set<Integer> tokens =
            map.params().stream()
                .filter(p -> p.type() instanceof Type.Acc)
                .map(p -> ((Type.Acc) p.type()).token())
                .collect(Collectors.toSet());
        var slice = BackwardSlice.of(before, computed).stms();
        var first =
            new StripAccumulators(tokens)
                .lambda(lambda(map.params(), slice, List.copyOf(computed)));
        var inputs = outer.inputs().stream().filter(v -> !(v.type() instanceof Type.Acc)).toList();
        var rows =
            b.screma(outer.width(), inputs, List.of(), List.of(), new Renaming().lambda(first));
        for (int i = 0; i < computed.size(); i++) {
          arrays.put(computed.get(i), rows.get(i));
        }
      }
      return handed.stream().map(arrays::get).toList();
    }
  }

  private static Lambda lambda(List<Var> params, List<Stm> stms, List<Atom> results) {
    return new Lambda(params, new Body(stms, results), results.stream().map(Atom::type).toList());
  }
}
