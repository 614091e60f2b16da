package dev.kenaz.jobs.train;

import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.PlanRunner;
import dev.kenaz.distribute.StageExecutor;
import dev.kenaz.ir.Var;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * An objective over a dataset that an engine has in pieces.
 *
 * @param plan the plan of an entry point that returns cost and gradient, and perhaps the Hessian's
 *     diagonal or, if it takes directions, products of the Hessian with them
 * @param caller what runs the work that the plan does on the driver
 * @param type the type of the parameters
 * @param k how many rows the parameters have
 * @param diagonal what is known of the Hessian's structure
 */
public record DistributedObjective(
    Plan plan,
    StageExecutor engine,
    PlanRunner.Caller caller,
    Prim type,
    int k,
    HessianDiagonal diagonal)
    implements Objective {

  /** Makes an objective with a Hessian about which nothing is known yet. */
  public DistributedObjective(
      Plan plan, StageExecutor engine, PlanRunner.Caller caller, Prim type, int k) {
    this(plan, engine, caller, type, k, new HessianDiagonal());
  }

  @Override
  public long rows() {
    return engine.rows();
  }

  @Override
  public Evaluation evaluate(double[] parameters) {
    return evaluate(parameters, Double.POSITIVE_INFINITY);
  }

  @Override
  public Evaluation evaluate(double[] parameters, double limit) {
    if (arrays().size() > 1) {
      return diagonal.at(directions -> along(parameters, directions), parameters.length, limit);
    }
    var results = run(parameters, new double[0][]);
    return new Evaluation(
        cost(results),
        numbers(results, 1),
        results.size() > 2 ? numbers(results, 2) : new double[0]);
  }

  /** Returns the centres, and the directions if the entry point takes some. */
  private List<Var> arrays() {
    return plan.replicated().stream().filter(v -> v.type().isArray()).toList();
  }

  private HessianDiagonal.Products along(double[] parameters, double[][] directions) {
    var results = run(parameters, directions);
    var all = numbers(results, 2);
    int n = parameters.length;
    var products = new double[directions.length][];
    Arrays.setAll(products, i -> Arrays.copyOfRange(all, i * n, (i + 1) * n));
    return new HessianDiagonal.Products(cost(results), numbers(results, 1), products);
  }

  private List<Optional<Value>> run(double[] parameters, double[][] directions) {
    return new PlanRunner(plan, engine, caller).run(arguments(parameters, directions));
  }

  private static double cost(List<Optional<Value>> results) {
    return ((ScalarValue) results.get(0).orElseThrow()).asDouble();
  }

  /**
   * Returns the values of the plan's replicated parameters: the centres, and the directions if it
   * has some.
   */
  private List<Value> arguments(double[] parameters, double[][] directions) {
    long d = parameters.length / k;
    var given = new ArrayList<Value>();
    given.add(ArrayValue.ofDoubles(type, parameters, k, d));
    if (arrays().size() > 1) {
      var all = Arrays.stream(directions).flatMapToDouble(Arrays::stream).toArray();
      given.add(ArrayValue.ofDoubles(type, all, directions.length, k, d));
    }
    return plan.arguments(List.of(), given);
  }

  private static double[] numbers(List<Optional<Value>> results, int i) {
    return ((ArrayValue) results.get(i).orElseThrow()).toDoubleArray();
  }
}
