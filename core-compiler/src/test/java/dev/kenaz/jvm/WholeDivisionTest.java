package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.interpret.Interpreter;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Divisions by constants in vectors: around all multiples and limits where an estimate may fail.
 */
@Execution(CONCURRENT)
final class WholeDivisionTest {
  @ParameterizedTest
  @ValueSource(
      longs = {
        1,
        3,
        5,
        7,
        10,
        641,
        1000,
        65537,
        1000003,
        (1 << 20) - 1,
        1 << 20,
        (1 << 20) + 1,
        (1 << 29) + 1,
        1000000007,
        (1 << 30) - 1,
        1 << 30
      })
  void of32Bits(long c) {
    all(c, Prim.I32, Prim.U32);
  }

  @ParameterizedTest
  @ValueSource(
      longs = {
        1,
        3,
        7,
        10,
        3600,
        86400,
        1000003,
        (1L << 25) - 1,
        1L << 25,
        (1L << 25) + 1,
        1000000007,
        (1L << 31) - 1,
        (1L << 31) + 1,
        1000000000039L,
        (1L << 53) + 1,
        57253939310625310L,
        2134772657197758477L,
        (1L << 60) + 9,
        (1L << 61) - 1,
        1L << 61
      })
  void of64Bits(long c) {
    all(c, Prim.I64, Prim.U64);
  }

  private static void all(long c, Prim signed, Prim unsigned) {
    if (signed == Prim.I64 || c == (int) c) {
      for (var op : List.of("/", "%", "//", "%%")) {
        compare(c, signed, op);
      }
    }
    for (var op : List.of("/", "%")) {
      compare(c, unsigned, op);
    }
  }

  private static void compare(long c, Prim prim, String op) {
    var t = prim.text();
    var text =
        String.format(
            "entry main [n] (xs: [n]%s): [n]%s = map (\\x -> (x %s %d) ^ 0x11) xs", t, t, op, c);
    var program = Optimised.text(text);
    if (Vectors.F64.vectorByteSize() >= 64 && c > 2) {
      var found = new boolean[1];
      for (var f : Pipelines.loops(1).apply(program).functions()) {
        CodeWalk.code(f.body(), s -> found[0] |= inVectors(s), _ -> {});
      }
      assertTrue(found[0], text);
    }
    var xs = List.<Value>of(ArrayValue.ofLongs(prim, numbers(c, prim)));
    try (var compiled = Pipelines.jvm(JvmOptions.defaults().withWorkers(1)).apply(program)) {
      assertEquals(Interpreter.call(program, "main", xs), compiled.call("main", xs), text);
    }
  }

  private static boolean inVectors(Code c) {
    return c instanceof Code.For f && JvmProgram.runsInVectors(f);
  }

  private static long[] numbers(long c, Prim prim) {
    var random = new Random(c);
    long least = prim.byteSize() == 8 ? Long.MIN_VALUE : Integer.MIN_VALUE;
    var near =
        LongStream.concat(
            LongStream.of(0, least, -1 - least, least / 2, -least / 2),
            random.longs(200, -1000, 1000));
    var multiples =
        LongStream.generate(() -> (random.nextLong() >> random.nextInt(64)) / c * c).limit(3000);
    var all =
        LongStream.concat(LongStream.concat(near, multiples), random.longs(1000))
            .flatMap(x -> LongStream.rangeClosed(-2, 2).map(d -> x + d));
    return all.map(x -> prim.byteSize() == 8 ? x : (int) x).toArray();
  }
}
