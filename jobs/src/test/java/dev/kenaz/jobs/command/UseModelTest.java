package dev.kenaz.jobs.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trained models are applied and evaluated by commands that know nothing but their folders. */
final class UseModelTest {
  private static final String PROGRAM =
      """
      type model [d] = { weights: [d]f64, bias: f64 }
      def init [n][d] (x: [n][d]f64) : model [d] = { weights = replicate d 0, bias = 0 }
      def value [d] (m: model [d]) (x: [d]f64) = f64.sum (map2 (*) m.weights x) + m.bias
      def loss [n][d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) (lambda: f64) : f64 =
        f64.sum (map2 (\\x y -> (value m x - y) ** 2) x y) / f64.i64 n
        + lambda * f64.sum (map (** 2) m.weights)
      def metrics [n][d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) : { rmse: f64, rows: i64 } =
        { rmse = f64.sqrt (f64.sum (map2 (\\x y -> (value m x - y) ** 2) x y) / f64.i64 n)
        , rows = n }
      """;

  private static final String PREDICT =
      """
      def predict [n][d] (m: model [d]) (x: [n][d]f64) : [n]f64 = map (value m) x
      """;

  /** There are 70 rows in each of 3 files, the last two in one batch of each; rooms 4 is null. */
  private static final int ROWS = 210;

  @TempDir static Path folder;

  @BeforeAll
  static void train() throws IOException {
    write("hä user/1.arrow", 0, 70, "area", true, 25);
    write("hä user/2.arrow", 70, 140, "area", true, 70);
    write("hä user/3.arrow", 140, 210, "area", true, 70);
    write("neu.arrow", 0, 210, "Fläche", false, 50);
    trained("ridge", PROGRAM + PREDICT, "drop");
  }

  private static Path trained(String name, String program, String nulls) throws IOException {
    Files.writeString(folder.resolve(name + ".fut"), program);
    var config =
        """
        {
          "program": "%s.fut",
          "data": {
            "path": "hä user",
            "columns": { "x": ["area", "rooms"], "y": "price" },
            "nulls": "%s"
          },
          "parameters": { "lambda": 0.1 },
          "optimiser": { "name": "l-bfgs" },
          "iterations": 30,
          "spark": { "master": "local[2]" },
          "output": "out/%s"
        }
        """;
    var file =
        Files.writeString(folder.resolve(name + ".json"), config.formatted(name, nulls, name));
    var told = Told.run("train", file.toString(), "--overwrite");
    assertEquals(0, told.status(), told.err());
    return folder.resolve("out").resolve(name);
  }

  /** Integers that f64 doesn't have are the same for all who read them. */
  @Test
  void integersOfMetricsKeepAllDigits() throws IOException {
    var program =
        PROGRAM
            .replace("rows: i64 }", "rows: i64, top: u64 }")
            .replace("rows = n }", "rows = n * 0 + 9007199254740993, top = u64.highest }");
    trained("big", program, "drop");
    var model = folder.resolve("out/big");
    var file = folder.resolve("big.json").toString();
    var validated =
        Told.run(
            "train", file, "--overwrite", "--set", "validation.split=0.1", "--set", "iterations=2");
    assertEquals(0, validated.status(), validated.err());
    var told =
        List.of(
            validated.err() + validated.out(),
            Files.readString(model.resolve("events.jsonl")),
            Files.readString(model.resolve("history.jsonl")),
            Files.readString(model.resolve("model.json")),
            Files.readString(model.resolve("report.html")),
            Told.run("evaluate", model.toString()).out(),
            Told.run("evaluate", model.toString(), "--json").out(),
            Told.run("models", model.toString()).out(),
            Told.run("models", model.toString(), "--json").out());
    for (var text : told) {
      assertTrue(text.contains("9007199254740993"), text);
      assertTrue(text.contains("18446744073709551615"), text);
    }
  }

  private static void write(String name, int from, int to, String area, boolean price, int rows)
      throws IOException {
    var file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    try (var allocator = new RootAllocator();
        var town = new VarCharVector("town", allocator);
        var areas = new Float8Vector(area, allocator);
        var rooms = new BigIntVector("rooms", allocator);
        var prices = new Float8Vector("price", allocator)) {
      var columns = new ArrayList<FieldVector>(List.of(town, areas, rooms));
      if (price) {
        columns.add(prices);
      }
      try (var out = new FileOutputStream(file.toFile());
          var root = new VectorSchemaRoot(columns);
          var writer = new ArrowFileWriter(root, null, out.getChannel())) {
        writer.start();
        for (int first = from; first < to; first += rows) {
          root.clear();
          int n = Math.min(rows, to - first);
          for (int i = 0; i < n; i++) {
            int row = first + i;
            if (row % 3 > 0) {
              town.setSafe(i, ("Kö" + row).getBytes(StandardCharsets.UTF_8));
            }
            areas.setSafe(i, area(row));
            if (row % 5 != 4) {
              rooms.setSafe(i, row % 5);
            }
            prices.setSafe(i, 3 * area(row) - 2 * (row % 5) + 7);
          }
          root.setRowCount(n);
          writer.writeBatch();
        }
        writer.end();
      }
    }
  }

  private static double area(int row) {
    return 1 + Math.sin(row);
  }

  /** Returns the rows of all files as text, with a slash between the columns. */
  private static List<String> rows(Path data) throws IOException {
    var rows = new ArrayList<String>();
    List<Path> files;
    try (var all = Files.list(data)) {
      files = all.sorted().toList();
    }
    for (var file : files) {
      try (var allocator = new RootAllocator();
          var in = new FileInputStream(file.toFile());
          var reader = new ArrowFileReader(in.getChannel(), allocator)) {
        while (reader.loadNextBatch()) {
          var root = reader.getVectorSchemaRoot();
          for (int i = 0; i < root.getRowCount(); i++) {
            int row = i;
            rows.add(
                String.join(
                    "/",
                    root.getFieldVectors().stream()
                        .map(v -> v.getName() + "=" + v.getObject(row))
                        .toList()));
          }
        }
      }
    }
    return rows;
  }

  private static String model(String name) {
    return folder.resolve("out").resolve(name).toString();
  }

  private static void fails(int status, String message, String... args) {
    var told = Told.run(args);
    assertEquals(status, told.status(), told.err());
    assertTrue(told.err().contains(message), told.err());
    assertFalse(told.err().contains("\tat "), told.err());
  }

  @Test
  void predictionsStandBehindAllColumnsInOrder() throws IOException {
    var data = folder.resolve("hä user").toString();
    var before = rows(Path.of(data));
    var weights = weights();
    for (var partitions : List.of("1", "2", "7")) {
      var out = folder.resolve("ä b/priced " + partitions);
      var told =
          Told.run("predict", model("ridge"), data, "--out", out + "", "--partitions", partitions);
      assertEquals(0, told.status(), told.err());
      assertTrue(told.out().startsWith("210 rows with prediction in "), told.out());
      assertTrue(told.out().contains("42 of them have nulls"), told.out());
      var rows = rows(out);
      assertEquals(ROWS, rows.size());
      for (int i = 0; i < ROWS; i++) {
        var parts = rows.get(i).split("/prediction=");
        assertEquals(before.get(i), parts[0]);
        if (i % 5 == 4) {
          assertEquals("null", parts[1]);
        } else {
          double value = weights[0] * area(i) + weights[1] * (i % 5) + weights[2];
          assertEquals(value, Double.parseDouble(parts[1]), 1e-9);
        }
      }
    }
    try (var files = Files.list(folder.resolve("ä b/priced 7"))) {
      assertTrue(files.count() > 3, "as many files as the batches allow");
    }
  }

  /** Spark writes all rows, and nothing else is left. */
  @Test
  void sparkWritesPredictionsInOtherFormats() throws IOException {
    var data = folder.resolve("hä user").toString();
    var out = folder.resolve("ä b/as [1] json");
    String[] line = {
      "predict",
      model("ridge"),
      data,
      "--out",
      out + "",
      "--partitions",
      "5",
      "--out-format",
      "json"
    };
    var told = Told.run(line);
    assertEquals(0, told.status(), told.err());
    assertTrue(told.out().startsWith("210 rows with prediction as json in "), told.out());
    var lines = new ArrayList<String>();
    try (var files = Files.list(out)) {
      for (var f : files.sorted().toList()) {
        var name = f.getFileName().toString();
        assertTrue(name.equals("_SUCCESS") || name.endsWith(".json"), name);
        lines.addAll(Files.readAllLines(f));
      }
    }
    var weights = weights();
    assertEquals(ROWS, lines.size());
    int without = 0;
    for (var written : lines) {
      var row = new ObjectMapper().readTree(written);
      if (row.get("prediction") == null) {
        without++;
      } else {
        double area = row.get("area").asDouble();
        double value = weights[0] * area + weights[1] * row.get("rooms").asInt() + weights[2];
        assertEquals(value, row.get("prediction").asDouble(), 1e-9, written);
      }
    }
    assertEquals(42, without);
    fails(2, "error[K6110]", line);
    line[4] = folder.resolve("no format").toString();
    line[8] = "parkett";
    fails(2, "Spark can't write the format parkett", line);
    assertFalse(Files.exists(Path.of(line[4])));
    line[8] = "text";
    fails(2, "Spark can't write the format text", line);
    assertFalse(Files.exists(Path.of(line[4])));
    var option = Stream.concat(Arrays.stream(line, 0, 7), Stream.of("--out-option", "a=b"));
    fails(64, "--out-format, which is missing", option.toArray(String[]::new));
  }

  private static double[] weights() throws IOException {
    var data = dev.kenaz.arrow.ArrowDataset.open(model("ridge") + "/model.arrow");
    var w = data.column("weights").toMatrix(dev.kenaz.value.Prim.F64);
    var b = data.column("bias").toVector(dev.kenaz.value.Prim.F64);
    return new double[] {w.getDouble(0), w.getDouble(1), b.getDouble(0)};
  }

  @Test
  void aFolderIsReplacedOnlyWhenThatIsAskedFor() throws IOException {
    var out = folder.resolve("twice");
    Files.createDirectories(out);
    var line =
        List.of(
            "predict",
            model("ridge"),
            folder + "/neu.arrow",
            "--out",
            out + "",
            "--on",
            "x=Fläche,rooms");
    assertEquals(0, Told.run(line.toArray(String[]::new)).status(), "an empty folder is none");
    assertEquals(ROWS, rows(out).size());
    fails(2, "error[K6110]", line.toArray(String[]::new));
    var again = Stream.concat(line.stream(), Stream.of("--overwrite")).toArray(String[]::new);
    assertEquals(0, Told.run(again).status());
    Files.writeString(out.resolve("mine.txt"), "");
    fails(2, "holds more than files of a dataset", again);
    var data = folder.resolve("hä user").toString();
    fails(2, "holds the data", "predict", model("ridge"), data, "--out", data, "--overwrite");
    try (var left = Files.list(folder)) {
      assertEquals(List.of(), left.map(Path::toString).filter(p -> p.contains(".tmp-")).toList());
    }
  }

  @Test
  void resultsOfManyKindsHaveNames() throws IOException {
    var predict =
        """
        def predict [n][d] (m: model [d]) (x: [n][d]f64) =
          { price = map (value m) x, both = map (map f32.f64) x, large = map (\\r -> r[0] > 1) x }
        """;
    var model = trained("many", PROGRAM + predict, "drop").toString();
    var data = folder.resolve("hä user").toString();
    var out = folder.resolve("many-out").toString();
    fails(2, "the data has a column \"price\" already", "predict", model, data, "--out", out);
    fails(2, "--as NAME=COLUMN", "predict", model, data, "--out", out);
    fails(2, "did you mean \"price\"", "predict", model, data, "--out", out, "--as", "prize=p");
    var told = Told.run("predict", model, data, "--out", out, "--as", "price=guess");
    assertEquals(0, told.status(), told.err());
    var row = rows(Path.of(out)).get(2);
    assertTrue(row.startsWith("town=Kö2/area="), row);
    assertTrue(row.contains("/both=[" + (float) area(2) + ",2.0]/large=true/guess="), row);

    var pair =
        PROGRAM + "def predict [n][d] (m: model [d]) (x: [n][d]f64) = (map (value m) x, x)\n";
    model = trained("pair", pair, "drop").toString();
    out = folder.resolve("pair-out").toString();
    assertEquals(0, Told.run("predict", model, data, "--out", out).status());
    row = rows(Path.of(out)).get(2);
    assertTrue(row.contains("/prediction.0="), row);
    assertTrue(row.endsWith("/prediction.1=[" + area(2) + ",2.0]"), row);
  }

  /** A median needs all rows, and a filter leaves some out. */
  @Test
  void whatIsNoRowForEachRowIsAnError() throws IOException {
    var filter = "def predict [n][d] (_: model [d]) (x: [n][d]f64) = filter (> 1) (map head x)\n";
    var data = folder.resolve("hä user").toString();
    var out = folder.resolve("none").toString();
    var model = trained("filter", PROGRAM + filter.replace("(_:", "(m:"), "drop").toString();
    fails(2, "but the data has 168", "predict", model, data, "--out", out);
    var deep =
        "def predict [n][d] (m: model [d]) (x: [n][d]f64) = map (\\r -> [r, map (* m.bias) r]) x\n";
    model = trained("deep", PROGRAM + deep, "drop").toString();
    fails(2, "error[K6112]", "predict", model, data, "--out", out);
    model = trained("lacks", PROGRAM, "drop").toString();
    fails(2, "has no function predict", "predict", model, data, "--out", out);
    var rank =
        "def predict [n][d] (m: model [d]) (x: [n][d]f64) : [n]i64 =\n"
            + "  let v = map (value m) x in map (\\a -> i64.sum (map (\\b -> i64.bool (b < a)) v))"
            + " v\n";
    model = trained("rank", PROGRAM + rank, "drop").toString();
    var told = Told.run("predict", model, data, "--out", out);
    assertEquals(0, told.status(), told.err());
    assertEquals(ROWS, rows(Path.of(out)).size());
  }

  @Test
  void faultsOfDataAndModelAreToldBeforeAnythingIsWritten() throws IOException {
    var data = folder.resolve("neu.arrow").toString();
    var out = folder.resolve("never").toString();
    fails(2, "has no column \"area\"", "predict", model("ridge"), data, "--out", out);
    fails(
        2,
        "is string, not numbers",
        "predict",
        model("ridge"),
        data,
        "--out",
        out,
        "--on",
        "x=town,rooms");
    fails(
        2,
        "no parameter that is data",
        "predict",
        model("ridge"),
        data,
        "--out",
        out,
        "--on",
        "z=rooms");
    fails(
        2,
        "the model has 2 elements",
        "predict",
        model("ridge"),
        data,
        "--out",
        out,
        "--on",
        "x=rooms");
    fails(2, "error[K6101]", "predict", model("ridge"), data + "x", "--out", out);
    fails(2, "is no folder of a model", "predict", model("ridg"), data, "--out", out);
    fails(64, "--partitions", "predict", model("ridge"), data, "--out", out, "--partitions", "0");
    var broken = Files.createDirectories(folder.resolve("out/broken"));
    fails(2, "holds no model", "predict", broken + "", data, "--out", out);
    var json = new ObjectMapper();
    var document = (ObjectNode) json.readTree(Path.of(model("ridge"), "model.json").toFile());
    Files.write(broken.resolve("model.json"), json.writeValueAsBytes(document));
    fails(2, "model.arrow", "predict", broken + "", data, "--out", out, "--on", "x=Fläche,rooms");
    Files.copy(
        Path.of(model("many").replace("many", "ridge"), "model.arrow"),
        broken.resolve("model.arrow"));
    var bytes = Files.readAllBytes(broken.resolve("model.json"));
    for (int n = 0; n < bytes.length; n += 97) {
      Files.write(broken.resolve("model.json"), java.util.Arrays.copyOf(bytes, n));
      fails(2, "error[K7103]", "evaluate", broken + "");
    }
    var program = (ObjectNode) document.get("program");
    program.put(program.fieldNames().next(), "def init = ");
    Files.write(broken.resolve("model.json"), json.writeValueAsBytes(document));
    fails(2, "--> ridge.fut in " + broken, "predict", broken + "", data, "--out", out);
    assertFalse(Files.exists(Path.of(out)));
  }

  @Test
  void lossAndMetricsAreThoseOfTheTraining() throws IOException {
    var told = Told.run("evaluate", model("ridge"), "--json");
    assertEquals(0, told.status(), told.err());
    var e = new ObjectMapper().readTree(told.out());
    var was = new ObjectMapper().readTree(Path.of(model("ridge"), "model.json").toFile());
    assertEquals(was.get("loss").asDouble(), e.get("loss").asDouble(), 1e-12);
    assertEquals(168, e.get("rows").asLong());
    assertEquals(was.at("/metrics/rmse").asDouble(), e.at("/metrics/rmse").asDouble(), 1e-12);
    told = Told.run("evaluate", model("ridge"), folder + "/hä user/2.arrow", "--partitions", "3");
    var lines = "(?s)loss +[0-9.E-]+\nrmse +[0-9.E-]+\nmetric rows  56\nrows +56\n";
    assertTrue(told.out().matches(lines), told.out());
    fails(2, "has no column \"area\"", "evaluate", model("ridge"), folder + "/neu.arrow");
  }

  /** Writes a job that begins with a model, and returns what a training of it tells. */
  private static Told goOn(String name, String program, String more, String... options)
      throws IOException {
    Files.writeString(folder.resolve(name + ".fut"), program);
    var config =
        """
        { "include": "ridge.json", "program": "%s.fut", "output": "out/%s", "iterations": 3, %s }
        """;
    var file =
        Files.writeString(folder.resolve(name + ".json"), config.formatted(name, name, more));
    var line = Stream.concat(Stream.of("train", file.toString()), Stream.of(options));
    return Told.run(line.toArray(String[]::new));
  }

  private static List<Double> losses(String name) throws IOException {
    var losses = new ArrayList<Double>();
    new ObjectMapper()
        .readTree(Path.of(model(name), "model.json").toFile())
        .get("losses")
        .forEach(l -> losses.add(l.asDouble()));
    return losses;
  }

  @Test
  void aTrainingBeginsWhereAnotherHasEnded() throws IOException {
    var start = "\"start\": { \"model\": \"out/short\" }";
    assertEquals(0, goOn("short", PROGRAM, "\"seed\": 1").status());
    var adam = "\"optimiser\": { \"name\": \"adam\", \"rate\": 0.001 }";
    var told = goOn("longer", PROGRAM + PREDICT, start + "," + adam);
    assertEquals(0, told.status(), told.err());
    assertEquals(losses("short").getLast(), losses("longer").getFirst(), 1e-12);
    assertTrue(losses("longer").getLast() < losses("short").getLast());
    // In its own place, over other data and with another hyperparameter.
    var data = "\"data\": { \"path\": \"hä user/1.arrow\" }, \"parameters\": { \"lambda\": 0.2 }";
    var again = start.replace("short", "longer") + "," + data;
    told = goOn("longer", PROGRAM + PREDICT, again, "--overwrite");
    assertEquals(0, told.status(), told.err());
    assertEquals(0, Told.run("evaluate", model("longer")).status());
    var other = PROGRAM.replace("bias: f64 }", "bias: f32 }").replace("m.bias", "f64.f32 m.bias");
    told = goOn("other", other, start);
    assertEquals(2, told.status());
    assertTrue(told.err().contains("error[K7407]"), told.err());
    assertTrue(told.err().contains("{bias: f64, weights: []f64}"), told.err());
    assertTrue(told.err().contains("{bias: f32, weights: []f64}"), told.err());
    var three = "\"data\": { \"columns\": { \"x\": [\"area\", \"rooms\", \"price\"] } }";
    told = goOn("three", PROGRAM, start + "," + three);
    assertEquals(2, told.status());
    assertTrue(told.err().contains("the model has 2 elements in dimension 1"), told.err());
    assertFalse(told.err().contains("kenaz_"), told.err());
    assertFalse(Files.exists(Path.of(model("three"), "model.json")));
    told = goOn("none", PROGRAM, start.replace("short", "nowhere"));
    assertTrue(told.err().contains("is no folder of a model"), told.err());
  }

  /** The folder has the text as it was written; nothing that is printed has the value. */
  @Test
  void valuesOfVariablesAreNeverShown() throws IOException {
    var home = System.getenv("HOME");
    org.junit.jupiter.api.Assumptions.assumeTrue(home != null && home.length() > 3);
    var path = "${env:HOME}" + "/..".repeat(Path.of(home).getNameCount()) + folder + "/hä user";
    var told = goOn("secret", PROGRAM, "\"data\": { \"path\": \"" + path + "\" }");
    assertEquals(0, told.status(), told.err());
    var json = Files.readString(Path.of(model("secret"), "model.json"));
    assertTrue(json.contains("${env:HOME}/.."), json);
    assertFalse(json.contains(home), json);
    assertFalse(Files.readString(Path.of(model("secret"), "events.jsonl")).contains(home));
    assertEquals(0, Told.run("evaluate", model("secret")).status());
    fails(2, "--nulls drop", "evaluate", model("secret"), "--nulls", "error");
    told = goOn("lost", PROGRAM, "\"data\": { \"path\": \"${env:HOME}/no such file\" }");
    assertEquals(2, told.status());
    assertTrue(told.err().contains("can't read ${env:HOME}/no such file"), told.err());
    assertFalse(told.err().contains(home), told.err());
    var file = folder.resolve("secret.json").toString();
    told = Told.run("train", file, "--set", "spark.master=${env:HOME}", "--set", "output=out/x");
    assertFalse((told.out() + told.err()).contains(home), told.err());
    told = Told.run("train", file, "--set", "data.path=${env:NO_SUCH_KENAZ}");
    assertTrue(told.err().contains("error[K7007]"), told.err());
    assertTrue(told.err().contains("${env:NO_SUCH_KENAZ:-default}"), told.err());
  }
}
