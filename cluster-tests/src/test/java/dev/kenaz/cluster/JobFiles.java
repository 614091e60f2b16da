package dev.kenaz.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
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

  /** A program that trains by itself. */
  private static final String WHOLE =
      """
      def train [n] (x: [n][2]f64) (y: [n]f64) (steps: i64) : [2]f64 =
        let value w x = f64.sum (map2 (*) w x) / 1000
        let cost w = f64.sum (map2 (\\x y -> (value w x - y) ** 2) x y) / f64.i64 n
        in loop w = [0, 0] for _i < steps do map2 (\\w d -> w - 0.01 * d) w (vjp cost w 1)
      """;

  /**
   * The mean delay for each distance and hour, or so: the model is so large that the driver sums
   * its numbers in several chunks.
   */
  private static final String LARGE =
      """
      type model = [60000]f64
      def init : model = replicate 60000 0
      def value (m: model) (x: [2]f64) = m[i64.f64 (x[0] + 2500 * f64.floor x[1]) % 60000]
      def loss [n] (m: model) (x: [n][2]f64) (y: [n]f64) : f64 =
        f64.sum (map2 (\\x y -> (value m x - y) ** 2) x y) / f64.i64 n
        + 1e-5 * f64.sum (map (** 2) m)
      def metrics [n] (m: model) (x: [n][2]f64) (y: [n]f64) : { rmse: f64 } =
        { rmse = f64.sqrt (f64.sum (map2 (\\x y -> (value m x - y) ** 2) x y) / f64.i64 n) }
      """;

  static final Path FLIGHTS = PROJECT.resolve("configs/data/flights-200k.arrow");

  /** Arguments of spark-submit for a job with few rows, as kernels on the processor are slow. */
  List<String> gpuSubmission(String name, List<String> options)
      throws IOException, InterruptedException {
    var data = folder.resolve("blobs-" + name);
    var size = List.of("--rows", "64", "--dimensions", "3", "--blobs", "8");
    var generate = new ArrayList<>(List.of("dataset", "generate", "blobs", data.toString()));
    generate.addAll(size);
    kenaz(generate);
    return submission(gpuConfig(name, data), options);
  }

  /** The configuration of a training over the sample data, whose settings end in a comma. */
  Path training(String name, String settings) throws IOException {
    return training(name, settings, FLIGHTS);
  }

  /** The same over other data. */
  Path training(String name, String settings, Path data) throws IOException {
    Files.writeString(folder.resolve("whole.fut"), WHOLE);
    Files.writeString(folder.resolve("large.fut"), LARGE);
    return Files.writeString(
        folder.resolve(name + ".json"),
        "{%s\"spark\": { \"partitions\": 5 }, \"output\": \"%s\" }"
            .formatted(settings.formatted(data), name));
  }

  /** How many events of a training are known. */
  int events(String name) {
    return (int) text(name + "/events.jsonl").lines().count();
  }

  String text(String file) {
    try {
      return Files.readString(folder.resolve(file));
    } catch (NoSuchFileException e) {
      return "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<String> submission(Path config, List<String> options) throws IOException {
    var all = submission(options);
    all.addAll(List.of("train", config.toString()));
    return all;
  }

  static List<String> submission(List<String> options) throws IOException {
    return submission(options, jobJar().toString());
  }

  private static List<String> submission(List<String> options, String jar) {
    var all = new ArrayList<>(List.of("--class", "dev.kenaz.jobs.Main"));
    all.addAll(List.of("--executor-memory", "512m", "--executor-cores", "1"));
    all.addAll(options);
    all.add(jar);
    return all;
  }

  /** The same for a job without a jar of its own, as its classes come by options. */
  static List<String> submissionOfPackages(List<String> options, String... arguments) {
    var all = submission(options, "spark-internal"); // Spark's word for none
    all.addAll(List.of(arguments));
    return all;
  }

  /** Arguments of spark-submit for a sweep that measures two cells on the executors. */
  List<String> sweep(String out) throws IOException {
    return sweep(sweepConfig(out), List.of());
  }

  /** Arguments of spark-submit for any sweep. */
  static List<String> sweep(Path config, List<String> options) throws IOException {
    var all = submission(options);
    all.addAll(List.of("sweep", config.toString()));
    return all;
  }

  /** The configuration of this sweep. */
  Path sweepConfig(String out) throws IOException {
    return sweepConfig(out, "\"cores\": [1]");
  }

  /**
   * The configuration of a sweep over two sizes and another axis.
   *
   * @param axis a setting and its values
   */
  Path sweepConfig(String out, String axis) throws IOException {
    Files.writeString(
        folder.resolve("sum.fut"), "entry main (xs: []f64) = f64.sum (map (** 2) xs)");
    return Files.writeString(
        folder.resolve(out + ".json"),
        """
        { "axes": { %s, "n": [1000, 2000] },
          "common": { "program": "sum.fut", "input": { "random": ["[$n]f64"] } },
          "measure": { "processes": 1, "seconds": 0.1, "warm-up": 0.5 },
          "where": "executors", "output": "%s" }
        """
            .formatted(axis, out));
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
    var all = submission(List.of());
    all.addAll(List.of("run", program.toString(), "--spark", "--pieces", "5"));
    all.addAll(List.of("--data", "delays=" + FLIGHTS + ":delay"));
    all.addAll(List.of("--data", "distances=" + FLIGHTS + ":distance"));
    all.addAll(List.of("--out", folder.resolve(out).toString()));
    all.addAll(List.of("-i", Files.writeString(folder.resolve("limit"), "15f64").toString()));
    return all;
  }

  /** Arguments of spark-submit for a class of this module, whose classes become a jar. */
  List<String> application(Class<?> main, String... arguments) throws IOException {
    var name = main.getSimpleName();
    var jar = folder.resolve(name + ".jar");
    var classes = Path.of("target/test-classes/dev/kenaz/cluster");
    try (var out = new JarOutputStream(Files.newOutputStream(jar));
        var found = Files.newDirectoryStream(classes, name + "*.class")) {
      for (var file : found) {
        out.putNextEntry(new ZipEntry("dev/kenaz/cluster/" + file.getFileName()));
        Files.copy(file, out);
      }
    }
    var all = new ArrayList<>(List.of("--class", main.getName()));
    all.addAll(List.of("--executor-memory", "512m", "--executor-cores", "1"));
    all.addAll(List.of("--jars", jobJar().toString(), jar.toString()));
    all.addAll(List.of(arguments));
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

  private Path gpuConfig(String name, Path data) throws IOException {
    return Files.writeString(
        folder.resolve(name + ".json"),
        """
        {
          "program": "builtin:kmeans",
          "data": { "path": "%s", "columns": { "points": "x" } },
          "parameters": { "k": 8 },
          "iterations": 6,
          "spark": { "partitions": 4, "backend": "cuda" },
          "output": "%s"
        }
        """
            .formatted(data, name));
  }

  /** What the folder says of the model, and a hash of it, without what differs from run to run. */
  JsonNode model(String name) throws IOException {
    var json = new ObjectMapper().readTree(folder.resolve(name + "/model.json").toFile());
    ((ObjectNode) json).remove(List.of("seconds", "config"));
    try {
      var bytes = Files.readAllBytes(folder.resolve(name + "/model.arrow"));
      var hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      ((ObjectNode) json).put("arrow", HexFormat.of().formatHex(hash));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
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
