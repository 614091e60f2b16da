package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
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
          u8  ; u8  ; map2 (\\x y -> if x >= 97 && x <= 122 then x - 32 else y) xs ys
          u8  ; u8  ; map2 (\\x y -> u8.max x y - u8.min x y) xs ys
          u16 ; u16 ; map2 (\\x y -> u16.max x y - u16.min x 9) xs ys
          i8  ; i8  ; map2 (\\x y -> i8.max (i8.abs x) (-y) >> 1) xs ys
          i8  ; u8  ; map2 (\\x y -> u8.i8 x >> 3 | u8.i8 (!y)) xs ys
          u8  ; i8  ; map2 (\\x y -> i8.u8 x >> 3 & i8.u8 y << 2) xs ys
          u8  ; u8  ; map2 (\\x y -> x << (y & 15)) xs ys
          u8  ; u8  ; map2 (\\x y -> (x >> 9) + (y << 8) + (x << 7)) xs ys
          i8  ; i8  ; map2 (\\x y -> (x >> 12) + (y >> 7)) xs ys
          u8  ; u16 ; map2 (\\x y -> u16.u8 x * u16.u8 y) xs ys
          u8  ; i16 ; map2 (\\x y -> i16.u8 x - i16.u8 y) xs ys
          i8  ; i16 ; map2 (\\x y -> i16.i8 x * i16.i8 y << 1) xs ys
          u8  ; u8  ; map2 (\\x y -> u8.i16 (i16.min 255 (i16.u8 x + i16.u8 y))) xs ys
          i16 ; u8  ; map2 (\\x y -> u8.i16 x + u8.i16 (y >> 8)) xs ys
          u16 ; i8  ; map2 (\\x y -> i8.u16 x + i8.u16 (y >> 8)) xs ys
          u8  ; u8  ; map2 (\\x y -> u8.bool (x < y) + u8.bool (x == 7)) xs ys
          bool ; u8 ; map2 (\\x y -> if x || !y then 200 else 100) xs ys
          u8  ; u8  ; rotate 1 (map2 (\\x y -> x * y - 3) xs ys)
          u8  ; u8  ; map2 (\\x y -> [x & 15, y >> 4]) xs ys |> flatten |> take n
          i8  ; i8  ; map2 (\\x y -> [x - 1, y + x]) xs ys |> flatten |> take n
          u8  ; u8  ; map2 (\\x y -> [x, y, x + y, 255]) xs ys |> flatten |> take n
          i16 ; i16 ; map2 (\\x y -> [x, -y]) xs ys |> flatten |> take n
          u8  ; u8  ; tabulate n (\\i -> if i == 0 || i + 1 == n then 0 else xs[i-1] + xs[i+1] - ys[i])
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

  /** What is computed in i32 or i64 from narrow integers has lanes of 16 bits where it fits. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          u8  ; u8  ; 2 ; u8.i32 ((i32.u8 x * 3 + i32.u8 y + 2) / 4)
          u8  ; u8  ; 2 ; u8.i32 ((i32.u8 x * 77 + i32.u8 y * 179) >> 8)
          u8  ; u8  ; 4 ; u8.i32 ((i32.u8 x * 78 + i32.u8 y * 180) >> 8)
          u8  ; u8  ; 2 ; u8.i32 (i32.min 255 (i32.u8 x + 40))
          u8  ; u8  ; 2 ; u8.i32 (i32.max 0 (i32.u8 x - i32.u8 y))
          u8  ; u8  ; 2 ; u8.i32 (i32.abs (i32.u8 x - i32.u8 y))
          u8  ; u8  ; 2 ; u8.i64 (if i64.u8 x < i64.u8 y then i64.u8 x * 2 else 300 - i64.u8 y)
          u8  ; i16 ; 2 ; i16.i32 (i32.u8 x * 128 - i32.u8 y)
          u8  ; i16 ; 4 ; i16.i32 (i32.u8 x * 129 - i32.u8 y)
          i8  ; i8  ; 2 ; i8.i32 ((i32.i8 x * i32.i8 y) >> 7)
          i8  ; i8  ; 2 ; i8.i32 ((i32.i8 x - 100) / 8 + (i32.i8 y + 5) % 16)
          i8  ; i8  ; 2 ; i8.i32 (-(i32.i8 x) - (!(i32.i8 y)))
          i8  ; u8  ; 2 ; u8.i32 ((i32.i8 x + i32.i8 y) & 0x5A)
          u8  ; u8  ; 2 ; u8.u32 (u32.max (u32.u8 x) 3 - u32.min (u32.u8 y) 2)
          u8  ; u8  ; 4 ; u8.u32 ((u32.u8 x - u32.u8 y) >> 1)
          u16 ; u16 ; 4 ; u16.u32 ((u32.u16 x + u32.u16 y) / 2)
          u8  ; bool ; 2 ; i32.u8 x + i32.u8 y > 255
          u8  ; bool ; 2 ; i32.u8 x - i32.u8 y < 7
          u8  ; u8  ; 2 ; u8.i32 (i32.bool (x < y) * 2 + i32.bool (x == 7))
          u8  ; u8  ; 2 ; u8.i32 ((i32.u8 x << 7 | i32.u8 y) >> 3)
          u8  ; u8  ; 4 ; u8.i32 (i32.u8 x * i32.u8 y * 2 >> 9)
          """)
  void inSixteenBits(String from, String to, int bytes, String body) {
    var text =
        "entry main [n] (xs: [n]%s) (ys: [n]%s): [n]%s = map2 (\\x y -> %s) xs ys"
            .formatted(from, from, to, body);
    var program = Optimised.text(text);
    for (var f : Pipelines.loops(1).apply(program).functions()) {
      CodeWalk.code(f.body(), c -> assertEquals(bytes, CountsTest.widest(c, bytes), text), _ -> {});
    }
    var prim = Prim.named(from).orElseThrow();
    Compare.each(
        program,
        List.of(
            List.of(numbers(prim, 261, 37), numbers(prim, 261, 53)),
            List.of(numbers(prim, 259, 1), numbers(prim, 259, 1)),
            List.of(numbers(prim, 259, 1), numbers(prim, 259, 255))));
  }

  /** Sums, extrema and counts of narrow integers, some of them beside wide ones. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          u8  ; reduce u8.max 0 xs ; u8
          u8  ; reduce u8.min 255 xs ; u8
          i8  ; reduce i8.max (-128) xs ; i8
          i8  ; reduce i8.min 127 xs ; i8
          u16 ; reduce u16.max 3 xs ; u16
          u16 ; reduce u16.min 65535 xs ; u16
          i16 ; reduce i16.max (-9) xs ; i16
          i16 ; reduce i16.min 9 xs ; i16
          u32 ; reduce u32.max 3 xs ; u32
          u32 ; reduce u32.min 4294967295 xs ; u32
          u64 ; reduce u64.max 3 (map (\\x -> x << 57) xs) ; u64
          u64 ; reduce u64.min (u64.highest - 1) (map (\\x -> x << 57) xs) ; u64
          u8  ; u8.sum xs ; u8
          i8  ; i8.sum xs ; i8
          i16 ; i16.sum (map (* 3) xs) ; i16
          u8  ; u8.product (map (\\x -> x | 1) xs) ; u8
          u8  ; reduce (^) 0 xs ; u8
          i8  ; reduce (&) (-1) (map (\\x -> x | 0x52) xs) ; i8
          i16 ; reduce (|) 0 (map (\\x -> x & 0x52) xs) ; i16
          u8  ; i64.sum (map (\\x -> i64.bool (x == 10)) xs) ; i64
          u8  ; i32.sum (map (\\x -> i32.bool (x < 10 || x > 200)) xs) ; i32
          u8  ; any (== 255) xs ; bool
          i8  ; all (<= 126) xs ; bool
          u8  ; (reduce u8.max 0 xs, i64.sum (map i64.u8 xs)) ; (u8, i64)
          i16 ; (reduce i16.min 5 xs, reduce f32.max 0 (map f32.i16 xs)) ; (i16, f32)
          u8  ; filter (> 100) xs |> (\\ys -> ys) ; []u8
          """)
  void sumsAsTheInterpreter(String from, String body, String to) {
    var program = Optimised.text("entry main [n] (xs: [n]%s): %s = %s".formatted(from, to, body));
    var prim = Prim.named(from).orElseThrow();
    var calls = new ArrayList<List<Value>>();
    for (int n : SIZES) {
      calls.add(List.of(numbers(prim, n, 37)));
      calls.add(List.of(numbers(prim, n, 1)));
    }
    Compare.each(program, calls);
  }

  /** Rows of all lengths, with borders; the rest of a row runs in vectors of fewer lanes. */
  @ParameterizedTest
  @CsvSource({"3, 5", "4, 63", "3, 64", "5, 65", "3, 97", "2, 127", "3, 130", "4, 200", "1, 300"})
  void rowsWithBorders(int rows, int columns) {
    var program =
        Optimised.text(
            """
            entry main [n] [m] (w: [n][m]u8): ([n][m]u8, [n][m]u8, [n][m]bool) =
              let at i j = if i < 0 || j < 0 || i >= n || j >= m then 0 else w[i,j]
              let next = tabulate_2d n m (\\i j ->
                if i == 0 || j == 0 || i == n-1 || j == m-1 then 0 else
                let s = w[i-1,j] + w[i+1,j] + w[i,j-1] + w[i,j+1]
                in if s == 3 || (s == 2 && w[i,j] == 1) then 1 else 0)
              let most = tabulate_2d n m (\\i j -> u8.max (at (i-1) j) (u8.max (at i (j-1)) (at i (j+1))))
              in (next, most, map2 (map2 (<)) most w)
            """
                .replace("\\\\", "\\"));
    var random = new SplittableRandom(rows * 1000L + columns);
    var cells = IntStream.range(0, rows * columns).mapToDouble(_ -> random.nextInt(3)).toArray();
    Compare.each(program, List.of(List.of(ArrayValue.ofDoubles(Prim.U8, cells, rows, columns))));
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
