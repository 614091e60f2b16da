package dev.kenaz.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job on a real cluster that loses an executor in the middle ends with the same model. */
final class LostExecutorTest {
  private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  @TempDir Path folder;

  @Test
  void sameModelAsWithoutLoss() throws Exception {
    var home = folder.resolve("spark");
    assertEquals(0, kenaz("home", "cluster-home", home.toString()).waitFor());
    try (var cluster = new StandaloneCluster(home, folder.resolve("logs"))) {
      var undisturbed = submit(cluster, "undisturbed");
      assertTrue(undisturbed.waitFor(4, TimeUnit.MINUTES), "the job doesn't end");
      assertEquals(0, undisturbed.exitValue(), cluster.log("undisturbed"));

      var disturbed = submit(cluster, "disturbed");
      cluster.await(
          "the third iteration",
          () -> cluster.log("disturbed").contains("iteration   3") || !disturbed.isAlive());
      assertEquals(2, cluster.executorCount());
      cluster.killAnExecutor();
      assertTrue(disturbed.waitFor(4, TimeUnit.MINUTES), "the job doesn't end");
      assertEquals(0, disturbed.exitValue(), cluster.log("disturbed"));
      assertTrue(cluster.log("master").contains("Removing executor"), cluster.log("master"));
    }
    assertEquals(model("undisturbed"), model("disturbed"));
    assertEquals(21, model("disturbed").path("costs").size());
  }

  private Process submit(StandaloneCluster cluster, String name) throws IOException {
    return cluster.submit(
        name,
        "--class",
        "dev.kenaz.jobs.Main",
        "--executor-memory",
        "512m",
        "--executor-cores",
        "1",
        "--total-executor-cores",
        "2",
        one(PROJECT.resolve("jobs/target"), "jobs-*-job.jar").toString(),
        "train",
        config(name).toString());
  }

  /** The sample job, in four partitions and without an early end. */
  private Path config(String name) throws IOException {
    return Files.writeString(
        folder.resolve(name + ".json"),
        """
        {
          "data": { "path": "%s", "columns": ["delay", "distance", "time"] },
          "program": { "file": "builtin:kmeans" },
          "model": { "k": 8 },
          "iterations": 20,
          "checkpoint": { "every": 10 },
          "spark": { "partitions": 4 },
          "output": "%s"
        }
        """
            .formatted(PROJECT.resolve("configs/data/flights-200k.arrow"), name));
  }

  /** The model without what differs from run to run. */
  private JsonNode model(String name) throws IOException {
    var json = new ObjectMapper().readTree(folder.resolve(name + "/model.json").toFile());
    assertTrue(Files.exists(folder.resolve(name + "/model.arrow")));
    ((com.fasterxml.jackson.databind.node.ObjectNode) json).remove(List.of("seconds", "config"));
    return json;
  }

  private Process kenaz(String name, String... arguments) throws IOException {
    var target = PROJECT.resolve("jobs/target");
    var classPath =
        one(target, "jobs-*[0-9].jar") + ":" + Files.readString(target.resolve("class-path/full"));
    var command = new ArrayList<>(List.of(JAVA.toString()));
    command.addAll(Files.readAllLines(target.resolve("classes/dev/kenaz/jobs/spark-jvm-flags")));
    command.addAll(List.of("-cp", classPath, "dev.kenaz.jobs.Main"));
    command.addAll(Arrays.asList(arguments));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve(name + ".log").toFile())
        .start();
  }

  private static Path one(Path target, String glob) throws IOException {
    try (var found = Files.newDirectoryStream(target, glob)) {
      return found.iterator().next();
    }
  }
}
