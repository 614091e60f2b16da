package dev.kenaz.distribute;

import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.analysis.Linearity;
import dev.kenaz.analysis.Linearity.Degree;
import dev.kenaz.distribute.PlanRunner.Caller;
import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A plan that folds rows which come bit by bit, and whose number is known only at the end: any rows
 * give partial values, two of these are combined, and the last ones give the results.
 *
 * <p>A plan is a fold if it has one stage, which neither keeps nor gathers rows, and if what the
 * stage is sent doesn't depend on the number of rows {@code n}. There is one exception, for
 * derivatives. The adjoints that {@code vjp} gives are linear in the adjoint {@code s} of the
 * result. Let {@code s} reach the stage only as one number {@code t(n, s)} that the driver
 * computes, and let nothing else that is sent depend on {@code n} or {@code s}. For a mean, for
 * instance, {@code t = s / n}. The stage's outputs then are either constants, such as a sum by
 * which the parameters' derivatives are multiplied later, or linear in {@code t}, so that {@code
 * L(t) = t L(1)}: the rows are folded with {@code t = 1}, and the linear ones of what they give are
 * multiplied by {@code t(n, s)} once {@code n} is known. {@link Linearity} tells which are which.
 */
public final class FoldPlan {
  private final Plan plan;
  private final Plan.Stage stage;

  /** The driver's steps that depend neither on {@code n} nor on {@code s}; they come first. */
  private final List<Plan.Compute> early;

  /** All its other steps before the stage. */
  private final List<Plan.Compute> late;

  private final List<Plan.Compute> after;
  private final Optional<Var> scale;

  /** For each of the stage's outputs, how it depends on {@code scale}. */
  private final List<Degree> degrees;

  private FoldPlan(
      Plan plan,
      Plan.Stage stage,
      List<Plan.Compute> early,
      List<Plan.Compute> late,
      List<Plan.Compute> after,
      Optional<Var> scale,
      List<Degree> degrees) {
    this.plan = plan;
    this.stage = stage;
    this.early = early;
    this.late = late;
    this.after = after;
    this.scale = scale;
    this.degrees = degrees;
  }

  /**
   * Returns a plan as a fold, if it is one.
   *
   * @param adjoint whether the results are linear in the last replicated parameter
   */
  public static Optional<FoldPlan> of(Plan plan, boolean adjoint) {
    var stages = plan.steps().stream().filter(Plan.Stage.class::isInstance).toList();
    boolean simple =
        stages.size() == 1
            && plan.steps().stream()
                .allMatch(s -> s instanceof Plan.Compute || s instanceof Plan.Stage)
            && plan.pieces().datasets().size() == 1
            && plan.gathered().isEmpty()
            && !plan.shardedResults().contains(true);
    if (!simple || !isFold((Plan.Stage) stages.getFirst())) {
      return Optional.empty();
    }
    var stage = (Plan.Stage) stages.getFirst();
    int at = plan.steps().indexOf(stage);
    var later = new HashSet<>(unknown(plan));
    if (adjoint) {
      later.add(plan.replicated().getLast());
    }
    var early = new ArrayList<Plan.Compute>();
    var late = new ArrayList<Plan.Compute>();
    for (var step : computes(plan.steps().subList(0, at))) {
      boolean waits = !Collections.disjoint(step.function().params(), later);
      (waits ? late : early).add(step);
      if (waits) {
        later.addAll(step.outputs());
      }
    }
    var sent = new HashSet<>(stage.broadcast());
    sent.addAll(stage.combineWith());
    sent.retainAll(later);
    var after = computes(plan.steps().subList(at + 1, plan.steps().size()));
    if (sent.isEmpty()) {
      return Optional.of(
          new FoldPlan(plan, stage, early, late, after, Optional.empty(), List.of()));
    }
    var scale = sent.iterator().next();
    boolean scales =
        adjoint
            && sent.size() == 1
            && scale.type() instanceof Type.Scalar
            && isFloat(scale)
            && !stage.combineWith().contains(scale)
            && late.stream().anyMatch(c -> needs(c, scale, plan.replicated().getLast()));
    if (!scales) {
      return Optional.empty();
    }
    var degrees = degrees(stage, scale);
    return degrees.contains(Degree.OTHER)
        ? Optional.empty()
        : Optional.of(new FoldPlan(plan, stage, early, late, after, Optional.of(scale), degrees));
  }

  /** Returns how the stage's outputs depend on a number that it is sent. */
  private static List<Degree> degrees(Plan.Stage stage, Var scale) {
    int all = stage.local().params().size();
    var params = new ArrayList<>(Collections.nCopies(all, Degree.CONSTANT));
    params.set(Pieces.PARAMS + stage.broadcast().indexOf(scale), Degree.LINEAR);
    var results = Linearity.of(stage.local(), params);
    var partial = results.subList(stage.sizes(), results.size());
    var arguments =
        new ArrayList<>(Collections.nCopies(stage.combineWith().size(), Degree.CONSTANT));
    arguments.addAll(partial);
    arguments.addAll(partial);
    var combined = Linearity.of(stage.combine(), arguments);
    var degrees = new ArrayList<Degree>();
    for (int i = 0; i < partial.size(); i++) {
      boolean same = combined.get(i) == partial.get(i) || combined.get(i) == Degree.ZERO;
      degrees.add(same ? partial.get(i) : Degree.OTHER);
    }
    return degrees;
  }

  /** Whether a step computes a number from the adjoint: only then is it linear in it. */
  private static boolean needs(Plan.Compute step, Var number, Var adjoint) {
    int at = step.outputs().indexOf(number);
    var body = step.function().body();
    return at >= 0
        && BackwardSlice.of(body.stms(), List.of(body.results().get(at))).used().contains(adjoint);
  }

  private static boolean isFloat(Var v) {
    return prim(v).isFloat();
  }

  private static Prim prim(Var v) {
    return switch (v.type()) {
      case Type.Scalar(var prim) -> prim;
      case Type.Array(var elem, _) -> elem;
      case Type.Acc _ -> throw new CompilerBug("distribute", v + " is no value");
    };
  }

  /** What is known when all rows are there. */
  private static Set<Var> unknown(Plan plan) {
    var rows = plan.pieces().first();
    return Set.of(rows.rows(), rows.total(), rows.cut());
  }

  private static List<Plan.Compute> computes(List<Plan.Step> steps) {
    return steps.stream().map(Plan.Compute.class::cast).toList();
  }

  /**
   * Whether a stage takes rows wherever they are among all rows. Its first parameter, the number of
   * a piece's rows, changes nothing, as a plan is right however the rows are cut.
   */
  private static boolean isFold(Plan.Stage stage) {
    var places = stage.local().params().subList(1, Pieces.PARAMS);
    return stage.kept().isEmpty()
        && stage.gathered().isEmpty()
        && stage.stored().isEmpty()
        && stage.reads().isEmpty()
        && stage.spaces().isEmpty()
        && stage.states() == 0
        && !stage.outputs().isEmpty()
        && Collections.disjoint(FreeVars.of(stage.local().body()), places);
  }

  /** Returns which partial value has which place: see {@link Plan.Stage#places}. */
  public String places() {
    return stage.places() + degrees;
  }

  /**
   * Returns the fold with values for the plan's replicated parameters.
   *
   * @param columns the shapes of the columns, as {@link Plan#arguments} takes them
   * @param given the values of the replicated parameters that aren't sizes
   * @param caller calls the plan's functions
   * @throws dev.kenaz.error.UserError (K6301, K6302) if the values don't fit
   */
  public Fold fold(List<long[]> columns, List<? extends Value> given, Caller caller) {
    var bound = new HashMap<Var, Value>();
    bind(plan.replicated(), plan.arguments(columns, given), bound);
    bound.put(plan.pieces().pieces(), ScalarValue.i64(1));
    bound.put(plan.pieces().bounds(), ScalarValue.i64(2));
    run(early, bound, caller);
    return new Fold(bound, caller);
  }

  /** A fold with all values but the rows. Several threads may use it at once. */
  public final class Fold {
    private final Map<Var, Value> known;
    private final Caller caller;

    private Fold(Map<Var, Value> known, Caller caller) {
      this.known = Map.copyOf(known);
      this.caller = caller;
    }

    /**
     * Returns the partial values of some rows.
     *
     * @param columns the rows, as {@link Plan#sharded} has the columns
     */
    public List<Value> partial(List<? extends Value> columns) {
      long n = columns.getFirst().shape()[0];
      var arguments = new ArrayList<>(Cuts.even(n, 1).numbers(0));
      for (var v : stage.broadcast()) {
        boolean one = scale.isPresent() && v.equals(scale.get());
        arguments.add(one ? ScalarValue.ofDouble(prim(v), 1) : known.get(v));
      }
      stage.sharded().forEach(c -> arguments.add(columns.get(c)));
      var all = caller.call(stage.local(), arguments);
      return all.subList(stage.sizes(), all.size());
    }

    /** Combines partial values. */
    public List<Value> combined(List<Value> left, List<Value> right) {
      var arguments = new ArrayList<>(stage.combineWith().stream().map(known::get).toList());
      arguments.addAll(left);
      arguments.addAll(right);
      return caller.call(stage.combine(), arguments);
    }

    /**
     * Returns the entry point's results.
     *
     * @param rows how many rows there are
     * @param partial the partial values of all of them
     */
    public List<Value> results(long rows, List<Value> partial) {
      var bound = new HashMap<>(known);
      var space = plan.pieces().first();
      bound.put(space.rows(), ScalarValue.i64(rows));
      bound.put(space.total(), ScalarValue.i64(rows));
      bound.put(space.cut(), Cuts.even(rows, 1).value());
      run(late, bound, caller);
      var whole = partial;
      if (scale.isPresent()) {
        double by = ((ScalarValue) bound.get(scale.get())).asDouble();
        var scaled = new ArrayList<Value>();
        for (int i = 0; i < partial.size(); i++) {
          var value = partial.get(i);
          scaled.add(degrees.get(i) == Degree.LINEAR ? scaled(value, by) : value);
        }
        whole = scaled;
      }
      bind(stage.outputs(), whole, bound);
      run(after, bound, caller);
      return plan.results().stream().map(r -> value(r, bound)).toList();
    }
  }

  private static Value scaled(Value value, double by) {
    return switch (value) {
      case ScalarValue s -> ScalarValue.ofDouble(s.prim(), s.asDouble() * by);
      case ArrayValue a -> {
        var all = new double[Math.toIntExact(a.count())];
        for (int i = 0; i < all.length; i++) {
          all[i] = a.getDouble(i) * by;
        }
        yield ArrayValue.ofDoubles(a.elem(), all, a.shape());
      }
    };
  }

  private static void run(List<Plan.Compute> steps, Map<Var, Value> bound, Caller caller) {
    for (var step : steps) {
      var arguments = step.function().params().stream().map(p -> value(p, bound)).toList();
      bind(step.outputs(), caller.call(step.function(), arguments), bound);
    }
  }

  private static void bind(List<Var> vars, Collection<? extends Value> values, Map<Var, Value> in) {
    var each = values.iterator();
    vars.forEach(v -> in.put(v, each.next()));
  }

  private static Value value(Atom atom, Map<Var, Value> bound) {
    return switch (atom) {
      case Const(var c) -> c;
      case Var v -> {
        var value = bound.get(v);
        if (value == null) {
          throw new CompilerBug("distribute", "no value for " + v);
        }
        yield value;
      }
    };
  }
}
