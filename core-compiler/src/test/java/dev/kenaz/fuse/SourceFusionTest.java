package dev.kenaz.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.analysis.Effects;
import dev.kenaz.interpret.Counter;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Hist;
import dev.kenaz.ir.Exp.If;
import dev.kenaz.ir.Exp.Scatter;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Printer;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.ArrayValue;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests what fuses and what doesn't, by source programs: above all the cases of "A T2
 * Graph-Reduction Approach to Fusion" (002). Each operator is one word, in the order of the text,
 * with the operators inside it in brackets after it.
 */
final class SourceFusionTest {
  private static CoreProgram compiled(String text) {
    return Optimised.verified(text);
  }

  private static String operators(String text) {
    return shape(compiled(text).functions().getLast().body());
  }

  private static String widened(String text) {
    return shape(Pipelines.WIDENED.apply(compiled(text)).functions().getLast().body());
  }

  private static String shape(Body body) {
    return String.join(" ", words(body).toList());
  }

  private static Stream<String> words(Body body) {
    return body.stms().stream()
        .flatMap(
            s -> {
              var inside =
                  String.join(
                      " ", Effects.bodies(s.exp()).flatMap(SourceFusionTest::words).toList());
              var word = word(s.exp());
              return word.isEmpty()
                  ? inside.isEmpty() ? Stream.of() : Stream.of(inside)
                  : Stream.of(inside.isEmpty() ? word : word + "(" + inside + ")");
            });
  }

  private static String word(Exp exp) {
    return switch (exp) {
      case Screma s when s.isMap() -> "map";
      case Screma s when s.scans().isEmpty() -> "red";
      case Screma s when s.reduces().isEmpty() -> "scan";
      case Screma _ -> "scanred";
      case Hist _ -> "hist";
      case Scatter _ -> "scatter";
      case Exp.Filter _ -> "filter";
      case If _ -> "if";
      default -> "";
    };
  }

  // Figure 9 of 002 has the cases that must not fuse

  @Test
  void case1NotAcrossAnUpdateOfWhatTheProducerReads() {
    assertEquals(
        "map map",
        operators(
            """
            entry main [n] (a: *[n]f64) =
              let x = map f64.sin a
              let a[1] = 3.33
              in (map f64.cos x, a)
            """));
  }

  @Test
  void additionsToSlicesAreOneMap() {
    assertEquals(
        "map",
        operators(
            """
            entry main [n] (a: *[3][n]f64) (x: [n]f64) (y: [n]f64) =
              let a[0] = map2 (+) a[0] (map2 (*) x y)
              let a[1] = map2 (+) a[1] x
              let a[2] = map2 (+) a[2] y
              let a[0] = map2 (+) a[0] x
              in a
            """));
  }

  @Test
  void elementsWrittenOneByOneAreALiteral() {
    var text =
        Printer.print(
            compiled(
                """
                entry main (x: f64) (y: f64) =
                  let a = replicate 4 0f64
                  let a[1] = a[1] + x
                  let a[3] = a[3] + y
                  let a[1] = a[1] * y
                  in concat a [x]
                """));
    assertTrue(text.contains("[0.0f64, "), text);
    assertFalse(text.contains(" with ["), text);
    assertFalse(text.contains("concat"), text);
  }

  @Test
  void notAdditionsToRowsThatMayBeTheSame() {
    assertEquals(
        "map map",
        operators(
            """
            entry main [n] (a: *[3][n]f64) (x: [n]f64) (i: i64) (j: i64) =
              let a[i] = map2 (+) a[i] x
              let a[j] = map2 (+) a[j] x
              in a
            """));
  }

  @Test
  void case2NotTwoFiltersIntoAMap() {
    var text =
        operators(
            """
            entry main [n] (a: [n]f64) (b: [n]f64) =
              let x = filter (> 0) a
              let y = filter (> 0) b
              let k = i64.min (length x) (length y)
              in map2 (+) (take k x) (take k y)
            """);
    assertTrue(text.endsWith(" map"), text);
    assertEquals(2, text.split("filter", -1).length - 1, text);
  }

  @Test
  void case3NotIntoALoopOrLambda() {
    assertEquals(
        "map map",
        operators(
            """
            entry main [n] (a: [n]f64) (k: i64) =
              let x = map f64.sin a
              in loop arr = a for _i < k do map2 (+) arr x
            """));
    assertEquals(
        "map map(red)",
        operators(
            """
            entry main [n] (a: [n]f64) (b: [n]f64) =
              let x = map f64.sin a
              in map (\\y -> f64.sum (map (* y) x)) b
            """));
  }

  @Test
  void case4NotIntoTwoOnOnePathButIntoBranches() {
    assertEquals(
        "map if(map map) map",
        operators(
            """
            entry main [n] (a: [n]f64) (c: bool) =
              let x = map f64.sin a
              let y = if c then map (+ 1) x else map (* 2) x
              in (y, map f64.cos (reverse x))
            """));
    assertEquals(
        "if(map map)",
        operators(
            """
            entry main [n] (a: [n]f64) (c: bool) =
              let x = map f64.sin a
              in if c then map (+ 1) x else map (* 2) x
            """));
  }

  @Test
  void case5NotWhatIsUsedOtherThanAsAnInput() {
    assertEquals(
        "map map",
        operators(
            """
            entry main [n] (a: [n]f64) (i: i64) =
              let x = map f64.sin a
              let y = map f64.cos (reverse x)
              in x[i] + y[i]
            """));
  }

  /** The figure's program is joined horizontally, as the text says; across widths it is not. */
  @Test
  void case6EachOfTwoResultsInAnOperatorOfItsOwn() {
    assertEquals(
        "red",
        operators(
            """
            entry main [n] (a: [n]f64) =
              let (x, y) = unzip (map (\\e -> (e + 1, e * 2)) a)
              in (f64.sum x, f64.product y)
            """));
    assertEquals(
        "map map(red) red",
        operators(
            """
            entry main [n] (a: [n]f64) (b: []f64) =
              let (x, y) = unzip (map (\\e -> (f64.sin e, f64.cos e)) a)
              in (map (\\z -> f64.sum (map (* z) x)) b, f64.product (reverse y))
            """));
  }

  // Consumers and producers

  @Test
  void mapsIntoEveryKindOfConsumer() {
    assertEquals("map", operators("entry main [n] (xs: [n]f64) = map f64.sin (map f64.cos xs)"));
    assertEquals("red", operators("entry main [n] (xs: [n]f64) = f64.sum (map f64.cos xs)"));
    assertEquals("scan", operators("entry main [n] (xs: [n]f64) = scan (+) 0 (map f64.cos xs)"));
    assertEquals(
        "hist",
        operators(
            """
            entry main [n] (is: [n]i64) =
              hist (+) 0 10 (map (% 10) is) (map f64.i64 is)
            """));
    assertEquals(
        "scatter",
        operators(
            """
            entry main [n] (xs: *[n]f64) (is: [n]i64) =
              scatter xs (map (% 10) is) (map f64.i64 is)
            """));
  }

  @Test
  void replicatesDisappear() {
    assertEquals(
        "red",
        operators(
            """
            entry main [n] (xs: [n]f64) (y: f64) =
              f64.sum (map2 (*) xs (map (+ 1) (replicate n y)))
            """));
  }

  @Test
  void operatorsOfOneArrayAreOnePass() {
    assertEquals(
        "red",
        operators(
            """
            entry main [n] (xs: [n]f64) =
              let ys = map f64.sin xs
              in (f64.sum ys, f64.maximum xs, map (* 2) ys)
            """));
  }

  @Test
  void filtersIntoReductions() {
    var text = "def f [n] (xs: [n]f64) = f64.sum (map f64.sqrt (filter (> 0) xs))\n";
    assertEquals("red(if)", operators(text + "entry main [n] (xs: [n]f64) = f xs"));
    assertEquals(
        "red(if)",
        operators("entry main [n] (xs: [n]f64) = f64.product (filter (> 0) (map f64.sin xs))"));
  }

  /** The table of 002, figure 18, has the same numbers for its flat matrix product. */
  @Test
  void whatWasFusedIsCounted() {
    var options = CompileOptions.of(Backend.JVM);
    var source = ProgramSource.read(Path.of("src/test/resources/programs/fusion/flat_matmul.fut"));
    var counts = new TreeMap<String, Integer>();
    for (var pass : Compiler.run(source, Pipelines.optimised(options), options).passes()) {
      pass.counts().forEach((what, n) -> counts.merge(what, n, Integer::sum));
    }
    assertEquals(Map.of("map ∘ map", 3, "map ∘ replicate", 2, "reduce ∘ map", 1), counts);
  }

  // Across views

  @Test
  void acrossTransposeFlattenUnflattenAndSplit() {
    assertEquals(
        "map(red)",
        operators(
            "entry main [n][m] (xss: [n][m]f64) = map f64.sum (transpose (map (map f64.sin)"
                + " xss))"));
    assertEquals(
        "red",
        operators(
            "entry main [n][m] (xss: [n][m]f64) = f64.sum (flatten (map (map f64.sin) xss))"));
    assertEquals(
        "map(red)",
        operators(
            """
            entry main (n: i64) (m: i64) (xs: []f64) =
              map f64.sum (unflatten (map f64.sin (xs :> [n * m]f64)))
            """));
    assertEquals(
        "red",
        operators(
            """
            entry main (n: i64) (xs: []f64) =
              let (a, b) = split (map f64.sin (xs :> [n + n]f64))
              in f64.sum (map2 (*) a b)
            """));
  }

  /** The example of 002 §4.1: the result of a map has the size of what is mapped. */
  @Test
  void acrossSizeAndSplitIntoOneReductionOrTwo() {
    assertEquals(
        "red",
        operators(
            """
            entry main (n: i64) (a: [n + n]f64) =
              let x = map f64.sin a
              in f64.sum (map2 (*) (take n x) (drop n x :> [n]f64)) + f64.i64 (length x)
            """));
    assertEquals(
        "red red",
        operators(
            """
            entry main [n] (a: [n]f64) =
              let x = map f64.sin a
              let k = length x / 2
              in f64.sum (take k x) * f64.product (drop k x)
            """));
  }

  /** It costs nothing to compute again. */
  @Test
  void replicateFusesIntoLoopsAndLambdas() {
    assertEquals(
        "map",
        operators(
            """
            entry main [n] (a: [n]f64) (k: i64) =
              let r = replicate n 2.0
              in loop x = a for _i < k do map2 (*) x r
            """));
    assertEquals(
        "map(map)",
        operators(
            """
            entry main [n][m] (a: [n][m]f64) =
              let r = replicate m 2.0
              in map (\\x -> map2 (*) x r) a
            """));
  }

  @Test
  void filtersOfFiltersAndOfTuples() {
    assertEquals(
        "red(if(if))",
        operators("entry main [n] (a: [n]f64) = f64.sum (filter (< 5) (filter (> 0) a))"));
    assertEquals(
        "red(if)",
        operators(
            """
            entry main [n] (a: [n]f64) (b: [n]f64) =
              let (x, y) = unzip (filter (\\(x, _) -> x > 0) (zip a b))
              in f64.sum (map2 (*) x y)
            """));
    // into two reductions, which are one
    assertEquals(
        "red(if)",
        operators(
            "entry main [n] (a: [n]f64) ="
                + " let x = filter (> 0) a in (f64.sum x, f64.product x)"));
  }

  /** What several use fuses with all of them if they are one in the end: T2 reduction. */
  @Test
  void chainsWithSeveralUsesAreOne() {
    assertEquals(
        "map",
        operators(
            """
            entry main [n] (a: [n]f64) =
              let x = map f64.sin a
              let y = map (+ 1) x
              let z = map2 (*) x y
              in map3 (\\x y z -> x + y + z) x y z
            """));
  }

  @Test
  void notAcrossAViewOfWhatIsNeededElsewhere() {
    assertEquals(
        "map(map) map(red)",
        operators(
            """
            entry main [n][m] (xss: [n][m]f64) =
              let yss = map (map f64.sin) xss
              in (yss, map f64.sum (transpose yss))
            """));
  }

  @Test
  void flatMatrixMultiplicationIsMapMapRedomap() {
    assertEquals(
        "map(map(red))",
        operators(
            """
            entry main [n][m][k] (a: [n][m]f64) (b: [m][k]f64) =
              let bt = replicate n (transpose b)
              let ar = map (replicate k) a
              let abr = map2 (map2 (map2 (*))) ar bt
              in map (map f64.sum) abr
            """));
  }

  /** Both adjoints are matrix products (001 §6.1). */
  @Test
  void theDerivativeOfAMatrixProductIsTwoMatrixProducts() {
    assertEquals(
        "map(map(red)) map(map(red))",
        widened(
            """
            def mm [n][m][k] (a: [n][m]f64) (b: [m][k]f64) =
              map (\\r -> map (\\c -> f64.sum (map2 (*) r c)) (transpose b)) a
            entry main [n][m][k] (a: [n][m]f64) (b: [m][k]f64) (c: [n][k]f64) =
              vjp (\\(a, b) -> mm a b) (a, b) c
            """));
  }

  /** The histogram replaces an accumulator (001 §6.1). */
  @Test
  void theAdjointOfAGatherIsAHistogram() {
    assertEquals(
        "hist",
        operators(
            """
            entry main [n][m] (xs: [n]f64) (is: [n]i64) (ys: [m]f64) (a: f64) =
              vjp (\\ys -> f64.sum (map2 (\\x i -> x * ys[i]) xs is)) ys a
            """));
  }

  // More parallelism at the outside

  @Test
  void scansAndReductionsOfVectorsChangePlaces() {
    assertEquals(
        "map(scan)",
        widened("entry main [n][m] (a: [n][m]f64) = scan (map2 (+)) (replicate m 0) a"));
    assertEquals(
        "map(map(red))",
        widened(
            """
            entry main [n][m][k] (a: [n][m][k]f64) =
              reduce (map2 (map2 (+))) (replicate m (replicate k 0)) (map (map (map f64.sin)) a)
            """));
  }

  @Test
  void reductionsOfReductionsAreOne() {
    assertEquals(
        "red",
        widened(
            "entry main [n][m] (a: [n][m]f64) = f64.sum (map (\\r -> f64.sum (map f64.sin r)) a)"));
    assertEquals(
        "red(red)", widened("entry main [n][m] (a: [n][m]f64) = f64.sum (map f64.maximum a)"));
  }

  @Test
  void reductionsAreFlattenedAtAnyDepth() {
    assertEquals(
        "red",
        widened(
            "entry main [n][m][k] (a: [n][m][k]f64) ="
                + " f64.sum (map (\\r -> f64.sum (map f64.sum r)) a)"));
    assertEquals(
        "map(red)",
        widened(
            "entry main [l][n][m] (a: [l][n][m]f64) ="
                + " map (\\r -> f64.sum (map (\\x -> f64.sum (map f64.sin x)) r)) a"));
    // what isn't indexed by both would have to be repeated
    assertEquals(
        "red(red)",
        widened(
            "entry main [n][m] (a: [n]f64) (b: [m]f64) ="
                + " f64.sum (map (\\x -> f64.sum (map (\\y -> f64.sin (x * y)) b)) a)"));
  }

  @Test
  void vectorsAreTakenOutOfTuplesAndOfSeveralOperators() {
    assertEquals(
        "red(scanred) map(red)",
        widened(
            """
            entry main [n][m] (a: [n][m]f64) =
              reduce (\\(s, v) (t, w) -> (s + t, map2 (+) v w)) (0, replicate m 0)
                     (map (\\r -> (f64.sum r, scan (+) 0 r)) a)
            """));
    assertEquals(
        "map(red) map(red)",
        widened(
            """
            entry main [n][m] (a: [n][m]f64) (b: [n][m]f64) =
              reduce (\\(v, x) (w, y) -> (map2 (+) v w, map2 (*) x y)) (replicate m 0, replicate m 1)
                     (zip a b)
            """));
    // one pass over the rows: both are maps over the columns
    assertEquals(
        "map(scanred)",
        widened(
            """
            entry main [n][m] (a: [n][m]f64) =
              (scan (map2 (+)) (replicate m 0) a, reduce (map2 f64.max) (replicate m 0) a)
            """));
  }

  @Test
  void operatorsOnSmallArraysAreOnTuples() {
    var mm = "map (\\r -> map (\\c -> f64.sum (map2 (*) r c)) (transpose b)) a";
    assertEquals(
        "red(map(map(red)))",
        widened(
            "entry main [n] (x: [n][2][2]f64) = reduce (\\a b -> " + mm + ") [[1, 0], [0, 1]] x"));
    assertEquals(
        "map(scan(map(map(red))) map)",
        widened(
            "entry main [l][n] (x: [l][n][2][2]f64) = map (scan (\\a b -> "
                + mm
                + ") [[1, 0], [0, 1]]) x"));
  }

  /** Products of matrices: as many as rows, or less than twice as many. */
  @Test
  void operatorsOnArraysAreAppliedOnceOrTwiceARow() {
    var text =
        """
        def mm [k] (a: [k][k]f64) (b: [k][k]f64) =
          map (\\r -> map (\\c -> f64.sum (map2 (*) r c)) (transpose b)) a
        def eye k = tabulate_2d k k (\\i j -> f64.bool (i == j))
        entry main [n][k] (x: [n][k][k]f64) = %s mm (eye k) x
        """;
    for (var operator : List.of("reduce", "scan")) {
      var program = Pipelines.WIDENED.apply(compiled(text.formatted(operator)));
      for (int n : new int[] {64, 100, 128}) {
        var counter = new Counter();
        int k = 4;
        var x = ArrayValue.ofDoubles(new double[n * k * k], n, k, k);
        Interpreter.call(program, "main", List.of(x), counter);
        double products = counter.scalarOps() / (2.0 * k * k * k);
        assertTrue(products < (operator.equals("scan") ? 2.4 : 1.4) * n, operator + products);
      }
    }
  }

  /**
   * Of two branches on one condition the later takes the accumulator of the earlier, which is no
   * result of both then: this is a derivative of a derivative of a maximum.
   */
  @Test
  void joinedBranchesHandAccumulatorsOn() {
    var program =
        """
        def dot [d] (xs: [d]f64) (ys: [d]f64) = f64.sum (map2 (*) xs ys)
        def row [d] (w: [d]f64) (k: f64) =
          let m =
            f64.maximum (map2 (\\a b -> a * f64.sum (map (* b) w)) (map (* k) w) w)
          in m * m
        def f [v][d] (w: [d]f64) (ks: [v]f64) = f64.sum (map (row w) ks)
        def gradient [v][d] (w: [d]f64) (ks: [v]f64) = vjp (\\w -> f w ks) w 1.5
        entry main [v][d] (w: [d]f64) (ks: [v]f64) = vjp (\\w -> dot w (gradient w ks)) w 1
        """;
    Agreement.interpreted(
        Optimised.differentiated(program),
        compiled(program),
        List.of(Agreement.numbers(3), Agreement.numbers(5)));
  }
}
