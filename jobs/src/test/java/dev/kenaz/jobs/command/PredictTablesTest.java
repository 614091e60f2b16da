package dev.kenaz.jobs.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Predictions stand behind the rows of tables, whatever these have, and rows aren't copied. */
final class PredictTablesTest {
  /** The model is a line through the origin; the prediction depends on all rows, by their mean. */
  private static final String PROGRAM =
      """
      def init : f64 = 1
      def loss [n] (m: f64) (x: [n]f64) (y: [n]f64) : f64 =
        f64.sum (map2 (\\x y -> (m * x - y) ** 2) x y) / f64.i64 n
      """;

  private static final String PREDICT =
      "def predict [n] (m: f64) (x: [n]f64) : [n]f64 ="
          + " let mean = f64.sum x / f64.i64 n in map (\\x -> m * x - mean) x";

  /** Six partitions; the first and the last are empty, and one has most of the rows. */
  private static final String ODD =
      """
      select id as x, 2D * id as y, if(id %% 3 = 0, null, concat('Zürich ', id)) as s,
        date_add(date'2026-01-30', cast(id as int)) as day,
        timestamp'1969-12-31 23:59:59.999999' + make_dt_interval(0, 0, 0, id) as at,
        cast(id / 7 as decimal(30, 12)) as d, cast(string(id) as binary) as bytes,
        if(id %% 2 = 0, null, named_struct('a', id, 'b', array(string(id), null))) as nested,
        map('k', id) as m, sequence(1, cast(id %% 4 + 1 as int)) as ragged,
        array(cast(id as float), 0.5F) as pair, cast(id as tinyint) as i8, id %% 2 = 0 as odd
      from parquet.`%s`
      """;

  @TempDir static Path folder;
  private static String odd;
  private static List<String> rows;

  @BeforeAll
  static void train() throws IOException {
    Files.writeString(folder.resolve("xy.csv"), "x,y\n1,2\n2,4\n3,6\n");
    try (var spark = spark()) {
      var ids = folder.resolve("ids").toString();
      for (var range : List.of("0, 0", "0, 1", "1, 90", "90, 95", "95, 100", "100, 100")) {
        spark.sql("select id from range(" + range + ", 1, 1)").write().mode("append").parquet(ids);
      }
      odd = ODD.formatted(ids);
      spark.sql(odd).write().parquet(folder.resolve("odd").toString());
      rows = spark.sql(odd + " order by x").toJSON().collectAsList();
    }
    for (var program : programs().entrySet()) {
      trained(program.getKey(), program.getValue());
    }
  }

  private static java.util.Map<String, String> programs() {
    return java.util.Map.of(
        "mean",
        PREDICT,
        "filtered",
        "def predict [n] (m: f64) (x: [n]f64) = filter (> 5) x",
        "failing",
        "def predict [n] (m: f64) (x: [n]f64) : [n]f64 ="
            + " map (\\x -> let k = [1f64, 2, 3] in if x < 50 then x else k[i64.f64 x]) x",
        "unsigned",
        "def predict [n] (m: f64) (x: [n]f64) = {u = map u8.f64 x, h = map f16.f64 x}",
        "pairs",
        "def predict [n] (m: f64) (x: [n]f64) : ([n][2]f32, [n]bool) ="
            + " (map (\\x -> [f32.f64 x, f32.f64 m]) x, map (> 50) x)");
  }

  private static SparkSession spark() {
    return SparkSession.builder()
        .master("local[2]")
        .config("spark.ui.enabled", false)
        .getOrCreate();
  }

  private static void trained(String name, String predict) throws IOException {
    Files.writeString(folder.resolve(name + ".fut"), PROGRAM + predict);
    var config =
        """
        {
          "program": "%s.fut",
          "data": { "format": "csv", "path": "xy.csv",
            "options": { "header": "true", "inferSchema": "true" },
            "columns": { "x": "x", "y": "y" } },
          "optimiser": { "name": "l-bfgs" }, "iterations": 5,
          "spark": { "master": "local[2]" },
          "output": "out/%s"
        }
        """;
    var file = Files.writeString(folder.resolve(name + ".json"), config.formatted(name, name));
    var told = Told.run("train", file.toString(), "--overwrite");
    assertEquals(0, told.status(), told.err());
  }

  private static Told predict(String model, Path out, String... more) {
    var line =
        Stream.concat(
            Stream.of("predict", folder + "/out/" + model, "--out", out.toString()),
            Arrays.stream(more));
    return Told.run(line.toArray(String[]::new));
  }

  private static Path out() throws IOException {
    return Files.createTempDirectory(folder, "predicted");
  }

  private static List<String> shown(String query) throws IOException {
    try (var spark = spark()) {
      return spark.sql(query).toJSON().collectAsList();
    }
  }

  private static void assertNotCopied(Told told) {
    assertEquals(0, told.status(), told.err());
    assertFalse(told.err().contains("copied"), told.err());
  }

  /** Nothing of a run that failed is there. */
  private static void assertNothingLeft(Path out) throws IOException {
    assertTrue(!Files.exists(out) || out.toFile().list().length == 0);
    try (var all = Files.list(folder)) {
      assertEquals(List.of(), all.filter(p -> p.getFileName().toString().startsWith(".")).toList());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"arrow", "parquet"})
  void columnsOfAllTypesArriveAsTheyAre(String format) throws IOException {
    for (var source :
        List.of(
            new String[] {"--sql", odd},
            new String[] {"--format", "parquet", folder + "/odd"},
            new String[] {"--sql", odd, "--partitions", "7"})) {
      var out = out();
      var words = new ArrayList<>(List.of(source));
      if (!format.equals("arrow")) {
        words.addAll(List.of("--out-format", format));
      }
      var told = predict("mean", out, words.toArray(String[]::new));
      assertNotCopied(told);
      assertTrue(told.out().startsWith("100 rows with prediction "), told.out());
      var there = "select * except (prediction) from %s.`%s` order by x".formatted(format, out);
      assertEquals(rows, shown(there));
      var right = "select count(*) as n from %s.`%s` where abs(prediction - (2 * x - 49.5)) < 1e-6";
      assertEquals(List.of("{\"n\":100}"), shown(right.formatted(format, out)));
    }
  }

  /** Files in the order of their names have the rows in the order of the table. */
  @Test
  void rowsKeepTheirOrder() throws IOException {
    var out = out();
    assertNotCopied(predict("mean", out, "--format", "parquet", folder + "/odd"));
    try (var spark = spark()) {
      var expected = new ArrayList<Long>();
      for (var iterator = spark.read().parquet(folder + "/odd").select("x").toLocalIterator();
          iterator.hasNext(); ) {
        expected.add(iterator.next().getLong(0));
      }
      var data = ArrowDataset.open(out.toString());
      var x = data.column("x").toVector(Prim.I64).toLongArray();
      assertEquals(expected, Arrays.stream(x).boxed().toList());
    }
    try (var files = Files.list(out)) {
      assertTrue(files.allMatch(f -> f.getFileName().toString().matches("part-\\d{5}\\.arrow")));
    }
  }

  @Test
  void listsAndTruthValuesArePredicted() throws IOException {
    var out = out();
    assertNotCopied(predict("pairs", out, "--sql", odd, "--as", "prediction.1=large"));
    var data = ArrowDataset.open(out.toString());
    var lists = data.schema().get(data.schema().size() - 2);
    assertEquals("[2]f32", lists.shownType());
    assertEquals("bool", data.schema().getLast().shownType());
    assertEquals("[2]f32", data.column("pair").columns().getFirst().shownType());
    var wrong =
        "select * from arrow.`%s` where `prediction.0`[0] <> x or `prediction.0`[1] is null or large <>"
            + " (x > 50)";
    assertEquals(List.of(), shown(wrong.formatted(out)));
  }

  @Test
  void rowsWithNullsHaveNullAsPrediction() throws IOException {
    var query = "select id, if(id %% 5 = 2, null, double(id)) as x from parquet.`%s`";
    var ids = query.formatted(folder.resolve("ids"));
    var out = out();
    var told = predict("mean", out, "--sql", ids);
    assertEquals(2, told.status());
    assertTrue(told.err().contains("partition "), told.err());
    assertTrue(told.err().contains("column \"x\" is null"), told.err());
    assertNothingLeft(out);
    told = predict("mean", out, "--sql", ids, "--nulls", "drop");
    assertNotCopied(told);
    assertTrue(told.out().contains("20 of them have nulls"), told.out());
    var wrong =
        "select * from arrow.`%s` where (prediction is null) <> (id %% 5 = 2) or"
            + " abs(prediction - (2 * id - 49.375)) > 3";
    assertEquals(List.of(), shown(wrong.formatted(out)));
    assertEquals(List.of("{\"n\":100}"), shown("select count(*) n from arrow.`" + out + "`"));
    out = out();
    told = predict("pairs", out, "--sql", ids, "--nulls", "drop");
    assertEquals(0, told.status(), told.err());
    assertTrue(told.err().contains("are copied: prediction.0 has lists"), told.err());
    assertNotCopied(
        predict("pairs", out(), "--sql", ids, "--nulls", "drop", "--out-format", "parquet"));
  }

  @Test
  void oneRowAndNone() throws IOException {
    var one = "select 7D as x, 'only' as s";
    var out = out();
    assertNotCopied(predict("mean", out, "--sql", one));
    assertTrue(shown("select * from arrow.`" + out + "`").getFirst().contains("\"s\":\"only\""));
    for (var none : List.of(one + " where 1 > 2", odd + " where id > 1000", odd + " limit 0")) {
      out = out();
      var told = predict("mean", out, "--sql", none);
      assertEquals(0, told.status(), told.err());
      assertTrue(told.out().startsWith("0 rows with prediction in 1 file"), told.out());
      assertEquals("prediction", ArrowDataset.open(out.toString()).schema().getLast().name());
    }
  }

  /** What can't be computed twice is copied, and a line says so. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "functions that give something else|select rand() as x, id from range(0, 50, 1, 3)",
        "moves rows between partitions|select cast(x as double) as x from ODD order by s",
        "moves rows between partitions|select x, count(*) as n from ODD group by x"
      })
  void rowsThatDontRepeatAreCopied(String line) throws IOException {
    var words = line.replace("ODD", "(" + odd.strip() + ")").split("\\|", 2);
    var out = out();
    var told = predict("mean", out, "--sql", words[1]);
    assertEquals(0, told.status(), told.err());
    assertTrue(told.err().contains("the rows of the query are copied: it "), told.err());
    assertTrue(told.err().contains(words[0]), told.err());
    var data = ArrowDataset.open(out.toString());
    var x = data.column("x").toVector(Prim.F64).toDoubleArray();
    var predicted = data.column("prediction").toVector(Prim.F64).toDoubleArray();
    double mean = Arrays.stream(x).average().orElseThrow();
    for (int i = 0; i < x.length; i++) {
      assertEquals(2 * x[i] - mean, predicted[i], 1e-5);
    }
  }

  @Test
  void typesThatSparkLacksAreCopied() throws IOException {
    var out = out();
    var told = predict("unsigned", out, "--sql", odd);
    assertEquals(0, told.status(), told.err());
    assertTrue(
        told.err().contains("are copied: Spark has no type for h, which is f16"), told.err());
    assertEquals("u8", ArrowDataset.open(out.toString()).schema().getLast().shownType());
    told = predict("unsigned", out(), "--sql", odd, "--out-format", "parquet");
    assertNotCopied(told);
    var copies = folder.resolve("copies");
    told = predict("mean", out(), "--sql", odd, "--copy", copies.toString());
    assertEquals(0, told.status(), told.err());
    assertTrue(told.err().contains("copied: a folder for copies is named"), told.err());
    assertEquals(0, copies.toFile().list().length);
  }

  /** The time of a query is that of its start, for the columns that are needed and for all. */
  @Test
  void theTimeIsTheSameBothTimes() throws IOException {
    var now = "select unix_micros(now()) %% 1000 as x, now() as at from parquet.`%s`";
    assertNotCopied(predict("mean", out(), "--sql", now.formatted(folder.resolve("ids"))));
  }

  @Test
  void faultsAreToldAndLeaveNothing() throws IOException {
    var out = out();
    var told = predict("filtered", out, "--sql", odd);
    assertEquals(2, told.status());
    assertTrue(told.err().contains("predict gives 94 rows in prediction, but the data has 100"));
    assertNothingLeft(out);
    told = predict("failing", out, "--format", "parquet", folder + "/odd");
    assertEquals(2, told.status());
    assertTrue(told.err().contains("it is row "), told.err());
    assertTrue(told.err().contains("partition "), told.err());
    assertTrue(told.err().contains("x = 50"), told.err());
    assertNothingLeft(out);
    told = predict("mean", out, "--sql", "select 1D as x, 2 as Prediction");
    assertTrue(told.err().contains("has a column \"prediction\" already"), told.err());
    told = predict("mean", out, "--sql", odd, "--out-format", "csv");
    assertTrue(told.err().contains("K6111"), told.err());
    told = predict("mean", out, "--sql", "select x, cast(null as variant) v from (" + odd + ")");
    assertEquals(0, told.status(), told.err());
    // A column that isn't needed fails when all rows have been predicted.
    var late = "select x, if(x = 60, raise_error('broken'), s) as s from (%s)".formatted(odd);
    told = predict("mean", out.resolveSibling("late"), "--sql", late);
    assertEquals(2, told.status(), told.err());
    assertTrue(told.err().contains("broken"), told.err());
    assertFalse(told.err().contains("\tat "), told.err());
    assertNothingLeft(out.resolveSibling("late"));
  }
}
