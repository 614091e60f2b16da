package dev.kenaz.pipeline;

import static dev.kenaz.error.ErrorCode.K6301;
import static dev.kenaz.error.ErrorCode.K6302;
import static dev.kenaz.error.ErrorCode.K8002;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.LocalPieces;
import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.PlanObserver;
import dev.kenaz.distribute.PlanRunner;
import dev.kenaz.distribute.Space;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.Arguments;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.Var;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * An entry point that is computed over a dataset in pieces.
 *
 * @param type names and types of its parameters and results
 * @param params of the function that it calls
 * @param turned the positions, among the core values of the arguments, of arrays that the plan
 *     takes transposed: those whose rows are their columns
 * @param plan how its work is divided
 */
public record PiecewiseEntry(EntryPoint type, List<Var> params, List<Integer> turned, Plan plan) {
  public PiecewiseEntry {
    params = List.copyOf(params);
    turned = List.copyOf(turned);
  }

  /**
   * Plans an entry point.
   *
   * @param rows names of the parameters that are the dataset
   * @throws UserError if the program is at fault, K6303 or K8002 if it has no such entry point or
   *     parameters
   * @throws dev.kenaz.error.Limitation K8001 if something can't be computed in pieces
   */
  public static Compilation<PiecewiseEntry> plan(
      ProgramSource source, String entry, List<String> rows, CompileOptions options) {
    var lowered = Compiler.run(source, Pipelines.lowered(), options);
    var planned = plan(lowered.program(), entry, rows, options);
    var passes = Stream.concat(lowered.passes().stream(), planned.passes().stream()).toList();
    return new Compilation<>(planned.program(), passes, lowered.warnings());
  }

  /** Plans an entry point of a lowered program. */
  public static Compilation<PiecewiseEntry> plan(
      CoreProgram lowered, String entry, List<String> rows, CompileOptions options) {
    return plan(lowered, entry, rows, options, true);
  }

  /**
   * Plans an entry point of a lowered program.
   *
   * @param gathers whether what can't be computed piece by piece runs in one place
   */
  public static Compilation<PiecewiseEntry> plan(
      CoreProgram lowered,
      String entry,
      List<String> rows,
      CompileOptions options,
      boolean gathers) {
    var type = lowered.entryPoint(entry);
    var passes = Pipelines.planLowered(options, entry, dataset(type, rows), gathers);
    var planned = Compiler.run(lowered, passes, options);
    var params = planned.core().function(type.function()).params();
    var turned = turned(lowered.function(type.function()).params(), params, type.sizeParams());
    return new Compilation<>(
        new PiecewiseEntry(type, params, turned, planned.program()), planned.passes(), List.of());
  }

  /** Returns the positions, among the core values, of arrays that the plan takes transposed. */
  private static List<Integer> turned(List<Var> written, List<Var> planned, int sizes) {
    return IntStream.range(sizes, written.size())
        .filter(i -> !dims(planned, i).equals(dims(written, i)))
        .filter(i -> dims(planned, i).equals(dims(written, i).reversed()))
        .map(i -> i - sizes)
        .boxed()
        .toList();
  }

  /** Returns a parameter's dimensions: constants, and the positions of other parameters. */
  private static List<Object> dims(List<Var> params, int i) {
    return params.get(i).type().dims().stream()
        .<Object>map(d -> d instanceof Var v ? params.indexOf(v) : d)
        .toList();
  }

  /**
   * Returns the positions of the parameters that are the dataset.
   *
   * @throws UserError K8002 if the entry point has no such parameter, or one is named twice
   */
  public static Set<Integer> dataset(EntryPoint type, List<String> rows) {
    var names = type.params().stream().map(EntryPoint.Param::name).toList();
    var dataset = new TreeSet<Integer>();
    for (var name : rows) {
      int at = names.indexOf(name);
      if (at < 0) {
        throw new UserError(
            K8002,
            Span.NONE,
            type.name() + " has no parameter " + name,
            names.isEmpty() ? "it has none" : "its parameters are " + String.join(", ", names));
      }
      if (!dataset.add(at)) {
        throw new UserError(
            K8002, Span.NONE, "the dataset's parameter " + name + " is named twice");
      }
    }
    return dataset;
  }

  /**
   * Calls it in this process, a piece after the other.
   *
   * @param cuts how many rows there are, and where they are cut then
   * @param arguments as for {@link CompiledEntry#call}
   * @return as from there
   * @throws UserError (K6301, K6302) if the arguments don't fit the parameters, or (K5xxx) if the
   *     program fails
   */
  public List<Value> call(List<Value> arguments, LongFunction<Cuts> cuts, CompileOptions options) {
    return call(arguments, cuts, new StepCaller(options), PlanObserver.NONE);
  }

  /** Calls it as above, by functions that a caller has compiled perhaps, under an observer. */
  public List<Value> call(
      List<Value> arguments,
      LongFunction<Cuts> cuts,
      PlanRunner.Caller caller,
      PlanObserver observer) {
    var given = given(arguments);
    var all = cuts(given, cuts);
    return new LocalPieces(LocalPieces.whole(plan, given.columns(), all), all, caller)
        .results(plan, given.replicated(), observer);
  }

  /**
   * Returns how the rows of all datasets are cut.
   *
   * @param first how those of the first one are; the others have as many pieces, of equal size
   */
  public List<Cuts> cuts(Given given, LongFunction<Cuts> first) {
    var all = new ArrayList<Cuts>();
    for (int i = 0; i < plan.pieces().datasets().size(); i++) {
      long rows = given.rows().get(i);
      all.add(i == 0 ? first.apply(rows) : Cuts.even(rows, all.getFirst().pieces()));
    }
    return all;
  }

  /**
   * Arguments, as the plan takes them.
   *
   * @param columns of the dataset, as {@link Plan#sharded} has them
   * @param replicated the other values, as {@link PlanRunner#run} takes them
   * @param rows how many rows each dataset has
   */
  public record Given(List<Value> columns, List<Value> replicated, List<Long> rows) {}

  /**
   * Returns the plan's replicated values for data that isn't among the arguments.
   *
   * @param rows how many rows each dataset has
   * @param columns the shapes of the data's columns, whose number of rows doesn't matter
   * @param arguments the core values of the other parameters
   * @throws UserError (K6301, K6302) if they don't fit the parameters
   */
  public List<Value> replicated(
      List<Long> rows, List<long[]> columns, List<? extends Value> arguments) {
    var others = beside();
    var numbers = plan.pieces().datasets().stream().map(Space::rows).toList();
    var given = new ArrayList<Value>();
    for (int i = 0; i < arguments.size(); i++) {
      int dataset = i < others.size() ? numbers.indexOf(others.get(i)) : -1;
      if (dataset < 0) {
        given.add(arguments.get(i));
      } else if (!arguments.get(i).equals(ScalarValue.i64(rows.get(dataset)))) {
        throw new UserError(
            K6302,
            Span.NONE,
            "%s of %s is %s, but the data has %d rows"
                .formatted(others.get(i).name(), type.name(), arguments.get(i), rows.get(dataset)));
      }
    }
    return plan.arguments(columns, given);
  }

  /**
   * Returns the number of rows of a dataset without columns, which is an argument.
   *
   * @param arguments the core values of the parameters that aren't columns
   * @throws UserError (K6301, K6302) if it can't be a number of rows
   */
  public long rowsOf(int dataset, List<? extends Value> arguments) {
    var number = plan.pieces().datasets().get(dataset).rows();
    int at = beside().indexOf(number);
    if (at < 0 || at >= arguments.size()) {
      throw new UserError(
          K6301, type.name() + " is not given " + number.name() + ", its number of rows");
    }
    return rows(number, arguments.get(at));
  }

  private long rows(Var number, Value value) {
    if (value instanceof ScalarValue n && n.prim() == Prim.I64 && n.asLong() >= 0) {
      return n.asLong();
    }
    throw new UserError(
        K6302,
        "%s of %s is a number of rows, but it is %s".formatted(number.name(), type.name(), value));
  }

  /** Returns the parameters that are neither sizes of arrays nor columns. */
  private List<Var> beside() {
    var others = new ArrayList<>(params.subList(type.sizeParams(), params.size()));
    others.removeAll(plan.sharded());
    return others;
  }

  /**
   * Divides arguments into the dataset and the others.
   *
   * @throws UserError (K6301, K6302) if they don't fit the parameters
   */
  public Given given(List<Value> arguments) {
    var all = Arguments.of(type, params, rowwise(arguments));
    var values = new HashMap<Var, Value>();
    for (int i = 0; i < params.size(); i++) {
      values.put(params.get(i), all.get(i));
    }
    return new Given(
        plan.sharded().stream().map(values::get).toList(),
        plan.replicated().stream().map(values::get).toList(),
        plan.pieces().datasets().stream()
            .map(space -> rows(space.rows(), values.get(space.rows())))
            .toList());
  }

  /** Returns the arguments with those turned whose rows are their columns. */
  private List<Value> rowwise(List<Value> arguments) {
    var all = new ArrayList<>(arguments);
    for (int at : turned) {
      if (at < all.size() && all.get(at) instanceof ArrayValue a && a.rank() == 2) {
        all.set(at, a.transposed());
      }
    }
    return all;
  }
}
