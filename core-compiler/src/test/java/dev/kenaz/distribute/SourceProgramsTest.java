package dev.kenaz.distribute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Verifier;
import dev.kenaz.jvm.JvmOptions;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Derivatives of programs as users write them, over a dataset in pieces, on the JVM backend. */
final class SourceProgramsTest {
  private static final String KMEANS =
      """
      def squared_distance [d] (a: [d]f64) (b: [d]f64) : f64 =
        reduce (+) 0 (map2 (\\x y -> (x - y) * (x - y)) a b)
      def cost [n][k][d] (points: [n][d]f64) (centres: [k][d]f64) : f64 =
        reduce (+) 0
          (map (\\p -> reduce f64.min f64.inf (map (squared_distance p) centres)) points)
      entry step [n][k][d] (points: [n][d]f64) (centres: [k][d]f64)
          : (f64, [k][d]f64, [k][d]f64) =
        let ((c, g), (_, h)) =
          jvp2 (\\cs -> vjp2 (cost points) cs 1) centres (replicate k (replicate d 1))
        in (c, g, h)
      """;

  private static final String REGRESSION =
      """
      def loss [n][d] (xs: [n][d]f64) (w: [d]f64) : f64 =
        let ys = map (\\x -> f64.tanh (f64.sum (map2 (*) x w))) xs
        let mean = f64.sum ys / f64.i64 n
        in f64.sum (map (\\y -> (y - mean) * (y - mean)) ys) / f64.i64 n
      entry step [n][d] (xs: [n][d]f64) (w: [1][d]f64) : (f64, [d]f64) =
        vjp2 (loss xs) w[0] 1
      """;

  private static final String DESCENT =
      """
      def loss [n][d] (xs: [n][d]f64) (w: [d]f64) : f64 =
        f64.sum (map (\\x -> let e = f64.sum (map2 (*) x w) - 1 in e * e) xs) / f64.i64 n
      entry step [n][d] (xs: [n][d]f64) (w: [1][d]f64) : [d]f64 =
        loop w = copy w[0] for _i < 5i64 do map2 (\\a g -> a - 0.1 * g) w (vjp (loss xs) w 1)
      """;

  private static final String MODEL =
      """
      import "kenaz/vector"
      type model [d] = { weights: [1][d]f64, bias: f64, used: bool }
      def loss [n][d] (m: model [d]) (xs: [n][d]f64) : f64 =
        f64.sum (map (\\x -> (f64.sum (map2 (*) m.weights[0] x) - m.bias) ** 2) xs) / f64.i64 n
      entry step [n][d] (xs: [n][d]f64) (weights: [1][d]f64) =
        let m = { weights, bias = 2, used = true }
        let v = pack_f64 m
      """;

  private static List<Value> call(FunDef f, List<Value> arguments) {
    var program = StepProgram.of(f);
    Verifier.verify(program, "distribute");
    try (var compiled =
        Pipelines.FUSED.then(Pipelines.jvm(JvmOptions.defaults().withWorkers(2))).apply(program)) {
      return compiled.call(f.name(), arguments);
    }
  }

  private static CoreProgram compiled(String text) {
    return Optimised.differentiated(text);
  }

  private static Plan check(String text) {
    var core = compiled(text);
    var plan = Planner.passes("step", Set.of(0), false).apply(core);
    var random = new SplittableRandom(3);
    var points = ArrayValue.ofDoubles(random.doubles(33, -1, 1).toArray(), 11, 3);
    int k = text.equals(KMEANS) ? 4 : 1;
    var model = ArrayValue.ofDoubles(random.doubles(k * 3L, -1, 1).toArray(), k, 3);
    var expected = Interpreter.call(core, "step", List.of(points, model));
    for (long[] cuts : List.of(new long[] {0, 11}, new long[] {0, 4, 4, 10, 11})) {
      var engine = new LocalPieces(List.of(points), Cuts.between(cuts), SourceProgramsTest::call);
      var replicated = new ArrayList<Value>();
      for (var v : plan.replicated()) {
        replicated.add(
            v.type().isArray() ? model : ScalarValue.i64(v.name().startsWith("k") ? k : 3));
      }
      var results = engine.results(plan, replicated);
      for (int i = 0; i < expected.size(); i++) {
        var difference = ValueComparison.difference(expected.get(i), results.get(i), 1e-9);
        assertTrue(difference.isEmpty(), difference::toString);
      }
    }
    return plan;
  }

  @Test
  void aNewtonStepOfKmeansIsOneStageAndOnePass() {
    var plan = check(KMEANS);
    assertEquals(1, plan.stages().size());
    var fused = Pipelines.FUSED.apply(StepProgram.of(plan.stages().getFirst().local()));
    var rows = plan.pieces().first().rows();
    var passes = new ArrayList<Exp.Screma>();
    new Rewriter() {
      @Override
      public Exp exp(Exp exp) {
        if (exp instanceof Exp.Screma s && s.width().equals(rows)) {
          passes.add(s);
        }
        return Rewriter.super.exp(exp);
      }
    }.body(new Body(fused.functions().getFirst().body().stms(), List.of()));
    assertEquals(1, passes.size(), "cost, gradient and curvature share one pass over the points");
  }

  @Test
  void anUpdateOfATableOfRowsSendsRows() {
    var core =
        compiled(
            """
            def loss [n][m] (ids: [n]i64) (t: [m][4][2]f64) : f64 =
              f64.sum (map (\\i -> f64.sum (map f64.product t[i])) ids)
            entry step [n][m] (ids: [n]i64) (t: [m][4][2]f64) = vjp (loss ids) t 1
            """);
    var plan = Planner.passes("step", Set.of(0, 1), false).apply(core);
    var sent = plan.steps().stream().filter(s -> s instanceof Plan.Send).map(Plan.Send.class::cast);
    var shapes =
        sent.flatMap(s -> s.values().stream())
            .map(v -> v.type().dims().subList(1, v.type().dims().size()))
            .toList();
    assertEquals(List.of(List.of(Atom.i64(4), Atom.i64(2))), shapes);
  }

  /** Of one model, and of several at once. */
  @Test
  void aGradientByTheVectorOfAModelIsOneStage() {
    var cost = "(\\v -> loss (unpack_f64 m v) xs)";
    assertEquals(1, check(MODEL + "in vjp2 %s v 1".formatted(cost)).stages().size());
    var several = "in unzip (map (\\s -> vjp2 %s (map (* s) v) 1) [1, 2, 3])".formatted(cost);
    assertEquals(1, check(MODEL + several).stages().size());
  }

  @Test
  void aGradientThroughACombinedValueTakesStages() {
    assertTrue(check(REGRESSION).stages().size() >= 2);
  }

  @Test
  void gradientDescentWrittenAsALoopIsALoopOfStages() {
    var plan = check(DESCENT);
    assertTrue(plan.steps().stream().anyMatch(s -> s instanceof Plan.Repeat));
  }
}
