package dev.kenaz.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clusters that are set up in a wrong way, or where something fails: every job ends right, or with
 * an error that says what to do. It is slow because each job starts a driver and executors.
 */
@Tag("slow")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ClusterFaultsTest {
  @TempDir static Path folder;
  private static JobFiles files;
  private static StandaloneCluster cluster;

  @BeforeAll
  static void startCluster() throws Exception {
    files = new JobFiles(folder);
    var script = folder.resolve("gpus.sh");
    Files.writeString(script, "#!/bin/sh\necho '{\"name\": \"gpu\", \"addresses\": [\"0\"]}'\n");
    assertTrue(script.toFile().setExecutable(true));
    var options =
        "-Dspark.worker.resource.gpu.amount=1 -Dspark.worker.resource.gpu.discoveryScript="
            + script;
    var machines = new StandaloneCluster.Machines(options, Map.of(), "");
    cluster = StandaloneCluster.start(files.clusterHome(), folder.resolve("logs"), machines);
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static Process train(String name, int iterations, String... options) throws IOException {
    var config =
        files.training(
            name,
            """
            "program": "builtin:linear",
            "data": { "path": "%s", "columns": { "x": ["distance", "time"], "y": "delay" } },
            "parameters": { "l2": 0 },
            "optimiser": { "name": "gradient-descent", "rate": 1e-9 },
            "tolerance": 0,
            """
                + "\"iterations\": "
                + iterations
                + ",");
    return cluster.submit(name, JobFiles.submission(config, List.of(options)));
  }

  private static int end(Process job) throws InterruptedException {
    assertTrue(job.waitFor(10, TimeUnit.MINUTES), "the job doesn't end");
    return job.exitValue();
  }

  private static void assertRefused(String name, Process job, String... says) throws Exception {
    assertEquals(2, end(job), cluster.log(name));
    for (var text : says) {
      assertTrue(cluster.log(name).contains(text), text + ": " + cluster.log(name));
    }
    assertEquals(0, files.events(name), "it has begun");
  }

  @Test
  void executorsWithAnOlderJavaAreNamed() throws Exception {
    var java = olderJava();
    Assumptions.assumeTrue(java.isPresent(), "no Java 17 here");
    var job = train("older", 2, "--conf", "spark.executorEnv.JAVA_HOME=" + java.get());
    assertRefused("older", job, "K8208", "executors run Java 17");
  }

  private static Optional<Path> olderJava() throws IOException {
    var place = Path.of("/usr/lib/jvm");
    if (!Files.isDirectory(place)) {
      return Optional.empty();
    }
    try (var homes = Files.list(place)) {
      return homes
          .filter(h -> Files.isExecutable(h.resolve("bin/java")))
          .filter(h -> h.getFileName().toString().matches(".*\\b17\\b.*"))
          .findFirst();
    }
  }

  @Test
  void keysThatDontExistAreRefused() throws Exception {
    var job = train("key", 2, "--conf", "spark.kenaz.cahce=1g");
    assertRefused("key", job, "K8207", "did you mean \"spark.kenaz.cache\"?");
  }

  @Test
  void arraysThatDontFitTheMemoryOfExecutorsAreToldOf() throws Exception {
    var job = train("small", 2, "--conf", "spark.kenaz.memory=1k");
    assertEquals(2, end(job), cluster.log("small"));
    assertTrue(cluster.log("small").contains("K5006"), cluster.log("small"));
  }

  @Test
  void withoutGpusNothingBegins() throws Exception {
    var job = cluster.submit("none", files.gpuSubmission("none", List.of()));
    int status = end(job);
    Assumptions.assumeFalse(status == 0, "there is a GPU");
    assertRefused("none", job, "K7601", "executor ", "spark.executor.resource.gpu.amount=1");
  }

  /** Spark gives GPUs to the stages that compute on them, and to no others. */
  @Test
  void stagesAskForGpus() throws Exception {
    var gpu = files.substituteGpu(folder.resolve("no-fault"));
    Assumptions.assumeTrue(gpu.isPresent(), "no g++ here: nothing runs on a substitute of a GPU");
    var options = new ArrayList<>(gpu.get());
    options.addAll(List.of("--conf", "spark.executor.resource.gpu.amount=1"));
    var log = Files.createDirectories(folder.resolve("event-log"));
    options.addAll(List.of("--conf", "spark.kenaz.gpu.amount=1"));
    options.addAll(List.of("--conf", "spark.eventLog.enabled=true"));
    options.addAll(List.of("--conf", "spark.eventLog.compress=false"));
    options.addAll(List.of("--conf", "spark.eventLog.dir=" + log.toUri()));
    var managed = cluster.submit("managed", files.gpuSubmission("managed", options));
    assertEquals(0, end(managed), cluster.log("managed"));
    assertTrue(text(log).contains("\"Resource Profile Id\":1"), "no stage asked for a GPU");
    assertTrue(text(log).contains("kenaz: bytes from GPUs"), "no copies were counted");
    assertRowsStayOnGpus(copiedToGpus(text(log)));

    // Two applications at once, on the one device that each finds.
    var one = new ArrayList<>(gpu.get());
    one.addAll(List.of("--total-executor-cores", "1"));
    var left = cluster.submit("left", files.gpuSubmission("left", one));
    var right = cluster.submit("right", files.gpuSubmission("right", one));
    assertEquals(0, end(left), cluster.log("left"));
    assertEquals(0, end(right), cluster.log("right"));
    assertEquals(files.model("left"), files.model("right"));
    assertEquals(files.model("left"), files.model("managed"));
  }

  /** One of two machines has no GPU: its processor computes only if somebody says so. */
  @Test
  void machinesWithoutGpusComputeOnlyIfToldSo() throws Exception {
    var gpu = files.substituteGpu(folder.resolve("no-fault"));
    Assumptions.assumeTrue(gpu.isPresent(), "no g++ here: nothing runs on a substitute of a GPU");
    var options = new ArrayList<>(gpu.get());
    options.addAll(List.of("--total-executor-cores", "2"));
    options.addAll(List.of("--conf", "spark.scheduler.minRegisteredResourcesRatio=1"));
    var all = cluster.submit("all-gpus", files.gpuSubmission("all-gpus", options));
    assertEquals(0, end(all), cluster.log("all-gpus"));
    assertFalse(cluster.log("all-gpus").contains("processors"), cluster.log("all-gpus"));
    options.addAll(List.of("--conf", "spark.executorEnv.KENAZ_TEST_NO_DEVICE=127.0.0.2"));
    var refused = cluster.submit("refused", files.gpuSubmission("refused", options));
    assertRefused("refused", refused, "K7601", "1 of 2", "spark.kenaz.gpu.fallback=true");

    options.addAll(List.of("--conf", "spark.kenaz.gpu.fallback=true"));
    var mixed = cluster.submit("mixed", files.gpuSubmission("mixed", options));
    assertEquals(0, end(mixed), cluster.log("mixed"));
    var told =
        Pattern.compile("computed ([\\d,]+) times on GPUs, and ([\\d,]+) times on the processors");
    var found = told.matcher(cluster.log("mixed"));
    assertTrue(found.find(), cluster.log("mixed"));
    assertFalse(found.group(1).equals("0"), found.group());
    double loss = files.model("all-gpus").get("loss").asDouble();
    assertEquals(
        loss, files.model("mixed").get("loss").asDouble(), 1e-5 * loss); // It computes with f32.
  }

  /** Groups with cells on a GPU ask Spark for one, and are measured there. */
  @Test
  void cellsOfSweepsAskForGpus() throws Exception {
    var gpu = files.substituteGpu(folder.resolve("no-fault"));
    Assumptions.assumeTrue(gpu.isPresent(), "no g++ here: nothing runs on a substitute of a GPU");
    var options = new ArrayList<>(gpu.get());
    options.addAll(List.of("--conf", "spark.executor.resource.gpu.amount=1"));
    var config = files.sweepConfig("backends", "\"backend\": [\"jvm\", \"cuda\"]");
    var job = cluster.submit("backends", JobFiles.sweep(config, options));
    assertEquals(0, end(job), cluster.log("backends"));
    var lines = files.text("backends/results.jsonl").lines().toList();
    assertEquals(4, lines.size(), cluster.log("backends"));
    for (var line : lines) {
      assertTrue(line.contains("\"status\":\"done\""), line);
      assertTrue(line.contains(", GPU 0\""), line);
    }
  }

  /** Returns what each stage has copied to GPUs, in the order of their ends. */
  private static List<Long> copiedToGpus(String log) {
    var copied = Pattern.compile("\"Name\":\"kenaz: bytes to GPUs\",\"Value\":\"?(\\d+)");
    return log.lines()
        .filter(line -> line.contains("SparkListenerStageCompleted"))
        .map(copied::matcher)
        .filter(Matcher::find)
        .map(found -> Long.parseLong(found.group(1)))
        .toList();
  }

  /**
   * Later stages copy the model alone, which is smaller than the rows. That a task may run on an
   * executor that hasn't its rows yet explains a second stage that copies them.
   */
  private static void assertRowsStayOnGpus(List<Long> copied) {
    long rows = 64 * 3 * Double.BYTES;
    assertTrue(copied.size() > 4 && copied.getFirst() >= rows, copied::toString);
    assertTrue(copied.stream().filter(bytes -> bytes >= rows).count() <= 2, copied::toString);
  }

  private static String text(Path log) throws IOException {
    var all = new StringBuilder();
    try (var found = Files.walk(log)) {
      for (var file : found.filter(Files::isRegularFile).toList()) {
        all.append(Files.readString(file, StandardCharsets.ISO_8859_1)); // Checksums aren't text.
      }
    }
    return all.toString();
  }

  /**
   * It is there, but does nothing, as on a machine that hangs: speculation does its tasks on the
   * other machine, long before Spark gives the executor up (after 120 s).
   */
  @Test
  void speculationOvertakesAnExecutorThatHangs() throws Exception {
    var calm = train("calm", 12);
    assertEquals(0, end(calm), cluster.log("calm"));
    var slow =
        train(
            "slow",
            12,
            "--conf",
            "spark.speculation=true",
            "--conf",
            "spark.speculation.quantile=0.5");
    cluster.await("two iterations", () -> files.events("slow") >= 4 || !slow.isAlive());
    cluster.stallAnExecutor();
    assertEquals(0, end(slow), cluster.log("slow"));
    assertFalse(cluster.log("slow").contains(" was lost ("), cluster.log("slow"));
    assertEquals(files.model("calm"), files.model("slow"));
  }

  /** What the driver gets of a task is larger than the heap of an executor. */
  @Test
  void aHeapThatIsTooSmall() throws Exception {
    Files.writeString(
        folder.resolve("huge.fut"),
        """
        type model = [40000000]f64
        def init : model = replicate 40000000 0
        def loss [n] (m: model) (x: [n][2]f64) (y: [n]f64) : f64 =
          f64.sum (map2 (\\x y -> (m[i64.f64 x[0]] - y) ** 2) x y) / f64.i64 n
        """);
    var config =
        files.training(
            "heap",
            """
            "program": "huge.fut",
            "data": { "path": "%s", "columns": { "x": ["distance", "time"], "y": "delay" } },
            "optimiser": { "name": "gradient-descent", "rate": 1e-9 },
            "tolerance": 0, "iterations": 2,
            """);
    var job = cluster.submit("heap", JobFiles.submission(config, List.of("--driver-memory", "3g")));
    assertEquals(2, end(job), cluster.log("heap"));
    assertTrue(cluster.log("heap").contains("K8202"), cluster.log("heap"));
  }

  /** A file is cut off while a training reads it again and again. */
  @Test
  void dataThatIsDamagedMeanwhile() throws Exception {
    var data = Files.copy(JobFiles.FLIGHTS, folder.resolve("damaged.arrow"));
    var config =
        files.training(
            "damaged",
            """
            "program": "builtin:linear",
            "data": { "path": "%s", "columns": { "x": ["distance", "time"], "y": "delay" } },
            "parameters": { "l2": 0 },
            "optimiser": { "name": "gradient-descent", "rate": 1e-9 },
            "tolerance": 0, "iterations": 10000,
            """,
            data);
    var options = List.of("--conf", "spark.kenaz.cache=1k");
    var job = cluster.submit("damaged", JobFiles.submission(config, options));
    cluster.await("two iterations", () -> files.events("damaged") >= 4 || !job.isAlive());
    try (var file = FileChannel.open(data, StandardOpenOption.WRITE)) {
      file.truncate(Files.size(data) / 2);
    }
    assertEquals(2, end(job), cluster.log("damaged"));
    assertTrue(cluster.log("damaged").contains("error[K6103]: executor "), cluster.log("damaged"));
  }

  /** The last one, because the worker doesn't come again. */
  @Order(Integer.MAX_VALUE)
  @Test
  void aLostWorkerCostsTimeOnly() throws Exception {
    var job = train("lost", 12);
    cluster.await("two iterations", () -> files.events("lost") >= 4 || !job.isAlive());
    cluster.killAWorker();
    assertEquals(0, end(job), cluster.log("lost"));
    assertTrue(cluster.log("lost").contains(" was lost ("), cluster.log("lost"));
    assertFalse(cluster.log("lost").contains("error"), cluster.log("lost"));
  }
}
