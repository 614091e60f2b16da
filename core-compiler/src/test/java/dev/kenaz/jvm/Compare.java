package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.kenaz.error.UserError;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs programs on the JVM backend in every mode, and on the interpreter, and compares. */
final class Compare {
  private static final List<JvmOptions> MODES =
      List.of(
          JvmOptions.defaults().withWorkers(1).withVectors(JvmOptions.Vectors.OFF),
          JvmOptions.defaults().withWorkers(1),
          JvmOptions.defaults().withWorkers(3).withGrain(1),
          JvmOptions.defaults().withWorkers(2).withGrain(1).withMethodBytes(300));

  /** A program is run in one of these, in turn; in all with {@code -Dkenaz.long=true}. */
  private static final List<JvmOptions> IN_TURN =
      List.of(
          JvmOptions.defaults().withWorkers(1).withChecks(true),
          JvmOptions.defaults().withWorkers(2).withGrain(1).withLargestMethod(1000),
          JvmOptions.defaults().withWorkers(3).withGrain(1).withChecks(true));

  private static final AtomicInteger TURN = new AtomicInteger();

  private Compare() {}

  /** All modes agree with the interpreter, on results or on the error; the results. */
  static List<Value> same(CoreProgram program, Value... arguments) {
    var args = List.of(arguments);
    List<Value> expected = null;
    UserError error = null;
    try {
      expected = Interpreter.call(program, "main", args);
    } catch (UserError e) {
      error = e;
    }
    var modes = new ArrayList<>(MODES);
    if (Boolean.getBoolean("kenaz.long")) {
      modes.addAll(IN_TURN);
    } else {
      modes.add(IN_TURN.get(TURN.getAndIncrement() % IN_TURN.size()));
    }
    for (var mode : modes) {
      long live = NativeMemory.live();
      try (var compiled = Pipelines.jvm(mode).apply(program)) {
        for (int i = 0; i < 2; i++) {
          compare(compiled, args, expected, error, mode);
        }
      }
      if (error != null) {
        assertTrue(NativeMemory.live() <= live, "a failed program leaks");
      }
    }
    return expected;
  }

  private static void compare(
      JvmProgram compiled, List<Value> args, List<Value> expected, UserError error, JvmOptions m) {
    try {
      var actual = compiled.call("main", args);
      if (error != null) {
        fail("expected the error: " + error.getMessage() + " in mode " + m + ", got " + actual);
      }
      ValueComparison.difference(expected, actual, 1e-5)
          .ifPresent(d -> fail(d + " in mode " + m + "\nexpected " + expected + "\ngot " + actual));
    } catch (UserError e) {
      if (error == null) {
        throw e;
      }
      assertEquals(error.getMessage(), e.getMessage());
      assertEquals(error.diagnostics(), e.diagnostics());
    }
  }
}
