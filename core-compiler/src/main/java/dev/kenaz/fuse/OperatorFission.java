package dev.kenaz.fuse;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.Copy;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Scan;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.simplify.Components;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Takes operators out of a parallel operator that has several: what is left maps their operands,
 * and each becomes an operator of its own on those. An operator on tuples of which some components
 * don't depend on others counts as several.
 *
 * <pre>
 *   reduce (\(s, v) (t, w) -> (s + t, map2 (+) v w)) (0, zeros) (map f xs)
 *     is  let (s, vs) = redomap (+) 0 f xs     -- s reduced, vs mapped
 *         let v = reduce (map2 (+)) zeros vs
 * </pre>
 */
final class OperatorFission {

  /**
   * An operator by itself.
   *
   * @param elements the arrays to whose rows it is applied
   * @param results the variables of its results
   */
  record Part(
      boolean scan,
      Lambda op,
      List<Atom> neutral,
      boolean commutative,
      List<Var> elements,
      List<Var> results) {

    /** Returns the part as a statement. */
    Stm stm(Stm like, Atom width) {
      var identity = new Builder(like.span()).identity(elements);
      var screma =
          scan
              ? new Screma(width, elements, List.of(new Scan(op, neutral)), List.of(), identity)
              : new Screma(
                  width,
                  elements,
                  List.of(),
                  List.of(new Reduce(op, neutral, commutative)),
                  identity);
      return like.with(results, screma);
    }
  }

  /**
   * The statements that are left, which come first if they do anything, and the parts taken out.
   */
  record Split(List<Stm> rest, List<Part> parts) {}

  private final Stm stm;
  private final Screma screma;
  private final Predicate<Lambda> moves;
  private final List<Scan> scans = new ArrayList<>();
  private final List<Reduce> reduces = new ArrayList<>();
  private final List<Part> parts = new ArrayList<>();

  /**
   * The results of the function that are kept: first those of operators that stay, then the others.
   */
  private final List<Integer> kept = new ArrayList<>();

  private final List<Integer> moved = new ArrayList<>();
  private final List<Var> elements = new ArrayList<>();

  private OperatorFission(Stm stm, Screma screma, Predicate<Lambda> moves) {
    this.stm = stm;
    this.screma = screma;
    this.moves = moves;
  }

  /** Takes out operators, or independent components of operators, that are to be moved. */
  static Split of(Stm stm, Screma screma, Predicate<Lambda> moves) {
    return new OperatorFission(stm, screma, moves).split();
  }

  /** Whether any operator, or independent component, is to be moved. */
  static boolean any(Screma s, Predicate<Lambda> moves) {
    return Stream.concat(s.scans().stream().map(Scan::op), s.reduces().stream().map(Reduce::op))
        .anyMatch(
            op -> Components.of(op).stream().anyMatch(c -> moves.test(Components.only(op, c))));
  }

  /** Whether an operator has several independent components. */
  static boolean several(Screma s) {
    return Stream.concat(s.scans().stream().map(Scan::op), s.reduces().stream().map(Reduce::op))
        .anyMatch(op -> Components.of(op).size() > 1);
  }

  private Split split() {
    for (var s : screma.scans()) {
      var stay = parts(true, s.op(), s.neutral(), false);
      if (!stay.isEmpty()) {
        scans.add(new Scan(Components.only(s.op(), stay), Lists.pick(s.neutral(), stay)));
      }
    }
    for (var r : screma.reduces()) {
      var stay = parts(false, r.op(), r.neutral(), r.commutative());
      if (!stay.isEmpty()) {
        reduces.add(
            new Reduce(
                Components.only(r.op(), stay), Lists.pick(r.neutral(), stay), r.commutative()));
      }
    }
    if (scans.isEmpty() && reduces.isEmpty() && choosesInputs()) {
      return chosen();
    }
    int operands = kept.size() + moved.size();
    var order = new ArrayList<>(kept);
    order.addAll(moved);
    var pattern = new ArrayList<Var>();
    kept.forEach(k -> pattern.add(stm.pattern().get(k)));
    pattern.addAll(elements);
    var map = screma.map();
    for (int k = operands; k < map.returns().size(); k++) {
      order.add(k);
      pattern.add(stm.pattern().get(k));
    }
    var results = Lists.pick(map.body().results(), order);
    var types = Lists.pick(map.returns(), order);
    var lambda = new Lambda(map.params(), new Body(map.body().stms(), results), types);
    var rest = new Screma(screma.width(), screma.inputs(), scans, reduces, lambda);
    return new Split(List.of(stm.with(pattern, rest)), parts);
  }

  /** Whether the function does nothing except choosing inputs. */
  private boolean choosesInputs() {
    var map = screma.map();
    return map.body().stms().isEmpty() && map.params().containsAll(map.body().results());
  }

  /** Applies the parts to the inputs themselves. */
  private Split chosen() {
    var map = screma.map();
    var of = new HashMap<Atom, Var>();
    for (int k = 0; k < map.params().size(); k++) {
      of.put(map.params().get(k), screma.inputs().get(k));
    }
    var inputs = map.body().results().stream().map(of::get).toList();
    var rest = new ArrayList<Stm>();
    for (int k = moved.size(); k < inputs.size(); k++) {
      var copy = new Copy(inputs.get(k));
      rest.add(new Stm(List.of(stm.pattern().get(k)), copy, List.of(), stm.span()));
    }
    var all = new ArrayList<Part>();
    for (var p : parts) {
      var own = p.elements.stream().map(e -> inputs.get(moved.get(elements.indexOf(e)))).toList();
      all.add(new Part(p.scan, p.op, p.neutral, p.commutative, own, p.results));
    }
    return new Split(rest, all);
  }

  /** Takes out of the next operator what is to be moved; returns the components that stay. */
  private List<Integer> parts(boolean scan, Lambda op, List<Atom> neutral, boolean commutative) {
    int first = kept.size() + moved.size();
    var stay = new ArrayList<Integer>();
    var taken = new ArrayList<List<Integer>>();
    for (var component : Components.of(op)) {
      if (moves.test(Components.only(op, component))) {
        taken.add(component);
      } else {
        stay.addAll(component);
      }
    }
    stay.sort(null);
    stay.forEach(k -> kept.add(first + k));
    for (var component : taken) {
      var mine = new ArrayList<Var>();
      var results = new ArrayList<Var>();
      for (int k : component) {
        var type = screma.map().returns().get(first + k).under(screma.width());
        mine.add(Names.fresh("elements", type));
        moved.add(first + k);
        results.add(stm.pattern().get(first + k));
      }
      elements.addAll(mine);
      var own = Components.only(op, component);
      parts.add(new Part(scan, own, Lists.pick(neutral, component), commutative, mine, results));
    }
    return stay;
  }

  /** Whether an operator works on arrays. */
  static boolean ofArrays(Lambda op) {
    return op.returns().stream().anyMatch(Type::isArray);
  }
}
