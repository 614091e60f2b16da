package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K5001;
import static dev.kenaz.error.ErrorCode.K7006;
import static dev.kenaz.error.ErrorCode.K7101;
import static dev.kenaz.error.ErrorCode.K7103;
import static dev.kenaz.error.ErrorCode.K7601;
import static dev.kenaz.error.ErrorCode.K8204;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.cuda.runtime.DriverProbe;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.Main;
import dev.kenaz.jobs.OwnProcess;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.value.ArrayValue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole trainings on an embedded Spark, and whatever can be wrong with one. */
final class TrainJobTest {
  private static final int N = 300;

  @TempDir Path folder;
  private final double[][] points = new double[N][2];
  private final List<String> said = new ArrayList<>();

  /** Processes of their own are started as this one was: by the command. */
  @BeforeAll
  static void beginByTheCommand() {
    assertEquals(0, Main.run("--version"));
  }

  @BeforeEach
  void writeData() {
    var random = new Random(3);
    for (int i = 0; i < N; i++) {
      points[i][0] = 8 * (i % 3) + random.nextGaussian();
      points[i][1] = 5 * (i % 2) + random.nextGaussian();
    }
    write("data.arrow", points);
  }

  private void write(String name, double[][] rows) {
    var columns = new LinkedHashMap<String, ArrayValue>();
    for (int j = 0; j < 2; j++) {
      int column = j;
      var numbers = Arrays.stream(rows).mapToDouble(r -> r[column]).toArray();
      columns.put(j == 0 ? "x" : "y", ArrayValue.ofDoubles(numbers, numbers.length));
    }
    ArrowOutput.write(folder.resolve(name), columns, true);
  }

  private TrainJob.Result train(String config, Existing existing) throws IOException {
    var file = Files.writeString(folder.resolve("job.json"), config);
    return TrainJob.read(file, TrainConsole.lines(said::add)).run(existing);
  }

  private static String config(int partitions) {
    return """
    {
      "program": "builtin:kmeans-f64",
      "data": { "path": "data.arrow", "columns": { "points": ["x", "y"] } },
      "parameters": { "k": 6 },
      "seed": 4,
      "iterations": 5,
      "checkpoint": { "every": 2 },
      "spark": { "master": "local[2]", "partitions": %d },
      "output": "out"
    }
    """
        .formatted(partitions);
  }

  private static double[] numbers(TrainJob.Result result) {
    return ((ArrayValue) result.model().getFirst()).toDoubleArray();
  }

  /** Never another backend in its place. */
  @Test
  void withoutAGpuTheCudaBackendIsAnError() {
    assumeFalse(DriverProbe.report().usable(), "there is a GPU here");
    var config = config(2).replace("local[2]\"", "local[2]\", \"backend\": \"cuda\"");
    var e = assertThrows(UserError.class, () -> train(config, Existing.REFUSE));
    assertEquals(K7601, e.diagnostics().getFirst().code());
    assertTrue(e.getMessage().contains("no GPU can be used: "), e.getMessage());
    assertFalse(Files.exists(folder.resolve("out/model.json")));
  }

  @ParameterizedTest
  @CsvSource({"1, jvm", "3, jvm", "2, interpret"})
  void agreesWithDerivativesByHand(int partitions, String backend) throws IOException {
    var config =
        config(partitions).replace("local[2]\"", "local[2]\", \"backend\": \"" + backend + "\"");
    Files.writeString(folder.resolve("begin.fut"), kmeans().replace("init", "begin") + BEGIN);
    var mine = config.replace("builtin:kmeans-f64", "begin.fut");
    var state = train(mine, Existing.REFUSE);
    var start = Arrays.stream(points, 0, 6).flatMapToDouble(Arrays::stream);
    var expected = new HandWrittenKmeans(points, 6).after(5, start.toArray());
    assertArrayEquals(Arrays.copyOf(expected, 12), numbers(state), 1e-9);
    assertEquals(expected[12], state.losses().getLast(), 1e-6);

    var model = ArrowDataset.open(folder.resolve("out/model.arrow").toString());
    assertEquals(1, model.rowCount());
    assertEquals("[model]", model.columns().stream().map(c -> c.name()).toList().toString());
    assertEquals(state.model(), ModelFolder.open(folder.resolve("out")).orElseThrow().model());
    assertTrue(Files.size(folder.resolve("out/model.json")) > 0);
    assertEquals(6, said.stream().filter(l -> l.startsWith("iteration")).count());
    assertEquals(K7101, code(() -> train(mine, Existing.REFUSE)));

    said.clear();
    var again = train(mine, Existing.RESUME);
    assertEquals(state.model(), again.model());
    assertEquals("the training is finished, after 5 iterations:", said.getFirst());
    var other = mine.replace("\"k\": 6", "\"k\": 5");
    assertEquals(K7103, code(() -> train(other, Existing.RESUME)));
  }

  private static final String BEGIN =
      "def init [n][d] (points: [n][d]f64) (k: i64) : [k][d]f64 = take k points\n";

  private static String kmeans() throws IOException {
    var resource = "/dev/kenaz/configs/models/kmeans.fut";
    try (var text = TrainJob.class.getResourceAsStream(resource)) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8).replace("f32", "f64");
    }
  }

  /** A copy of k-means is as good as the one that is built in. */
  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void aProgramOfOnesOwn(int partitions) throws IOException {
    var builtin = train(config(partitions), Existing.REFUSE);
    Files.writeString(folder.resolve("mine.fut"), kmeans());
    var mine =
        train(config(partitions).replace("builtin:kmeans-f64", "mine.fut"), Existing.OVERWRITE);
    assertEquals(builtin.model(), mine.model());
    assertEquals(builtin.losses(), mine.losses());
  }

  /** What earlier versions took trains the same model as its new form. */
  @Test
  void aJobOfAnEarlierVersion() throws IOException {
    var old =
        """
        {
          "data": { "path": "data.arrow", "columns": ["x", "y"] },
          "program": { "file": "builtin:kmeans", "type": "f64" },
          "model": { "k": 6, "seed": 4 },
          "optimiser": { "name": "newton" },
          "iterations": 5,
          "spark": { "master": "local[2]", "partitions": 2 },
          "output": "out"
        }
        """;
    assertEquals(train(config(2), Existing.REFUSE).model(), train(old, Existing.OVERWRITE).model());
    for (var part :
        List.of(
            "\"seed\": 4|\"init\": \"rows\"",
            "\"newton\"|\"gradient-descent\"",
            "builtin:kmeans|mine.fut")) {
      var other = old.replace(part.split("[|]")[0], part.split("[|]")[1]);
      assertEquals(K7006, code(() -> train(other, Existing.OVERWRITE)), part);
    }
  }

  /** More partitions than rows leave some empty; one row each is enough for k rows. */
  @Test
  void emptyPartitionsChangeNothing() throws IOException {
    write("data.arrow", java.util.Arrays.copyOf(points, 7));
    var few = train(config(1), Existing.REFUSE);
    var many = train(config(9), Existing.OVERWRITE);
    assertArrayEquals(numbers(few), numbers(many), 1e-12);
  }

  @Test
  void resumesFromTheLastCheckpoint() throws IOException {
    var config = config(2);
    var whole = train(config, Existing.REFUSE);
    Files.delete(folder.resolve("out/model.json")); // as if it had been killed
    assertEquals(K7101, code(() -> train(config, Existing.REFUSE)));
    said.clear();
    var resumed = train(config, Existing.RESUME);
    assertTrue(said.contains("resuming after iteration 4"), said.toString());
    assertEquals(whole.model(), resumed.model());
    assertEquals(whole.losses(), resumed.losses());
    Files.delete(folder.resolve("out/model.json"));
    assertEquals(K7103, code(() -> train(config.replace("\"k\": 6", "\"k\": 5"), Existing.RESUME)));
  }

  @Test
  void refusesToResumeOverOtherRows() throws IOException {
    var config = config(2);
    var whole = train(config, Existing.REFUSE);
    Files.delete(folder.resolve("out/model.json"));
    double before = points[N / 2][1];
    points[N / 2][1] = 1;
    write("data.arrow", points);
    var refused = assertThrows(UserError.class, () -> train(config, Existing.RESUME));
    assertTrue(refused.getMessage().contains("the data has changed"), refused.getMessage());
    write("data.arrow", Arrays.copyOf(points, 100));
    assertEquals(K7103, code(() -> train(config, Existing.RESUME)));

    points[N / 2][1] = before;
    write("data.arrow", points);
    assertEquals(whole.model(), train(config, Existing.RESUME).model());
  }

  @Test
  void saysThatThereIsNoCheckpoint() throws IOException {
    train(config(2), Existing.REFUSE);
    Files.delete(folder.resolve("out/model.json"));
    Files.delete(folder.resolve("out/" + OutputFolder.CHECKPOINT));
    said.clear();
    train(config(2), Existing.RESUME);
    assertTrue(said.stream().anyMatch(l -> l.contains("no checkpoint")), said.toString());
  }

  /** Asked to replace a model, a training that fails leaves it; one that works replaces it. */
  @Test
  void anOldModelStaysUntilThereIsANewOne() throws IOException {
    var old = train(config(1), Existing.REFUSE);
    var model = Files.readString(folder.resolve("out/model.json"));
    Files.writeString(
        folder.resolve("bounds.fut"),
        """
        def init [n][d] (points: [n][d]f64) (k: i64) : [k][d]f64 = take k points
        def step [n][k][d] (points: [n][d]f64) (centres: [k][d]f64) : ([k][d]f64, f64) =
          (centres, f64.sum (map (\\p -> p[0] * centres[k + i64.f64 p[0], 0]) points))
        """);
    var failing = config(1).replace("builtin:kmeans-f64", "bounds.fut");
    assertEquals(K5001, code(() -> train(failing, Existing.OVERWRITE)));
    assertEquals(model, Files.readString(folder.resolve("out/model.json")));

    var longer = config(1).replace("\"iterations\": 5", "\"iterations\": 6");
    assertEquals(old.iterations() + 1, train(longer, Existing.OVERWRITE).iterations());
    assertFalse(Files.exists(folder.resolve("out/previous")));
  }

  /** As Ctrl-C does: no message blames a master, and nothing is left that hinders the next one. */
  @Test
  void anInterruptIsToldAsSuch() throws Exception {
    var endless = config(1).replace("\"iterations\": 5", "\"iterations\": 1000000000");
    var file = Files.writeString(folder.resolve("endless.json"), endless);
    var builder = OwnProcess.of(List.of("train", file.toString()));
    // As the launcher does. Spark itself logs errors of tasks that end while it stops.
    builder
        .command()
        .add(1, "-Dlog4j2.configurationFile=classpath:dev/kenaz/jobs/log4j2-quiet.properties");
    var process = builder.start();
    var lines = process.inputReader();
    var line = lines.readLine();
    while (line != null && !line.startsWith("iteration   4")) {
      line = lines.readLine();
    }
    process.toHandle().destroy();
    var rest = String.join("\n", lines.lines().filter(l -> !l.startsWith("iteration")).toList());
    assertEquals(143, process.waitFor(), rest);
    assertFalse(rest.contains("master") || rest.contains("\tat "), rest);
    assertTrue(Files.exists(folder.resolve("out/checkpoint")));
    assertFalse(Files.exists(folder.resolve("out").resolve(OutputLock.NAME)));
  }

  /** Too little memory for Spark is no missing master. */
  @Test
  void withoutMemoryMoreIsAskedFor() throws Exception {
    var file = Files.writeString(folder.resolve("small.json"), config(1));
    var builder = OwnProcess.of(List.of("train", file.toString()));
    builder.command().add(1, "-Xmx100m");
    builder.command().removeIf(a -> a.equals("-Xmx1g"));
    var process = builder.start();
    var said = String.join("\n", process.inputReader().lines().toList());
    assertEquals(2, process.waitFor(), said);
    assertTrue(said.contains("error[K5900]") && !said.contains("is the master running"), said);
    assertFalse(Files.exists(folder.resolve("out")));
  }

  @Test
  void aMasterThatCannotBeIsNamed() {
    var config = config(1).replace("local[2]", "sparc://here");
    assertEquals(K8204, code(() -> train(config, Existing.REFUSE)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          data.arrow  | missing.arrow  | K6101
          data.arrow  | truncated.arrow | K610
          data.arrow  | text.arrow     | K6105
          data.arrow  | nulls.arrow    | K6106
          data.arrow  | nans.arrow     | K7502
          ["x", "y"]  | ["x", "z"]     | K6104
          "k": 6      | "k": 301       | K5
          "k": 6      | "k": 0         | K5
          "k": 6      | "k": 6.5       | K7404
          "k": 6      | "k": [6]       | K7404
          "k": 6      | "k": 6, "l": 1 | K7403
          "k": 6      | "kk": 6        | K7402
          "points"    | "point"        | K7402
          "points"    | "loss"         | K7402
          builtin:kmeans-f64 | builtin:kmenas | K7401
          builtin:kmeans-f64 | nothing.txt | K7401
          builtin:kmeans-f64 | syntax.fut  | K0101
          builtin:kmeans-f64 | type.fut    | K2
          builtin:kmeans-f64 | arity.fut   | K7402
          builtin:kmeans-f64 | undivided.fut | K8001
          "k": 6      | "k": 1e400     | K7006
          "k": 6      | "k": 1e-400    | K7006
          "k": 6      | "k": 6, "k": 2 | K7001
          "seed": 4   | "seed": 99999999999999999999 | K7006
          "iterations": 5 | "iterations": 5e9 | K7006
          ["x", "y"]  | ["x", "x"]     | K7006
          data.arrow  | /              | K6101
          data.arrow  | a\\u0000b      | K6101
          data.arrow  | dangling.arrow | K6101
          data.arrow  | pointer.arrow  | K6102
          builtin:kmeans-f64 | a\\u0000b  | K7401
          "out"       | "a\\u0000b"   | K7006
          """)
  void badInputIsAnErrorAndLosesNothing(String from, String to, String expected)
      throws IOException {
    writeBadFiles();
    var config = config(2).replace(from, to);
    var code = code(() -> train(config, Existing.REFUSE));
    assertTrue(code.name().startsWith(expected), code::name);
    assertFalse(Files.exists(folder.resolve("out")), "it leaves an empty folder");
  }

  private void writeBadFiles() throws IOException {
    var whole = Files.readAllBytes(folder.resolve("data.arrow"));
    Files.write(folder.resolve("truncated.arrow"), java.util.Arrays.copyOf(whole, 2000));
    points[17][1] = Double.NaN;
    write("nans.arrow", points);
    try (var allocator = new RootAllocator();
        var x = new Float8Vector("x", allocator);
        var y = new Float8Vector("y", allocator);
        var text = new VarCharVector("y", allocator)) {
      for (int i = 0; i < 9; i++) {
        x.setSafe(i, i);
        text.setSafe(i, "seven".getBytes(StandardCharsets.UTF_8));
        if (i != 5) {
          y.setSafe(i, i);
        }
      }
      writeVectors("nulls.arrow", x, y);
      writeVectors("text.arrow", x, text);
    }
    Files.createSymbolicLink(folder.resolve("dangling.arrow"), Path.of("gone"));
    Files.writeString(
        folder.resolve("pointer.arrow"),
        "version https://git-lfs.github.com/spec/v1\noid sha256:0");
    Files.writeString(folder.resolve("syntax.fut"), "def cost = )\n");
    Files.writeString(folder.resolve("type.fut"), kmeans() + "def x : f64 = 1 + true\n");
    Files.writeString(folder.resolve("arity.fut"), "def loss (x: f64) : f64 = x\n");
    Files.writeString(
        folder.resolve("undivided.fut"),
        """
        def init [n][d] (points: [n][d]f64) (k: i64) : [k][d]f64 = take k points
        def step [n][k][d] (points: [n][d]f64) (centres: [k][d]f64) : ([k][d]f64, f64) =
          let at c = i64.f64 (f64.abs (f64.sum c)) % k
          let loss to = f64.sum (map (\\c -> to[at c][0] ** 2) (transpose points))
          in (vjp loss centres 1, loss centres)
        """);
  }

  private void writeVectors(String name, FieldVector... columns) throws IOException {
    for (var c : columns) {
      c.setValueCount(9);
    }
    var root = VectorSchemaRoot.of(columns);
    try (var out = Files.newByteChannel(folder.resolve(name), CREATE, WRITE);
        var writer = new ArrowFileWriter(root, null, out)) {
      writer.writeBatch();
      writer.end();
    }
  }

  private static ErrorCode code(org.junit.jupiter.api.function.Executable action) {
    return switch (assertThrows(RuntimeException.class, action)) {
      case UserError e -> e.diagnostics().getFirst().code();
      case Limitation e -> e.diagnostic().code();
      case RuntimeException e -> throw e;
    };
  }
}
