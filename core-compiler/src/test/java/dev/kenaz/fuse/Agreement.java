package dev.kenaz.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.kernels.GpuRun;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.simulate.SimulatedDevice;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Checks, for tests, that a program which a pass has changed computes what it did before. */
final class Agreement {
  private Agreement() {}

  /** Returns an array of this shape of numbers from -0.5 to 0.5, the same ones each time. */
  static Value numbers(long... shape) {
    long n = 1;
    for (long d : shape) {
      n *= d;
    }
    return ArrayValue.ofDoubles(new Random(n).doubles(n, -0.5, 0.5).toArray(), shape);
  }

  /** Compares the results of the entry point main by the interpreter. */
  static void interpreted(CoreProgram program, CoreProgram changed, List<Value> arguments) {
    assertEquals(
        Optional.empty(),
        ValueComparison.difference(
            Interpreter.call(program, "main", arguments),
            Interpreter.call(changed, "main", arguments)));
  }

  /**
   * Compares with the results of the program as it is compiled for a GPU.
   *
   * @param fused the program that the passes for GPUs get
   */
  static void simulated(CoreProgram program, CoreProgram fused, List<Value> arguments, long seed) {
    try (var run = new GpuRun(Pipelines.gpu().apply(fused), new SimulatedDevice(seed))) {
      assertEquals(
          Optional.empty(),
          ValueComparison.difference(
              Interpreter.call(program, "main", arguments), run.call("main", arguments)));
    }
  }
}
