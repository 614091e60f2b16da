package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K6302;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.Kenaz;
import dev.kenaz.ad.Derivation;
import dev.kenaz.ad.DerivedEntry;
import dev.kenaz.arrow.ArrowData;
import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.arrow.ResultParts;
import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.LocalPieces;
import dev.kenaz.distribute.PlanRunner;
import dev.kenaz.error.UserError;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every kind of plan: Spark, over any number of partitions, gives what the interpreter gives over
 * the whole. The programs are those of the planner's own tests, as a user would write them.
 */
final class PlansOnSparkTest {
  private static final int D = 3;

  /** Behind {@code entry main [n][d] (points: [n][d]f64) (keys: [n]i64) (weights: [d]f64) =}. */
  private static final List<String> BODIES =
      List.of(
          // a reduction of rows
          "f64.sum (map (\\p -> f64.sum (map2 (*) p weights)) points)",
          // what needs the combined value is another stage
          """
          let mean = f64.sum (map (\\p -> p[0]) points) / f64.i64 n
          in (mean, f64.sum (map (\\p -> (p[0] - mean) * (p[0] - mean)) points))
          """,
          // rows stay in pieces: numbers, rows, and both beside a combined value
          "map2 (\\p k -> p[1] + f64.i64 k) points keys",
          "map (\\p -> map2 (*) p weights) points",
          "(map (+ 1) keys, map (map f64.abs) points, i64.sum keys)",
          // rows that need a combined value first
          "let m = i64.maximum keys in map2 (\\k p -> f64.i64 (m - k) * p[0]) keys points",
          // the number of a row
          "map2 (\\i k -> i * k) (iota n) keys",
          // histograms
          "reduce_by_index (replicate 4 10) (+) 0 keys (map (const 1i64) keys)",
          "hist i64.max i64.lowest 5 keys (iota n)",
          // scans keep the order, as do operators that don't commute
          "scan (+) 0 keys",
          "scan (\\a b -> if b == 0 then a else b) 0 keys",
          "reduce (\\a b -> if a == -9 then b else a) (-9) keys",
          // a map over something else around the rows
          "map (\\w -> f64.sum (map (\\k -> f64.i64 k * w) keys)) weights",
          // loops of stages
          """
          loop w = 0.25f64 for _i < 3i32 do
            w + 0.1 * f64.sum (map (\\p -> p[0] - w) points) / f64.i64 (1 + n)
          """,
          """
          loop w = 1f64 while w < 20 do
            2 * w + f64.abs (f64.sum (map (\\p -> p[0] * w) points))
          """,
          // derivatives
          """
          vjp2 (\\w -> f64.sum (map (\\p -> f64.tanh (f64.sum (map2 (*) p w))) points)) weights 1
          """,
          "(n, d, weights)");

  private static JavaSparkContext spark;
  @TempDir Path folder;

  static Stream<String> programs() {
    return BODIES.stream()
        .map(
            body ->
                "entry main [n][d] (points: [n][d]f64) (keys: [n]i64) (weights: [d]f64) =\n  "
                    + body.strip().replace("\n", "\n  ")
                    + "\n");
  }

  @BeforeAll
  static void start() {
    spark =
        new JavaSparkContext(
            new SparkConf()
                .setMaster("local[2]")
                .setAppName("test")
                .set("spark.ui.enabled", "false")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.driver.host", "127.0.0.1"));
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  private static SourceText text(String program) {
    return new SourceText(ProgramSource.of("main.fut", program), "main", Set.of(0, 1), Backend.JVM);
  }

  private static CutColumns columns(Random random, int rows, int partitions) {
    var cuts = new int[partitions + 1];
    cuts[partitions] = rows;
    for (int i = 1; i < partitions; i++) {
      cuts[i] = random.nextInt(rows + 1); // equal ones make empty partitions
    }
    Arrays.sort(cuts);
    return new CutColumns(
        random.doubles((long) rows * D, -1, 1).toArray(),
        D,
        random.longs(rows, -1, 5).toArray(),
        cuts);
  }

  private static List<Value> arguments(SourceText text, CutColumns data, Value... given) {
    var shapes = data.whole().stream().map(Value::shape).toList();
    return text.plan().arguments(shapes, List.of(given));
  }

  @ParameterizedTest
  @MethodSource("programs")
  void sparkAgreesWithTheInterpreter(String program) {
    var random = new Random(program.hashCode());
    var text = text(program);
    try (var whole = Compiler.compile(text.source(), CompileOptions.of(Backend.INTERPRET))) {
      for (int partitions = 1; partitions <= 5; partitions++) {
        var data = columns(random, 1 + random.nextInt(12), partitions);
        var weights = ArrayValue.ofDoubles(random.doubles(D, -1, 1).toArray(), D);
        var arguments = new ArrayList<>(data.whole());
        arguments.add(weights);
        var expected = Interpreter.call(whole.core(), "main", arguments);
        var runner = new SparkRunner(spark, data, 1 << 20);
        var engine = new SparkEngine(runner, text, data.rowsOfShards());
        var got = engine.results(text.plan(), text.caller(1), arguments(text, data, weights));
        assertEquals(expected.size(), got.size());
        for (int i = 0; i < got.size(); i++) {
          var difference = ValueComparison.difference(expected.get(i), got.get(i), 1e-9);
          assertTrue(difference.isEmpty(), difference + " over " + Arrays.toString(data.cuts()));
        }
      }
    }
  }

  @Test
  void rowsCanBeWrittenWhereTheyAre() {
    var data = columns(new Random(2), 9, 4);
    var text = text(programs().toList().get(4));
    var sink = new ArrowParts(ResultParts.of(text.plan(), folder));
    var runner = new SparkRunner(spark, data, 1 << 20);
    var cuts = List.of(Cuts.ofRows(data.rowsOfShards()));
    var engine = new SparkEngine(runner, text, cuts, sink);
    var weights = ArrayValue.ofDoubles(new double[] {1, 2, 3}, D);
    var results =
        new PlanRunner(text.plan(), engine, text.caller(1)).run(arguments(text, data, weights));
    long sum = Arrays.stream(data.keys()).sum();
    assertEquals(ScalarValue.i64(sum), results.get(2).orElseThrow());
    var written = ArrowDataset.open(folder.resolve("result1").toString()).toVector(Prim.I64);
    var keys = Arrays.stream(data.keys()).map(k -> k + 1).toArray();
    assertArrayEquals(keys, written.toLongArray());
  }

  @Test
  void sizesThatDisagreeAreToldBeforeAnythingRuns() {
    var data = columns(new Random(2), 9, 2);
    var text = text(programs().toList().getFirst());
    var four = ArrayValue.ofDoubles(new double[4], 4);
    var error = assertThrows(UserError.class, () -> arguments(text, data, four));
    assertEquals(K6302, error.diagnostics().getFirst().code());
  }

  /** Executors of other processes make the plan of a derivative from the program's text. */
  @Test
  void aTextWithDerivationsIsThatOfADerivative() {
    var source =
        ProgramSource.of(
            "main.fut", "entry f [n] (xs: [n]f64) (w: f64): f64 = f64.sum (map (** w) xs)");
    var derivations =
        List.of(
            new Derivation("f", DerivedEntry.Form.GRADIENT, Set.of(1)),
            new Derivation("f_gradient", DerivedEntry.Form.GRADIENT, Set.of(0)));
    var name = "f_gradient_gradient";
    var text = new SourceText(source, derivations, name, Set.of(0), false, Backend.JVM, 1 << 20);
    var columns = List.<Value>of(ArrayValue.ofDoubles(new double[] {1, 2, 3}));
    var results =
        new LocalPieces(columns, Cuts.even(3, 2), text.caller(1))
            .results(text.plan(), text.plan().arguments(List.of(), List.of(ScalarValue.f64(2))));
    // The derivative of x ** w * log x by x is x ** (w - 1) * (w * log x + 1).
    var expected = ArrayValue.ofDoubles(new double[] {1, 4 * Math.log(2) + 2, 6 * Math.log(3) + 3});
    var difference = ValueComparison.difference(List.of(expected), results, 1e-12);
    assertTrue(difference.isEmpty(), difference::toString);
  }

  @Test
  void aJavaProgramCallsAnEntryOverFiles() {
    var file = folder.resolve("xs.arrow");
    var table = new LinkedHashMap<String, Value>();
    table.put("x", ArrayValue.ofDoubles(new double[] {1, 2, 3, 4, 5}));
    ArrowOutput.write(file, table, false);
    var seeds = folder.resolve("seeds.arrow");
    var seed = new double[] {1, 0, 0, 0, 1};
    ArrowOutput.write(seeds, new LinkedHashMap<>(Map.of("s", ArrayValue.ofDoubles(seed))), false);
    try (var program =
        Kenaz.compile(
            "entry shifted [n] (xs: [n]f64) (by: f64): (f64, [n]f64) ="
                + " (f64.sum xs, map (+ by) xs)\n"
                + "entry scaled [n] (xs: [n]f64) (by: f64): f64 = by * f64.sum xs")) {
      var data = ArrowData.of("xs", file.toString(), "x").pieces(3);
      var whole = program.entry("shifted").call(new double[] {1, 2, 3, 4, 5}, 0.5);
      assertEquals(whole, program.entry("shifted").over(data).call(0.5));
      assertEquals(whole, program.entry("shifted").over(new SparkData(spark, data)).call(0.5));
      var gradient = program.entry("scaled").gradient("by");
      assertEquals("15.0f64", gradient.over(data).call(2).toString());
      assertEquals("15.0f64", gradient.over(new SparkData(spark, data)).call(2).toString());
      var second = program.entry("scaled").gradient("xs").vjp("by");
      assertEquals(
          second.inPieces("xs", "seed").call(new double[] {1, 2, 3, 4, 5}, 2, seed),
          second.over(new SparkData(spark, data.and("seed", seeds.toString(), "s"))).call(2));
      assertThrows(
          UserError.class, () -> program.entry("shifted").over(data.and("xs", file.toString())));
    }
  }

  /**
   * The plan of a text is kept from its first call, so each later call needs the very same: its
   * stages exchange what the loop carries, and the rows.
   */
  @Test
  void theSameProgramAgainAndAgain() {
    var text =
        """
        def f [n] (xs: [n]f64) : f64 =
          (loop (m, p) = (0f64, 1f64) for x in xs do (m + p * x, p * f64.sin m)).0
        entry main [n] (xs: [n]f64) (q: f64) : (f64, [n]f64) = (f xs + q, vjp f xs 1)
        """;
    var file = folder.resolve("again.arrow");
    var xs = new double[23];
    Arrays.setAll(xs, i -> (i * 7 % 11) / 5.0 - 1);
    ArrowOutput.write(file, new LinkedHashMap<>(Map.of("x", ArrayValue.ofDoubles(xs))), false);
    var data = ArrowData.of("xs", file.toString(), "x").pieces(3);
    for (int i = 0; i < 12; i++) {
      var between = "entry f [n] (x: [n]f64): f64 = " + "1 + ".repeat(i * 7 % 40) + "f64.sum x";
      try (var other = Kenaz.compile(between);
          var program = Kenaz.compile(text)) {
        other.entry("f").call(new double[] {1, 2});
        var main = program.entry("main");
        var expected = main.over(data).call(0.5).toString();
        assertEquals(expected, main.over(new SparkData(spark, data)).call(0.5).toString());
      }
    }
  }
}
