package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A sum is the same before and after HotSpot has compiled the loop that computes it. */
final class ReproducedSumsTest {
  private static final int ROWS = 200;
  private static final int WIDTH = 61;

  @ParameterizedTest
  @CsvSource({
    "f64, f64.sum",
    "f64, f64.product",
    "f32, f32.sum",
    "f32, f32.product",
    "f32, f64.sum <-< map f64.f32",
    "f32, f32.sum <-< map2 (\\i x -> if i >= 0 then x else 0) (iota d)"
  })
  void compiledLoopsSumInTheSameOrder(String type, String sum) {
    var text = "entry rows [n] [d] (xs: [n][d]%s) = map (\\x -> (%s) x) xs".formatted(type, sum);
    sumsInTheSameOrder(text, type, WIDTH);
  }

  /** The rows are one, two, three and four vectors of eight. */
  @ParameterizedTest
  @CsvSource({"f64, 4", "f64, 16", "f32, 8", "f32, 16", "f32, 24", "f32, 32"})
  void straightCodeSumsInTheSameOrder(String type, int width) {
    var text = "entry rows [n] (xs: [n][%d]%s) = map %s.sum xs".formatted(width, type, type);
    sumsInTheSameOrder(text, type, width);
  }

  private static void sumsInTheSameOrder(String text, String type, int width) {
    var random = new Random(5);
    var numbers = random.doubles((long) ROWS * width, 0.5, 1.5).toArray();
    var xs = ArrayValue.ofDoubles(type.equals("f64") ? Prim.F64 : Prim.F32, numbers, ROWS, width);
    try (var program = Compiler.compile("sums.fut", text, CompileOptions.of(Backend.JVM))) {
      var rows = program.entry("rows");
      var first = rows.call(List.of(xs));
      for (int i = 0; i < 2000; i++) {
        rows.call(List.of(xs));
      }
      assertEquals(first, rows.call(List.of(xs)));
    }
  }
}
