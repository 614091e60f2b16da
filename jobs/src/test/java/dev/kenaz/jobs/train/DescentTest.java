package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7303;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.DoubleBinaryOperator;
import org.junit.jupiter.api.Test;

/** No training ends with a model that is worse than the one it began with. */
final class DescentTest {
  private final List<String> said = new ArrayList<>();

  /** A cost of two numbers, a hundred rows of it; derivatives by differences. */
  private record Cost(DoubleBinaryOperator of, BinaryOperator<Double> second) implements Objective {
    private static final double H = 1e-4;

    @Override
    public Evaluation evaluate(double[] p) {
      var gradient = new double[] {slope(p, H, 0), slope(p, 0, H)};
      var curvature = new double[] {curve(p, H, 0), curve(p, 0, H)};
      return new Evaluation(at(p[0], p[1]), gradient, curvature);
    }

    private double at(double x, double y) {
      return 100 * of.applyAsDouble(x, y);
    }

    private double slope(double[] p, double dx, double dy) {
      return (at(p[0] + dx, p[1] + dy) - at(p[0] - dx, p[1] - dy)) / (2 * H);
    }

    private double curve(double[] p, double dx, double dy) {
      double diagonal =
          (at(p[0] + dx, p[1] + dy) - 2 * at(p[0], p[1]) + at(p[0] - dx, p[1] - dy)) / (H * H);
      return second.apply(diagonal, p[0]);
    }

    @Override
    public long rows() {
      return 100;
    }
  }

  private static Cost cost(DoubleBinaryOperator of) {
    return new Cost(of, (diagonal, _) -> diagonal);
  }

  private static final DoubleBinaryOperator COUPLED =
      (a, b) -> 10 * (a - b) * (a - b) + a * a + b * b;
  private static final DoubleBinaryOperator ROSENBROCK =
      (x, y) -> (1 - x) * (1 - x) + 100 * (y - x * x) * (y - x * x);
  private static final DoubleBinaryOperator SADDLE = (x, y) -> x * x - y * y + y * y * y * y + 1;

  private static final Optimiser.Memory NONE = Optimiser.Memory.NONE;

  private TrainState train(Objective objective, Optimiser rule, double... start) {
    return new Training(200, 0, 0, s -> {}, said::add)
        .run(objective, rule, TrainState.initial(start));
  }

  private static void descends(TrainState state) {
    var costs = state.costs();
    for (int i = 1; i < costs.size(); i++) {
      assertTrue(costs.get(i) <= costs.get(i - 1) * (1 + 1e-4), costs.toString());
    }
    assertTrue(costs.getLast() < costs.getFirst(), costs.toString());
  }

  private static final List<Optimiser> RULES =
      List.of(
          new Optimiser.Newton(1),
          new Optimiser.Newton(100),
          new Optimiser.GradientDescent(0.01),
          new Optimiser.GradientDescent(1000));

  @Test
  void stepsAreHalvedUntilTheCostFalls() {
    for (var rule : RULES) {
      descends(train(cost(COUPLED), rule, 3, -2));
      descends(train(cost(ROSENBROCK), rule, -1.2, 1));
      descends(train(cost(SADDLE), rule, 1, 0.1));
    }
    assertEquals(0, train(cost(COUPLED), new Optimiser.Newton(1), 3, -2).costs().getLast(), 1e-3);
    // leaves the saddle for one of the two minima
    var end = train(cost(SADDLE), new Optimiser.Newton(1), 1, 0.1);
    assertEquals(75, end.costs().getLast(), 1e-2);
  }

  /** As a Hessian's rows sum up to that isn't diagonal. */
  @Test
  void aWrongCurvatureCanOnlyBeSlow() {
    descends(train(new Cost(COUPLED, (_, _) -> 200.0), new Optimiser.Newton(1), 3, -2));
    descends(train(new Cost(COUPLED, (_, _) -> -1.0), new Optimiser.Newton(1), 3, -2));
    descends(train(new Cost(COUPLED, (_, _) -> 0.0), new Optimiser.Newton(1), 3, -2));
  }

  @Test
  void adamEndsWithTheBestOrAnError() {
    var good = new Optimiser.Adam(1, 0.9, 0.999, 1e-8, NONE);
    var state = train(cost(COUPLED), good, 3, -2);
    assertTrue(state.costs().getLast() < state.costs().getFirst());
    var huge = new Optimiser.Adam(1e6, 0.9, 0.999, 1e-8, NONE);
    var end = train(cost(COUPLED), huge, 3, -2);
    assertEquals(end.costs().getFirst(), end.costs().getLast());
    assertArrayEquals(new double[] {3, -2}, end.parameters());
    assertEquals(202, end.costs().size(), "the best place's cost is one more");
    var warning = said.getLast();
    assertTrue(warning.startsWith("warning: training ends at a cost of "), warning);
    assertTrue(warning.contains("the start is the model"), warning);
    // a checkpoint of an older version doesn't know where it began
    var resumed = new TrainState(5, new double[] {30, 40}, List.of(1.0), List.of(0.0), NONE);
    var training = new Training(9, 0, 0, s -> {}, line -> {});
    var failure = assertThrows(UserError.class, () -> training.run(cost(COUPLED), huge, resumed));
    assertEquals(K7303, failure.diagnostics().getFirst().code());
  }

  /** The best place was before the checkpoint, and there is none as good after it. */
  @Test
  void aResumedTrainingRemembersTheBestPlace() {
    var rule = new Optimiser.Adam(400, 0.9, 0.999, 1e-8, NONE);
    var checkpoints = new ArrayList<TrainState>();
    var training = new Training(9, 0, 4, checkpoints::add, said::add);
    var whole = training.run(cost(COUPLED), rule, TrainState.initial(new double[] {3, -2}));
    assertTrue(said.getLast().startsWith("warning:"), said.toString());
    assertEquals(2, checkpoints.size());
    for (var checkpoint : List.copyOf(checkpoints)) {
      var resumed = training.run(cost(COUPLED), rule, checkpoint);
      assertArrayEquals(whole.parameters(), resumed.parameters());
      assertEquals(whole.costs(), resumed.costs());
    }
  }
}
