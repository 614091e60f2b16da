package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.loopir.Code;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Loops whose branches compare indices run in vectors but where a vector's lanes disagree; and
 * loops that read backwards. At sizes around the number of lanes, and comparisons that come out
 * differently at the first elements, at the last, in the middle, several times, or never.
 */
final class StencilsTest {
  private static final int[] SIZES = {0, 1, 7, 17, 33, 47, 64, 261};

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tabulate n (\\i -> (if i > 0 then xs[i - 1] else 7) + (if i < n - 1 then xs[i + 1] else"
            + " x))",
        "tabulate n (\\i -> if i == 0 then x else if i == n - 1 then xs[i] * 2 else xs[i + 1])",
        "tabulate n (\\i -> if i == k then x else if i > 3 then xs[i - 3] else 1)",
        "tabulate n (\\i -> if i < k || i > k + 5 then xs[i] else if i > 2 then xs[i - 2] else 3)",
        "tabulate n (\\i -> if i > 0 && i < n - 1 then xs[i - 1] * xs[i + 1] else xs[i])",
        "tabulate n (\\i -> if k - i > 4 then xs[i] else xs[i] * (if i > 0 then xs[i - 1] else x))",
        "tabulate n (\\i -> if k > 4 then xs[i] else if i > 0 then xs[i - 1] else x)",
        "tabulate n (\\i -> if i > 0 then (if k > 9 then xs[i - 1] else 1) else 2)",
        "reverse xs |> map2 (+) xs",
        "tabulate n (\\i -> (if i > 0 then xs[i - 1] else 7) - xs[n - 1 - i])",
        "replicate n (reduce (+) 0 (tabulate n (\\i -> if i > 0 then xs[i] * xs[i - 1] else x)))",
        "let (a, b) = reduce (\\(a, b) (c, d) -> (a + c, i64.max b d)) (0, -9)"
            + " (map (\\x -> (x * x, x)) xs) in replicate n (a * b)",
        "tabulate n (\\i -> loop a = x for _j < 20 do a - xs[i])",
        "tabulate n (\\i -> loop a = x for j < n do if xs[j] > 2 then a * 2 - xs[i] else a +"
            + " xs[j])",
        "tabulate n (\\i -> loop a = x for j < k do loop a for _l < j do if i > 0 then a - xs[i -"
            + " 1] else a)",
      })
  void sameAsTheInterpreter(String body) {
    for (var prim : List.of(Prim.I64, Prim.F32, Prim.F64, Prim.I32)) {
      var type = prim.text();
      var text =
          "entry main [n] (xs: [n]%s) (k: i64) (x: %s): [n]%s = %s"
              .formatted(type, type, type, body.replace("i64.max", type + ".max"));
      var program = Optimised.text(text);
      assertTrue(inVectors(program), text);
      var calls = new ArrayList<List<Value>>();
      for (int n : SIZES) {
        var numbers = IntStream.range(0, n).mapToDouble(i -> i * 7 % 11 - 3).toArray();
        for (long k : List.of(5L, n - 3L)) {
          calls.add(
              List.of(
                  ArrayValue.ofDoubles(prim, numbers),
                  ScalarValue.i64(k),
                  ScalarValue.ofDouble(prim, 5)));
        }
      }
      Compare.each(program, calls);
    }
  }

  /** Loops over columns, whose lanes go through an inner loop together. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "map (reduce (+) 0) (transpose xs)",
        "map (\\c -> let s = reduce (+) 0 c in reduce (+) s (map (* s) c)) (transpose xs)",
        "map2 (\\c k -> reduce (+) 0 (map2 (*) c (map (\\r -> r[0]) xs)) + k) (transpose xs) xs[0]",
        "map (\\c -> loop a = 0 for v in c do a * 2 - v) (transpose xs)",
        "map (\\c -> (loop (a, b) = (0, 1) for v in c do (b - v, a + v)).0) (transpose xs)",
      })
  void columns(String body) {
    for (var prim : List.of(Prim.I64, Prim.F32)) {
      var type = prim.text();
      var text = "entry main [n] [m] (xs: [n][m]%s): [m]%s = %s".formatted(type, type, body);
      var program = Optimised.text(text);
      var calls = new ArrayList<List<Value>>();
      for (int n : List.of(0, 1, 5, 9, 134)) {
        for (int m : SIZES) {
          var numbers = IntStream.range(0, n * m).mapToDouble(i -> i * 7 % 11 - 3).toArray();
          calls.add(List.of(ArrayValue.ofDoubles(prim, numbers).reshape(n, m)));
        }
      }
      Compare.each(program, calls);
    }
  }

  /**
   * Whether vectors have less than 32 bytes: then there are none of bytes beside numbers of eight
   * bytes, so that some loops stay as they are.
   */
  static boolean shortVectors() {
    return Vectors.F64.vectorByteSize() < 32;
  }

  /** Whether vectors have less than 64 bytes: then there are none that convert floats to i64. */
  static boolean withoutLongConversions() {
    return Vectors.F64.vectorByteSize() < 64;
  }

  /** Whether there are loops with vector code, and none without but those around them. */
  static boolean inVectors(CoreProgram program) {
    return Pipelines.loops(2).apply(program).functions().stream()
        .flatMap(f -> loops(f.body()).stream())
        .toList()
        .equals(List.of(true));
  }

  /** Whether the outermost loops that could be are in vectors; each answer once. */
  private static List<Boolean> loops(List<Code> code) {
    return code.stream()
        .flatMap(
            c ->
                switch (c) {
                  case Code.For f when JvmProgram.runsInVectors(f) -> Stream.of(true);
                  case Code.For f -> {
                    var inner = loops(f.body());
                    yield inner.isEmpty() && f.independent() ? Stream.of(false) : inner.stream();
                  }
                  case Code.While w -> loops(w.body()).stream();
                  case Code.If(_, var then, var otherwise) ->
                      Stream.concat(loops(then).stream(), loops(otherwise).stream());
                  case Code.Parallel p -> loops(p.body()).stream();
                  default -> Stream.of();
                })
        .distinct()
        .toList();
  }
}
