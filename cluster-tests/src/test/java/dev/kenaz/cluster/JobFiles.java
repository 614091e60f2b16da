package dev.kenaz.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;

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
    var data = PROJECT.resolve("configs/data/flights-200k.arrow");
    return submission(
        config(name, data, "delay\", \"distance\", \"time", 20, "jvm"), List.of(options));
  }

  /** Arguments of spark-submit for a job with few rows, as kernels on the processor are slow. */
  List<String> gpuSubmission(String name, List<String> options)
      throws IOException, InterruptedException {
    var data = folder.resolve("blobs-" + name);
    var size = List.of("--rows", "64", "--dimensions", "3", "--blobs", "8");
    var generate = new ArrayList<>(List.of("dataset", "generate", "blobs", data.toString()));
    generate.addAll(size);
    kenaz(generate);
    return submission(config(name, data, "x", 6, "cuda"), options);
  }

  private static List<String> submission(Path config, List<String> options) throws IOException {
    var all = submission(options);
    all.addAll(List.of("train", config.toString()));
    return all;
  }

  private static List<String> submission(List<String> options) throws IOException {
    var all = new ArrayList<>(List.of("--class", "dev.kenaz.jobs.Main"));
    all.addAll(List.of("--executor-memory", "512m", "--executor-cores", "1"));
    all.addAll(options);
    all.add(jobJar().toString());
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

  /** Arguments of spark-submit for {@link StageKinds}, whose classes become a jar. */
  List<String> stageKinds() throws IOException {
    var jar = folder.resolve("kinds.jar");
    var classes = Path.of("target/test-classes/dev/kenaz/cluster");
    try (var out = new JarOutputStream(Files.newOutputStream(jar));
        var found = Files.newDirectoryStream(classes, "StageKinds*.class")) {
      for (var file : found) {
        out.putNextEntry(new ZipEntry("dev/kenaz/cluster/" + file.getFileName()));
        Files.copy(file, out);
      }
    }
    var all = new ArrayList<>(List.of("--class", "dev.kenaz.cluster.StageKinds"));
    all.addAll(List.of("--executor-memory", "512m", "--executor-cores", "1"));
    all.addAll(List.of("--jars", jobJar().toString(), jar.toString()));
    all.add(Files.createDirectories(folder.resolve("kinds")).toString());
    return all;
  }

  /**
   * Options of spark-submit that give executors a driver and an NVRTC which run kernels on the
   * processor; nothing without compilers.
   *
   * @param fault the file by which a process loses its device
   */
  Optional<List<String>> substituteGpu(Path fault) throws IOException, InterruptedException {
    var gpu = Files.createDirectories(folder.resolve("gpu"));
    var sources = PROJECT.resolve("core-compiler/src/test/resources");
    for (var library : List.of("driver.c libcuda.so.1", "nvrtc.c libnvrtc.so.13")) {
      var source = sources.resolve("dev/kenaz/cuda/runtime/" + library.split(" ")[0]).toString();
      var out = gpu.resolve(library.split(" ")[1]);
      var soname = "-Wl,-soname," + out.getFileName();
      var command =
          List.of("g++", "-x", "c", "-shared", "-fPIC", soname, "-o", out + "", source, "-ldl");
      try {
        if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
          throw new AssertionError("can't compile " + source);
        }
      } catch (IOException e) {
        return Optional.empty();
      }
    }
    var java = "-Dkenaz.cuda.driver=" + gpu.resolve("libcuda.so.1") + " -Dkenaz.cuda.nvrtc=" + gpu;
    return Optional.of(
        List.of(
            "--conf",
            "spark.executor.extraJavaOptions=" + java,
            "--conf",
            "spark.executorEnv.KENAZ_TEST_SHIM=" + sources.resolve("cuda/cpu.h"),
            "--conf",
            "spark.executorEnv.KENAZ_TEST_FAULT=" + fault));
  }

  private static Path jobJar() throws IOException {
    return one(PROJECT.resolve("jobs/target"), "jobs-*-job.jar");
  }

  /** A job in four partitions and without an early end. */
  private Path config(String name, Path data, String columns, int iterations, String backend)
      throws IOException {
    return Files.writeString(
        folder.resolve(name + ".json"),
        """
        {
          "data": { "path": "%s", "columns": ["%s"] },
          "program": { "file": "builtin:kmeans" },
          "model": { "k": 8 },
          "iterations": %d,
          "checkpoint": { "every": 10 },
          "spark": { "partitions": 4, "backend": "%s" },
          "output": "%s"
        }
        """
            .formatted(data, columns, iterations, backend, name));
  }

  /** What the folder says of the model, and its bytes, without what differs from run to run. */
  JsonNode model(String name) throws IOException {
    var json = new ObjectMapper().readTree(folder.resolve(name + "/model.json").toFile());
    ((ObjectNode) json).remove(List.of("seconds", "config"));
    ((ObjectNode) json).put("arrow", Files.readAllBytes(folder.resolve(name + "/model.arrow")));
    return json;
  }

  /** A SPARK_HOME, made by the command. */
  Path clusterHome() throws IOException, InterruptedException {
    var home = folder.resolve("spark");
    kenaz(List.of("cluster-home", home.toString()));
    return home;
  }

  private void kenaz(List<String> arguments) throws IOException, InterruptedException {
    var target = PROJECT.resolve("jobs/target");
    var classPath = new StringBuilder(Files.readString(target.resolve("class-path/full")));
    for (var module : List.of("jobs", "core-compiler", "arrow-io", "spark-connector", "configs")) {
      var jars = PROJECT.resolve(module).resolve("target");
      classPath.append(":").append(one(jars, module + "-*[0-9].jar"));
    }
    var command = new ArrayList<>(List.of(JAVA.toString()));
    command.addAll(Files.readAllLines(target.resolve("classes/dev/kenaz/jobs/spark-jvm-flags")));
    command.addAll(List.of("-cp", classPath.toString(), "dev.kenaz.jobs.Main"));
    command.addAll(arguments);
    var log = folder.resolve("kenaz.log").toFile();
    var process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
    if (process.waitFor() != 0) {
      throw new AssertionError(Files.readString(log.toPath()));
    }
  }

  private static Path one(Path target, String glob) throws IOException {
    try (var found = Files.newDirectoryStream(target, glob)) {
      return found.iterator().next();
    }
  }
}
