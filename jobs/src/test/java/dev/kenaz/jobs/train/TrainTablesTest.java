package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K6104;
import static dev.kenaz.error.ErrorCode.K6106;
import static dev.kenaz.error.ErrorCode.K6114;
import static dev.kenaz.error.ErrorCode.K6115;
import static dev.kenaz.error.ErrorCode.K7006;
import static dev.kenaz.error.ErrorCode.K7402;
import static org.apache.spark.ml.functions.array_to_vector;
import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.value.ArrayValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.classic.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Trainings on what Spark reads: the same model as on the same rows in Arrow files. */
final class TrainTablesTest extends TrainTesting {
  private static final String COLUMNS =
      "\"columns\": { \"x\": [\"area\", \"rooms\"], \"y\": \"price\" }";
  private static final String OTHERS =
      "\"parameters\": {\"lambda\": 0.1}, \"iterations\": 5, \"optimiser\": {\"name\": \"l-bfgs\"}";

  @BeforeEach
  void writeTables() {
    var session = SparkSession.builder().sparkContext(spark.sc()).getOrCreate();
    var rows = session.read().format("arrow").load(folder.resolve("data.arrow").toString());
    rows.coalesce(1).write().parquet(folder.resolve("data.parquet").toString());
    rows.coalesce(1).write().option("header", "true").csv(folder.resolve("data.csv").toString());
    rows.createOrReplaceTempView("houses");
  }

  private String data(String source) {
    return "\"data\": { %s, %s }, %s".formatted(source, COLUMNS, OTHERS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"format\": \"parquet\", \"path\": \"data.parquet\"",
        "\"format\": \"parquet\", \"path\": \"file://FOLDER/data.parquet\"",
        "\"format\": \"csv\", \"path\": \"data.csv\","
            + " \"options\": {\"header\": \"true\", \"inferSchema\": \"true\"}",
        "\"table\": \"houses\"",
        "\"sql\": \"select price, area, rooms, 'text' as t from houses\""
      })
  void theModelIsThatOfArrowFiles(String source) throws IOException {
    var plain = train(RIDGE, OTHERS);
    var there = source.replace("FOLDER", folder.toString());
    var result = train(RIDGE, data(there));
    assertEquals(plain.losses(), result.losses());
    assertEquals(plain.model().toString(), result.model().toString());
    assertEquals(List.of(), copies());
  }

  @ParameterizedTest
  @CsvSource({"'\"header\": \"true\"', K6105, is string", "'', K6104, no column"})
  void optionsThatCsvNeedsAreTold(String options, ErrorCode code, String message) {
    var source = "\"format\": \"csv\", \"path\": \"data.csv\", \"options\": {%s}";
    var e = fault(() -> train(RIDGE, data(source.formatted(options)))).diagnostics().getFirst();
    assertEquals(code, e.code());
    assertTrue(e.message().contains(message), e.message());
    assertTrue(e.hints().getLast().contains("header=true and inferSchema=true"), e.toString());
  }

  private List<Path> copies() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(p -> p.getFileName().toString().contains("rows")).toList();
    }
  }

  @Test
  void aColumnOfArraysIsAMatrix() throws IOException {
    var plain = train(RIDGE, OTHERS);
    var sql =
        """
        "data": { "sql": "select array(area, rooms) as xs, price from houses",
                  "columns": { "x": "xs", "y": "price" } }, %s
        """
            .formatted(OTHERS);
    assertEquals(plain.losses(), train(RIDGE, sql).losses());
  }

  @Test
  void aColumnOfVectorsIsAMatrix() throws IOException {
    var session = SparkSession.builder().sparkContext(spark.sc()).getOrCreate();
    var vectors = array_to_vector(array(col("area"), col("rooms"))).as("xs");
    session.table("houses").select(vectors, col("price")).createOrReplaceTempView("vectors");
    var table =
        "\"data\": { \"table\": \"vectors\", \"columns\": { \"x\": \"xs\", \"y\": \"price\" } },";
    assertEquals(train(RIDGE, OTHERS).losses(), train(RIDGE, table + OTHERS).losses());
    assertEquals(0, notes("copied"));
  }

  private long notes(String part) {
    return events.stream()
        .filter(e -> e instanceof TrainEvent.Note n && n.text().contains(part))
        .count();
  }

  /** Partitions without rows and one with most of them; nulls in some columns. */
  @Test
  void unevenPartitionsWithNullsAreAsInFiles() throws IOException {
    var session = SparkSession.builder().sparkContext(spark.sc()).getOrCreate();
    var some = session.sql("select * from houses where price < -1e9");
    var holes =
        session.sql(
            "select if(rooms > 3, null, area) as area, rooms, if(area < 1, null, price) as price"
                + " from houses");
    some.union(holes).union(some).createOrReplaceTempView("holes");
    session
        .table("holes")
        .coalesce(1)
        .write()
        .format("arrow")
        .save(folder.resolve("holes").toString());
    var drop = ", \"nulls\": \"drop\"";
    var plain = train(RIDGE, data("\"path\": \"holes\"" + drop));
    events.clear();
    var kept = train(RIDGE, data("\"table\": \"holes\"" + drop));
    assertEquals(plain.rows(), kept.rows());
    assertEquals(plain.losses().size(), kept.losses().size());
    for (int i = 0; i < kept.losses().size(); i++) {
      // Rows with nulls are left out before the shards are cut, and of files after that.
      assertEquals(plain.losses().get(i), kept.losses().get(i), 1e-9 * plain.losses().get(i));
    }
    var summary =
        events.stream()
            .flatMap(e -> e instanceof TrainEvent.Data d ? Stream.of(d) : Stream.of())
            .findFirst()
            .orElseThrow();
    assertEquals(200, summary.rows() + summary.dropped());
    assertTrue(summary.dropped() > 0);
    assertEquals(0, notes("copied"));
  }

  @Test
  void whatCannotBeComputedAgainIsCopied() throws IOException {
    var plain = train(RIDGE, OTHERS);
    events.clear();
    var sorted = train(RIDGE, data("\"sql\": \"select * from houses order by rand(3)\""));
    assertEquals(1, notes("are copied: it"));
    assertEquals(plain.rows(), sorted.rows());
    events.clear();
    train(RIDGE, data("\"table\": \"houses\", \"copy\": \"elsewhere\""));
    assertEquals(0, notes("copied"));
    try (var all = Files.list(folder.resolve("elsewhere"))) {
      assertEquals(0, all.count());
    }
  }

  @Test
  void severalModelsShareTheRows() throws IOException {
    var grid =
        """
        "models": { "grid": { "parameters.lambda": [0.1, 1] } }
        """;
    var plain = train(RIDGE, OTHERS + ", " + grid);
    var result = train(RIDGE, data("\"table\": \"houses\"") + ", " + grid);
    assertEquals(plain.losses(), result.losses());
    assertEquals(List.of(), copies());
    var folds = "\"validation\": { \"folds\": 3 }";
    var folded = train(RIDGE, data("\"table\": \"houses\"") + ", " + folds);
    assertEquals(train(RIDGE, OTHERS + ", " + folds).losses(), folded.losses());
  }

  @Test
  void aModelIsAFunctionOfRows() throws IOException {
    var model = folder.resolve("out");
    train(
        RIDGE
            + "def predict [n][d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) (lambda: f64) ="
            + " { guess = map (value m) x, off = map2 (\\x y -> lambda * (y - value m x)) x y }",
        OTHERS);
    var session = SparkSession.builder().sparkContext(spark.sc()).getOrCreate();
    ModelFunctions.register(session, "guess", model);
    var rows =
        session.sql("select guess(array(area, rooms), price) p, * from houses").collectAsList();
    var weights = ModelFolder.open(model).orElseThrow().model();
    var w = ((ArrayValue) weights.get(2)).toDoubleArray();
    double bias = number(weights.get(0));
    for (var row : rows) {
      double guess = w[0] * row.<Double>getAs("area") + w[1] * row.<Double>getAs("rooms") + bias;
      assertEquals(guess, row.getStruct(0).getDouble(0), 1e-12);
      assertEquals(0.1 * (row.<Double>getAs("price") - guess), row.getStruct(0).getDouble(1), 1e-9);
    }
    assertEquals(200, rows.size());
    train(
        RIDGE
            + "def predict [n][d] (m: model [d]) (x: [n][d]f64) = map (/ f64.i64 n) (map (value m) x)",
        OTHERS);
    assertEquals(K6115, code(() -> ModelFunctions.register(session, "guess", model)));
    train(RIDGE, OTHERS);
    assertEquals(K7402, code(() -> ModelFunctions.register(session, "guess", model)));
  }

  @Test
  void faultsAreTold() {
    assertFails(K6114, "\"table\": \"no_such_table\"");
    assertFails(K6114, "\"sql\": \"selekt 1\"");
    assertFails(K6114, "\"format\": \"parquet\", \"path\": \"nowhere.parquet\"");
    assertFails(K6114, "\"format\": \"no-format\", \"path\": \"data.parquet\"");
    assertFails(K6104, "\"sql\": \"select area, rooms from houses\"");
    assertFails(
        K6106, "\"sql\": \"select area, if(area > 1, rooms, null) rooms, price from houses\"");
    assertFails(K7006, "\"sql\": \"select 1\", \"table\": \"houses\"");
    assertFails(K7006, "\"sql\": \"select 1\", \"path\": \"data.arrow\"");
    assertFails(K7006, "\"path\": \"data.arrow\", \"options\": {\"a\": \"b\"}");
    assertFails(K7006, "\"nulls\": \"drop\"");
    assertFalse(Files.exists(folder.resolve("out")));
  }

  /** A training with checkpoints copies its rows; what is wrong in the copy is so in the query. */
  @Test
  void faultsOfCopiesNameWhatTheUserHasWritten() throws IOException {
    Files.writeString(
        folder.resolve("houses.json"),
        """
        {"area": 1, "rooms": 2, "price": 3, "list": [1, 2]}
        {"area": null, "rooms": 2, "price": 3, "list": null}
        """);
    var json = "\"format\": \"json\", \"path\": \"houses.json\"";
    var job = data(json) + ", \"checkpoint\": {\"every\": 2}";
    var told = fault(() -> train(RIDGE, job)).getMessage();
    var file = folder.resolve("houses.json") + ", partition 0";
    assertEquals(file + ": column \"area\" is null in row 1, for the parameter x", told);
    var failed = events.stream().filter(TrainEvent.Failed.class::isInstance).toList();
    assertEquals(List.of(new TrainEvent.Failed(told)), failed);
    var lists = job.replace("\"price\"", "\"list\"");
    assertTrue(fault(() -> train(RIDGE, lists)).getMessage().contains("of " + file), lists);
    var elements = job.replace("\"price\"", "\"elements(list)\"");
    var ragged = fault(() -> train(RIDGE, elements)).getMessage();
    assertTrue(ragged.startsWith(file + ": "), ragged);
    assertEquals(List.of(), copies());
  }

  private void assertFails(ErrorCode code, String source) {
    assertEquals(code, code(() -> train(RIDGE, data(source))));
  }

  @Test
  void aQueryThatFailsIsTold() throws IOException {
    var price = "cast(if(area > 1, raise_error('no such price'), price) as double) as price";
    var e =
        fault(
            () ->
                train(
                    RIDGE,
                    data("\"sql\": \"select area, rooms, %s from houses\"".formatted(price))));
    assertEquals(K6114, e.diagnostics().getFirst().code());
    assertTrue(e.getMessage().contains("no such price"), e.getMessage());
    assertEquals(List.of(), copies());
  }

  @Test
  void aResumedTrainingHasTheSameRows() throws IOException {
    var noise = "select area, rooms, price + rand() as price from houses";
    var job =
        "\"data\": { \"sql\": \"%s\", %s }, \"parameters\": {\"lambda\": 0.1}, \"checkpoint\": {\"every\": 2},"
            .formatted(noise, COLUMNS);
    var whole =
        "\"iterations\": 6, \"optimiser\": {\"name\": \"gradient-descent\", \"rate\": 0.01}";
    events.clear();
    assertThrows(
        Stopped.class,
        () -> {
          throw interrupted(job + whole);
        });
    assertEquals(1, copies().size());
    var resumed = train(RIDGE, job + whole, Existing.RESUME);
    assertEquals(List.of(), copies());
    assertEquals(7, resumed.losses().size());
    for (int i = 1; i < 7; i++) {
      assertTrue(resumed.losses().get(i) < resumed.losses().get(i - 1));
    }
  }

  private static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private Stopped interrupted(String more) throws IOException {
    Files.writeString(folder.resolve("job.fut"), RIDGE);
    var json =
        "{ \"program\": \"job.fut\", \"spark\": {\"partitions\": 3}, \"output\": \"out\", "
            + more
            + "}";
    var document = new com.fasterxml.jackson.databind.ObjectMapper().readTree(json);
    var config = dev.kenaz.jobs.config.ConfigReader.train(document, "job");
    try {
      new TrainJob(
              config,
              document,
              folder,
              e -> {
                if (e instanceof TrainEvent.Checkpoint) {
                  throw new Stopped();
                }
              })
          .run(Existing.OVERWRITE, spark);
    } catch (Stopped e) {
      return e;
    }
    throw new AssertionError("it wasn't stopped");
  }
}
