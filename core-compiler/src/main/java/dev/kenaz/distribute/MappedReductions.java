package dev.kenaz.distribute;

import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Binders;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Exchanges a map with a reduction over rows in it: {@code map (\c -> g c (reduce op ne (map (f c)
 * ys))) cs} becomes {@code map2 g cs (reduce (map2 op) (replicate k ne) (map (\y -> map (\c -> f c
 * y) cs) ys))}, whatever is done with the map's results. So {@link Pairs} finds the reduction in
 * the function of a row.
 */
final class MappedReductions {
  private final Spaces spaces;
  private final Set<Var> inside;

  private MappedReductions(Spaces spaces, Lambda function) {
    this.spaces = spaces;
    this.inside = Binders.of(function);
  }

  /** Returns the function with one reduction less in a map, if there is one. */
  static Optional<Lambda> exchanged(Spaces spaces, Lambda function) {
    var all = new MappedReductions(spaces, function);
    var stms = function.body().stms();
    for (int k = 0; k < stms.size(); k++) {
      if (stms.get(k).exp() instanceof Screma map && all.isOfOthers(map)) {
        int at = k;
        var made = all.exchanged(stms.get(k), map);
        if (made.isPresent()) {
          var rest = stms.subList(at + 1, stms.size());
          var body = Lists.concat(stms.subList(0, at), made.get(), rest);
          return Optional.of(
              new Lambda(function.params(), function.body().with(body), function.returns()));
        }
      }
    }
    return Optional.empty();
  }

  /** Whether a map goes over the same number of anything but rows in the function of each row. */
  private boolean isOfOthers(Screma map) {
    return !spaces.has(map.width()) && !inside.contains(map.width());
  }

  private Optional<List<Stm>> exchanged(Stm stm, Screma map) {
    var stms = map.map().body().stms();
    for (int j = 0; j < stms.size(); j++) {
      if (stms.get(j).exp() instanceof Screma inner && isReduction(stms.get(j), inner, map.map())) {
        return exchanged(stm, map, j, inner);
      }
    }
    return Optional.empty();
  }

  private boolean isReduction(Stm stm, Screma inner, Lambda map) {
    if (!spaces.has(inner.width())
        || !inner.scans().isEmpty()
        || inner.reduces().isEmpty()
        || inner.reduceWidth() != stm.pattern().size()) {
      return false;
    }
    var used = new HashSet<Var>(inner.inputs());
    for (var r : inner.reduces()) {
      used.addAll(FreeVars.of(r.op()));
      used.addAll(FreeVars.of(r.neutral()));
    }
    stm.pattern().forEach(v -> used.addAll(FreeVars.of(v.type())));
    return Collections.disjoint(used, Binders.of(map));
  }

  private static Optional<List<Stm>> exchanged(Stm stm, Screma map, int j, Screma inner) {
    var lambda = map.map();
    var before = lambda.body().stms().subList(0, j);
    var reduction = lambda.body().stms().get(j);
    var rest = lambda.body().stms().subList(j, lambda.body().stms().size());
    var used = FreeVars.of(new Body(rest, lambda.body().results()));
    var handed = Stm.bound(before).stream().filter(used::contains).toList();
    var within = Binders.of(lambda);
    if (!handed.stream().allMatch(v -> Collections.disjoint(FreeVars.of(v.type()), within))) {
      return Optional.empty();
    }
    var b = new Builder(stm.span());
    var inputs = new ArrayList<>(map.inputs());
    var params = new ArrayList<>(lambda.params());
    if (!handed.isEmpty()) {
      var slice = BackwardSlice.withEffects(before, handed).stms();
      var types = handed.stream().map(Var::type).toList();
      var first = new Lambda(lambda.params(), new Body(slice, List.copyOf(handed)), types);
      inputs.addAll(
          b.screma(map.width(), map.inputs(), List.of(), List.of(), new Renaming().lambda(first)));
      params.addAll(handed);
    }
    var reduced = reduced(b, map.width(), inputs, params, inner);
    var left = new ArrayList<Stm>();
    if (handed.isEmpty()) {
      left.addAll(BackwardSlice.withEffects(before, List.of()).stms());
    }
    left.addAll(rest.subList(1, rest.size()));
    inputs.addAll(reduced);
    params.addAll(reduction.pattern());
    var last = new Lambda(params, new Body(left, lambda.body().results()), lambda.returns());
    b.with(stm.attrs())
        .bindAll(stm.pattern(), new Screma(map.width(), inputs, map.scans(), map.reduces(), last));
    return Optional.of(b.stms());
  }

  /** Reduces arrays, which have what the map's iterations reduce. */
  private static List<Var> reduced(
      Builder b, Atom width, List<Var> inputs, List<Var> params, Screma inner) {
    var reduces = new ArrayList<Reduce>();
    for (var r : inner.reduces()) {
      var op = new Renaming().lambda(r.op());
      var types = op.params().stream().map(p -> p.type().under(width)).toList();
      var ofRows = b.lambda(types, (in, rows) -> in.screma(width, rows, List.of(), List.of(), op));
      var neutral = r.neutral().stream().map(x -> b.replicate(List.of(width), x)).toList();
      reduces.add(new Reduce(ofRows, List.copyOf(neutral), r.commutative()));
    }
    var types = inner.map().params().stream().map(Var::type).toList();
    var map =
        b.lambda(
            types,
            (in, row) -> {
              var own = new HashMap<Var, Atom>();
              for (int i = 0; i < row.size(); i++) {
                own.put(inner.map().params().get(i), row.get(i));
              }
              var each = new Lambda(params, inner.map().body(), inner.map().returns());
              var renamed = new Renaming(own).lambda(each);
              return in.screma(width, inputs, List.of(), List.of(), renamed);
            });
    return b.screma(inner.width(), inner.inputs(), List.of(), reduces, map);
  }
}
