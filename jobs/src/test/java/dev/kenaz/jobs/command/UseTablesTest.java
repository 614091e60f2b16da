package dev.kenaz.jobs.command;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Models are trained on, judged by and applied to rows that Spark reads, by commands alone. */
final class UseTablesTest {
  private static final String PROGRAM =
      """
      def init [n][d] (x: [n][d]f64) : [d]f64 = replicate d 0
      def value [d] (m: [d]f64) (x: [d]f64) = f64.sum (map2 (*) m x)
      def loss [n][d] (m: [d]f64) (x: [n][d]f64) (y: [n]f64) : f64 =
        f64.sum (map2 (\\x y -> (value m x - y) ** 2) x y) / f64.i64 n
      def predict [n][d] (m: [d]f64) (x: [n][d]f64) : [n]f64 = map (value m) x
      """;

  private static final int ROWS = 30;

  @TempDir static Path folder;
  private static String sql;

  @BeforeAll
  static void train() throws IOException {
    var csv = new StringBuilder("name,area,rooms,price\n");
    for (int i = 0; i < ROWS; i++) {
      csv.append("n%d,%d,%d,%d%n".formatted(i, i, i % 5, 3 * i - 2 * (i % 5)));
    }
    Files.writeString(folder.resolve("houses.csv"), csv);
    try (var spark =
        SparkSession.builder().master("local[2]").config("spark.ui.enabled", false).getOrCreate()) {
      var rows =
          spark
              .read()
              .option("header", true)
              .option("inferSchema", true)
              .csv(folder.resolve("houses.csv").toString());
      rows.coalesce(1).write().parquet(folder.resolve("houses.parquet").toString());
      rows.coalesce(1).write().format("arrow").save(folder.resolve("houses").toString());
    }
    sql = "select *, array(area, rooms) as both from parquet.`" + folder + "/houses.parquet`";
    Files.writeString(folder.resolve("ridge.fut"), PROGRAM);
    var validation = "\"validation\": { \"format\": \"parquet\", \"path\": \"houses.parquet\" },";
    assertEquals(0, trained("plain", "\"path\": \"houses\"", "").status());
    var told = trained("ridge", "\"sql\": \"" + sql + "\"", validation);
    assertEquals(0, told.status(), told.err());
    assertEquals(List.of(), left("out"));
  }

  private static Told trained(String name, String data, String more) throws IOException {
    var config =
        """
        {
          "program": "ridge.fut",
          "data": { %s, "columns": { "x": ["area", "rooms"], "y": "price" } }, %s
          "optimiser": { "name": "l-bfgs" }, "iterations": 30,
          "spark": { "master": "local[2]" },
          "output": "out/%s"
        }
        """;
    var file = folder.resolve(name + ".json");
    Files.writeString(file, config.formatted(data, more, name));
    return Told.run("train", file.toString(), "--overwrite");
  }

  private static List<Path> left(String where) throws IOException {
    try (var all = Files.list(folder.resolve(where))) {
      return all.filter(p -> p.getFileName().toString().startsWith(".")).toList();
    }
  }

  private static JsonNode model(String name) throws IOException {
    return new ObjectMapper().readTree(folder.resolve("out/" + name + "/model.json").toFile());
  }

  private static Told use(String command, String... more) {
    var line = Stream.concat(Stream.of(command, folder + "/out/ridge"), Arrays.stream(more));
    return Told.run(line.toArray(String[]::new));
  }

  private static void fails(int status, String message, String command, String... more) {
    var told = use(command, more);
    assertEquals(status, told.status(), told.err());
    assertTrue(told.err().contains(message), told.err());
    assertFalse(told.err().contains("\tat "), told.err());
  }

  @Test
  void otherRowsOfSparkJudgeATraining() throws IOException {
    var loss = model("plain").get("loss").asDouble();
    assertEquals(loss, model("ridge").get("loss").asDouble());
    assertEquals(loss, model("ridge").at("/validation/loss").asDouble(), 1e-12);
    var rows = ", \"folds\": 2 },";
    var told = trained("x", "\"path\": \"houses\"", "\"validation\": { \"table\": \"t\"" + rows);
    assertTrue(told.err().contains("more than one of split, folds and other data"), told.err());
    told = trained("x", "\"path\": \"houses\"", "\"validation\": { \"table\": \"no_t\" },");
    assertTrue(told.err().contains("error[K6114]: Spark can't read table no_t"), told.err());
    told =
        trained("x", "\"path\": \"houses\"", "\"validation\": { \"sql\": \"select 1 as area\" },");
    assertTrue(told.err().contains("the query has no column \"rooms\""), told.err());
    assertEquals(List.of(), left("out"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--format parquet houses.parquet",
        "--format parquet file://FOLDER/houses.parquet",
        "--format csv --option header=true --option inferSchema=true houses.csv",
        "--sql QUERY"
      })
  void rowsOfSparkGiveWhatArrowFilesGive(String source) throws IOException {
    var words =
        Arrays.stream(source.split(" "))
            .map(w -> w.startsWith("houses") ? folder + "/" + w : w)
            .map(w -> w.replace("FOLDER", folder.toString()).replace("QUERY", sql))
            .toArray(String[]::new);
    var plain = use("evaluate", folder + "/houses");
    var told = use("evaluate", words);
    assertEquals(0, told.status(), told.err());
    assertEquals(plain.out(), told.out());
    var out = Files.createTempDirectory(folder, "out").toString();
    var line = Stream.concat(Arrays.stream(words), Stream.of("--out", out));
    told = use("predict", line.toArray(String[]::new));
    assertEquals(0, told.status(), told.err());
    assertTrue(told.out().startsWith("30 rows with prediction in "), told.out());
    var data = ArrowDataset.open(out);
    var names = data.schema().stream().map(c -> c.name()).toList();
    assertEquals(List.of("name", "area", "rooms", "price"), names.subList(0, 4));
    assertEquals("prediction", names.getLast());
    var price = data.column("price").toVector(Prim.F64);
    var predicted = data.column("prediction").toVector(Prim.F64);
    for (int i = 0; i < ROWS; i++) {
      assertEquals(3 * i - 2 * (i % 5), price.getDouble(i));
      assertEquals(price.getDouble(i), predicted.getDouble(i), 1e-3);
    }
    try (var files = Files.list(Path.of(out))) {
      assertTrue(files.allMatch(f -> f.toString().endsWith(".arrow")));
    }
  }

  @Test
  void theRowsOfTheTrainingAreReadAgain() {
    var told = use("evaluate", "--json");
    assertEquals(0, told.status(), told.err());
    assertTrue(told.out().contains("\"data\":\"the query\",\"rows\":30"), told.out());
    var copies = folder.resolve("copies");
    told = use("evaluate", "--json", "--copy", copies.toString());
    assertEquals(0, told.status(), told.err());
    assertArrayEquals(new String[0], copies.toFile().list());
    assertFalse(told.err().contains("are copied"), told.err());
  }

  @Test
  void aLineSaysWhyRowsAreCopied() {
    var told = use("evaluate", "--json", "--sql", "select * from (" + sql + ") order by area");
    assertEquals(0, told.status(), told.err());
    assertTrue(told.err().contains("the rows of the query are copied: it "), told.err());
    assertEquals(1, told.out().lines().count());
  }

  @Test
  void nullsAreDroppedAndColumnsRenamed() {
    var out = folder.resolve("nulls").toString();
    var query =
        "select cast(id as string) s, array(if(id = 3, null, double(id)), 1d) v from range(6)";
    fails(2, "error[K6106]", "predict", "--sql", query, "--out", out, "--on", "x=v");
    var told = use("predict", "--sql", query, "--out", out, "--on", "x=v", "--nulls", "drop");
    assertEquals(0, told.status(), told.err());
    assertTrue(told.out().contains("1 of them have nulls"), told.out());
    var nan = "select array(double('NaN'), 1d) v";
    fails(2, "error[K7502]", "predict", "--sql", nan, "--out", out + 2, "--on", "x=v");
  }

  @Test
  void noRowsGiveNoPredictions() {
    var query = sql + " where area < 0";
    var told = use("predict", "--sql", query, "--out", folder.resolve("none").toString());
    assertEquals(0, told.status(), told.err());
    assertTrue(told.out().startsWith("0 rows with prediction"), told.out());
    fails(2, "the query has no rows", "evaluate", "--sql", query);
  }

  @Test
  void faultsAreTold() throws IOException {
    var out = folder.resolve("never").toString();
    fails(64, "name the data: DATA, --table or --sql", "predict", "--out", out);
    fails(2, "error[K6114]", "predict", "--out", out, "--table", "nowhere");
    fails(2, "error[K6114]", "evaluate", "--table", "nowhere");
    fails(2, "error[K6114]", "evaluate", "--format", "parquet", folder + "/nowhere");
    fails(2, "in several ways", "evaluate", "--table", "t", folder + "/houses");
    fails(2, "in several ways", "evaluate", "--table", "t", "--sql", "select 1");
    fails(2, "no format to which", "evaluate", "--option", "a=b", folder + "/houses");
    fails(2, "has no column \"rooms\"", "evaluate", "--sql", "select 1 as area");
    var price = "select 1d as area, 2d as rooms, 3d as prediction";
    fails(2, "column \"prediction\" already", "predict", "--out", out, "--sql", price);
    var text = "select 'a' as area, 2d as rooms";
    fails(2, "error[K6105]", "predict", "--out", out, "--sql", text);
    var fault = "select double(id) as area, double(raise_error('broken')) as rooms from range(3)";
    fails(2, "broken", "predict", "--out", out, "--sql", fault);
    var ragged = "select sequence(1d, id) as v from range(1, 3)";
    fails(2, "error[K", "predict", "--out", out, "--sql", ragged, "--on", "x=v");
    var lacks = "select 1d as area, if(id = 1, null, 2d) as rooms from range(0, 2, 1, 1)";
    fails(
        2,
        "the query, partition 0: column \"rooms\" is null",
        "predict",
        "--out",
        out,
        "--sql",
        lacks);
    assertFalse(Files.exists(Path.of(out)));
    assertEquals(List.of(), left("."));
  }
}
