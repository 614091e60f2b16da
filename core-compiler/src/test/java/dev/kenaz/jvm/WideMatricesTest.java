package dev.kenaz.jvm;

import dev.kenaz.pipeline.Optimised;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Maps over the columns of matrices, whose columns or rows don't fit into blocks. */
final class WideMatricesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "map T.sum (transpose xs)",
        "map (\\c -> T.sum c - T.maximum c) (transpose xs)",
        "map (\\c -> (reduce (\\(a, b) (c, d) -> (a + c, T.max b d)) (0, 0) (zip c c)).1)"
            + " (transpose xs)",
      })
  void columns(String body) {
    var sizes = List.of(new int[] {9, 1}, new int[] {8, 4095}, new int[] {9, 4097});
    each("entry main [n] [m] (xs: [n][m]T): [m]T = " + body, sizes);
    each("entry main [n] [m] (xs: [n][m]T): [m]T = " + body, List.of(new int[] {131, 8200}));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "map (map (+ 1)) (transpose xs)",
        "map2 (map2 (\\x y -> x * y + 1)) (transpose xs) (transpose xs)",
        "map2 (\\r i -> map2 (\\x j -> x + T.i64 (i * 100 + j)) r (iota n)) (transpose xs) (iota m)",
        "map (map (\\x -> (((((x + 1) * 2 - 3) * x + 5) * x - 7) * x + 9) * x - 11)) (transpose xs)",
        "map (map (\\x -> if x > 2 then x * x else x - 1)) (transpose xs)",
      })
  void transposed(String body) {
    var sizes = new ArrayList<int[]>();
    for (int n : new int[] {0, 1, 15, 16, 17, 33}) {
      for (int m : new int[] {1, 16, 31, 48}) {
        sizes.add(new int[] {n, m});
      }
    }
    each("entry main [n] [m] (xs: [n][m]T): [m][n]T = " + body, sizes);
    // so long and narrow that threads share them
    var narrow = List.of(new int[] {3, 9001}, new int[] {9001, 3});
    each("entry main [n] [m] (xs: [n][m]T): [m][n]T = " + body, narrow);
  }

  /** A batch of matrices, each of them transposed. */
  @ParameterizedTest
  @ValueSource(strings = {"map (\\x -> map (map (* 2)) (transpose x)) yss"})
  void batches(String body) {
    var text =
        "entry main [n] [m] (xs: [n][m]T): [3][m][n]T = "
            + "let yss = [xs, map (map (+ 1)) xs, map (map (+ 2)) xs] in "
            + body;
    each(text, List.of(new int[] {16, 32}, new int[] {18, 17}));
  }

  private static void each(String text, List<int[]> sizes) {
    for (var prim : List.of(Prim.F32, Prim.I64)) {
      var calls = new ArrayList<List<Value>>();
      for (var size : sizes) {
        int n = size[0] * size[1];
        var numbers = IntStream.range(0, n).mapToDouble(i -> i * 7 % 11 - 3).toArray();
        calls.add(List.of(ArrayValue.ofDoubles(prim, numbers).reshape(size[0], size[1])));
      }
      Compare.each(Optimised.text(text.replace("T", prim.text())), calls);
    }
  }
}
