package dev.kenaz.jobs.train;

import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** What tests of trainings share: a Spark, data, and jobs over it. */
abstract class TrainTesting {
  static final String RIDGE =
      """
      type model [d] = { weights: [d]f64, bias: f64, calls: i64 }
      def init [n][d] (x: [n][d]f64) : model [d] = { weights = replicate d 0, bias = 0, calls = 7 }
      def value [d] (m: model [d]) (x: [d]f64) = f64.sum (map2 (*) m.weights x) + m.bias
      def loss [n][d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) (lambda: f64) : f64 =
        f64.sum (map2 (\\x y -> (value m x - y) ** 2) x y) / f64.i64 n
        + lambda * f64.sum (map (** 2) m.weights)
      def metrics [n][d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) : { rmse: f64, rows: i64 } =
        { rmse = f64.sqrt (f64.sum (map2 (\\x y -> (value m x - y) ** 2) x y) / f64.i64 n)
        , rows = n }
      """;

  static JavaSparkContext spark;

  @TempDir Path folder;
  int partitions = 3;
  final List<String> said = new ArrayList<>();

  final List<TrainEvent> events = new ArrayList<>();
  double[][] numbers;

  @BeforeAll
  static void open() {
    spark = SparkStart.open("test", Optional.of("local[2]"));
  }

  @AfterAll
  static void close() {
    spark.close();
  }

  /** The price is 3 area - 2 rooms + 7. */
  @BeforeEach
  void writeData() {
    write(200);
  }

  final void write(int n) {
    write(n, "data.arrow");
  }

  final void write(int n, String file) {
    var random = new Random(3);
    numbers = new double[3][n];
    for (int i = 0; i < n; i++) {
      numbers[0][i] = 1 + random.nextGaussian();
      numbers[1][i] = random.nextInt(5);
      numbers[2][i] = 3 * numbers[0][i] - 2 * numbers[1][i] + 7;
    }
    writeNumbers(file);
  }

  final void writeNumbers(String file) {
    int n = numbers[0].length;
    var columns = new LinkedHashMap<String, ArrayValue>();
    columns.put("area", ArrayValue.ofDoubles(numbers[0], n));
    columns.put("rooms", ArrayValue.ofDoubles(numbers[1], n));
    columns.put("price", ArrayValue.ofDoubles(numbers[2], n));
    ArrowOutput.write(folder.resolve(file), columns, true);
  }

  /** Trains with other keys in the configuration. */
  final TrainJob.Result train(String program, String more, Existing existing) throws IOException {
    Files.writeString(folder.resolve("job.fut"), program);
    var json =
        """
        {
          "program": "job.fut",
          "data": { "path": "data.arrow", "columns": { "x": ["area", "rooms"], "y": "price" } },
          "spark": { "partitions": %d },
          "output": "out"%s
        }
        """
            .formatted(partitions, more.isEmpty() ? "" : ", " + more);
    var document = new ObjectMapper().readTree(json);
    var console = TrainConsole.lines(said::add);
    var config = ConfigReader.train(document, "job");
    return new TrainJob(config, document, folder, console.andThen(events::add))
        .run(existing, spark);
  }

  final TrainJob.Result train(String program, String more) throws IOException {
    return train(program, more, Existing.OVERWRITE);
  }

  /** What the folder of the model says about it. */
  final ModelFolder.Document document() {
    return ModelFolder.open(folder.resolve("out")).orElseThrow().document();
  }

  /** The lines of the history. */
  final List<JsonNode> history() throws IOException {
    var lines = new ArrayList<JsonNode>();
    for (var line : Files.readAllLines(folder.resolve("out/history.jsonl"))) {
      lines.add(new ObjectMapper().readTree(line));
    }
    return lines;
  }

  static double number(Value v) {
    return ((ScalarValue) v).asDouble();
  }

  static UserError fault(org.junit.jupiter.api.function.Executable action) {
    return assertThrows(UserError.class, action);
  }

  static ErrorCode code(org.junit.jupiter.api.function.Executable action) {
    return fault(action).diagnostics().getFirst().code();
  }
}
