package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K8101;
import static dev.kenaz.error.ErrorCode.K8102;

import dev.kenaz.error.UserError;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Assembles a runnable SPARK_HOME from the libraries that this process runs on, so that a
 * standalone cluster needs no download of Spark.
 */
@Command(
    name = "cluster-home",
    description = "Assembles a SPARK_HOME for a standalone cluster, without a download of Spark.")
public final class ClusterHomeCommand implements Callable<Integer> {
  /** Libraries that are in the job jar; a real Spark has none of them. */
  private static final List<String> OURS =
      List.of(
          "core-compiler-",
          "arrow-io-",
          "spark-connector-",
          "jobs-",
          "configs-",
          "picocli-",
          "json-schema-validator-",
          "itu-",
          "jcuda-",
          "jackson-datatype-jdk8-",
          "xchart-");

  /**
   * Hides the JVM's warning about the Vector API, as the launcher does: it is of no use to anybody.
   */
  private static final String QUIET_START =
      """
      exec 9>&2 2> >(
        trap '' INT
        while IFS= read -r line || [ -n "$line" ]; do
          case $line in
            "WARNING: Using incubator modules: jdk.incubator.vector") ;;
            *) printf '%s\\n' "$line" >&9 ;;
          esac
        done
      )
      """;

  @Parameters(paramLabel = "DIR", description = "A folder that doesn't exist yet, or is empty.")
  private Path folder;

  @Option(
      names = "--overwrite",
      description = "Bring an existing cluster home up to date instead of refusing it.")
  private boolean overwrite;

  @Override
  public Integer call() throws IOException {
    var jars =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .filter(p -> p.toString().endsWith(".jar") && !ours(p))
            .toList();
    if (jars.stream().noneMatch(p -> p.getFileName().toString().startsWith("spark-core_"))) {
      throw new UserError(K8101, "no Spark libraries on the class path to take");
    }
    var home = folder.toAbsolutePath().normalize();
    if (Files.exists(home) && !overwrite && !isEmpty(home)) {
      throw new UserError(K8102, home + " exists", "name another folder, or pass --overwrite");
    }
    assemble(home, jars);
    System.out.printf(
        """
        Spark from %d jars in %s
          start a master   %s [PORT]
          start a worker   %s spark://HOST:PORT
          submit a job     %s --master spark://HOST:PORT ...
        """,
        jars.size(),
        home,
        home.resolve("sbin/kenaz-master"),
        home.resolve("sbin/kenaz-worker"),
        home.resolve("bin/spark-submit"));
    return 0;
  }

  private static boolean ours(Path jar) {
    var name = jar.getFileName().toString();
    return OURS.stream().anyMatch(name::startsWith);
  }

  private static boolean isEmpty(Path folder) throws IOException {
    try (var entries = Files.list(folder)) {
      return entries.findAny().isEmpty();
    }
  }

  private static void assemble(Path home, List<Path> jars) throws IOException {
    for (var sub : List.of("jars", "conf", "bin", "sbin", "work", "logs")) {
      Files.createDirectories(home.resolve(sub));
    }
    jars.parallelStream()
        .forEach(jar -> place(jar, home.resolve("jars").resolve(jar.getFileName())));
    Files.writeString(home.resolve("RELEASE"), "Spark assembled by kenaz cluster-home\n");
    var options = moduleOptions();
    defaults(home.resolve("conf/spark-defaults.conf"), options);
    script(home.resolve("sbin/kenaz-environment"), environment(options));
    script(
        home.resolve("sbin/kenaz-master"),
        java("-Xmx512m", "org.apache.spark.deploy.master.Master")
            + " --host \"$SPARK_LOCAL_IP\" --port \"${1:-7077}\" --webui-port \"${2:-8080}\"");
    script(
        home.resolve("sbin/kenaz-worker"),
        java("-Xmx512m $KENAZ_WORKER_OPTS", "org.apache.spark.deploy.worker.Worker")
            + " --host \"$SPARK_LOCAL_IP\" \"$@\"");
    script(
        home.resolve("bin/spark-submit"),
        QUIET_START + java("-Dkenaz.stderr=9", "org.apache.spark.deploy.SparkSubmit") + " \"$@\"");
  }

  /**
   * Writes Spark's defaults. Spark starts executors with its module options, but not the driver of
   * a cluster deployment.
   */
  private static void defaults(Path file, String options) throws IOException {
    var ours = "# Written by kenaz cluster-home, which replaces it only while this line stands.\n";
    if (!Files.exists(file) || Files.readString(file).startsWith(ours)) {
      Files.writeString(file, ours + "spark.driver.extraJavaOptions " + options + "\n");
    }
  }

  /** Returns Spark's options for modules, as far as the JDK has these modules. */
  private static String moduleOptions() throws IOException {
    try (var in = ClusterHomeCommand.class.getResourceAsStream("/dev/kenaz/jobs/spark-jvm-flags")) {
      var text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return String.join(" ", text.lines().toList());
    }
  }

  private static String java(String options, String main) {
    return "exec \"$JAVA_HOME/bin/java\" $OPTIONS " + options + " -cp \"$CP\" " + main;
  }

  /**
   * Puts a jar into its place, by a hard link where the file system allows one, as Spark's
   * libraries are large.
   */
  private static void place(Path jar, Path target) {
    try {
      Files.deleteIfExists(target);
      try {
        Files.createLink(target, jar);
      } catch (IOException | UnsupportedOperationException e) {
        Files.copy(jar, target, StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String environment(String options) {
    return """
    SPARK_HOME=$(cd "$(dirname "$0")/.." && pwd)
    export SPARK_HOME
    export SPARK_SCALA_VERSION=2.13
    export SPARK_LOCAL_IP=${SPARK_LOCAL_IP:-127.0.0.1}
    export JAVA_HOME=${KENAZ_JAVA_HOME:-%s}
    CP="$SPARK_HOME/conf:$SPARK_HOME/jars/*"
    OPTIONS="%s"
    """
        .formatted(quote(System.getProperty("java.home")), options);
  }

  private static String quote(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }

  private static void script(Path file, String body) throws IOException {
    var setUp =
        """
        set -eu
        . "$(dirname "$0")/../sbin/kenaz-environment"
        : "${KENAZ_WORKER_OPTS:=}"
        """;
    Files.writeString(
        file,
        "#!/usr/bin/env bash\n" + (file.endsWith("kenaz-environment") ? "" : setUp) + body + "\n");
    if (!file.toFile().setExecutable(true)) {
      throw new IOException("can't make " + file + " executable");
    }
  }
}
