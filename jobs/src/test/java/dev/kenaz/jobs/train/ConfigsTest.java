package dev.kenaz.jobs.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.arrow.Progress;
import dev.kenaz.dataset.ChangedSource;
import dev.kenaz.dataset.CsvFiles;
import dev.kenaz.dataset.CsvOptions;
import dev.kenaz.dataset.CsvType;
import dev.kenaz.dataset.DataFile;
import dev.kenaz.dataset.GroupedColumns;
import dev.kenaz.dataset.RowOutput;
import dev.kenaz.dataset.Transfer;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.sweep.CellResult;
import dev.kenaz.jobs.sweep.SweepJob;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs everything in the folder configs on a few rows, for a few iterations. Whoever adds a
 * configuration has it tested.
 */
final class ConfigsTest {
  private static final Path CONFIGS = Path.of("../configs");
  private static final int ROWS = 200;
  private static final int ITERATIONS = 2;
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir static Path folder;
  private static JavaSparkContext spark;

  /** Copies the folder, with the first rows of its data alone. */
  @BeforeAll
  static void prepare() throws IOException {
    Files.createDirectories(folder.resolve("configs/data"));
    Files.createDirectories(folder.resolve("out/mnist"));
    Files.createSymbolicLink(
        folder.resolve("configs/models"), CONFIGS.resolve("models").toRealPath());
    for (var data : list(CONFIGS.resolve("data"), ".arrow")) {
      cut(data, folder.resolve("configs/data").resolve(data.getFileName()));
    }
    var images = folder.resolve("images.arrow");
    var pixels = new CsvType.Number(Prim.U8);
    var csv = List.of(DataFile.of(CONFIGS.resolve("data/mnist-10k.csv.gz")));
    var rows = new CsvFiles(csv, CsvOptions.DEFAULT.withDefaultType(pixels));
    var x = new GroupedColumns(List.of(new GroupedColumns.Group("x", "p0", "p783")));
    Transfer.run(new ChangedSource(rows, x), RowOutput.arrowFile(images, false), Progress.NONE);
    cut(images, folder.resolve("out/mnist/part-00000.arrow"));
    cut(images, folder.resolve("out/mnist/part-00001.arrow"));
  }

  /** A sweep needs a Spark of its own, and there is only one at a time. */
  private static JavaSparkContext open() {
    spark = spark == null ? SparkStart.open("test", Optional.of("local[2]")) : spark;
    return spark;
  }

  @AfterAll
  static void close() {
    if (spark != null) {
      spark.close();
      spark = null;
    }
  }

  private static List<Path> list(Path folder, String ending) throws IOException {
    try (var files = Files.list(folder)) {
      return files.filter(f -> f.toString().endsWith(ending)).sorted().toList();
    }
  }

  private static void cut(Path from, Path to) throws IOException {
    var all = ArrowDataset.open(from.toString());
    if (all.columns().stream().anyMatch(c -> c.prim().isEmpty())) {
      Files.copy(from, to); // It has lists, which aren't written here.
      return;
    }
    var rows = all.rows(0, Math.min(ROWS, all.rowCount()));
    var columns = new LinkedHashMap<String, ArrayValue>();
    for (var c : all.columns()) {
      columns.put(c.name(), rows.column(c.name()).toValue(c.prim().orElseThrow()));
    }
    ArrowOutput.write(to, columns, true);
  }

  private static Stream<String> jobs() throws IOException {
    return names(false);
  }

  private static Stream<String> sweeps() throws IOException {
    return names(true);
  }

  private static Stream<String> names(boolean sweeps) throws IOException {
    var names = new ArrayList<String>();
    for (var file : list(CONFIGS, ".json")) {
      if (ConfigReader.document(file, List.of()).has("grid") == sweeps) {
        names.add(file.getFileName().toString());
      }
    }
    return names.stream();
  }

  /** Writes a configuration into the copy of the folder, to be run for a short time. */
  private static Path shortened(String name) throws IOException {
    var document = (ObjectNode) ConfigReader.document(CONFIGS.resolve(name), List.of());
    if (document.has("grid")) {
      var job = document.get("job").asText();
      shortened(job);
      var grid = (ObjectNode) document.get("grid");
      grid.properties().forEach(p -> grid.set(p.getKey(), one(p.getValue().path(0))));
      grid.set("iterations", one(IntNode.valueOf(ITERATIONS)));
    } else {
      var length = document.has("batch") ? "passes" : "iterations";
      document.put(length, Math.min(ITERATIONS, document.path(length).asInt(ITERATIONS)));
      document.withObject("spark").put("partitions", 2);
    }
    var file = folder.resolve("configs").resolve(name);
    return Files.writeString(file, document.toString());
  }

  private static ArrayNode one(JsonNode setting) {
    return JSON.createArrayNode().add(setting);
  }

  @ParameterizedTest
  @MethodSource("jobs")
  void everyJobRuns(String name) throws IOException {
    var said = new ArrayList<String>();
    var job = TrainJob.read(shortened(name), TrainConsole.lines(said::add));
    var end = job.run(Existing.OVERWRITE, open());
    assertTrue(end.iterations() > 0, said.toString());
    var model = folder.resolve("configs").resolve(job.config().output()).normalize();
    assertEquals(end.model(), ModelFolder.open(model).orElseThrow().model());
    if (!end.losses().isEmpty()) {
      assertTrue(end.losses().getLast() <= end.losses().getFirst(), said.toString());
    }
  }

  @ParameterizedTest
  @MethodSource("sweeps")
  void everySweepRuns(String name) throws IOException {
    close();
    var sweep = SweepJob.read(shortened(name), line -> {}, line -> {});
    var results = sweep.run(Existing.OVERWRITE);
    assertEquals(1, results.size());
    assertTrue(results.stream().allMatch(CellResult::isDone), results.toString());
  }

  /** A program says at its top which model it is, and the page of the models names it. */
  @Test
  void everyProgramIsDescribed() throws IOException {
    var page = Files.readString(Path.of("../docs/models.md"));
    for (var program : list(CONFIGS.resolve("models"), ".fut")) {
      assertTrue(Files.readString(program).startsWith("-- "), program + " begins with a comment");
      assertTrue(
          page.contains(program.getFileName().toString()), program + " is in docs/models.md");
    }
    for (var config : list(CONFIGS, ".json")) {
      assertTrue(page.contains(config.getFileName().toString()), config + " is in docs/models.md");
    }
  }
}
