package dev.kenaz.jobs.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.spark.Batches;
import dev.kenaz.spark.DrawnRows;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Trainings whose steps take some of the rows. */
final class TrainBatchesTest extends TrainTesting {
  /** Whole numbers that show which rows a step has: their number, and a digest of the areas. */
  private static final String DIGESTS =
      """
      def init (seed: i64) : (i64, [20]i64, [20]i64) = (0 * seed, replicate 20 0, replicate 20 0)
      def step [n] (m: (i64, [20]i64, [20]i64)) (x: [n][2]f64) : (i64, [20]i64, [20]i64) =
        let rows = copy m.1 with [m.0] = n
        let sums = copy m.2 with [m.0] = i64.sum (map (\\r -> i64.f64 (r[0] * 1e9)) x)
        in (m.0 + 1, rows, sums)
      def metrics [n] (m: (i64, [20]i64, [20]i64)) (x: [n][2]f64) (y: [n]f64) : i64 =
        m.0 + i64.f64 (0 * y[0] * x[0][0])
      """;

  private static long[] longs(TrainJob.Result end, int part) {
    return ((ArrayValue) end.model().get(part)).toLongArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {"shuffle", "window"})
  void batchesDoNotDependOnPieces(String by) throws IOException {
    var models = new HashSet<>();
    for (int pieces : new int[] {1, 3, 8, 250}) {
      partitions = pieces;
      var end =
          train(DIGESTS, "\"passes\": 2, \"batch\": {\"rows\": 64, \"by\": \"%s\"}".formatted(by));
      models.add(end.model());
      assertEquals(2, end.iterations());
      assertEquals(200, end.rows());
    }
    assertEquals(1, models.size(), models.toString());
    var end =
        train(DIGESTS, "\"passes\": 2, \"batch\": {\"rows\": 64, \"by\": \"%s\"}".formatted(by));
    assertEquals(ScalarValue.i64(8), end.model().getFirst(), "each batch has made one step");
    var rows = longs(end, 1);
    assertEquals(200, LongStream.of(rows).limit(4).sum());
    assertEquals(200, LongStream.of(rows).skip(4).sum());
    assertTrue(LongStream.of(rows).limit(8).allMatch(n -> n == 64 || n == 8));
    var sums = longs(end, 2);
    long all = 0;
    for (double area : numbers[0]) {
      all += (long) (area * 1e9);
    }
    assertEquals(all, LongStream.of(sums).limit(4).sum(), "each row is in one batch of a pass");
    assertEquals(all, LongStream.of(sums).skip(4).sum());
    assertFalse(
        LongStream.of(sums)
            .limit(4)
            .boxed()
            .toList()
            .equals(LongStream.of(sums).skip(4).limit(4).boxed().toList()),
        "another pass has other batches, or in another order");
    var seed = train(DIGESTS, "\"seed\": 2, \"passes\": 2, \"batch\": {\"rows\": 64}");
    assertNotEquals(end.model(), seed.model());
  }

  /** A window has rows that follow each other; in a shuffle, they hardly do. */
  @ParameterizedTest
  @CsvSource({"1, 1", "10, 3", "10, 10", "10, 11", "1000, 64", "1000, 999", "65, 8"})
  void eachPassHasEachRowOnce(long rows, long size) {
    for (boolean windows : new boolean[] {false, true}) {
      var batches = new Batches(rows, size, windows, 5);
      var cuts = Cuts.even(rows, 1);
      for (int pass = 0; pass < 3; pass++) {
        var seen = new ArrayList<Long>();
        for (long b = 0; b < batches.ofPass(); b++) {
          var batch = batches.batch(pass * batches.ofPass() + b);
          var found = rowsOf(batch, rows);
          assertEquals(batch.cuts(cuts).rows(), found.length);
          assertTrue(found.length == size || found.length == rows % size);
          if (windows) {
            assertEquals(found.length - 1, found[found.length - 1] - found[0]);
          }
          LongStream.of(found).forEach(seen::add);
        }
        assertArrayEquals(
            LongStream.range(0, rows).toArray(),
            seen.stream().mapToLong(i -> i).sorted().toArray());
      }
    }
  }

  private static long[] rowsOf(DrawnRows batch, long rows) {
    return LongStream.range(0, rows)
        .filter(
            i -> {
              long place = batch.order().placeOf(i);
              return place >= batch.from() && place < batch.to();
            })
        .toArray();
  }

  private static final String ADAM =
      "\"optimiser\": {\"name\": \"adam\", \"rate\": 0.3}, \"parameters\": {\"lambda\": 0}, ";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "adam", "rate": 0.3, "schedule": { "decay": 0.5, "decay_every": 50 }
          "adamw", "rate": 0.3, "weight_decay": 0, "schedule": { "decay": 0.5, "decay_every": 50 }
          "gradient-descent", "rate": 0.03, "momentum": 0.5
          "rmsprop", "rate": 0.02
          """)
  void optimisersFindTheLine(String optimiser) throws IOException {
    var more =
        """
        "optimiser": { "name": %s }, "parameters": {"lambda": 0}, "passes": 60,
        "batch": { "rows": 32 }
        """
            .formatted(optimiser);
    var end = train(RIDGE, more);
    assertEquals(60, end.iterations());
    assertEquals(61, end.losses().size());
    assertEquals(7, number(end.model().get(0)), 0.3, said.toString());
    assertTrue(end.losses().getLast() < end.losses().getFirst() / 50, said.toString());
    assertEquals(61, history().size());
  }

  @Test
  void theModelIsTheSameUpToRounding() throws IOException {
    var results = new TreeMap<Integer, double[]>();
    for (int pieces : new int[] {1, 3, 8}) {
      partitions = pieces;
      var end = train(RIDGE, ADAM + "\"passes\": 5, \"batch\": { \"rows\": 30 }");
      results.put(pieces, ((ArrayValue) end.model().get(2)).toDoubleArray());
      assertArrayEquals(results.get(1), results.get(pieces), 1e-10);
    }
  }

  /** Five batches of a pass; checkpoints are inside passes and at their ends. */
  @ParameterizedTest
  @CsvSource({"1, 3", "7, 3", "3, 1", "5, 1", "12, 1"})
  void aTrainingIsResumedInsideAPass(int every, int pieces) throws IOException {
    partitions = pieces;
    var more =
        ADAM
            + """
            "passes": 3, "batch": { "rows": 40 }, "checkpoint": { "every": %d },
            "validation": { "split": 0.1 }, "stop": { "metric": "rmse", "patience": 2 }
            """
                .formatted(every);
    var at = "\"every\": " + every;
    var plain = train(RIDGE, more.replace(at, "\"every\": 1000"));
    var whole = train(RIDGE, more);
    assertEquals(3, whole.iterations(), said.toString());
    assertEquals(whole.model(), plain.model(), "a checkpoint changes nothing");
    assertEquals(whole.losses(), plain.losses());
    Files.delete(folder.resolve("out/model.json"));
    var resumed = train(RIDGE, more, Existing.RESUME);
    int last = 15 / every * every / 5;
    assertTrue(said.contains("resuming after pass " + last), said.toString());
    assertEquals(whole.model(), resumed.model());
    assertEquals(whole.losses(), resumed.losses());
    Files.delete(folder.resolve("out/model.json"));
    var other = more.replace("\"rows\": 40", "\"rows\": 41");
    assertEquals(ErrorCode.K7103, code(() -> train(RIDGE, other, Existing.RESUME)));
  }

  /** The mean of the losses of a pass's batches, each before its step. */
  @Test
  void aPassHasTheMeanLossOfItsBatches() throws IOException {
    var program =
        """
        def init (seed: i64) : i64 = 0 * seed
        def step [n] (m: i64) (y: [n]f64) (x: [n][2]f64) : (i64, f64) =
          (m + 1, 0 * y[0] * x[0][0] - f64.i64 m)
        """;
    var end = train(program, "\"passes\": 3, \"batch\": { \"rows\": 50 }");
    assertEquals(List.of(0.0, -1.5, -5.5, -9.5), end.losses());
    assertEquals(ScalarValue.i64(12), end.model().getFirst());
  }

  @Test
  void aBatchOfAllRowsIsAllRows() throws IOException {
    for (long rows : new long[] {200, 201, 1_000_000_000_000_000L}) {
      var end = train(DIGESTS, "\"passes\": 3, \"batch\": { \"rows\": %d }".formatted(rows));
      assertEquals(
          List.of(200L, 200L, 200L), LongStream.of(longs(end, 1)).limit(3).boxed().toList());
    }
    write(1);
    var end = train(DIGESTS, "\"passes\": 3, \"batch\": { \"rows\": 7 }");
    assertEquals(ScalarValue.i64(3), end.model().getFirst());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "batch": { "rows": 0 } | K7006
          "batch": { "rows": 2.5 } | K7004
          "batch": { "rows": -1 } | K7006
          "batch": { "rows": "NaN" } | K7004
          "batch": {} | K7005
          "batch": { "rows": 8, "by": "windows" } | K7006
          "batch": { "rows": 8 }, "passes": 0 | K7006
          "batch": { "rows": 8 }, "iterations": 3 | K7006
          "batch": { "rows": 8 }, "tolerance": 0.1 | K7006
          "passes": 3 | K7006
          """)
  void faultsOfTheConfigurationAreTold(String more, ErrorCode code) {
    assertEquals(code, code(() -> train(RIDGE, ADAM + more)));
    assertFalse(Files.exists(folder.resolve("out")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"l-bfgs", "proximal", "newton-diagonal", "newton-cg"})
  void optimisersWithoutBatchesNameThoseThatHaveThem(String name) {
    var more = "\"optimiser\": {\"name\": \"%s\"}, \"parameters\": {\"lambda\": 0}".formatted(name);
    var e = fault(() -> train(RIDGE, more + ", \"batch\": { \"rows\": 8 }")).diagnostics();
    assertEquals(ErrorCode.K7405, e.getFirst().code());
    assertTrue(
        e.getFirst().hints().toString().contains("gradient-descent, adam, adamw, rmsprop"),
        e.toString());
    var own =
        "\"optimiser\": {\"name\": \"adam\", \"batches\": true}, \"parameters\": {\"lambda\": 0}";
    assertEquals(ErrorCode.K7405, code(() -> train(RIDGE, own)));
  }

  /** The losses of batches are those of different rows, so all rows judge start and end. */
  @ParameterizedTest
  @ValueSource(strings = {"", ", \"stop\": {\"metric\": \"loss\", \"patience\": 9}"})
  void aModelThatIsWorseThanTheFirstIsNotTheResult(String stop) throws IOException {
    var diverging =
        """
        "optimiser": {"name": "gradient-descent", "rate": 0.2}, "parameters": {"lambda": 0},
        "passes": 2, "batch": {"rows": 40}
        """;
    var end = train(RIDGE, diverging + stop);
    assertEquals(0, number(end.model().get(0)), "the start is the model");
    var warned = said.stream().filter(line -> line.startsWith("warning: ")).toList();
    if (stop.isEmpty()) {
      assertTrue(warned.getFirst().startsWith("warning: training ends at a loss of"), said + "");
    }
    assertEquals(document().metrics().get("rmse").doubleValue(), Math.sqrt(lossOfStart()), 1e-9);
  }

  /** Returns the loss of a model that gives 0 for each row. */
  private double lossOfStart() {
    return DoubleStream.of(numbers[2]).map(y -> y * y).average().orElseThrow();
  }

  /** By the rows of the first batch the start looks better than it is by all rows. */
  @Test
  void allRowsJudgeStartAndEnd() throws IOException {
    var program =
        """
        def init (seed: i64) : f64 = f64.i64 (0 * seed)
        def loss [n] (m: f64) (x: [n][2]f64) (y: [n]f64) : f64 =
          if n == 200 then 5 - m else m + 0 * y[0] * x[0][0]
        def step [n] (m: f64) (x: [n][2]f64) (y: [n]f64) : f64 = m + 1 + 0 * y[0] * x[0][0]
        """;
    var end = train(program, "\"passes\": 3, \"batch\": { \"rows\": 50 }");
    assertEquals(12, number(end.model().getFirst()), "its loss is -7 by all rows, 12 by a batch");
    assertTrue(said.stream().noneMatch(line -> line.startsWith("warning")), said.toString());
  }

  /** Mini-batch k-means (Sculley, WWW 2010): a centre moves less the more points it has had. */
  private static final String KMEANS =
      """
      type model [k] = { centres: [k][2]f64, counts: [k]f64 }
      def squared (a: [2]f64) (b: [2]f64) : f64 = f64.sum (map2 (\\x y -> (x - y) ** 2) a b)
      def nearest [k] (centres: [k][2]f64) (p: [2]f64) : (i64, f64) =
        reduce (\\(i, a) (j, b) -> if b < a then (j, b) else (i, a)) (-1, f64.inf)
               (zip (iota k) (map (squared p) centres))
      def init [n] (x: [n][2]f64) (k: i64) : model [k] =
        { centres = tabulate k (\\i -> x[i * n / k]), counts = replicate k 0 }
      def loss [n][k] (m: model [k]) (x: [n][2]f64) : f64 =
        f64.sum (map (\\p -> (nearest m.centres p).1) x) / f64.i64 n
      def step [n][k] (m: model [k]) (x: [n][2]f64) (y: [n]f64) : model [k] =
        let at = map (\\p -> (nearest m.centres p).0) x
        let counts = map2 (+) m.counts (hist (+) 0 k at (map (const 1) y))
        let sums = hist (map2 (+)) [0, 0] k at x
        let old = map2 (\\c n -> map (* n) c) m.centres m.counts
        let centres =
          map4 (\\c o s n -> if n == 0 then c else map2 (\\a b -> (a + b) / n) o s)
               m.centres old sums counts
        in { centres, counts }
      """;

  @Test
  void miniBatchKmeans() throws IOException {
    var parameters = "\"parameters\": { \"k\": 3 }, ";
    var whole = train(KMEANS, parameters + "\"iterations\": 20");
    var batches = train(KMEANS, parameters + "\"passes\": 5, \"batch\": { \"rows\": 25 }");
    assertTrue(
        batches.losses().getLast() < 1.3 * whole.losses().getLast(),
        batches.losses() + " and " + whole.losses());
  }
}
