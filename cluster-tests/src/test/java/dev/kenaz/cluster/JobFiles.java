package dev.kenaz.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a job is made of and what it leaves.
 *
 * @param folder where its configuration and its output are
 */
record JobFiles(Path folder) {
  private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  /** Arguments of spark-submit for the sample job. */
  List<String> submission(String name, String... options) throws IOException {
    var all = submission(List.of(options));
    all.addAll(List.of("train", config(name).toString()));
    return all;
  }

  private List<String> submission(List<String> options) throws IOException {
    var all = new ArrayList<>(List.of("--class", "dev.kenaz.jobs.Main"));
    all.addAll(List.of("--executor-memory", "512m", "--executor-cores", "1"));
    all.addAll(options);
    all.add(one(PROJECT.resolve("jobs/target"), "jobs-*-job.jar").toString());
    return all;
  }

  /** Arguments of spark-submit for a program over the sample data, whose results are integers. */
  List<String> run(String out) throws IOException {
    var program =
        Files.writeString(
            folder.resolve("late.fut"),
            """
            entry main [n] (delays: [n]f64) (distances: [n]f64) (limit: f64): (i64, [n]i64) =
              let late = map (\\d -> i64.bool (d > limit)) delays
              in (i64.sum late, map2 (\\l x -> l * i64.f64 x) late distances)
            """);
    var data = PROJECT.resolve("configs/data/flights-200k.arrow");
    var all = submission(List.of());
    all.addAll(List.of("run", program.toString(), "--spark", "--pieces", "5"));
    all.addAll(List.of("--data", "delays=" + data + ":delay"));
    all.addAll(List.of("--data", "distances=" + data + ":distance"));
    all.addAll(List.of("--out", folder.resolve(out).toString()));
    all.addAll(List.of("-i", Files.writeString(folder.resolve("limit"), "15f64").toString()));
    return all;
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
  JsonNode model(String name) throws IOException {
    var json = new ObjectMapper().readTree(folder.resolve(name + "/model.json").toFile());
    if (!Files.exists(folder.resolve(name + "/model.arrow"))) {
      throw new AssertionError("no model.arrow");
    }
    ((ObjectNode) json).remove(List.of("seconds", "config"));
    return json;
  }

  /** A SPARK_HOME, made by the command. */
  Path clusterHome() throws IOException, InterruptedException {
    var home = folder.resolve("spark");
    var target = PROJECT.resolve("jobs/target");
    var classPath = new StringBuilder(Files.readString(target.resolve("class-path/full")));
    for (var module : List.of("jobs", "core-compiler", "arrow-io", "spark-connector", "configs")) {
      var jars = PROJECT.resolve(module).resolve("target");
      classPath.append(":").append(one(jars, module + "-*[0-9].jar"));
    }
    var command = new ArrayList<>(List.of(JAVA.toString()));
    command.addAll(Files.readAllLines(target.resolve("classes/dev/kenaz/jobs/spark-jvm-flags")));
    command.addAll(List.of("-cp", classPath.toString(), "dev.kenaz.jobs.Main"));
    command.addAll(Arrays.asList("cluster-home", home.toString()));
    var log = folder.resolve("home.log").toFile();
    var process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
    if (process.waitFor() != 0) {
      throw new AssertionError(Files.readString(log.toPath()));
    }
    return home;
  }

  private static Path one(Path target, String glob) throws IOException {
    try (var found = Files.newDirectoryStream(target, glob)) {
      return found.iterator().next();
    }
  }
}
