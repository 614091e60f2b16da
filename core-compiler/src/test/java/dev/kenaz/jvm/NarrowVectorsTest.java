package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.pipeline.Optimised;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Loops over integers of one and two bytes and bools run in vectors, at all sizes and values. */
final class NarrowVectorsTest {
  private static final int[] SIZES = {0, 1, 7, 17, 33, 64, 261};

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          u8  ; u8  ; map2 (\\x y -> x * 3 + y) xs ys
          i8  ; i8  ; map2 (\\x y -> x * 7 - y) xs ys
          u16 ; u16 ; map2 (\\x y -> x * 301 + y) xs ys
          i16 ; i16 ; map2 (\\x y -> x * 301 - y) xs ys
          u8  ; u8  ; map2 (\\x y -> u8.max x y / 3) xs ys
          i8  ; i8  ; map2 (\\x y -> i8.min x y / 5 + x % 7) xs ys
          i16 ; i16 ; map2 (\\x y -> x // 9 + y %% 10) xs ys
          u8  ; u8  ; map2 (\\x y -> u8.i32 ((i32.u8 x * 2 + i32.u8 y) / 3)) xs ys
          u8  ; f32 ; map2 (\\x y -> f32.u8 x / 255 + f32.u8 y) xs ys
          i16 ; f64 ; map2 (\\x y -> f64.i16 x * f64.i16 y) xs ys
          u8  ; u8  ; map2 (\\x y -> u8.f32 (f32.u8 x * 1.5 - f32.u8 y)) xs ys
          i8  ; i8  ; map2 (\\x y -> i8.f32 (f32.i8 x * 1.5 - f32.i8 y)) xs ys
          i16 ; i16 ; map2 (\\x y -> i16.f64 (f64.i16 x * 900 - f64.i16 y)) xs ys
          u8  ; i64 ; map2 (\\x y -> i64.u8 x << 3 + i64.u8 y) xs ys
          i8  ; u64 ; map2 (\\x y -> u64.i8 x - u64.i8 y) xs ys
          i8  ; u32 ; map2 (\\x y -> u32.i8 x + u32.i8 y) xs ys
          i8  ; u16 ; map2 (\\x y -> u16.i8 x + u16.i8 y) xs ys
          u8  ; bool ; map2 (\\x y -> x < y) xs ys
          i16 ; bool ; map2 (\\x y -> x <= y && x > 3 || y == 2) xs ys
          bool ; bool ; map2 (\\x y -> x && !y) xs ys
          bool ; i32 ; map2 (\\x y -> if x && y then 5i32 else if y then 7 else 1) xs ys
          bool ; f32 ; map2 (\\x y -> if x then 1.5f32 else f32.bool y) xs ys
          u8  ; u8  ; map2 (\\x y -> if x > y then x - y else y - x) xs ys
          u8  ; u8  ; map2 (\\x y -> (x ^ y) & 0x5A | (x >> 2)) xs ys
          u8  ; u8  ; map2 (+) (reverse xs) ys
          bool ; bool ; map2 (!=) (reverse xs) ys |> map (\\b -> !b)
          """)
  void sameAsTheInterpreter(String from, String to, String body) {
    boolean inequality = body.contains("(!=)");
    var text = "entry main [n] (xs: [n]%s) (ys: [n]%s): [n]%s = %s".formatted(from, from, to, body);
    var program = Optimised.text(text);
    boolean without = inequality || StencilsTest.shortVectors();
    assertTrue(without || StencilsTest.inVectors(program), text);
    var prim = Prim.named(from).orElseThrow();
    var calls = new ArrayList<List<Value>>();
    for (int n : SIZES) {
      calls.add(List.of(numbers(prim, n, 37), numbers(prim, n, 53)));
    }
    Compare.each(program, calls);
  }

  /** The bits of consecutive multiples, so that all values of a byte come up. */
  private static ArrayValue numbers(Prim prim, int n, int factor) {
    int least = prim.isSigned() ? -(1 << 8 * prim.byteSize() - 1) : 0;
    int count = prim == Prim.BOOL ? 2 : 1 << 8 * prim.byteSize();
    var all =
        IntStream.range(0, n)
            .mapToDouble(i -> least + Math.floorMod(i * factor * (count > 256 ? 97 : 1), count))
            .toArray();
    return ArrayValue.ofDoubles(prim, all, n);
  }

  /** Division by constants of all sizes, of numbers next to multiples. */
  @ParameterizedTest
  @CsvSource({"1", "2", "3", "7", "9", "10", "64", "255", "1000", "65537", "1048575", "1048576"})
  void quotients(int divisor) {
    var text =
        """
        entry main [n] (xs: [n]i32) : ([n]i32, [n]i32, [n]i32, [n]i32) =
          (map (/ D) xs, map (%% D) xs, map (\\x -> x // D) xs, map (\\x -> x %%%% D) xs)
        """
            .replace("%%", "%")
            .replace("D", Integer.toString(divisor));
    var program = Optimised.text(text);
    assertTrue(StencilsTest.inVectors(program), text);
    var xs = new ArrayList<Double>();
    for (long k = -40; k <= 40; k++) {
      for (long j = -1; j <= 1; j++) {
        long x = k * (Integer.MAX_VALUE / 40 / divisor) * divisor + j;
        xs.add((double) Math.clamp(x, Integer.MIN_VALUE, Integer.MAX_VALUE));
      }
    }
    xs.add((double) Integer.MIN_VALUE);
    xs.add((double) Integer.MAX_VALUE);
    var random = new SplittableRandom(divisor);
    IntStream.range(0, 2000).forEach(_ -> xs.add((double) random.nextInt()));
    var numbers = xs.stream().mapToDouble(x -> x).toArray();
    Compare.each(program, List.of(List.of(ArrayValue.ofDoubles(Prim.I32, numbers))));
  }
}
