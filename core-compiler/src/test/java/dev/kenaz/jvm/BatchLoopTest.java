package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.flatten.FlattenOptions;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.segir.SegPrinter;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches of matrix products inside a map give what the interpreter computes, in turns or not. */
final class BatchLoopTest {
  private static final String PRELUDE =
      """
      def dot [d] (w: [d]f64) (x: [d]f64) = f64.sum (map2 (*) w x)
      def apply [e] [d] (m: [e][d]f64) (x: [d]f64) = map (\\r -> dot r x) m
      entry main [n] [k] [d] (xs: [n][d]f64) (ms: [k][d][d]f64) (ws: [k][d]f64): []f64 =
      """;

  @ParameterizedTest
  @ValueSource(
      strings = {
        // a number for each matrix, then a choice among them
        "map (\\x -> f64.maximum (map2 (\\m w -> dot w (apply m (map2 (-) x w))) ms ws)) xs",
        // what each matrix makes is read in another order, and afterwards
        "flatten (map (\\x -> let ys = map2 (\\m w -> map2 (-) (apply m x) w) ms ws"
            + " let s = f64.sum (map (\\y -> dot y y) ys)"
            + " in map (\\i -> s + f64.sum (map (\\y -> y[i]) ys)) (iota d)) xs)",
        // all of them are the result
        "flatten_3d (map (\\x -> map2 (\\m w -> map2 (*) w (apply m x)) ms ws) xs)",
        // a copy of what is overwritten afterwards, and one of what isn't
        "map (\\x -> let (a, b, c) = unzip3 (map2 (\\m w -> let y = apply m x let z = copy y"
            + " let y[0] = w[1] in (z, y, copy y)) ms ws)"
            + " in f64.sum (map3 (\\a b c -> dot a b + dot b c) a b c)) xs",
        // gradients, of a function that keeps what matrices make
        "(\\(a, b, c) -> flatten a ++ flatten_3d b ++ flatten c) (vjp (\\(xs, ms, ws) ->"
            + " f64.sum (map (\\x -> f64.log (f64.sum (map2 (\\m w -> f64.exp (-0.01 *"
            + " (let y = apply m (map2 (-) x w) in dot y y))) ms ws))) xs)) (xs, ms, ws) 1)",
        // an error at one point of the batch
        "map (\\x -> f64.sum (map3 (\\m w i -> (apply m (map2 (-) x w))[if i < 2 then i else d])"
            + " ms ws (iota k))) xs",
        // two products with the same matrix, of which one is transposed
        "map (\\x -> f64.sum (map2 (\\m w -> dot w (apply (transpose m) (apply m x))) ms ws)) xs",
        // a scan and a histogram beside the product
        "map (\\x -> f64.sum (map2 (\\m w -> let y = scan (+) 0 (apply m x)"
            + " in (reduce_by_index (replicate 5 0) (+) 0 (map (% 5) (iota d)) y)[3] * w[0])"
            + " ms ws)) xs",
      })
  void sameAsTheInterpreter(String body) {
    var program = Optimised.text(PRELUDE + body);
    var calls = new ArrayList<List<Value>>();
    int[][] sizes = {{0, 3, 16}, {140, 3, 20}, {65, 0, 17}, {260, 2, 16}, {3, 5, 4}, {9, 2, 0}};
    for (var s : sizes) {
      calls.add(
          List.of(
              numbers(s[0] * s[2]).reshape(s[0], s[2]),
              numbers(s[1] * s[2] * s[2]).reshape(s[1], s[2], s[2]),
              numbers(s[1] * s[2]).reshape(s[1], s[2])));
    }
    Compare.each(program, calls);
  }

  /** One thread has a loop over the matrices inside of that over blocks; several share kernels. */
  @Test
  void oneThreadTakesMatricesInTurns() {
    var text = "map (\\x -> f64.maximum (map2 (\\m w -> dot w (apply m (map2 (-) x w))) ms ws)) xs";
    var program = Optimised.text(PRELUDE + text);
    assertEquals(2, loops(program, 1));
    assertEquals(1, loops(program, 2));
  }

  private static long loops(CoreProgram program, int workers) {
    var seg = Pipelines.parallel(FlattenOptions.jvm(workers)).apply(program);
    return SegPrinter.print(seg).lines().filter(line -> line.strip().equals("loop")).count();
  }

  private static ArrayValue numbers(int n) {
    return ArrayValue.ofDoubles(
        Prim.F64, IntStream.range(0, n).mapToDouble(i -> i * 7 % 23 / 4.0 - 2).toArray());
  }
}
