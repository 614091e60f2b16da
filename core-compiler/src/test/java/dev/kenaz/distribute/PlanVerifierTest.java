package dev.kenaz.distribute;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.FunDef;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.pipeline.ProgramSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Plans that are wrong in one place are refused. */
final class PlanVerifierTest {
  private static final Plan PLAN =
      plan(
          """
          entry main [n] (xs: [n]f64) (k: f64) : ([n]f64, f64) =
            let mean = f64.sum xs / f64.i64 n
            let scaled = map (\\x -> (x - mean) * k) xs
            let largest = loop m = k for i < 3i64 do m + f64.maximum (map (* m) scaled)
            in (scaled, largest)
          """);

  private static Plan plan(String text) {
    var options = CompileOptions.of(Backend.JVM).verified();
    var passes = Pipelines.plan(options, "main", Set.of(0), true);
    return Compiler.run(ProgramSource.of("p.fut", text), passes, options).program();
  }

  private static Plan with(List<Plan.Step> steps) {
    return new Plan(
        PLAN.entry(),
        PLAN.pieces(),
        PLAN.sharded(),
        PLAN.replicated(),
        PLAN.sizes(),
        steps,
        PLAN.results(),
        PLAN.shardedResults(),
        PLAN.rowDims(),
        PLAN.gathered());
  }

  /** Returns what the verifier says if each stage is replaced. */
  private static String refused(UnaryOperator<Plan.Stage> change) {
    var steps =
        PLAN.steps().stream()
            .map(s -> s instanceof Plan.Stage stage ? change.apply(stage) : s)
            .toList();
    return refused(with(steps));
  }

  private static String refused(Plan plan) {
    return assertThrows(CompilerBug.class, () -> PlanVerifier.verify(plan, "plan")).getMessage();
  }

  @Test
  void eachStepIsNeeded() {
    PlanVerifier.verify(PLAN, "plan");
    assertTrue(PLAN.steps().size() > 3);
    for (int i = 0; i < PLAN.steps().size(); i++) {
      var steps = new ArrayList<>(PLAN.steps());
      steps.remove(i);
      var message = refused(with(steps));
      assertTrue(message.contains("before it is there"), message);
    }
  }

  /** What a stage's pieces alone use is no work of the driver's. */
  @Test
  void theDriverComputesWhatIsUsed() {
    var plan =
        plan(
            """
            entry main [n] [d] (xs: [n][d]f64) (w: [d]f64) =
              vjp (\\w -> f64.sum (map (\\x -> f64.sum (map2 (*) w x) ** 2) xs)) w 1
            """);
    for (var step : plan.steps()) {
      if (step instanceof Plan.Compute c) {
        assertFalse(c.outputs().isEmpty(), c.toString());
      }
    }
  }

  @Test
  void functionsTakeAndGiveWhatTheirStageSays() {
    var message = refused(s -> changed(s, 1, s.combine()));
    assertTrue(message.contains("the results of stage0"), message);
    message = refused(s -> changed(s, 0, s.local()));
    assertTrue(message.contains("the parameters of stage0"), message);
  }

  private static Plan.Stage changed(Plan.Stage s, int moreSizes, FunDef combine) {
    return new Plan.Stage(
        s.number(),
        s.local(),
        s.spaces(),
        s.sharded(),
        s.reads(),
        s.sizes() + moreSizes,
        s.broadcast(),
        combine,
        s.combineWith(),
        s.ordered(),
        s.outputs(),
        s.origins(),
        s.kept(),
        s.gathered(),
        s.stored(),
        s.states());
  }
}
