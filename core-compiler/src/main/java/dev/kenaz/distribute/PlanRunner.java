package dev.kenaz.distribute;

import dev.kenaz.distribute.PlanObserver.Iteration;
import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Var;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
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
  private final PlanObserver observer;

  /** Where the run is, as {@link PlanState#position}. */
  private final List<Long> position = new ArrayList<>();

  /** The loops that are under way. */
  private final List<Iteration> loops = new ArrayList<>();

  /** Where those rows of the last state are that the engine still has. */
  private final Map<Object, RowFiles> written = new IdentityHashMap<>();

  public PlanRunner(Plan plan, StageExecutor engine, Caller caller) {
    this(plan, engine, caller, PlanObserver.NONE);
  }

  public PlanRunner(Plan plan, StageExecutor engine, Caller caller, PlanObserver observer) {
    this.plan = plan;
    this.engine = engine;
    this.caller = caller;
    this.observer = observer;
  }

  /**
   * Runs all steps.
   *
   * @param arguments the values of the plan's replicated parameters, in order
   * @return for each result its value, or nothing where the result stays in pieces with the engine
   */
  public List<Optional<Value>> run(List<Value> arguments) {
    var bound = new HashMap<Var, Value>();
    bound.put(plan.pieces().pieces(), ScalarValue.i64(engine.pieces()));
    bound.put(plan.pieces().bounds(), ScalarValue.i64(engine.pieces() + 1));
    for (int i = 0; i < plan.pieces().datasets().size(); i++) {
      bind(plan.pieces().datasets().get(i), engine.cuts(i), bound);
    }
    for (int i = 0; i < plan.replicated().size(); i++) {
      bound.put(plan.replicated().get(i), arguments.get(i));
    }
    var from = new ArrayDeque<Long>();
    observer
        .goesOnFrom()
        .ifPresent(
            state -> {
              from.addAll(state.position());
              var variables = PlanVariables.bound(plan);
              state.values().forEach((number, value) -> bound.put(variables.get(number), value));
              state.rows().forEach((number, files) -> read(variables.get(number), files));
            });
    run(plan.steps(), bound, from);
    engine.end();
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
      int dim = plan.rowDims().get(i);
      all.add(
          results
              .get(i)
              .orElseGet(() -> MovedRows.rowsAt(dim, (ArrayValue) rows.apply((Var) result))));
    }
    return all;
  }

  /**
   * Runs steps.
   *
   * @param from where to go on: empty to begin, else as {@link PlanState#position}
   */
  private void run(List<Plan.Step> steps, Map<Var, Value> bound, Deque<Long> from) {
    int first = from.isEmpty() ? 0 : Math.toIntExact(from.remove());
    steps.subList(0, first).stream()
        .filter(PlanVariables::keepsResults)
        .forEach(s -> run(s, bound, new ArrayDeque<>()));
    for (int i = first; i < steps.size(); i++) {
      position.add((long) i);
      run(steps.get(i), bound, from);
      position.removeLast();
    }
  }

  private void run(Plan.Step step, Map<Var, Value> bound, Deque<Long> from) {
    switch (step) {
      case Plan.Compute(var function, var outputs) ->
          bind(outputs, caller.call(function, values(function.params(), bound)), bound);
      case Plan.Stage s -> {
        observer.begins(s, List.copyOf(loops));
        stage(s, bound);
      }
      case Plan.Exchange e ->
          engine
              .exchange(e, cuts(e.spaces(), bound), offset(e, bound))
              .ifPresent(cuts -> bind(((Plan.Send) e).arrived(), cuts, bound));
      case Plan.Repeat r -> repeat(r, bound, from);
      case Plan.Choose c -> choose(c, bound, from);
    }
  }

  private void stage(Plan.Stage s, Map<Var, Value> bound) {
    var outputs = Stream.concat(s.outputs().stream(), s.gathered().stream()).toList();
    var broadcast = values(s.broadcast(), bound);
    var combineWith = values(s.combineWith(), bound);
    bind(outputs, engine.run(s, broadcast, combineWith, cuts(s.spaces(), bound)), bound);
  }

  private static long offset(Plan.Exchange e, Map<Var, Value> bound) {
    return e instanceof Plan.Recut r ? ((ScalarValue) value(r.offset(), bound)).asLong() : 0;
  }

  private static List<Cuts> cuts(List<Space> spaces, Map<Var, Value> bound) {
    return spaces.stream().map(s -> Cuts.of((ArrayValue) value(s.cut(), bound))).toList();
  }

  private static void bind(Space space, Cuts cuts, Map<Var, Value> bound) {
    bound.put(space.rows(), ScalarValue.i64(cuts.rows()));
    bound.put(space.total(), ScalarValue.i64(cuts.rows()));
    bound.put(space.cut(), cuts.value());
  }

  private void choose(Plan.Choose c, Map<Var, Value> bound, Deque<Long> from) {
    boolean yes =
        from.isEmpty()
            ? ((ScalarValue) value(c.condition(), bound)).asBoolean()
            : from.remove() == 1;
    var branch = yes ? c.then() : c.otherwise();
    position.add(yes ? 1L : 0);
    run(branch.steps(), bound, from);
    position.removeLast();
    bind(c.outputs(), values(branch.results(), bound), bound);
    engine.bind(c.rows(), branch.rows());
  }

  private void repeat(Plan.Repeat r, Map<Var, Value> bound, Deque<Long> from) {
    var params = r.params().stream().map(Exp.LoopParam::var).toList();
    var carried = r.rows().stream().map(Plan.CarriedRows::param).toList();
    var next = r.rows().stream().map(Plan.CarriedRows::result).toList();
    boolean begins = from.isEmpty();
    long first = begins ? 0 : from.remove();
    if (begins) {
      bind(params, values(r.params().stream().map(Exp.LoopParam::init).toList(), bound), bound);
      engine.bind(carried, r.rows().stream().map(Plan.CarriedRows::init).toList());
    }
    long trips =
        r.form() instanceof Exp.For(_, var bound1)
            ? ((ScalarValue) value(bound1, bound)).asLong()
            : Long.MAX_VALUE;
    for (long i = first; i < trips && goesOn(r, i, bound); i++) {
      position.add(i);
      loops.add(Iteration.of(r, i, trips));
      run(r.body(), bound, from);
      loops.removeLast();
      position.removeLast();
      bind(params, values(r.results(), bound), bound);
      engine.bind(carried, next);
      if (observer.takes(i + 1)) {
        position.add(i + 1);
        observer.take(state(bound));
        position.removeLast();
      }
    }
    bind(r.outputs(), values(params, bound), bound);
    engine.bind(r.rows().stream().map(Plan.CarriedRows::output).toList(), carried);
  }

  /** Returns the state between two iterations of the innermost loop. */
  private PlanState state(Map<Var, Value> bound) {
    var needed = PlanVariables.neededAt(plan, position);
    var variables = PlanVariables.bound(plan);
    var values = new HashMap<Integer, Value>();
    var rows = new HashMap<Integer, RowFiles>();
    for (int i = 0; i < variables.size(); i++) {
      var v = variables.get(i);
      if (!needed.contains(v)) {
        continue;
      }
      // What the driver has computed as a whole may also be with the engine, in pieces.
      if (bound.containsKey(v)) {
        values.put(i, bound.get(v));
      }
      if (!bound.containsKey(v) || engine.holds(v)) {
        rows.put(i, written.computeIfAbsent(engine.held(v), _ -> write(v)));
      }
    }
    written.values().retainAll(rows.values());
    return new PlanState(position, values, rows);
  }

  private RowFiles write(Var rows) {
    var files = observer.place();
    engine.write(rows, files);
    return files;
  }

  private void read(Var rows, RowFiles files) {
    engine.read(rows, files);
    written.put(engine.held(rows), files);
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
