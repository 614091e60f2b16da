package dev.kenaz.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs on a real cluster: what only processes that come and go can show. */
final class ClusterJobTest {
  @TempDir static Path folder;
  private static JobFiles files;
  private static Path home;
  private static StandaloneCluster cluster;

  @BeforeAll
  static void startCluster() throws Exception {
    files = new JobFiles(folder);
    home = files.clusterHome();
    cluster = StandaloneCluster.start(home, folder.resolve("logs"));
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static Process submit(String name, String... options) throws IOException {
    var config =
        files.training(
            name,
            """
            "program": "large.fut",
            "data": { "path": "%s", "columns": { "x": ["distance", "time"], "y": "delay" } },
            "optimiser": { "name": "l-bfgs", "memory": 3 },
            "validation": { "split": 0.1 },
            "iterations": 20, "tolerance": 0, "checkpoint": { "every": 10 },
            """);
    return cluster.submit(name, JobFiles.submission(config, List.of(options)));
  }

  private static int end(Process job) throws InterruptedException {
    assertTrue(job.waitFor(4, TimeUnit.MINUTES), "the job doesn't end");
    return job.exitValue();
  }

  /**
   * The undisturbed job has its driver in the cluster, with the options that README.md names for a
   * cluster without those of {@code kenaz cluster-home}, and with one processor.
   */
  @Test
  void neitherDeployModeNorLostExecutorsChangeTheModel() throws Exception {
    var defaults = home.resolve("conf/spark-defaults.conf");
    assertTrue(Files.readString(defaults).contains("jdk.incubator.vector"));
    Files.delete(defaults);
    var inside =
        submit(
            "inside",
            "--driver-java-options",
            "--add-modules=jdk.incubator.vector -XX:ActiveProcessorCount=1",
            "--deploy-mode",
            "cluster",
            "--driver-memory",
            "512m",
            "--conf",
            "spark.standalone.submit.waitAppCompletion=true");
    assertEquals(0, end(inside), cluster.log("inside"));
    assertFalse(cluster.driverLog().contains("scalar code"), cluster.driverLog());

    var disturbed = submit("disturbed");
    cluster.await(
        "the third iteration",
        () -> cluster.log("disturbed").contains("iteration   3") || !disturbed.isAlive());
    assertEquals(2, cluster.executorCount());
    cluster.killAnExecutor();
    assertEquals(0, end(disturbed), cluster.log("disturbed"));
    assertTrue(cluster.log("master").contains("Removing executor"), cluster.log("master"));
    assertTrue(
        cluster
            .log("disturbed")
            .lines()
            .anyMatch(
                l ->
                    l.matches(
                        "warning: executor \\d+ was lost \\(.*\\): \\d+ tasks? that ran there .*,"
                            + " and [1-9]\\d* pieces? of the data .* read again")),
        cluster.log("disturbed"));
    assertEquals(files.model("inside"), files.model("disturbed"));
    assertOurLinesAlone(cluster.log("disturbed"));
    assertEquals(21, files.model("disturbed").path("losses").size());
  }

  /** Rows that Spark reads are in the memory of executors alone; the files are read by Kenaz. */
  @Test
  void aLostExecutorsRowsOfATableAreComputedAgain() throws Exception {
    assertEquals(0, end(submitOver("of-files", "")), cluster.log("of-files"));
    var disturbed = submitOver("of-a-table", "\"format\": \"arrow\", ");
    cluster.await(
        "the third iteration",
        () -> cluster.log("of-a-table").contains("iteration   3") || !disturbed.isAlive());
    cluster.killAnExecutor();
    assertEquals(0, end(disturbed), cluster.log("of-a-table"));
    assertTrue(cluster.log("of-a-table").contains("was lost"), cluster.log("of-a-table"));
    assertFalse(cluster.log("of-a-table").contains("copied"), cluster.log("of-a-table"));
    assertEquals(files.model("of-files"), files.model("of-a-table"));
  }

  private static Process submitOver(String name, String format) throws IOException {
    var settings =
        """
        "program": "large.fut",
        "data": { FORMAT"path": "%s", "columns": { "x": ["distance", "time"], "y": "delay" } },
        "optimiser": { "name": "l-bfgs", "memory": 3 },
        "validation": { "split": 0.1 },
        "iterations": 20, "tolerance": 0,
        """
            .replace("FORMAT", format);
    return cluster.submit(name, JobFiles.submission(files.training(name, settings), List.of()));
  }

  @Test
  void aProgramRunsOverFiles() throws Exception {
    assertEquals(0, end(cluster.submit("run", files.run("late"))), cluster.log("run"));
    assertTrue(cluster.log("run").contains("result 2: 200,000 rows in "), cluster.log("run"));
    assertTrue(cluster.log("run").lines().anyMatch(l -> l.matches("[1-9][0-9]*i64")));
    for (int piece = 0; piece < 5; piece++) {
      assertTrue(Files.exists(folder.resolve("late/result2/part-0000" + piece + ".arrow")));
    }
  }

  @Test
  void executorsMeasureTheCellsOfASweep() throws Exception {
    assertEquals(0, end(cluster.submit("sweep", files.sweep("measured"))), cluster.log("sweep"));
    assertMeasured("sweep", "measured");
  }

  private static void assertMeasured(String job, String out) {
    var lines = files.text(out + "/results.jsonl").lines().toList();
    assertEquals(2, lines.size(), cluster.log(job));
    assertTrue(lines.stream().allMatch(l -> l.contains("\"status\":\"done\"")), lines::toString);
    assertTrue(Files.exists(folder.resolve(out + "/report.html")));
  }

  /**
   * Instead of the job jar, Spark resolves modules and libraries from a repository: exactly those
   * that the job jar has, as Spark itself has the others. It is slow because each job starts Spark.
   */
  @Tag("slow")
  @Test
  void aRepositoryServesForTheJobJar() throws Exception {
    var installed = new InstalledModules(folder.resolve("installed"));
    installed.all();
    var options = installed.packages();
    var config =
        files.training(
            "resolved",
            """
            "program": "builtin:linear",
            "data": { "format": "arrow", "path": "%s",
                      "columns": { "x": ["distance", "time"], "y": "delay" } },
            "parameters": { "l2": 0 }, "iterations": 3,
            """);
    var train = JobFiles.submissionOfPackages(options, "train", config.toString());
    assertEquals(0, end(cluster.submit("resolved", train)), cluster.log("resolved"));
    assertTrue(files.model("resolved").path("losses").size() > 1, cluster.log("resolved"));
    try (var jars = Files.list(installed.resolved().resolve("jars"))) {
      assertEquals(
          Set.of(
              "com.ethlo.time_itu",
              "com.fasterxml.jackson.datatype_jackson-datatype-jdk8",
              "com.networknt_json-schema-validator",
              "dev.kenaz_arrow-io",
              "dev.kenaz_configs",
              "dev.kenaz_core-compiler",
              "dev.kenaz_jobs",
              "dev.kenaz_spark-connector",
              "info.picocli_picocli",
              "org.jcuda_jcuda",
              "org.jcuda_jcuda-natives",
              "org.knowm.xchart_xchart"),
          jars.map(j -> j.getFileName().toString().replaceFirst("-[0-9]+\\..*", ""))
              .collect(Collectors.toSet()));
    }

    var sweep = files.sweepConfig("measured-so").toString();
    var job = cluster.submit("so", JobFiles.submissionOfPackages(options, "sweep", sweep));
    assertEquals(0, end(job), cluster.log("so"));
    assertMeasured("so", "measured-so");
  }

  /** An executor ends in each kind of stage; the application compares the results. */
  @Tag("slow")
  @Test
  void noStageIsHarmedByALostExecutor() throws Exception {
    var place = Files.createDirectories(folder.resolve("kinds")).toString();
    var job = cluster.submit("kinds", files.application(StageKinds.class, place));
    assertEquals(0, end(job), cluster.log("kinds"));
    var said =
        cluster.log("kinds").lines().filter(l -> l.matches(".*: (same|no exec.*|.* became .*)"));
    assertEquals(
        List.of(
            "combined: same",
            "totals of a scan: same",
            "rows of a scan: same",
            "kept rows: same",
            "written rows: same",
            "loop: same",
            "filtered rows: same",
            "rows that a loop moves: same",
            "one row after the other: same"),
        said.toList(),
        cluster.log("kinds"));
  }

  /** On a substitute of a GPU, which one executor loses in the middle of the job. */
  @Test
  void aLostGpuEndsItsExecutorAndNothingElse() throws Exception {
    var fault = folder.resolve("fault");
    var gpu = files.substituteGpu(fault);
    Assumptions.assumeTrue(gpu.isPresent(), "no g++ here: nothing runs on a substitute of a GPU");
    var whole = cluster.submit("whole", files.gpuSubmission("whole", gpu.get()));
    assertEquals(0, end(whole), cluster.log("whole"));

    var losing = cluster.submit("losing", files.gpuSubmission("losing", gpu.get()));
    cluster.await(
        "the first iteration",
        () -> cluster.log("losing").contains("iteration   1") || !losing.isAlive());
    // An uncorrectable memory error: the file appears at once.
    Files.move(Files.writeString(folder.resolve("status"), "214"), fault);
    assertEquals(0, end(losing), cluster.log("losing"));
    assertFalse(Files.exists(fault), "no device was lost");
    assertEquals(files.model("whole"), files.model("losing"));
    assertTrue(
        cluster.executorLogs().contains("GpuFault$Lasting"), "no executor said why it ended");
    assertTrue(cluster.log("master").contains("EXITED"), cluster.log("master"));
  }

  /** Of what Spark logs by the thousand, only what it says before the job begins, and errors. */
  private static void assertOurLinesAlone(String log) {
    assertFalse(log.contains(" INFO ") || log.contains("incubator"), log);
    long others =
        log.lines().filter(l -> !l.matches("(iteration|model|picture| |[0-9,]+ rows).*")).count();
    assertTrue(others < 20, log);
  }
}
