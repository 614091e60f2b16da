package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.Backend;
import dev.kenaz.CompileOptions;
import dev.kenaz.Kenaz;
import dev.kenaz.flatten.Flatten;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.loops.Code;
import dev.kenaz.loops.Lowering;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
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
      })
  void sameAsTheInterpreter(String body) {
    for (var prim : List.of(Prim.I64, Prim.F32, Prim.F64, Prim.I32)) {
      var type = prim.text();
      var text =
          "entry main [n] (xs: [n]%s) (k: i64) (x: %s): [n]%s = %s"
              .formatted(type, type, type, body.replace("i64.max", type + ".max"));
      var program = Kenaz.compile("t.fut", text, CompileOptions.of(Backend.JVM)).core();
      assertTrue(inVectors(program), text);
      for (int n : SIZES) {
        var numbers = IntStream.range(0, n).mapToDouble(i -> i * 7 % 11 - 3).toArray();
        for (long k : List.of(5L, n - 3L)) {
          Compare.same(
              program,
              ArrayValue.ofDoubles(prim, numbers),
              ScalarValue.i64(k),
              ScalarValue.ofDouble(prim, 5));
        }
      }
    }
  }

  /** Whether all innermost loops that combine or make elements have vector code. */
  private static boolean inVectors(CoreProgram program) {
    var loops = new ArrayList<Code.For>();
    Lowering.program(Flatten.program(program), true)
        .functions()
        .forEach(f -> innermost(f.body(), loops));
    boolean any = false;
    for (var loop : loops) {
      try {
        VectorLoop.of(loop);
        any = true;
      } catch (VectorLoop.Unsuitable u) {
        if (!u.getMessage().contains("depend")) {
          return false;
        }
      }
    }
    return any;
  }

  private static void innermost(List<Code> code, List<Code.For> loops) {
    for (var c : code) {
      int before = loops.size();
      switch (c) {
        case Code.For f -> {
          innermost(f.body(), loops);
          if (loops.size() == before) {
            loops.add(f);
          }
        }
        case Code.While w -> innermost(w.body(), loops);
        case Code.If(_, var then, var otherwise) -> {
          innermost(then, loops);
          innermost(otherwise, loops);
        }
        case Code.Parallel p -> innermost(p.body(), loops);
        default -> {}
      }
    }
  }
}
