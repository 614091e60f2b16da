package dev.kenaz.jobs.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.error.UserError;
import dev.kenaz.spark.KenazPlugin;
import dev.kenaz.spark.KenazTab;
import dev.kenaz.value.ArrayValue;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.spark.SecurityManager;
import org.apache.spark.SecurityManager$;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.deploy.history.FsHistoryProvider;
import org.apache.spark.deploy.history.HistoryServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a session of the user's own, with the plugin, shows of a training. */
final class TrainPagesTest {
  /** Where Spark tells of the stages of an application. */
  private static final String STAGES = "/stages?details=false";

  private static final String SINK = "spark.metrics.conf.*.sink.prometheusServlet.";

  @TempDir Path folder;

  private SparkConf conf() throws IOException {
    return new SparkConf()
        .setMaster("local[2]")
        .setAppName("pages")
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.driver.bindAddress", "127.0.0.1")
        .set("spark.plugins", KenazPlugin.class.getName())
        .set("spark.ui.port", "0")
        .set(SINK + "class", "org.apache.spark.metrics.sink.PrometheusServlet")
        .set(SINK + "path", "/metrics/prometheus")
        .set("spark.eventLog.enabled", "true")
        .set("spark.eventLog.dir", Files.createDirectories(folder.resolve("log")).toUri() + "");
  }

  private void train(JavaSparkContext spark) throws IOException {
    var numbers = new double[400];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = i % 7;
    }
    var columns = new LinkedHashMap<String, ArrayValue>();
    columns.put("x", ArrayValue.ofDoubles(numbers, 200, 2));
    columns.put("y", ArrayValue.ofDoubles(Arrays.copyOf(numbers, 200), 200));
    ArrowOutput.write(folder.resolve("data.arrow"), columns, true);
    Files.writeString(folder.resolve("job.fut"), TrainTesting.RIDGE);
    var job =
        Files.writeString(
            folder.resolve("job.json"),
            """
            {
              "program": "job.fut",
              "data": { "path": "data.arrow", "columns": { "x": "x", "y": "y" } },
              "parameters": { "lambda": 0 },
              "optimiser": { "name": "l-bfgs" },
              "iterations": 3, "tolerance": 0,
              "spark": { "partitions": 3 },
              "output": "houses <1>"
            }
            """);
    TrainJob.read(job, e -> {}).run(OutputFolder.Existing.REFUSE, spark);
  }

  private static String get(JavaSparkContext spark, String path) throws Exception {
    return get(spark.sc().uiWebUrl().get() + path);
  }

  private static String get(String page) throws Exception {
    var place = URI.create(page);
    try (var client = HttpClient.newHttpClient()) {
      var answer =
          client.send(HttpRequest.newBuilder(place).build(), HttpResponse.BodyHandlers.ofString());
      assertEquals(200, answer.statusCode(), answer.body());
      return answer.body();
    }
  }

  @Test
  void sparkShowsTheTraining() throws Exception {
    String application;
    Map<String, Map<String, String>> shown;
    try (var spark = new JavaSparkContext(conf())) {
      application = spark.sc().applicationId();
      assertTrue(get(spark, "/kenaz/").contains("Nothing of Kenaz has run yet"));
      train(spark);
      var tab = get(spark, "/kenaz/");
      assertTrue(tab.contains("Training of job.fut"), tab);
      assertTrue(tab.contains("houses &lt;1&gt;"), tab);
      assertFalse(tab.contains("houses <1>"), tab);
      assertTrue(tab.contains("iteration") && tab.contains("&lt;svg"), "no picture");
      assertTrue(get(spark, "/kenaz/?name=nothing%20like%20this").contains("Training of job.fut"));
      assertTrue(get(spark, "/jobs/").contains("/kenaz"), "no link");

      spark.sc().listenerBus().waitUntilEmpty(10_000);
      var stages = get(spark, "/api/v1/applications/" + application + STAGES);
      shown = named(new ObjectMapper().readTree(stages));
      var gauges = get(spark, "/metrics/prometheus/");
      assertTrue(gauges.contains("kenaz_rows_Value"), gauges);
      assertTrue(gauges.contains("kenaz_train_loss_Value"), gauges);
    }
    assertEquals(shown, named(history(application)));
  }

  /** Checks what stages are called, and returns the counters of each. */
  private static Map<String, Map<String, String>> named(JsonNode stages) {
    var all = new LinkedHashMap<String, Map<String, String>>();
    var counters = new TreeSet<String>();
    for (var stage : stages) {
      var its = new TreeMap<String, String>();
      for (var a : stage.path("accumulatorUpdates")) {
        its.put(a.path("name").asText(), a.path("value").asText());
      }
      counters.addAll(its.keySet());
      all.put(stage.path("name").asText(), its);
    }
    var names = all.keySet();
    assertTrue(names.size() > 3, names.toString());
    for (var name : names) {
      assertFalse(name.contains(".java:"), names.toString());
      assertFalse(name.contains(" at "), names.toString());
    }
    assertTrue(names.stream().anyMatch(n -> n.matches("job.fut:\\d+ .* of .*")), names.toString());
    assertTrue(counters.contains("kenaz: rows"), counters.toString());
    assertTrue(counters.contains("kenaz: bytes read"), counters.toString());
    return all;
  }

  /** Returns the stages of an application as Spark's history server reads them from its log. */
  private JsonNode history(String application) throws Exception {
    var conf =
        new SparkConf(false)
            .set("spark.history.fs.logDirectory", folder.resolve("log").toUri() + "")
            .set("spark.history.store.hybridStore.enabled", "false");
    var usual = SecurityManager$.MODULE$;
    var security =
        new SecurityManager(
            conf, usual.$lessinit$greater$default$2(), usual.$lessinit$greater$default$3());
    var provider = new FsHistoryProvider(conf);
    var server = new HistoryServer(conf, provider, security, 0);
    server.bind();
    try {
      provider.checkForLogs();
      var place = "http://127.0.0.1:" + server.boundPort() + "/api/v1/applications";
      var all = new ObjectMapper().readTree(get(place));
      assertEquals(List.of(application), List.of(all.path(0).path("id").asText()));
      return new ObjectMapper().readTree(get(place + "/" + application + STAGES));
    } finally {
      server.stop();
    }
  }

  @Test
  void thePluginRefusesUnknownKeys() throws IOException {
    var conf = conf().set("spark.kenaz.chache", "1g").set("spark.ui.enabled", "false");
    var fault = assertThrows(UserError.class, () -> new JavaSparkContext(conf));
    assertTrue(fault.getMessage().contains("spark.kenaz.chache"), fault.getMessage());
  }

  @Test
  void withoutPagesOrWithoutTheTabATrainingRuns() throws IOException {
    try (var spark = new JavaSparkContext(conf().set("spark.ui.enabled", "false"))) {
      assertTrue(KenazTab.of(spark.sc()).isEmpty());
      train(spark);
    }
    try (var spark = new JavaSparkContext(conf().set("spark.kenaz.ui", "false"))) {
      assertTrue(KenazTab.of(spark.sc()).isEmpty());
    }
  }
}
