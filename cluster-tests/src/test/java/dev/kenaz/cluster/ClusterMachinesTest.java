package dev.kenaz.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Machines of executors whose file systems are not as they should be. It is slow because each test
 * starts a cluster of its own.
 */
@Tag("slow")
final class ClusterMachinesTest {
  @TempDir Path folder;

  /** Trains on machines with a folder of their own, and returns what the user sees. */
  private String trained(String options, String own, Map<String, String> environment)
      throws Exception {
    Assumptions.assumeTrue(
        StandaloneCluster.Machines.canMount(), "processes can't have their own file systems here");
    var files = new JobFiles(folder);
    var place = Files.createDirectories(folder.resolve(own));
    var mount = "mount -t tmpfs -o %s tmpfs '%s'".formatted(options, place);
    var machines = new StandaloneCluster.Machines("", environment, mount);
    var config =
        files.training(
            "model",
            """
            "program": "builtin:linear",
            "data": { "path": "%s", "columns": { "x": ["distance", "time"], "y": "delay" } },
            "parameters": { "l2": 0 },
            "iterations": 3,
            """,
            Files.copy(JobFiles.FLIGHTS, place.resolve("flights.arrow")));
    var logs = folder.resolve("logs");
    try (var cluster = StandaloneCluster.start(files.clusterHome(), logs, machines)) {
      var job = cluster.submit("job", JobFiles.submission(config, List.of()));
      assertTrue(job.waitFor(5, TimeUnit.MINUTES), "the job doesn't end");
      assertEquals(2, job.exitValue(), cluster.log("job"));
      return cluster.log("job");
    }
  }

  private static void assertSays(String log, String... texts) {
    for (var text : texts) {
      assertTrue(log.contains(text), text + ": " + log);
    }
  }

  @Test
  void dataThatOnlyTheDriverHas() throws Exception {
    var log = trained("size=1m", "data", Map.of());
    assertSays(log, "error[K6101]", "executor ", " on 127.0.0.", "all machines must see the same");
  }

  /** There isn't even room for the job jar. */
  @Test
  void aFullDisk() throws Exception {
    var place = folder.resolve("local").toString();
    var log = trained("size=4m", "local", Map.of("SPARK_LOCAL_DIRS", place));
    assertSays(log, "error[K8209]", "No space left on device", "SPARK_LOCAL_DIRS");
  }

  @Test
  void aDiskThatCantBeWritten() throws Exception {
    var place = folder.resolve("local").toString();
    var log = trained("ro", "local", Map.of("SPARK_LOCAL_DIRS", place));
    assertSays(log, "error[K8203]", "before an executor came", "SPARK_LOCAL_DIRS");
  }
}
