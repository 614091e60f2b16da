package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.pipeline.Optimised;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Loops that don't fill their last vector compute the same as the interpreter, and leave what
 * follows in memory alone, at all lengths around the numbers of lanes.
 */
final class LastVectorTest {
  private static final int LONGEST = 40;

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          f64; map2 (\\x y -> x * 3 + y) xs ys
          f32; map2 (\\x y -> x * 3 + y) xs ys
          i32; map2 (\\x y -> x * 3 + y) xs ys
          i64; map2 (\\x y -> x * 3 + y) xs ys
          u32; map2 (\\x y -> x * y + 7) xs ys
          f64; map2 (\\x y -> f64.tanh x / (1 + f64.exp (-y))) xs ys
          f32; map2 (\\x y -> f32.tanh x / (1 + f32.exp (-y))) xs ys
          f64; map2 (\\x y -> f64.log (x * x + 0.5) + f64.sin y) xs ys
          f64; map2 (\\x y -> if x < y then x * y else x - y) xs ys
          f32; map2 (\\x y -> f32.f64 (f64.f32 x * 1.25) + y) xs ys
          f64; map2 (\\x y -> f64.i64 (i64.f64 x) + y) xs ys
          i32; map2 (\\x y -> i32.i64 (i64.i32 x * 5) + y / 7) xs ys
          f64; map2 (\\x y -> loop s = y for i < 5 do s * x + f64.i64 i) xs ys
          f64; let s = f64.sum (map2 (*) xs ys) in map (* s) xs
          f32; let s = f32.sum (map2 (*) xs ys) in map (* s) xs
          i64; let s = i64.sum (map2 (*) xs ys) in map (+ s) xs
          f64; let (s, p) = (f64.minimum xs, f64.maximum (map2 (+) xs ys)) in map (\\x -> x * s + p) xs
          i32; let s = reduce (^) 0 (map2 (*) xs ys) in map (& s) ys
          f64; let s = f64.sum (map2 (\\x y -> f64.exp (x - y)) xs ys) in map (/ s) xs
          f64; let s = f64.product (map (\\x -> 1 + x / 100) xs) in map (* s) ys
          f32; let (a, b) = (f64.sum (map f64.f32 xs), f32.sum ys) in map (\\x -> f32.f64 a * x + b) xs
          f64; map (\\x -> x + f64.sum ys) xs
          """)
  void sameAsTheInterpreter(String type, String body) {
    var text =
        """
        entry main [r] [n] (xss: [r][n]%s) (yss: [r][n]%s): [r][n]%s =
          map2 (\\xs ys -> %s) xss yss
        """
            .formatted(type, type, type, body);
    check(text, Prim.named(type).orElseThrow());
  }

  /** So many statements that the loop has one body, and all of its vectors have masks. */
  @ParameterizedTest
  @CsvSource({"f64, 11", "f32, 11", "f64, 14"})
  void sameAsTheInterpreterForLargeBodies(String type, int layers) {
    var lets =
        IntStream.range(0, layers)
            .mapToObj(k -> "let x%d = %s.tanh (x%d * y + %d) * y".formatted(k + 1, type, k, k % 3))
            .collect(Collectors.joining("\n  "));
    var sum =
        IntStream.rangeClosed(1, layers)
            .mapToObj("x%d"::formatted)
            .collect(Collectors.joining("+"));
    var text =
        """
        def f (x0: %s) (y: %s) =
          %s
          in %s
        entry main [r] [n] (xss: [r][n]%s) (yss: [r][n]%s) =
          (map2 (map2 f) xss yss, map2 (\\xs ys -> reduce (+) 0 (map2 f xs ys)) xss yss)
        """
            .formatted(type, type, lets, sum, type, type);
    check(text, Prim.named(type).orElseThrow());
  }

  private static void check(String text, Prim prim) {
    var program = Optimised.text(text);
    assertTrue(StencilsTest.inVectors(program), text);
    var calls = new ArrayList<List<Value>>();
    for (int n = 0; n <= LONGEST; n++) {
      calls.add(List.of(matrix(prim, 3, n, 2 * n), matrix(prim, 3, n, 2 * n + 1)));
    }
    Compare.each(program, calls);
  }

  private static ArrayValue matrix(Prim prim, int rows, int columns, int seed) {
    var random = new SplittableRandom(seed);
    var xs = random.doubles((long) rows * columns, prim.isFloat() ? -2 : 0, 9).toArray();
    return ArrayValue.ofDoubles(prim, xs, rows, columns);
  }
}
