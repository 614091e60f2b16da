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
    return evaluate(parameters, Double.POSITIVE_INFINITY);
  }

  @Override
  public Evaluation evaluate(double[] parameters, double limit) {
    if (arrays().size() == 1) {
      return along(parameters, parameters);
    }
    // a direction for each coordinate, one after the other, so that memory is that of one
    var diagonal = new double[parameters.length];
    for (int i = 0; ; i++) {
      var direction = new double[parameters.length];
      direction[i] = 1;
      var at = along(parameters, direction);
      diagonal[i] = at.curvature()[i];
      if (!(at.cost() <= limit)) {
        return new Evaluation(at.cost(), at.gradient(), new double[0]);
      }
      if (i == diagonal.length - 1) {
        return new Evaluation(at.cost(), at.gradient(), diagonal);
      }
    }
  }

  /** The centres, and the direction if the entry point takes one. */
  private List<Var> arrays() {
    return plan.replicated().stream().filter(v -> v.type().isArray()).toList();
  }

  private Evaluation along(double[] parameters, double[] direction) {
    long d = parameters.length / k;
    var centres = ArrayValue.ofDoubles(type, parameters, k, d);
    var arguments = new ArrayList<Value>();
    // The plan's replicated parameters are the sizes k and d, as the program declares them, the
    // centres and the direction.
    for (var parameter : plan.replicated()) {
      if (!parameter.type().isArray()) {
        int dimension = arrays().getFirst().type().dims().indexOf(parameter);
        arguments.add(ScalarValue.i64(dimension == 0 ? k : d));
      } else if (parameter.equals(arrays().getFirst())) {
        arguments.add(centres);
      } else {
        arguments.add(ArrayValue.ofDoubles(type, direction, k, d));
      }
    }
    var results = new PlanRunner(plan, engine, caller).run(arguments);
    return new Evaluation(
        ((ScalarValue) results.get(0).orElseThrow()).asDouble(),
        numbers(results, 1),
        results.size() > 2 ? numbers(results, 2) : new double[0]);
  }

  private static double[] numbers(List<Optional<Value>> results, int i) {
    return ((ArrayValue) results.get(i).orElseThrow()).toDoubleArray();
  }
}
