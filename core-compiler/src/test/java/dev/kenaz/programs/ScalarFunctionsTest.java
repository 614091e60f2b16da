package dev.kenaz.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every function of the modules {@code f16}, {@code f32} and {@code f64} that has a derivative: by
 * both modes, and twice by all four pairs of them, against central differences in {@code f64}.
 */
final class ScalarFunctionsTest {
  /** In y from 0.1 to 0.9; {@code $} is the module. */
  private static final List<String> FUNCTIONS =
      List.of(
          "$.neg y",
          "$.recip y",
          "$.abs y",
          "$.abs (-y)",
          "$.sqrt y",
          "$.cbrt y",
          "$.cbrt (-y)",
          "$.exp y",
          "$.exp (-y)",
          "$.exp2 y",
          "$.exp10 (-y)",
          "$.expm1 y",
          "$.log y",
          "$.log2 y",
          "$.log10 y",
          "$.log1p y",
          "$.log1p (-y)",
          "$.sin y",
          "$.cos (-y)",
          "$.tan y",
          "$.asin y",
          "$.asin (-y)",
          "$.acos y",
          "$.acos (-y)",
          "$.atan y",
          "$.sinh y",
          "$.cosh (-y)",
          "$.tanh y",
          "$.asinh y",
          "$.asinh (-y)",
          "$.acosh (y + 1)",
          "$.atanh y",
          "$.atanh (-y)",
          "$.gamma y",
          "$.gamma (y - 1)",
          "$.lgamma y",
          "$.lgamma (y + 2)",
          "$.lgamma (y - 2)",
          "$.erf y",
          "$.erf (-y)",
          "$.erfc y",
          "$.erfc (-y)",
          "$.rsqrt y",
          "$.sinpi y",
          "$.cospi y",
          "$.tanpi (y / 2)",
          "$.asinpi y",
          "$.acospi y",
          "$.atanpi y",
          "y ** 2",
          "y ** 3",
          "y ** 0.5",
          "y ** (-1.5)",
          "2 ** y",
          "y ** y",
          "(-y) ** 2",
          "(-y) ** 3",
          "y + 1",
          "1 - y",
          "y * y",
          "y / 3",
          "3 / y",
          "(y + 2) % 0.7",
          "7.3 % (y + 1)",
          "(-y - 2) % 0.7",
          "$.atan2 y 0.7",
          "$.atan2 0.7 y",
          "$.atan2 (-y) (-0.7)",
          "$.atan2 y (-y * y)",
          "$.atan2pi y 0.7",
          "$.hypot y 0.7",
          "$.hypot 0.7 (-y)",
          "$.hypot y y",
          "$.min y 0.95",
          "$.min y 0.05",
          "$.max 0.05 y",
          "$.max 0.95 (y * y)",
          "$.copysign y (-2)",
          "$.copysign (-y) y",
          "$.copysign 2 y",
          "$.ldexp y 3i32",
          "$.fma y 2 1",
          "$.fma 2 y y",
          "$.fma y y y",
          "$.mad y y 0.3",
          "$.lerp y 2 0.25",
          "$.lerp 1 2 y",
          "$.floor y + y",
          "$.ceil y * y",
          "$.round (y + 0.01) * y",
          "$.trunc (3 * y) * y",
          "$.sgn y * y",
          "$.sum [y, y * y]",
          "$.product [y, 2, y]",
          "$.maximum [y, y - 1]",
          "$.minimum [y, y * y - 1]",
          "$.f64 (f64.$ y) * y",
          "$.from_bits ($.to_bits 2) * y");

  enum Width {
    f16(0.03),
    f32(2e-4),
    f64(1e-9);

    private final double tolerance;

    Width(double tolerance) {
      this.tolerance = tolerance;
    }
  }

  private static final int WAYS = 7;

  /** The value, the derivative by both modes and the second by all pairs. */
  private static String program(Width width) {
    var t = width.name();
    var rows =
        FUNCTIONS.stream()
            .map(f -> "all (\\y -> " + f.replace("$", t) + ") x")
            .collect(Collectors.joining(",\n  "));
    return """
    def j (f: T -> T) (x: T) = jvp f x 1
    def v (f: T -> T) (x: T) = vjp f x 1
    def all (f: T -> T) (x: T) : [7]f64 =
      map f64.T [f x, j f x, v f x, j (j f) x, j (v f) x, v (j f) x, v (v f) x]
    entry main (y: f64) : [][7]f64 = let x = T.f64 y in [
      ROWS]
    """
        .replace("T", t)
        .replace("ROWS", rows);
  }

  private static double[] run(CompiledProgram program, double x) {
    var arguments = List.<Value>of(ScalarValue.f64(x));
    return ((ArrayValue) program.entry("main").call(arguments).getFirst()).toDoubleArray();
  }

  @ParameterizedTest
  @EnumSource(Width.class)
  void derivatives(Width width) {
    var random = new Random(7);
    try (var exact = compile(Width.f64, Backend.INTERPRET);
        var program = compile(width, Backend.JVM)) {
      for (int k = 0; k < 4; k++) {
        // a number of few bits is the same in every width
        double x = Math.round((0.1 + 0.8 * random.nextDouble()) * 256 + 0.5) / 256.0;
        double h = 1e-5;
        var up = run(exact, x + h);
        var down = run(exact, x - h);
        var here = run(exact, x);
        var got = run(program, x);
        for (int f = 0; f < FUNCTIONS.size(); f++) {
          var name = width + ": " + FUNCTIONS.get(f) + " at " + x;
          for (int way = 0; way < WAYS; way++) {
            close(here[WAYS * f + way], got[WAYS * f + way], width.tolerance, name + ", " + way);
          }
          double slope = (up[WAYS * f] - down[WAYS * f]) / (2 * h);
          double curve = (up[WAYS * f + 1] - down[WAYS * f + 1]) / (2 * h);
          close(slope, here[WAYS * f + 1], 1e-5, name + " by differences");
          close(curve, here[WAYS * f + 3], 1e-5, name + " twice by differences");
        }
      }
    }
  }

  private static void close(double x, double y, double tolerance, String message) {
    assertTrue(Double.isFinite(x), message);
    double scale = Math.max(1, Math.abs(x));
    assertEquals(x / scale, y / scale, tolerance, message);
  }

  private static CompiledProgram compile(Width width, Backend backend) {
    return Compiler.compile("scalars.fut", program(width), CompileOptions.of(backend).onCores(1));
  }
}
