package dev.kenaz.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import dev.kenaz.flatten.FlattenOptions;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.programs.ProgramChecks;
import dev.kenaz.simulate.SimulatedDevice;
import dev.kenaz.spec.TestSpec;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Where a nest of different sizes has so many points that they keep a device busy, each thread
 * makes the arrays of its point.
 */
final class WideNestsTest {
  private static final Path FILE = Path.of("src/test/resources/programs/soacs/ragged.fut");

  @Test
  void threadsMakeArraysOfTheirOwn() throws IOException {
    var core = Optimised.file(FILE);
    var program = Pipelines.gpu(FlattenOptions.gpu(), 0).apply(core);
    int cases = 0;
    for (var spec : TestSpec.parse(FILE.toString(), Files.readString(FILE))) {
      if (spec.action() instanceof TestSpec.Run(var entries, var inputs)) {
        for (var c : inputs) {
          if (c.input() instanceof TestSpec.Literal(var text)) {
            var entry = entries.getFirst();
            check(core, program, entry, ProgramChecks.arguments(core, entry, text, FILE, c.line()));
            cases++;
          }
        }
      }
    }
    assertTrue(cases > 15, "cases: " + cases);
  }

  private static void check(
      CoreProgram core, GpuProgram program, String entry, List<Value> arguments) {
    Optional<List<Value>> expected;
    try {
      expected = Optional.of(Interpreter.call(core, entry, arguments));
    } catch (UserError e) {
      expected = Optional.empty();
    }
    try (var run = new GpuRun(program, new SimulatedDevice())) {
      var actual = run.call(entry, arguments);
      assertTrue(expected.isPresent(), entry + " should fail");
      assertEquals(Optional.empty(), ValueComparison.difference(expected.get(), actual), entry);
    } catch (UserError e) {
      assertTrue(expected.isEmpty(), entry + ": " + e.getMessage());
    }
  }
}
