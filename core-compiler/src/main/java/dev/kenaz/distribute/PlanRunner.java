package dev.kenaz.distribute;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Var;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Runs a plan: an engine runs its stages, and the rest runs here. */
public final class PlanRunner {
  /** Calls a core function on flat values, one for each parameter. */
  @FunctionalInterface
  public interface Caller {
    List<Value> call(FunDef function, List<Value> arguments);
  }

  private final Plan plan;
  private final StageExecutor engine;
  private final Caller caller;

  public PlanRunner(Plan plan, StageExecutor engine, Caller caller) {
    this.plan = plan;
    this.engine = engine;
    this.caller = caller;
  }

  /**
   * Runs all steps.
   *
   * @param arguments the values of the plan's replicated parameters, in order
   * @return for each result its value, or nothing where the result stays in pieces with the engine
   */
  public List<Optional<Value>> run(List<Value> arguments) {
    var bound = new HashMap<Var, Value>();
    bound.put(plan.pieces().rows(), ScalarValue.i64(engine.rows()));
    bound.put(plan.pieces().total(), ScalarValue.i64(engine.rows()));
    bound.put(plan.pieces().pieces(), ScalarValue.i64(engine.pieces()));
    for (int i = 0; i < plan.replicated().size(); i++) {
      bound.put(plan.replicated().get(i), arguments.get(i));
    }
    run(plan.steps(), bound);
    var results = new ArrayList<Optional<Value>>();
    for (int i = 0; i < plan.results().size(); i++) {
      results.add(
          plan.shardedResults().get(i)
              ? Optional.empty()
              : Optional.of(value(plan.results().get(i), bound)));
    }
    return results;
  }

  /**
   * Runs all steps, and puts the results that stay in pieces beside the others.
   *
   * @param arguments the arguments that {@link #run} takes
   * @param rows gives what the engine has of a result that stays in pieces, all pieces together
   */
  public List<Value> results(List<Value> arguments, Function<Var, Value> rows) {
    var results = run(arguments);
    var all = new ArrayList<Value>();
    for (int i = 0; i < results.size(); i++) {
      var result = plan.results().get(i);
      all.add(results.get(i).orElseGet(() -> rows.apply((Var) result)));
    }
    return all;
  }

  private void run(List<Plan.Step> steps, Map<Var, Value> bound) {
    for (var step : steps) {
      switch (step) {
        case Plan.Compute(var function, var outputs) ->
            bind(outputs, caller.call(function, values(function.params(), bound)), bound);
        case Plan.Stage s ->
            bind(
                Stream.concat(s.outputs().stream(), s.gathered().stream()).toList(),
                engine.run(s, values(s.broadcast(), bound), values(s.combineWith(), bound)),
                bound);
        case Plan.Repeat r -> repeat(r, bound);
      }
    }
  }

  private void repeat(Plan.Repeat r, Map<Var, Value> bound) {
    var params = r.params().stream().map(Exp.LoopParam::var).toList();
    bind(params, values(r.params().stream().map(Exp.LoopParam::init).toList(), bound), bound);
    long trips =
        r.form() instanceof Exp.For(_, var bound1)
            ? ((ScalarValue) value(bound1, bound)).asLong()
            : Long.MAX_VALUE;
    for (long i = 0; i < trips && goesOn(r, i, bound); i++) {
      run(r.body(), bound);
      bind(params, values(r.results(), bound), bound);
    }
    bind(r.outputs(), values(params, bound), bound);
  }

  private static boolean goesOn(Plan.Repeat r, long i, Map<Var, Value> bound) {
    return switch (r.form()) {
      case Exp.For(var index, _) -> {
        bound.put(index, ScalarValue.ofLong(index.type().elemPrim(), i));
        yield true;
      }
      case Exp.While(var condition) -> ((ScalarValue) value(condition, bound)).asBoolean();
    };
  }

  private static void bind(List<Var> vars, List<Value> values, Map<Var, Value> bound) {
    for (int i = 0; i < vars.size(); i++) {
      bound.put(vars.get(i), values.get(i));
    }
  }

  private static List<Value> values(List<? extends Atom> atoms, Map<Var, Value> bound) {
    return atoms.stream().map(a -> value(a, bound)).toList();
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
