package dev.kenaz.distribute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.interpret.Interpreter;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The optimisers of the library over a dataset in pieces. */
final class OptimisersTest {
  private static final String PROGRAM =
      """
      import "kenaz/optimise"
      import "kenaz/least_squares"
      module method = %1$s f64
      def errors [n][d] (x: [n][d]f64) (w: [d]f64) : [n]f64 =
        map (\\x -> f64.tanh (f64.sum (map2 (*) x w)) - x[0]) x
      def loss [n][d] (x: [n][d]f64) (w: [d]f64) : f64 =
        f64.sum (map (** 2) (errors x w)) / f64.i64 n + 0.01 * f64.sum (map (** 2) w)
      entry fit [n][d] (x: [n][d]f64) (w: [d]f64) =
        let s = method.minimise (method.defaults%2$s) 6 1e-6 (%3$s x) w
        in (method.place s, method.cost s, method.evaluations s)
      """;

  private static final int D = 3;

  /** An evaluation is one run of a stage, and no place is evaluated twice. */
  @ParameterizedTest
  @CsvSource({
    "gradient_descent,,2",
    "gradient_descent,with momentum = 0.9 with nesterov = true,2",
    "adam,with rate = 0.1,2",
    "adamw,with rate = 0.1,2",
    "rmsprop,with rate = 0.1,2",
    "proximal,with l1 = 0.05,2",
    "lbfgs,with memory = 3,2",
    "newton_cg,,3",
    "newton_diagonal,,2",
    "newton_diagonal,with block = 2,2",
    "gauss_newton,with dense = 0,3",
    "gauss_newton,,3",
    "levenberg_marquardt,with dense = 0,3",
    "levenberg_marquardt,,3"
  })
  void anEvaluationIsAStage(String module, String options, int stages) {
    var squares = module.equals("gauss_newton") || module.equals("levenberg_marquardt");
    var text =
        PROGRAM.formatted(
            module, options == null ? "" : " " + options, squares ? "errors" : "loss");
    var core = Optimised.differentiated(text);
    var plan = Planner.passes("fit", Set.of(0), true).apply(core);
    assertTrue(plan.gathered().isEmpty(), () -> plan.gathered().toString());
    assertEquals(stages, plan.stages().size());

    var points = ArrayValue.ofDoubles(new SplittableRandom(3).doubles(33, -1, 1).toArray(), 11, D);
    var start = ArrayValue.ofDoubles(new double[] {0.5, -1, 0.25}, D);
    var whole = Interpreter.call(core, "fit", List.of(points, start));
    for (long[] cuts : List.of(new long[] {0, 11}, new long[] {0, 4, 4, 10, 11})) {
      var runs = new AtomicLong();
      var results = run(plan, points, start, cuts, runs);
      var difference = ValueComparison.difference(whole, results, 1e-6);
      assertTrue(difference.isEmpty(), difference::toString);
      var evaluations = ((ScalarValue) results.getLast()).asLong();
      assertEquals(evaluations * (cuts.length - 1), runs.get());
    }
  }

  private static List<Value> run(
      Plan plan, Value points, Value start, long[] cuts, AtomicLong runs) {
    var stages = plan.stages().stream().map(s -> s.local().name()).collect(Collectors.toSet());
    PlanRunner.Caller caller =
        (f, arguments) -> {
          if (stages.contains(f.name())) {
            runs.incrementAndGet();
          }
          return Interpreter.call(StepProgram.of(f), f.name(), arguments);
        };
    var replicated = new ArrayList<Value>();
    for (var v : plan.replicated()) {
      replicated.add(v.type().isArray() ? start : ScalarValue.i64(D));
    }
    return new LocalPieces(List.of(points), Cuts.between(cuts), caller).results(plan, replicated);
  }
}
