package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.loopir.LoopPrinter;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks of many elements are folded and scanned as trees, in the order of the elements. */
@Execution(CONCURRENT)
final class TreeFoldsTest {
  private static final int[] SIZES = {0, 1, 511, 512, 513, 1023, 1024, 3000, 40_000};

  /** Affine functions of integers, which wrap around: another order would show in the result. */
  private static final String AFFINE = "(\\(a, b) (c, d) -> (a * d + c, b * d)) (0, 1) ";

  private static final String PREFIX = "entry main [n] (xs: [n]i64) = ";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "reduce " + AFFINE + "(map (\\x -> (x, 2 * x + 1)) xs)",
        "reduce " + AFFINE + "(zip (reverse xs) xs)",
        "reduce_comm (\\(a, b) (c, d) -> (a * c - b * d, a * d + b * c)) (1, 0)"
            + " (zip xs (map (+ 1) xs))",
        "reduce (\\a b -> a * b + a + b) 0 xs",
        // both reductions are of one loop
        "let ys = map (+ 1) xs in (i64.sum ys, reduce " + AFFINE + "(zip ys xs))",
        // a part is not used
        "(reduce " + AFFINE + "(zip xs xs)).0",
      })
  void folds(String body) {
    check(body, true);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "unzip (scan " + AFFINE + "(map (\\x -> (x, 2 * x + 1)) xs))",
        "unzip (scan " + AFFINE + "(zip (reverse xs) xs))",
        "scan (\\a b -> a * b + a + b) 0 (map (+ 1) xs)",
        "scan i64.max (-3) xs",
        "(unzip (scan " + AFFINE + "(zip xs (map (+ 3) xs)))).0",
        "(unzip (scan " + AFFINE + "(zip xs (map (+ 3) xs)))).1",
      })
  void scans(String body) {
    check(body, true);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // bools are no elements of such vectors
        "reduce (\\(a, b) (c, d) -> (a && c, b + d)) (true, 0) (zip (map (> 3) xs) xs)",
        // rows
        "reduce (map2 (\\a b -> a * b + a + b)) (replicate 2 0) (map (\\x -> [x, 1]) xs)",
        // the later of two results is mostly the same
        "reduce_comm (\\(a, i) (b, j) -> if a < b || (a == b && i < j) then (a, i) else (b, j))"
            + " (100, -1) (zip xs (iota n))",
        // a loop for each element
        "reduce (\\a b -> a * b + a + b) 0 (map (\\x -> loop y = x for i < x % 5 do y * y + i) xs)",
        "i64.sum xs",
      })
  void others(String body) {
    check(body, false);
  }

  private static void check(String body, boolean inTrees) {
    var program = Optimised.text(PREFIX + body);
    boolean trees =
        Pipelines.loops(2).apply(program).functions().stream()
            .map(f -> LoopPrinter.print(f.body()))
            .anyMatch(t -> t.contains("ensure tree.") || t.contains("ensure sums."));
    assertEquals(inTrees, trees, body);
    var calls = new ArrayList<List<Value>>();
    for (int n : SIZES) {
      calls.add(List.of(longs(n, i -> i * i % 7 - 2)));
    }
    Compare.each(program, calls);
  }

  private static ArrayValue longs(int n, LongUnaryOperator x) {
    return ArrayValue.ofLongs(Prim.I64, LongStream.range(0, n).map(x).toArray());
  }

  @Test
  void checksStopTheFirstPoint() {
    var program =
        Optimised.text(
            "entry main [n] (xs: [n]i64) (is: [n]i64) ="
                + " reduce (\\a b -> a * b + a + b) 0 (map (\\i -> xs[i]) is)");
    for (int n : new int[] {600, 2000}) {
      var inside = longs(n, i -> (i * 7) % n);
      var outside = longs(n, i -> i == n - 70 ? n : i);
      Compare.each(program, List.of(List.of(longs(n, i -> i), inside)));
      Compare.each(program, List.of(List.of(longs(n, i -> i), outside)));
    }
  }

  /** An extremum and its place: ties, zeros of both signs, and what is no number. */
  @ParameterizedTest
  @ValueSource(strings = {"min", "max"})
  void places(String op) {
    var text =
        "entry main [n] (xs: [n]f32) ="
            + " vjp2 (\\xs -> reduce f32.OP (f32.OP (-1) 1 * -f32.inf) xs) xs 1";
    var program = Optimised.text(text.replace("OP", op));
    var calls = new ArrayList<List<Value>>();
    for (int n : SIZES) {
      calls.add(List.of(floats(n, i -> (i * 7919) % 1009)));
      calls.add(List.of(floats(n, i -> -(double) i)));
      calls.add(List.of(floats(n, i -> i)));
      calls.add(List.of(floats(n, i -> i % 3 == 0 ? 0.0 : -0.0)));
      calls.add(List.of(floats(n, i -> i % 700 < 600 ? Double.NaN : (i * 13) % 17)));
      calls.add(List.of(floats(n, _ -> Double.NaN)));
      calls.add(List.of(floats(n, i -> i < 900 ? Double.POSITIVE_INFINITY : -1)));
      calls.add(List.of(floats(n, i -> i < 900 ? Double.NEGATIVE_INFINITY : 1)));
    }
    Compare.each(program, calls);
  }

  /** The neutral element of an operator that a program has itself may have any index. */
  @ParameterizedTest
  @ValueSource(strings = {"-1", "-2", "0", "n", "i64.highest"})
  void placesOfPrograms(String index) {
    var program =
        Optimised.text(
            "def op (a: f32, i: i64) (b: f32, j: i64) = let m = f32.min a b"
                + " in (m, if m == b then (if m == a then i64.min i j else j) else i)"
                + " entry main [n] (xs: [n]f32) = reduce op (f32.inf, INDEX) (zip xs (iota n))"
                    .replace("INDEX", index));
    var calls = new ArrayList<List<Value>>();
    for (int n : SIZES) {
      calls.add(List.of(floats(n, _ -> Double.POSITIVE_INFINITY)));
      calls.add(List.of(floats(n, i -> (i * 7919) % 1009)));
    }
    Compare.each(program, calls);
  }

  private interface Number {
    double of(int i);
  }

  private static ArrayValue floats(int n, Number x) {
    return ArrayValue.ofDoubles(Prim.F32, IntStream.range(0, n).mapToDouble(x::of).toArray());
  }
}
