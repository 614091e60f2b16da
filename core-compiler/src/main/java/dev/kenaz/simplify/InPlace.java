package dev.kenaz.simplify;

import dev.kenaz.analysis.Sharing;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.Slice;
import dev.kenaz.ir.Exp.Update;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;

/**
 * Finds arrays that can be built where an update is to put them, without a copy: what isn't read
 * after the update, while nothing else reads the slice from when the first element is made. What
 * makes them may itself read the slice, each element where it writes one: {@code a[i] = map2 (+)
 * a[i] v}.
 *
 * <p>Core and seg IR share this analysis, so that the work that is counted is what backends do.
 */
public final class InPlace {
  private InPlace() {}

  /**
   * What matters here of a statement.
   *
   * @param exp its expression, if it isn't an operator
   * @param reads its free variables
   * @param pointwise those whose elements are each read only before the one at the same place of a
   *     result is written
   * @param made results that can be built anywhere
   */
  public record Step(
      List<Var> pattern, Optional<Exp> exp, Set<Var> reads, Set<Var> pointwise, Set<Var> made) {}

  /**
   * @param maker the position of the statement that makes the value
   * @param root the array whose slice it is to be, as it is called before that statement
   */
  public record Placement(int maker, Var value, Var root, List<DimSlice> slice) {}

  /**
   * Returns the values of a scope that can be built in place.
   *
   * @param steps the statements of one scope
   * @param mayShare whether two arrays may lie in the same memory
   */
  public static List<Placement> of(
      List<Step> steps, List<Atom> results, BiPredicate<Var, Var> mayShare) {
    var found = new ArrayList<Placement>();
    Map<Var, Integer> definitions = null;
    for (int q = 0; q < steps.size(); q++) {
      if (steps.get(q).exp().orElse(null) instanceof Update u
          && !u.checked()
          && u.value() instanceof Var value
          && value.type().isArray()) {
        if (definitions == null) {
          definitions = definitions(steps);
        }
        new Search(steps, results, mayShare, definitions, q, u, value).run().ifPresent(found::add);
      }
    }
    return found;
  }

  private static Map<Var, Integer> definitions(List<Step> steps) {
    var at = new HashMap<Var, Integer>();
    for (int k = 0; k < steps.size(); k++) {
      for (var v : steps.get(k).pattern()) {
        at.put(v, k);
      }
    }
    return at;
  }

  private record Search(
      List<Step> steps,
      List<Atom> results,
      BiPredicate<Var, Var> mayShare,
      Map<Var, Integer> definitions,
      int at,
      Update update,
      Var value) {
    Optional<Placement> run() {
      int maker = definitions.getOrDefault(value, -1);
      if (maker < 0 || !steps.get(maker).made().contains(value) || isUsedAfterwards(maker)) {
        return Optional.empty();
      }
      // these are the array's names since the value is made, the oldest last
      var chain = new ArrayList<Var>();
      var root = update.array();
      chain.add(root);
      for (int d = definition(root); d >= maker; d = definition(root)) {
        if (d == maker || !(steps.get(d).exp().orElse(null) instanceof Update u)) {
          return Optional.empty();
        }
        root = u.array();
        chain.add(root);
      }
      for (int k = maker; k < at; k++) {
        if (!leavesAlone(steps.get(k), k == maker, chain)) {
          return Optional.empty();
        }
      }
      return Optional.of(new Placement(maker, value, root, update.slice()));
    }

    private int definition(Var v) {
      return definitions.getOrDefault(v, -1);
    }

    /**
     * Whether the value, or a view of it, is read after the update: its slice may be another then.
     */
    private boolean isUsedAfterwards(int maker) {
      var names = new HashSet<>(Set.of(value));
      for (int k = maker + 1; k < steps.size(); k++) {
        var step = steps.get(k);
        if (k != at && !Collections.disjoint(step.reads(), names)) {
          if (k > at) {
            return true;
          }
          step.pattern().stream().filter(p -> mayShare.test(p, value)).forEach(names::add);
        }
      }
      return results.stream().anyMatch(r -> r instanceof Var v && names.contains(v));
    }

    /** Whether the statement neither reads nor writes the slice. */
    private boolean leavesAlone(Step step, boolean makes, List<Var> chain) {
      boolean updates = false;
      if (step.exp().orElse(null) instanceof Update u && chain.contains(u.array())) {
        updates = true;
        if (!Regions.disjoint(u.slice(), update.slice())
            || u.value() instanceof Var v && v.type().isArray() && shares(v, chain)) {
          return false;
        }
      }
      boolean view =
          step.exp().isPresent()
              && (step.exp().get() instanceof Index || step.exp().get() instanceof Slice)
              && step.pattern().getFirst().type().isArray();
      for (var r : step.reads()) {
        boolean other = !r.type().isArray() || updates && chain.contains(r) || !shares(r, chain);
        if (!other && !(view && chain.contains(r)) && !apart(step, makes, r, chain)) {
          return false;
        }
      }
      return true;
    }

    private boolean shares(Var v, List<Var> chain) {
      return chain.stream().anyMatch(c -> mayShare.test(v, c));
    }

    /** Whether the statement reads another part by this variable, or this one point by point. */
    private boolean apart(Step step, boolean makes, Var view, List<Var> chain) {
      int d = definition(view);
      var exp = d < 0 ? null : steps.get(d).exp().orElse(null);
      var of =
          switch (exp) {
            case Index(var a, _, _) -> a;
            case Slice(var a, _, _) -> a;
            case null, default -> null;
          };
      if (of == null || !chain.contains(of)) {
        return false;
      }
      var region = Regions.read(exp);
      return Regions.disjoint(region, update.slice())
          || makes && step.pointwise().contains(view) && region.equals(update.slice());
    }
  }

  // Core IR

  /** Returns all such arrays of a program. */
  public static Set<Var> of(CoreProgram program) {
    var found = new HashSet<Var>();
    var sharing = Sharing.of(program);
    new CodeRewriter() {
      @Override
      public Body body(Body body) {
        boolean any = body.stms().stream().anyMatch(s -> s.exp() instanceof Update);
        if (any) {
          var steps = body.stms().stream().map(InPlace::step).toList();
          BiPredicate<Var, Var> mayShare = (a, b) -> sharing.classOf(a).equals(sharing.classOf(b));
          of(steps, body.results(), mayShare).forEach(p -> found.add(p.value()));
        }
        return CodeRewriter.super.body(body);
      }
    }.program(program);
    return found;
  }

  private static Step step(Stm stm) {
    if (!(stm.exp() instanceof Screma s)) {
      return new Step(stm.pattern(), Optional.of(stm.exp()), FreeVars.of(stm), Set.of(), Set.of());
    }
    int mapped = s.scanWidth() + s.reduceWidth();
    var made = new HashSet<Var>();
    for (var v : stm.pattern().subList(mapped, stm.pattern().size())) {
      if (v.type().isArray()) {
        made.add(v);
      }
    }
    return new Step(stm.pattern(), Optional.empty(), FreeVars.of(stm), pointwise(s), made);
  }

  /** Returns the inputs that are read only where results are written. */
  public static Set<Var> pointwise(Screma s) {
    var found = new HashSet<Var>();
    var free = FreeVars.of(s.map());
    for (int k = 0; k < s.inputs().size(); k++) {
      var input = s.inputs().get(k);
      if (input.type().isArray()
          && !free.contains(input)
          && s.inputs().indexOf(input) == s.inputs().lastIndexOf(input)
          && isPointwise(s.map(), s.map().params().get(k))) {
        found.add(input);
      }
    }
    return found;
  }

  /** Whether the parameter is a scalar, or a row that a perfect nest goes on with. */
  private static boolean isPointwise(Lambda f, Var param) {
    return f.returns().stream().allMatch(Type::isScalar)
        || f.body().onlyStm().isPresent()
            && f.body().onlyStm().get().exp() instanceof Screma s
            && s.isMap()
            && pointwise(s).contains(param);
  }
}
