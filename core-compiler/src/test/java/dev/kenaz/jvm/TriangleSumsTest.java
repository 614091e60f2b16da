package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.loopir.LoopPrinter;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is added up of a matrix is only what the program reads, if that is a triangle of it. */
final class TriangleSumsTest {
  /** Two matrices become one; the second may be used in any way. */
  private static final String SQUARE =
      """
      def loss [n] [d] (xs: [n][d]f64) (m: [d][d]f64) =
        f64.sum (map (\\x -> f64.sum (map (\\r -> let y = f64.sum (map2 (*) r x) in y * y) m)) xs)
      entry main [n] [d] (xs: [n][d]f64) (q: [d][d]f64) (p: [d][d]f64) =
        vjp (\\(q, p) -> loss xs (MATRIX)) (q, p) 1
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          tabulate_2d d d (\\i j -> if j < i then q[i, j] else 0);                        true
          tabulate_2d d d (\\i j -> if i > j then q[i, j] else p[0, 0]);                  false
          tabulate_2d d d (\\i j -> if j <= i then q[i, j] else 0);                       true
          tabulate_2d d d (\\i j -> if j > i then q[i, j] else 0);                        true
          tabulate_2d d d (\\i j -> if j >= i then q[i, j] else 0);                       true
          tabulate_2d d d (\\i j -> if j >= i then 0 else q[j, i]);                       true
          tabulate_2d d d (\\i j -> if j < i then q[i, j] else if i < j then p[i, j] else 1); false
          tabulate_2d d d (\\i j -> if j < i then q[i, j] else p[i, j]);                  false
          tabulate_2d d d (\\i j -> if j < i && p[i, j] > 0 then q[i, j] else 0);         true
          tabulate_2d d d (\\i j -> if j < i && i < 40 then q[i, j] else 0);              true
          tabulate_2d d d (\\i j -> if j < i || p[i, j] > 0 then q[i, j] else 0);         false
          tabulate_2d d d (\\i j -> if j < i then q[i, j] * p[j, i] else 2);              true
          tabulate_2d d d (\\i j -> if j < i + 1 then q[i, j] else 0);                    false
          tabulate_2d d d (\\i j -> if j < 9 then q[i, j] else 0);                        false
          tabulate_2d d d (\\i j -> if j != i then q[i, j] else 0);                       false
          tabulate_2d d d (\\i j -> if j < d - i then q[i, j] else 0);                    false
          map2 (\\i r -> map2 (\\j x -> if j < i then x else 0) (iota d) r) (iota d) q;   true
          map2 (\\i r -> map2 (\\j x -> if j < i then x else 0) (map (1+) (iota d)) r) (iota d) q; false
          map2 (\\i r -> map2 (\\j x -> if j < i then x else 0) (iota d) r) (reverse (iota d)) q; false
          transpose (tabulate_2d d d (\\i j -> if j < i then q[i, j] else 0));            true
          map reverse (tabulate_2d d d (\\i j -> if j < i then q[i, j] else 0));          false
          q;                                                                              false
          """)
  void sameAsTheInterpreter(String matrix, boolean triangle) {
    var program = Optimised.text(SQUARE.replace("MATRIX", matrix));
    assertEquals(triangle, hasTriangle(program), matrix);
    var calls = new ArrayList<List<Value>>();
    for (int[] s : new int[][] {{33, 45}, {5, 70}, {0, 32}, {20, 3}}) {
      calls.add(List.of(matrix(s[0], s[1], 3), matrix(s[1], s[1], 7), matrix(s[1], s[1], 5)));
    }
    Compare.each(program, calls);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          a;                                                                     false
          tabulate_2d d d (\\i j -> if j < i then a[i, j] else a[0, 1]);         false
          map (\\i -> loop s = 0 for j < i do s + a[i, j]) (iota d);             false
          tabulate_2d d d (\\i j -> let x = a[i, j] in if j < i then x else 0);  true
          tabulate_2d d d (\\i j -> if i < j then a[j, i] else 0);               true
          tabulate_2d d d (\\i j -> if i < j then a[i, i] else 0);               false
          tabulate_2d d d (\\i j -> if j < i then a[i, j] + a[j, i] else 0);     false
          (map f64.sum a, map (\\r -> r[0]) a);                                  false
          loop b = a for i < 3 do map (map (* 2)) b;                             false
          map2 (\\i r -> f64.sum (map2 (\\j x -> if j < i then x else 0) (iota d) r)) (iota d) a; true
          """)
  void readInOtherWays(String body, boolean triangle) {
    var derivative = "let a = vjp (\\m -> loss xs m) q 1 in ";
    var text = SQUARE.substring(0, SQUARE.indexOf("vjp")) + derivative + body;
    var program = Optimised.text(text);
    assertEquals(triangle, hasTriangle(program), body);
    var calls = new ArrayList<List<Value>>();
    for (int[] s : new int[][] {{33, 45}, {4, 5}}) {
      calls.add(List.of(matrix(s[0], s[1], 3), matrix(s[1], s[1], 7), matrix(s[1], s[1], 5)));
    }
    Compare.each(program, calls);
  }

  private static boolean hasTriangle(CoreProgram program) {
    return LoopPrinter.print(Pipelines.loops(2).apply(program)).contains(" where row");
  }

  private static ArrayValue matrix(int n, int m, int step) {
    var numbers = IntStream.range(0, n * m).mapToDouble(i -> i * step % 23 / 4.0 - 2).toArray();
    return ArrayValue.ofDoubles(Prim.F64, numbers).reshape(n, m);
  }
}
