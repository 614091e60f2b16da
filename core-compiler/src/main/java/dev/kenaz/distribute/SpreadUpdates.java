package dev.kenaz.distribute;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Updates of one element, in the function of a row, of an array that has an element for each of
 * some other rows: {@code if c then ds with [i] = ds[i] + v else ds}, which the derivative of a
 * maximum over all rows has. They become maps, {@code map (\j d -> if c && j == i then d + v else
 * d) (iota n) ds}, which {@link Pairs} and {@link PairedUpdates} know.
 */
final class SpreadUpdates {
  /** The numbers of other rows, as the function of a row has them, by how many there are. */
  private final Map<Atom, Var> numbers = new HashMap<>();

  private SpreadUpdates(Labeller labeller, Lambda map) {
    for (var v : FreeVars.of(map)) {
      if (labeller.definition(v) instanceof Iota iota
          && iota.isCounter()
          && v.type().elemPrim() == Prim.I64
          && labeller.spaces().has(iota.n())) {
        numbers.put(iota.n(), v);
      }
    }
  }

  /** Returns the function of a row with maps in the place of such updates. */
  static Lambda asMaps(Labeller labeller, Lambda map) {
    var spread = new SpreadUpdates(labeller, map);
    var stms = new ArrayList<Stm>();
    boolean changed = false;
    for (var stm : map.body().stms()) {
      var others = spread.of(stm);
      changed |= others.isPresent();
      stms.addAll(others.orElse(List.of(stm)));
    }
    return changed ? new Lambda(map.params(), map.body().with(stms), map.returns()) : map;
  }

  /**
   * An element that gets another value.
   *
   * @param before computes the value, and may read the element
   */
  private record Changed(Var array, Atom place, List<Stm> before, Atom value) {}

  private Optional<List<Stm>> of(Stm stm) {
    if (stm.pattern().size() != 1) {
      return Optional.empty();
    }
    var body = new Body(List.of(stm), List.of(stm.var()));
    if (stm.exp() instanceof If(var condition, var then, var otherwise)) {
      var changed = changed(then).filter(c -> isOnly(otherwise, c.array()));
      return changed.isPresent()
          ? changed.map(c -> map(stm, c, Optional.of(condition), false))
          : changed(otherwise)
              .filter(c -> isOnly(then, c.array()))
              .map(c -> map(stm, c, Optional.of(condition), true));
    }
    return changed(body).map(c -> map(stm, c, Optional.empty(), false));
  }

  private static boolean isOnly(Body body, Var array) {
    return body.stms().isEmpty() && body.results().equals(List.of(array));
  }

  /** What the code changes in an array, if it does nothing else. */
  private Optional<Changed> changed(Body body) {
    int last = body.stms().size() - 1;
    if (last < 0
        || !(body.stms().get(last).exp() instanceof Update(var array, var at, var value, var check))
        || check
        || !body.results().equals(List.of(body.stms().get(last).var()))
        || array.type().dims().size() != 1
        || !numbers.containsKey(array.type().dims().getFirst())
        || !(at.getFirst() instanceof DimSlice.Fix(var place))) {
      return Optional.empty();
    }
    var before = body.stms().subList(0, last);
    var inside = new HashSet<>(Stm.bound(before));
    boolean known =
        !inside.contains(array)
            && !inside.contains(place)
            && before.stream().allMatch(s -> isOfElement(s, array, place));
    return known ? Optional.of(new Changed(array, place, before, value)) : Optional.empty();
  }

  private static boolean isOfElement(Stm stm, Var array, Atom place) {
    return stm.exp() instanceof Index(var read, var is, var checked)
        ? read.equals(array) && is.equals(List.of(place)) && !checked
        : Effects.safeScalar(stm.exp()) && !FreeVars.of(stm).contains(array);
  }

  private List<Stm> map(Stm stm, Changed c, Optional<Atom> condition, boolean unless) {
    var b = new Builder(stm.span());
    var rows = c.array().type().dims().getFirst();
    var asked = condition.map(x -> unless ? b.not(x) : x);
    var type = Type.scalar(c.array().type().elemPrim());
    var map =
        b.lambda(
            List.of(Type.I64, type),
            (in, p) -> {
              var here = in.compare(CompareOp.EQ, p.getFirst(), c.place());
              var all = asked.map(x -> in.and(x, here)).orElse(here);
              return in.ifThenElse(
                  all, List.of(type), t -> List.of(value(t, c, p.getLast())), _ -> p.subList(1, 2));
            });
    b.with(stm.attrs())
        .bindAll(
            stm.pattern(),
            new Screma(rows, List.of(numbers.get(rows), c.array()), List.of(), List.of(), map));
    return b.stms();
  }

  private static Atom value(Builder b, Changed c, Var element) {
    var known = new HashMap<Var, Atom>();
    var stms = new ArrayList<Stm>();
    for (var s : c.before()) {
      if (s.exp() instanceof Index) {
        known.put(s.var(), element);
      } else {
        stms.add(s);
      }
    }
    var body = new Renaming(known).body(new Body(stms, List.of(c.value())));
    return b.inline(body).getFirst();
  }
}
