package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Distances between points and others are computed by blocks, whatever is done with them. */
final class DistancesTest {
  private static final String DISTANCE =
      """
      def dist [d] (a: [d]T) (b: [d]T): T = T.sum (map2 (\\x y -> (x - y) * (x - y)) a b)
      def cost [n] [k] [d] (xs: [n][d]T) (cs: [k][d]T): T =
        T.sum (map (\\x -> T.minimum (map (dist x) cs)) xs)
      def nearest [k] [d] (cs: [k][d]T) (x: [d]T): i64 =
        (reduce (\\(a, i) (b, j) -> if b < a || b == a && j < i then (b, j) else (a, i)) (T.inf, k)
                (zip (map (dist x) cs) (iota k))).1
      entry main [n] [k] [d] (xs: [n][d]T) (cs: [k][d]T) =
      """;

  /** Points, others and coordinates; the second half are enough for blocks. */
  private static final int[][] SIZES = {
    {0, 3, 2},
    {1, 1, 1},
    {5, 0, 4},
    {9, 20, 0},
    {15, 40, 20},
    {40, 3, 40},
    {40, 40, 15},
    {16, 4, 33},
    {16, 32, 16},
    {127, 17, 33},
    {130, 16, 40},
    {260, 31, 17}
  };

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cost xs cs",
        "map (\\x -> T.minimum (map (\\c -> dist c x) cs)) xs",
        "map (\\x -> map (dist x) cs) xs",
        "map (\\x -> T.sum (map (\\c -> T.exp (- dist x c / 1000)) cs)) xs",
        "map (\\x -> T.minimum (map (dist x) xs)) xs",
        "map (nearest cs) xs",
        "reduce_by_index (replicate (k + 1) 0i64) (+) 0 (map (nearest cs) xs) (replicate n 1)",
        "vjp (cost xs) cs 1",
        "vjp (\\xs -> cost xs cs) xs 1",
        "let (g, h) = jvp2 (\\c -> vjp (cost xs) c 1) cs (replicate k (replicate d 1)) in (g, h)",
        "map (\\x -> (T.maximum (map (dist x) cs), T.sum x)) xs",
      })
  void blocks(String body) {
    var prim = body.length() % 2 == 0 ? Prim.F32 : Prim.F64;
    var program = program(body, prim);
    assertTrue(distances(program) > 0, body);
    Compare.each(program, calls(prim));
  }

  /** Rows may lie apart, and their elements, too. */
  @Test
  void columnsOfMatrices() {
    var body = "map (\\x -> T.minimum (map (dist x) (transpose cs))) (transpose xs)";
    var text =
        DISTANCE.replace("(xs: [n][d]T) (cs: [k][d]T) =\n", "(xs: [d][n]T) (cs: [d][k]T) =\n");
    var program = Optimised.text((text + body).replace("T", Prim.F64.text()));
    assertTrue(distances(program) > 0);
    var calls = new ArrayList<List<Value>>();
    for (var s : SIZES) {
      calls.add(List.of(matrix(Prim.F64, s[2], s[0]), matrix(Prim.F64, s[2], s[1])));
    }
    Compare.each(program, calls);
  }

  /** These are no sums of squared differences, or a check lets only some of them happen. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "map (\\x -> T.minimum (map (\\c -> T.sum (map2 (\\a b -> T.abs (a - b)) x c)) cs)) xs",
        "map (\\x -> T.minimum (map (\\c -> T.sum (map2 (\\a b -> (a - b) * (b - a)) x c)) cs)) xs",
        "map (\\i -> T.minimum (map (dist xs[(i * 7) % (n + 1)]) cs)) (iota n)",
        "map (\\x -> T.minimum (map (\\c -> if c[0] > 0 then dist x c else 0) cs)) xs",
        "map (\\x -> T.sum (map (dist x) (filter (\\c -> c[0] > x[0]) cs))) xs",
        "map (\\x -> T.minimum (map2 (\\c w -> dist x c + w) cs (map T.sum cs))) xs",
        // nothing is left of the sum
        "map (\\x -> (loop (e, m) = (T.highest, 0) for i < length cs do"
            + " let q = T.sum (map2 (\\_ _ -> 0) x cs[i]) in if q < e then (q, i) else (e, m)).1) xs",
      })
  void otherSums(String body) {
    var program = program(body, Prim.F64);
    assertEquals(0, distances(program), body);
    Compare.each(program, calls(Prim.F64));
  }

  /** What isn't a number, or is infinite, spoils no other distance. */
  @Test
  void oddNumbers() {
    var program = program("map (\\x -> map (dist x) cs) xs", Prim.F32);
    var xs = new double[40 * 20];
    var cs = new double[20 * 20];
    xs[25] = Double.NaN;
    xs[70] = Double.POSITIVE_INFINITY;
    cs[70] = Double.POSITIVE_INFINITY;
    xs[110] = 0x1p-140;
    cs[3] = 0x1p100;
    Compare.each(
        program,
        List.of(
            List.of(
                ArrayValue.ofDoubles(Prim.F32, xs, 40, 20),
                ArrayValue.ofDoubles(Prim.F32, cs, 20, 20))));
  }

  private static CoreProgram program(String body, Prim prim) {
    return Optimised.text((DISTANCE + body).replace("T", prim.text()));
  }

  private static long distances(CoreProgram program) {
    var found = new ArrayList<Code>();
    for (var f : Pipelines.loops(1).apply(program).functions()) {
      CodeWalk.code(
          Distances.in(Contraction.in(f)).body(),
          c -> {
            if (c instanceof Code.MatrixProduct m
                && m.term() == Code.MatrixProduct.Term.SQUARED_DIFFERENCE) {
              found.add(c);
            }
          },
          _ -> {});
    }
    return found.size();
  }

  private static List<List<Value>> calls(Prim prim) {
    var calls = new ArrayList<List<Value>>();
    for (var s : SIZES) {
      calls.add(List.of(matrix(prim, s[0], s[2]), matrix(prim, s[1], s[2])));
    }
    return calls;
  }

  /** Small whole numbers, whose squares are summed exactly. */
  private static Value matrix(Prim prim, int rows, int columns) {
    var numbers = new Random(rows * 31L + columns).ints((long) rows * columns, -9, 10);
    return ArrayValue.ofDoubles(prim, numbers.asDoubleStream().toArray(), rows, columns);
  }
}
