package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import dev.kenaz.flatten.FlattenOptions;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.LoopProgram;
import dev.kenaz.loops.Lowering;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Threads that each do all kernels of blocks of their own agree with the interpreter, for no block,
 * a part of one, and as many as threads ask for. Blocks are as small as they may be, of 128 rows.
 */
final class BlocksOfThreadsTest {
  private static final int[] SIZES = {0, 129, 1100, 1700};
  private static final int TRIES = 40;

  @ParameterizedTest
  @ValueSource(
      strings = {
        // a value and a gradient
        "vjp2 (\\ws -> f64.sum (map2 (\\x y -> y * f64.log (f64.sum (map (\\w -> f64.exp (dot w x))"
            + " ws))) xs ys)) ws 1 |> \\(y, g) -> [y] ++ flatten g",
        // the component of the largest weight, and where it is
        "flatten (vjp (\\ws -> f64.sum (map (\\x -> f64.maximum (map (\\w -> dot w x) ws)) xs)) ws"
            + " 1)",
        // operators inside that have several chunks outside: a scan, a histogram, a filter
        "[f64.sum (map (\\x -> f64.maximum (scan (+) 0 (map (\\w -> dot w x) ws))) xs)]",
        "[f64.sum (map (\\x -> let ds = map (\\w -> dot w x) ws in f64.i64 (length (filter (> 0)"
            + " ds)) + (reduce_by_index (replicate 7 0) (+) 0 (map (% 7) (iota k)) ds)[3]) xs)]",
        // two operators of a block update one accumulator, the second after the first
        "flatten (vjp (\\ws -> f64.sum (map (\\x -> f64.sum (map (\\w -> f64.exp (dot w x)) ws)"
            + " * ws[0, 0]) xs)) ws 1)",
        // a block that fails
        "[f64.sum (map2 (\\x i -> (map (\\w -> dot w x) ws)[if i == 1050 then k else i % k])"
            + " xs (iota n))]",
      })
  void sameAsTheInterpreter(String body) {
    var text =
        """
        def dot [d] (w: [d]f64) (x: [d]f64) = 0.01 * f64.sum (map2 (*) w x)
        entry main [n] [k] [d] (xs: [n][d]f64) (ws: [k][d]f64) (ys: [n]f64): []f64 =
        """
            + body;
    var program = Optimised.text(text);
    var calls = IntStream.of(SIZES).mapToObj(n -> Call.of(program, arguments(n))).toList();
    for (int workers = 2; workers <= 3; workers++) {
      for (var options :
          List.of(
              JvmOptions.defaults(),
              JvmOptions.defaults().withGrain(1).withMethodBytes(300),
              JvmOptions.defaults().withGrain(1).withLargestMethod(1000),
              JvmOptions.defaults().withChecks(true))) {
        compare(program, calls, options.withWorkers(workers));
      }
    }
  }

  /** A call, and what the interpreter makes of it: results or the message of an error. */
  private record Call(List<Value> arguments, List<Value> results, String error) {
    static Call of(CoreProgram program, List<Value> arguments) {
      try {
        return new Call(arguments, Interpreter.call(program, "main", arguments), null);
      } catch (UserError e) {
        return new Call(arguments, null, e.getMessage());
      }
    }
  }

  private static void compare(CoreProgram program, List<Call> calls, JvmOptions options) {
    var small = new FlattenOptions(false, true, 0, 0, options.workers(), 1 << 14, 1);
    var loops =
        Pipelines.parallel(small).then(Lowering.pass(JvmProgram::runsInVectors)).apply(program);
    assertTrue(inBlocks(loops), options + " has no operators in tasks");
    try (var compiled = JvmProgram.pass(options).apply(loops)) {
      for (var call : calls) {
        if (call.error == null) {
          var actual = compiled.call("main", call.arguments);
          var difference = ValueComparison.difference(call.results, actual, 1e-9);
          assertEquals(Optional.empty(), difference, options.toString());
        } else {
          assertFails(compiled, call);
        }
      }
    }
  }

  /** A leak shows in each try; the memory of a test that runs beside this one comes and goes. */
  private static void assertFails(JvmProgram compiled, Call call) {
    boolean leaks = true;
    for (int tries = 0; leaks && tries < TRIES; tries++) {
      long live = NativeMemory.live();
      var e = assertThrows(UserError.class, () -> compiled.call("main", call.arguments));
      assertEquals(call.error, e.getMessage());
      leaks = NativeMemory.live() > live;
    }
    assertFalse(leaks, "a failed call leaks");
  }

  /** Whether a parallel loop has one inside. */
  private static boolean inBlocks(LoopProgram program) {
    var found = new boolean[1];
    for (var f : program.functions()) {
      CodeWalk.code(
          f.body(),
          c -> {
            if (c instanceof Code.Parallel p) {
              CodeWalk.code(p.body(), x -> found[0] |= x instanceof Code.Parallel, _ -> {});
            }
          },
          _ -> {});
    }
    return found[0];
  }

  private static List<Value> arguments(int n) {
    return List.of(numbers(n * 16).reshape(n, 16), numbers(20 * 16).reshape(20, 16), numbers(n));
  }

  private static ArrayValue numbers(int n) {
    return ArrayValue.ofDoubles(
        Prim.F64, IntStream.range(0, n).mapToDouble(i -> i * 7 % 23 / 4.0 - 2).toArray());
  }
}
