package dev.kenaz.jobs.train;

import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.PlanRunner;
import dev.kenaz.distribute.StageExecutor;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An objective over a dataset that an engine has in pieces.
 *
 * @param plan of an entry point that gives cost, gradient and maybe curvature
 * @param caller for what the plan does by itself
 * @param type of the parameters
 * @param k rows of the parameters
 */
public record DistributedObjective(
    Plan plan, StageExecutor engine, PlanRunner.Caller caller, Prim type, int k)
    implements Objective {

  @Override
  public long rows() {
    return engine.rows();
  }

  @Override
  public Evaluation evaluate(double[] parameters) {
    long d = parameters.length / k;
    var centres = ArrayValue.ofDoubles(type, parameters, k, d);
    var arguments = new ArrayList<Value>();
    // The plan's replicated parameters are the sizes k and d, as the program declares them, and
    // the centres.
    for (var parameter : plan.replicated()) {
      if (parameter.type().isArray()) {
        arguments.add(centres);
      } else {
        int dimension = sizeOf(parameter);
        arguments.add(ScalarValue.i64(dimension == 0 ? k : d));
      }
    }
    var results = new PlanRunner(plan, engine, caller).run(arguments);
    return new Evaluation(
        ((ScalarValue) results.get(0).orElseThrow()).asDouble(),
        numbers(results, 1),
        results.size() > 2 ? numbers(results, 2) : new double[0]);
  }

  /** Which dimension of the centres a size parameter is. */
  private int sizeOf(dev.kenaz.ir.Var size) {
    return plan.replicated().stream()
        .filter(v -> v.type().isArray())
        .findFirst()
        .orElseThrow()
        .type()
        .dims()
        .indexOf(size);
  }

  private static double[] numbers(List<Optional<Value>> results, int i) {
    return ((ArrayValue) results.get(i).orElseThrow()).toDoubleArray();
  }
}
