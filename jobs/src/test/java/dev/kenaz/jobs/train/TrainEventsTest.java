package dev.kenaz.jobs.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.ArrayValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What trainings tell of themselves: in their folder, and to Spark's metrics system. */
final class TrainEventsTest {
  private static final String SINK = "spark.metrics.conf.driver.sink.csv.";

  private static final String MEAN =
      """
      def init : f64 = 10
      def loss [n] (m: f64) (x: [n]f64) (power: f64) : f64 =
        f64.sum (map (\\x -> (x - m) ** power) x) / f64.i64 n
      """;

  @TempDir Path folder;
  private JavaSparkContext spark;

  @BeforeEach
  void open() throws IOException {
    System.setProperty(SINK + "class", "org.apache.spark.metrics.sink.CsvSink");
    System.setProperty(
        SINK + "directory", Files.createDirectories(folder.resolve("metrics")).toString());
    spark = SparkStart.open("test", Optional.of("local[2]"));
    var columns = new LinkedHashMap<String, ArrayValue>();
    columns.put("x", ArrayValue.ofDoubles(new double[] {1, 2, 3, 4, 5, 6}, 6));
    ArrowOutput.write(folder.resolve("data.arrow"), columns, true);
    Files.writeString(folder.resolve("mean.fut"), MEAN);
  }

  @AfterEach
  void close() {
    spark.close();
    System.clearProperty(SINK + "class");
    System.clearProperty(SINK + "directory");
  }

  private void train(Existing existing, double power, Consumer<TrainEvent> observer)
      throws IOException {
    var document =
        new ObjectMapper()
            .readTree(
                """
                { "program": "mean.fut", "data": { "path": "data.arrow", "columns": {"x": "x"} },
                  "optimiser": { "name": "gradient-descent", "rate": 0.01 }, "iterations": 9,
                  "parameters": { "power": %s }, "checkpoint": { "every": 4 }, "output": "out",
                  "spark": { "partitions": 2 } }
                """
                    .formatted(power));
    new TrainJob(ConfigReader.train(document, "job"), document, folder, observer)
        .run(existing, spark);
  }

  private List<String> lines() throws IOException {
    return Files.readAllLines(folder.resolve("out/events.jsonl"));
  }

  private static List<String> kinds(List<String> lines) throws IOException {
    var kinds = new ArrayList<String>();
    for (var line : lines) {
      var event = new ObjectMapper().readTree(line);
      assertTrue(event.get("at").asText().endsWith("Z"), line);
      var iteration = event.get("iteration");
      kinds.add(event.get("event").asText() + (iteration == null ? "" : " " + iteration));
    }
    return kinds;
  }

  /** Ends a training as a kill would: in the midst of a line, and with nothing said. */
  private static Consumer<TrainEvent> killedAt(int iteration) {
    return event -> {
      if (event instanceof TrainEvent.Iteration i && i.iteration() == iteration) {
        throw new Killed();
      }
    };
  }

  private static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  @Test
  void eachEventIsALineAtOnce() throws IOException {
    var seen = new ArrayList<List<String>>();
    train(
        Existing.REFUSE,
        2,
        e -> {
          if (e instanceof TrainEvent.Iteration) {
            try {
              seen.add(kinds(lines()));
            } catch (IOException x) {
              throw new AssertionError(x);
            }
          }
        });
    assertEquals(List.of("started", "job", "iteration 0"), seen.getFirst());
    assertEquals("iteration 5", seen.get(5).getLast());
    var kinds = kinds(lines());
    assertEquals(16, kinds.size(), kinds.toString());
    assertEquals("checkpoint 4", kinds.get(7));
    assertEquals(List.of("ended 9", "data"), kinds.subList(14, 16));
    for (JsonNode step : lines().subList(2, 6).stream().map(TrainEventsTest::json).toList()) {
      double sum = 0;
      for (var s : step.get("stages")) {
        assertTrue(s.asDouble() >= 0, step.toString());
        sum += s.asDouble();
      }
      assertEquals(step.get("seconds").asDouble(), sum, 1e-6, step.toString());
      assertTrue(step.get("stages").get("compute").asDouble() > 0, step.toString());
    }
    assertEquals(16, EventsFile.read(folder.resolve("out")).size(), "all can be read");
    spark.close();
    var loss = metric("loss");
    assertEquals(json(lines().get(13)).get("loss").asDouble(), Double.parseDouble(loss), 1e-9);
    assertEquals("9", metric("iteration"));
    assertTrue(Double.parseDouble(metric("rowsPerSecond")) > 0);
    assertTrue(Double.parseDouble(metric("gradient")) > 0);
  }

  private static JsonNode json(String line) {
    try {
      return new ObjectMapper().readTree(line);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the last value of a gauge that Spark's sink has written. */
  private String metric(String name) throws IOException {
    try (var files = Files.list(folder.resolve("metrics"))) {
      var file =
          files
              .filter(f -> f.toString().endsWith(".driver.kenaz.train." + name + ".csv"))
              .findFirst()
              .orElseThrow();
      return Files.readAllLines(file).getLast().split(",")[1];
    }
  }

  @Test
  void aResumedTrainingGoesOnInTheSameFile() throws IOException {
    assertThrows(Killed.class, () -> train(Existing.REFUSE, 2, killedAt(7)));
    var file = folder.resolve("out/events.jsonl");
    var killed = Files.readString(file);

    Files.writeString(file, killed.substring(0, killed.lastIndexOf("{\"at") + 30));
    var told = new ArrayList<TrainEvent>();
    train(Existing.RESUME, 2, told::add);
    var kinds = kinds(lines());
    assertEquals(
        List.of("iteration 7", "started", "job", "resumed 4", "iteration 5"),
        kinds.subList(10, 15));
    assertEquals("data", kinds.getLast());
    var read = EventsFile.read(folder.resolve("out"));
    var iterations = new ArrayList<Integer>();
    for (var event : read) {
      if (event instanceof TrainEvent.Iteration i) {
        iterations.add(i.iteration());
      }
    }
    assertEquals(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), iterations, "each once, in order");
    assertInstanceOf(TrainEvent.Data.class, read.getLast());
  }

  @Test
  void aFailureIsAnEventAndTheNextTrainingBeginsAnew() throws IOException {
    assertThrows(Killed.class, () -> train(Existing.REFUSE, 2, killedAt(2)));
    assertEquals("failed", kinds(lines()).getLast());
    train(Existing.REFUSE, 2, _ -> {});
    assertEquals(16, lines().size());
    train(Existing.OVERWRITE, 4, _ -> {});
    assertEquals("started", kinds(lines()).getFirst());
    assertEquals("data", kinds(lines()).getLast());
    assertEquals(16, lines().size());
  }

  @Test
  void anOldModelKeepsItsEventsUntilThereIsANewOne() throws IOException {
    train(Existing.REFUSE, 2, _ -> {});
    var before = lines();
    assertThrows(Killed.class, () -> train(Existing.OVERWRITE, 4, killedAt(3)));
    assertEquals(before, lines());
    assertFalse(Files.exists(folder.resolve("out/.events.jsonl.part")));
    assertThrows(Killed.class, () -> train(Existing.OVERWRITE, 4, killedAt(5)));
    assertEquals(10, lines().size(), "the new ones, as there is a checkpoint");
    assertEquals(before, Files.readAllLines(folder.resolve("out/previous/events.jsonl")));
  }

  @Test
  void whatIsNoEventIsLeftOut() throws IOException {
    train(Existing.REFUSE, 2, _ -> {});
    int events = EventsFile.read(folder.resolve("out")).size();
    Files.writeString(
        folder.resolve("out/events.jsonl"),
        "{\"event\":\"of a later version\"}\n\u0000\n{\"event\":\"iteration\",",
        StandardOpenOption.APPEND);
    assertEquals(events, EventsFile.read(folder.resolve("out")).size());
    assertEquals(List.of(), EventsFile.read(folder));
  }
}
