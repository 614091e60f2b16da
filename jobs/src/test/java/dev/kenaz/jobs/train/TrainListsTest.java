package dev.kenaz.jobs.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.spark.sql.classic.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trainings on columns of lists, whose lengths differ. */
final class TrainListsTest extends TrainTesting {
  private static final Path CONFIGS = Path.of("../configs").toAbsolutePath().normalize();

  private static final String SUMS =
      """
      def init [n] (x: [n]f64) : f64 = 0 * x[0]
      def sums [n][m] (count: [n]i64) (v: [m]f64) : [n]f64 =
        let ends = scan (+) 0 count
        in map2 (\\e c -> f64.sum v[e - c:e]) ends count
      def loss [n][m] (w: f64) (count: [n]i64) (v: [m]f64) (x: [n]f64) : f64 =
        f64.sum (map2 (\\s x -> (w * s - x) ** 2) (sums count v) x)
      def predict [n][m] (w: f64) (count: [n]i64) (v: [m]f64) : [n]f64 = map (* w) (sums count v)
      """;

  private TrainJob.Result run(String program, String data, String more) throws IOException {
    var json =
        """
        { "program": "%s", "data": { %s }, "spark": { "partitions": %d }, "output": "out", %s }
        """
            .formatted(
                program.replaceFirst("builtin:(.*)", CONFIGS + "/models/$1.fut"),
                data.replace("DATA", CONFIGS + "/data"),
                partitions,
                more);
    var file = Files.writeString(folder.resolve("job.json"), json);
    return TrainJob.read(file, TrainConsole.lines(said::add).andThen(events::add))
        .run(Existing.OVERWRITE, spark);
  }

  private static final String TEXTS =
      """
      "path": "DATA/texts-2k.arrow", "columns":
      { "place": "elements(place)", "value": "elements(value)", "length": "lengths(place)" }
      """;

  @Test
  void kmeansOfListsIsThatOfPaddedRows() throws IOException {
    var losses = new ArrayList<List<Double>>();
    for (int n : new int[] {1, 3, 8}) {
      partitions = n;
      var more =
          """
          "init": { "rows": "all" }, "parameters": { "k": 5, "dimensions": 400 }, "iterations": 6
          """;
      var result = run("builtin:kmeans-lists", TEXTS, more);
      assertEquals(2000, result.rows());
      losses.add(result.losses());
    }
    for (var l : losses) {
      for (int i = 0; i < l.size(); i++) {
        assertEquals(losses.getFirst().get(i), l.get(i), 1e-9);
        assertTrue(i == 0 || l.get(i) <= l.get(i - 1) + 1e-12);
      }
    }
    Files.move(folder.resolve("out"), folder.resolve("lists"));
    var padded =
        run(
            "builtin:kmeans-sparse",
            "\"path\": \"DATA/words-2k.arrow\","
                + " \"columns\": { \"place\": \"place\", \"value\": \"value\" }",
            """
            "start": { "model": "lists" }, "parameters": { "k": 5, "dimensions": 400, "keep": 0 },
            "iterations": 1
            """);
    assertEquals(losses.getFirst().getLast(), padded.losses().getFirst(), 1e-6);
  }

  @Test
  void sequencesOfOneLengthGiveWhatAMatrixGives() throws IOException {
    var more =
        """
        "parameters": { "hidden": 4 }, "iterations": 5, "optimiser": { "name": "l-bfgs" }
        """;
    var plain =
        run(
            "builtin:lstm",
            "\"path\": \"DATA/waves-1k.arrow\", \"columns\": { \"x\": \"x\" }",
            more);
    var columns = "\"columns\": { \"x\": \"elements(x)\", \"length\": \"lengths(x)\" }";
    var lists = run("builtin:lstm-lists", "\"path\": \"DATA/waves-1k.arrow\", " + columns, more);
    for (int i = 0; i < plain.losses().size(); i++) {
      assertEquals(plain.losses().get(i), lists.losses().get(i), 2e-3 * plain.losses().get(i));
    }
    var ragged = run("builtin:lstm-lists", "\"path\": \"DATA/beats-1k.arrow\", " + columns, more);
    assertTrue(ragged.losses().getLast() < 0.9 * ragged.losses().getFirst());
  }

  /** Writes rows whose x is twice the sum of the list v; the third list is empty. */
  private void writeLists(String more) {
    var session = SparkSession.builder().sparkContext(spark.sc()).getOrCreate();
    session
        .sql(
            """
            select id, v, w, aggregate(v, 0D, (s, e) -> s + e) * 2 as x %s from
              (select id, transform(sequence(0, id %% 4), e -> double(e + id)) as v0,
                if(id = 2, array(), transform(sequence(0, id %% 4), e -> double(e + id))) as v,
                transform(sequence(0, id %% 3), e -> double(e)) as w from range(0, 40, 1, 3))
            """
                .formatted(more))
        .write()
        .format("arrow")
        .mode("overwrite")
        .save(folder.resolve("lists").toString());
    session
        .read()
        .format("arrow")
        .load(folder.resolve("lists").toString())
        .createOrReplaceTempView("lists");
  }

  private static final String COLUMNS =
      "\"columns\": { \"v\": \"elements(v)\", \"count\": \"lengths(v)\", \"x\": \"x\" }";

  private static final String ADAM = "\"optimiser\": { \"name\": \"l-bfgs\" }, \"iterations\": 20";

  @ParameterizedTest
  @ValueSource(strings = {"\"path\": \"lists\"", "\"table\": \"lists\""})
  void listsOfFilesAndTables(String source) throws IOException {
    writeLists("");
    Files.writeString(folder.resolve("sums.fut"), SUMS);
    var all = ", \"init\": { \"rows\": \"all\" }";
    for (int n : new int[] {1, 5, 60}) {
      partitions = n;
      var result = run("sums.fut", source + ", " + COLUMNS, ADAM + all);
      assertEquals(0, result.losses().getLast(), 1e-12);
      assertEquals(2, number(result.model().getFirst()), 1e-9);
      assertEquals(40, result.rows());
    }
    assertTrue(said.stream().anyMatch(s -> s.startsWith("40 rows in 60 partitions")), said + "");
    var judged =
        run(
            "sums.fut",
            source + ", " + COLUMNS,
            ADAM + all + ", \"validation\": { %s }".formatted(source));
    assertEquals(0, judged.losses().getLast(), 1e-12);
  }

  @Test
  void predictionsHaveARowForEachList() throws IOException {
    writeLists("");
    Files.writeString(folder.resolve("sums.fut"), SUMS);
    run("sums.fut", "\"path\": \"lists\", " + COLUMNS, ADAM + ", \"init\": { \"rows\": \"all\" }");
    var model = SavedModel.open(folder.resolve("out"));
    var source = dev.kenaz.spark.sql.TableRows.Source.ofFiles(folder.resolve("lists").toString());
    var choice =
        new Application.Choice(
            Optional.of(source),
            Optional.empty(),
            Map.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    close();
    try (var prediction = Prediction.of(model, choice, Map.of())) {
      var place = new Prediction.Place(folder.resolve("predicted"), false, Optional.empty());
      prediction.run(place, OptionalInt.of(3), Optional.of("local[2]"), _ -> {});
    } finally {
      open();
    }
    var data = ArrowDataset.open(folder.resolve("predicted").toString());
    assertEquals(
        Arrays.toString(data.column("x").toVector(Prim.F64).toDoubleArray()),
        Arrays.toString(
            Arrays.stream(data.column("prediction").toVector(Prim.F64).toDoubleArray())
                .map(y -> Math.rint(y * 1e6) / 1e6)
                .toArray()));
    assertEquals(
        0,
        ArrowDataset.open(
                List.of(folder.resolve("predicted").toString()), ReadOptions.columns("lengths(v)"))
            .toVector(Prim.I64)
            .getDouble(2));
  }

  private static final String EPOCHS =
      """
      def init [n] (x: [n]f64) (first: f64) : f64 = first + 0 * x[0]
      def begins [n] (count: [n]i64) : [n]i64 = map2 (-) (scan (+) 0 count) count
      def sums [n][m] (count: [n]i64) (v: [m]f64) : [n]f64 =
        map2 (\\a c -> f64.sum v[a:a + c]) (begins count) count
      def loss [m][n] (v: [m]f64) (w: f64) (x: [n]f64) (count: [n]i64) : f64 =
        f64.sum (map2 (\\s x -> (w * s - x) ** 2) (sums count v) x) / f64.i64 (n + 0 * m)
      def metrics [m][n] (v: [m]f64) (w: f64) (count: [n]i64) (x: [n]f64)
          : { rows: i64, elements: i64, first: f64 } =
        { rows = n, elements = m, first = w - 0 * x[0] - f64.i64 (0 * count[0]) }
      def predict [m][n] (w: f64) (v: [m]f64) (count: [n]i64) : [n]f64 =
        map (* w) (sums count v)
      """;

  /** The same of the sums themselves, which are half of x. */
  private static final String HALVES =
      """
      def init [n] (x: [n]f64) (first: f64) : f64 = first + 0 * x[0]
      def loss [n] (w: f64) (x: [n]f64) : f64 =
        f64.sum (map (\\x -> (w * x / 2 - x) ** 2) x) / f64.i64 n
      def predict [n] (w: f64) (x: [n]f64) : [n]f64 = map (\\x -> w * x / 2) x
      """;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"batch\": { \"rows\": 7 }, \"passes\": 3",
        "\"batch\": { \"rows\": 16, \"by\": \"window\" }, \"passes\": 2",
        "\"iterations\": 4"
      })
  void rowsAreDrawnWithTheirElements(String steps) throws IOException {
    writeLists("");
    Files.writeString(folder.resolve("epochs.fut"), EPOCHS);
    Files.writeString(folder.resolve("halves.fut"), HALVES);
    var more =
        """
        "parameters": { "first": 0.5 }, "init": { "rows": 5 }, "validation": { "split": 0.25 },
        "report": { "label": "x" }, "seed": 3,
        "optimiser": { "name": "gradient-descent", "rate": 1e-4 }, %s
        """
            .formatted(steps);
    var sums = run("halves.fut", "\"path\": \"lists\", \"columns\": { \"x\": \"x\" }", more);
    assertTrue(sums.losses().getLast() < sums.losses().getFirst(), sums.losses() + "");
    for (int n : new int[] {1, 2, 5}) {
      partitions = n;
      var lists = run("epochs.fut", "\"path\": \"lists\", " + COLUMNS, more);
      assertEquals(30, lists.rows());
      assertEquals(sums.losses().size(), lists.losses().size());
      for (int i = 0; i < sums.losses().size(); i++) {
        assertEquals(sums.losses().get(i), lists.losses().get(i), 1e-9);
      }
      var model = Files.readString(folder.resolve("out/model.json"));
      assertTrue(model.contains("\"rows\" : 10\n"), model);
    }
  }

  @Test
  void faultsAreTold() throws IOException {
    writeLists(
        ", if(id = 5, null, v) as gap, transform(v, e -> if(e = 7, double('NaN'), e)) as nan"
            + ", filter(v, e -> false) as none");
    Files.writeString(folder.resolve("sums.fut"), SUMS);
    var all = ADAM + ", \"init\": { \"rows\": \"all\" }";
    fails("may have different lengths", COLUMNS.replace("elements(v)", "v"), all);
    fails("different lengths", COLUMNS.replace("lengths(v)", "lengths(w)"), all);
    fails("has no column \"lengths(u)\"", COLUMNS.replace("lengths(v)", "lengths(u)"), all);
    fails("not lists", COLUMNS.replace("elements(v)", "elements(id)"), all);
    fails("column \"gap\" is null", COLUMNS.replace("(v)", "(gap)"), all);
    fails("is NaN in row", COLUMNS.replace("(v)", "(nan)"), all);
    fails("has rows whose lists are all empty", COLUMNS.replace("(v)", "(none)"), all);
    fails("can't be left out where", "\"nulls\": \"drop\", " + COLUMNS, all);
    assertFalse(Files.exists(folder.resolve("out")));
  }

  private void fails(String message, String columns, String more) {
    var e = fault(() -> run("sums.fut", "\"path\": \"lists\", " + columns, more));
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }
}
