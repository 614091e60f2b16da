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

  /**
   * A program that is called once is run in one of these, in turn; in all with {@code
   * -Dkenaz.long=true}.
   */
  private static final List<JvmOptions> IN_TURN =
      List.of(
          JvmOptions.defaults().withWorkers(1).withChecks(true),
          JvmOptions.defaults().withWorkers(2).withGrain(1).withLargestMethod(1000),
          JvmOptions.defaults().withWorkers(3).withGrain(1).withChecks(true));

  private static final AtomicInteger TURN = new AtomicInteger();

  private Compare() {}

  /** A leak shows in each try; the memory of a test that runs beside this one comes and goes. */
  private static final int TRIES = 400;

  /** What the interpreter makes of a call; the results are null where there is an error. */
  private record Call(List<Value> arguments, List<Value> results, UserError error) {
    static Call of(CoreProgram program, List<Value> arguments) {
      try {
        return new Call(arguments, Interpreter.call(program, "main", arguments), null);
      } catch (UserError e) {
        return new Call(arguments, null, e);
      }
    }
  }

  /** All modes agree with the interpreter, on results or on the error; the results. */
  static List<Value> same(CoreProgram program, Value... arguments) {
    var call = Call.of(program, List.of(arguments));
    same(program, List.of(call));
    return call.results;
  }

  /** The same for each list of arguments; each mode compiles the program once for all. */
  static void each(CoreProgram program, List<List<Value>> arguments) {
    same(program, arguments.stream().map(a -> Call.of(program, a)).toList());
  }

  private static void same(CoreProgram program, List<Call> calls) {
    var modes = new ArrayList<>(MODES);
    if (Boolean.getBoolean("kenaz.long") || calls.size() > 1) {
      modes.addAll(IN_TURN);
    } else {
      modes.add(IN_TURN.get(TURN.getAndIncrement() % IN_TURN.size()));
    }
    boolean failing = calls.stream().allMatch(c -> c.error != null);
    for (var mode : modes) {
      int tries = TRIES;
      while (!leavesNothing(program, calls, mode) && failing) {
        assertTrue(--tries > 0, "a failed program leaks");
      }
    }
  }

  /** Compares all calls; tells whether no more memory is in use than before. */
  private static boolean leavesNothing(CoreProgram program, List<Call> calls, JvmOptions mode) {
    long live = NativeMemory.live();
    try (var compiled = Pipelines.jvm(mode).apply(program)) {
      for (var call : calls) {
        for (int i = 0; i < 2; i++) {
          compare(compiled, call, mode);
        }
      }
    }
    return NativeMemory.live() <= live;
  }

  private static void compare(JvmProgram compiled, Call call, JvmOptions m) {
    try {
      var actual = compiled.call("main", call.arguments);
      if (call.error != null) {
        fail(
            "expected the error: " + call.error.getMessage() + " in mode " + m + ", got " + actual);
      }
      ValueComparison.difference(call.results, actual, 1e-5)
          .ifPresent(
              d -> fail(d + " in mode " + m + "\nexpected " + call.results + "\ngot " + actual));
    } catch (UserError e) {
      if (call.error == null) {
        throw e;
      }
      assertEquals(call.error.getMessage(), e.getMessage());
      assertEquals(call.error.diagnostics(), e.diagnostics());
    }
  }
}
