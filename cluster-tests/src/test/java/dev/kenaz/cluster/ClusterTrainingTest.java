package dev.kenaz.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Trainings of each kind on a cluster whose processes are killed at random moments. It is slow
 * because each of many jobs starts a driver and executors; {@link ClusterJobTest} has one such job.
 */
@Tag("slow")
final class ClusterTrainingTest {
  @TempDir static Path folder;
  private static JobFiles files;
  private static StandaloneCluster cluster;

  /** A kind of training, and what of its configuration is not the same for all. */
  private enum Kind {
    /** An optimiser lowers a loss; rows that are held back choose the model. */
    LOSS(
        """
        "program": "builtin:logistic",
        "data": { "path": "%s", "columns": { "x": ["distance", "time"], "y": "delay" } },
        "parameters": { "threshold": 15, "l2": 0 },
        "optimiser": { "name": "l-bfgs", "memory": 3 },
        "validation": { "split": 0.2 },
        "stop": { "metric": "log_loss", "patience": 100 },
        "tolerance": 0, "iterations": 24, "checkpoint": { "every": 3 },
        """),

    STEP(
        """
        "program": "builtin:gmm",
        "data": { "path": "%s", "columns": { "x": ["delay", "distance", "time"] } },
        "parameters": { "components": 4, "floor": 0.001 },
        "iterations": 24, "checkpoint": { "every": 4 },
        """),

    STEPS_OF_BATCHES(
        """
        "program": "builtin:kmeans-large",
        "data": { "path": "%s", "columns": { "x": ["delay", "distance", "time"] } },
        "parameters": { "k": 8, "keep": 0.9 },
        "batch": { "rows": 8192 }, "passes": 6, "checkpoint": { "every": 7 },
        """),

    LOSS_OF_BATCHES(
        """
        "program": "builtin:logistic",
        "data": { "path": "%s", "columns": { "x": ["distance", "time"], "y": "delay" } },
        "parameters": { "threshold": 15, "l2": 0 },
        "optimiser": { "name": "adam", "rate": 0.001 },
        "batch": { "rows": 8192 }, "passes": 6, "checkpoint": { "every": 7 },
        """),

    /** The whole training is the program's, so it has no checkpoints: it begins anew. */
    WHOLE(
        """
        "program": "whole.fut",
        "data": { "path": "%s", "columns": { "x": ["distance", "time"], "y": "delay" } },
        "parameters": { "steps": 200 },
        """);

    final String settings;

    Kind(String settings) {
      this.settings = settings;
    }
  }

  private static void assertSameModel(String one, String other, String message) throws IOException {
    assertEquals(files.model(one), files.model(other), message);
  }

  @BeforeAll
  static void startCluster() throws Exception {
    files = new JobFiles(folder);
    cluster = StandaloneCluster.start(files.clusterHome(), folder.resolve("logs"));
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static int end(Process job) throws InterruptedException {
    assertTrue(job.waitFor(10, TimeUnit.MINUTES), "the job doesn't end");
    return job.exitValue();
  }

  private static Process train(String log, Path config, List<String> options, String... last)
      throws IOException {
    var all = new ArrayList<>(JobFiles.submission(config, options));
    all.addAll(List.of(last));
    return cluster.submit(log, all);
  }

  /** Waits until a job has so many lines of iterations, or what else says how far it is. */
  private static void awaitEvents(String name, Process job, int count) {
    cluster.await(
        count + " events of " + name, () -> files.events(name) >= count || !job.isAlive());
  }

  @ParameterizedTest
  @EnumSource
  void neitherLostExecutorsNorALostDriverChangeTheModel(Kind kind) throws Exception {
    var name = kind.name().toLowerCase(Locale.ROOT);
    var undisturbed = name + "-undisturbed";
    var inside = train(undisturbed, files.training(undisturbed, kind.settings), CLUSTER_MODE);
    assertEquals(0, end(inside), cluster.log(undisturbed));
    int all = files.events(undisturbed);

    long seed = System.nanoTime();
    var random = new Random(seed);
    var disturbed = name + "-disturbed";
    var config = files.training(disturbed, kind.settings);
    var first = train(disturbed, config, List.of());
    // The program's own training tells nothing between its begin, which has two events, and its
    // end.
    boolean whole = kind == Kind.WHOLE;
    awaitEvents(disturbed, first, whole ? 2 : 2 + random.nextInt(all / 4));
    cluster.killAnExecutor();
    awaitEvents(disturbed, first, whole ? 2 : all / 4 + random.nextInt(all / 2));
    first.destroyForcibly();
    assertNotEquals(0, end(first), "the driver had ended before it was killed");

    var resumed = disturbed + "-resumed";
    var second = train(resumed, config, List.of(), "--resume");
    int before = files.events(disturbed);
    awaitEvents(disturbed, second, before + (whole ? 2 : 1 + random.nextInt(all / 4)));
    cluster.killAnExecutor();
    assertEquals(0, end(second), cluster.log(resumed));
    assertSameModel(undisturbed, disturbed, "with the random numbers of " + seed);
  }

  /**
   * The cluster starts a driver again that was killed, and that one goes on. The model is that of a
   * training with the serializer that many Spark users set.
   */
  @Test
  void aSupervisedDriverResumesByItself() throws Exception {
    var kryo = "spark.serializer=org.apache.spark.serializer.KryoSerializer";
    var config = files.training("calm", Kind.STEP.settings);
    var undisturbed = train("calm", config, List.of("--conf", kryo));
    assertEquals(0, end(undisturbed), cluster.log("calm"));
    var options = new ArrayList<>(CLUSTER_MODE);
    options.add("--supervise");
    var supervised = files.training("supervised", Kind.STEP.settings);
    var job = train("supervised", supervised, options, "--resume");
    awaitEvents("supervised", job, 15);
    cluster.killTheDriver();
    assertEquals(0, end(job), cluster.log("supervised"));
    assertSameModel("calm", "supervised", "started again");
    assertTrue(files.text("supervised/events.jsonl").contains("\"resumed\""));
    assertFalse(cluster.driverLog().contains("K7103"), cluster.driverLog());
  }

  private static final List<String> CLUSTER_MODE =
      List.of(
          "--deploy-mode",
          "cluster",
          "--driver-memory",
          "512m",
          "--conf",
          "spark.standalone.submit.waitAppCompletion=true");
}
