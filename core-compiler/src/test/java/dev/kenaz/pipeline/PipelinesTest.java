package dev.kenaz.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.loopir.LoopProgram;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pass.Pass;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The passes that are listed are those that run. */
final class PipelinesTest {
  private static final ProgramSource SLOPES =
      ProgramSource.of(
          "slopes.fut",
          """
          def cost [n] (xs: [n]f64) (w: f64) = f64.sum (map (\\x -> (x - w) * (x - w)) xs)
          entry main [n] (xs: [n]f64) = vjp (cost xs) 1 1
          entry kept [n] (xs: [n]f64) = filter (> 0) xs
          """);

  private static List<String> names(List<? extends Pass<?, ?>> passes, int depth) {
    var names = new ArrayList<String>();
    for (var p : passes) {
      names.add("  ".repeat(depth) + p.name());
      names.addAll(names(p.parts(), depth + 1));
    }
    return names;
  }

  private static List<String> names(List<PassResult> results) {
    return results.stream().map(r -> "  ".repeat(r.depth()) + r.name()).toList();
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void thePassesListedAreThoseThatRun(Backend backend) {
    var options = CompileOptions.of(backend).verified();
    var passes = Pipelines.of(options);
    var listed = names(passes.passes(), 0);
    assertEquals(listed, names(Compiler.run(SLOPES, passes, options).passes()));
    if (Backend.EVERYWHERE.contains(backend)) {
      try (var program = Compiler.compile(SLOPES, options)) {
        assertEquals(listed, names(program.passes()));
      }
    }
  }

  @Test
  void thePassesOfPlansAreThoseThatRun() {
    var options = CompileOptions.of(Backend.JVM).verified();
    var passes = Pipelines.plan(options, "main", Set.of(0), false);
    var plan = Compiler.run(SLOPES, passes, options);
    assertEquals(names(passes.passes(), 0), names(plan.passes()));
    assertEquals("main", plan.program().entry());
  }

  /** What is printed is the very program that the next pass gets, and the last one the backend. */
  @Test
  void eachPassTakesWhatTheOneBeforeItLeft() {
    var seen = new ArrayList<Object>();
    var loops =
        Pipelines.optimised(CompileOptions.of(Backend.JVM))
            .then(Pipelines.loops(2))
            .then(
                Pass.<LoopProgram, LoopProgram>of(
                    "seen",
                    "",
                    p -> {
                      seen.add(p);
                      return p;
                    }));
    var compilation = Compiler.run(SLOPES, loops, CompileOptions.of(Backend.JVM));
    assertSame(seen.getFirst(), compilation.after("loops").program());
    assertTrue(compilation.after("lower").print().contains("filter"));
    assertTrue(compilation.after("flatten").print().contains("segfilter"));
  }

  @Test
  void aPassCanBeTheLast() {
    var options = CompileOptions.of(Backend.JVM);
    var upToAd = Pipelines.of(options).upTo("ad").orElseThrow();
    assertFalse(hasDerivative((CoreProgram) Compiler.run(SLOPES, upToAd, options).program()));
    var lowered = Pipelines.of(options).upTo("lower").orElseThrow();
    assertTrue(hasDerivative((CoreProgram) Compiler.run(SLOPES, lowered, options).program()));
    assertTrue(Pipelines.of(options).upTo("nonsense").isEmpty());
    assertTrue(Pipelines.of(options).upTo("dead-code").isPresent(), "a part of a group");
  }

  private static boolean hasDerivative(CoreProgram program) {
    return program.functions().stream()
        .flatMap(f -> f.body().stms().stream())
        .anyMatch(s -> s.exp() instanceof Exp.Vjp);
  }

  /** What is as the passes want it is returned as it is, and costs one round. */
  @Test
  void aFusedProgramStays() {
    var program = Optimised.verified(SLOPES.files().get("slopes.fut"));
    assertSame(program, Pipelines.FUSED.apply(program));
  }

  @Test
  void aFaultIsBlamedOnThePass() {
    Pass<CoreProgram, CoreProgram> broken =
        Pass.of(
            "broken",
            "",
            p -> {
              throw new IllegalStateException("oops");
            });
    var passes = Pipelines.lowered().then(broken);
    var options = CompileOptions.of(Backend.JVM);
    var bug = assertThrows(CompilerBug.class, () -> Compiler.run(SLOPES, passes, options));
    assertTrue(bug.getMessage().contains("broken"), bug.getMessage());
    Pass<CoreProgram, CoreProgram> forgetful =
        Pass.of("forgetful", "", p -> new CoreProgram(List.of(), p.entries()));
    var wrong = Pipelines.lowered().then(forgetful);
    bug = assertThrows(CompilerBug.class, () -> Compiler.run(SLOPES, wrong, options.verified()));
    assertTrue(bug.getMessage().contains("forgetful"), bug.getMessage());
  }
}
