package dev.kenaz.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A master and two workers with a core each, as processes on loopback, from a SPARK_HOME that
 * {@code kenaz cluster-home} made.
 */
final class StandaloneCluster implements AutoCloseable {
  private final Path home;
  private final Path logs;
  private final String master;
  private final List<Process> workers = new ArrayList<>();
  private final Process masterProcess;
  private final String workerOptions;

  /** Starts a master and two workers, and waits for them; if they don't come, nothing is left. */
  static StandaloneCluster start(Path home, Path logs) throws IOException {
    return start(home, logs, "");
  }

  /**
   * @param workerOptions options of Java for workers
   */
  static StandaloneCluster start(Path home, Path logs, String workerOptions) throws IOException {
    var cluster = new StandaloneCluster(home, logs, workerOptions);
    try {
      cluster.startWorkers();
      return cluster;
    } catch (IOException | AssertionError e) {
      cluster.close();
      throw e;
    }
  }

  private StandaloneCluster(Path home, Path logs, String workerOptions) throws IOException {
    this.home = home;
    this.workerOptions = workerOptions;
    this.logs = Files.createDirectories(logs);
    int port = freePort();
    this.master = "spark://127.0.0.1:" + port;
    this.masterProcess = start("master", "sbin/kenaz-master", "" + port, "" + freePort());
  }

  private void startWorkers() throws IOException {
    await("the master", () -> log("master").contains("I have been elected leader"));
    for (int i = 0; i < 2; i++) {
      workers.add(
          start(
              "worker" + i,
              "sbin/kenaz-worker",
              "--cores",
              "1",
              "--memory",
              "1g",
              "--webui-port",
              "" + freePort(),
              "--work-dir",
              logs.resolve("work" + i).toString(),
              master));
    }
    for (int i = 0; i < 2; i++) {
      var name = "worker" + i;
      await(name, () -> log(name).contains("Successfully registered with master"));
    }
  }

  String master() {
    return master;
  }

  static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private Process start(String name, String script, String... arguments) throws IOException {
    var command = new ArrayList<String>(List.of(home.resolve(script).toString()));
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("KENAZ_WORKER_OPTS", workerOptions);
    return builder.redirectOutput(logs.resolve(name + ".log").toFile()).start();
  }

  /** Submits a job; its output goes to a log of that name. */
  Process submit(String name, List<String> arguments) throws IOException {
    var all = new ArrayList<>(List.of("--master", master));
    all.addAll(arguments);
    return start(name, "bin/spark-submit", all.toArray(String[]::new));
  }

  /** Kills one executor, as a machine that fails would. */
  void killAnExecutor() {
    executors().findAny().orElseThrow().destroyForcibly();
  }

  /** Stops one executor without ending it, as a machine that is overloaded would. */
  void stallAnExecutor() throws IOException, InterruptedException {
    var pid = executors().findAny().orElseThrow().pid();
    if (new ProcessBuilder("kill", "-STOP", "" + pid).inheritIO().start().waitFor() != 0) {
      throw new AssertionError("can't stop process " + pid);
    }
  }

  /** Kills the worker that was started last, with its executors. */
  void killAWorker() {
    var worker = workers.removeLast();
    worker.descendants().forEach(ProcessHandle::destroyForcibly);
    worker.destroyForcibly();
  }

  /** Kills the driver that runs in the cluster. */
  void killTheDriver() {
    processes("org.apache.spark.deploy.worker.DriverWrapper")
        .findAny()
        .orElseThrow()
        .destroyForcibly();
  }

  long executorCount() {
    return executors().count();
  }

  private Stream<ProcessHandle> executors() {
    return processes("org.apache.spark.executor.CoarseGrainedExecutorBackend");
  }

  /** The processes of workers that run a class. */
  private Stream<ProcessHandle> processes(String name) {
    return workers.stream()
        .flatMap(w -> w.toHandle().descendants())
        .filter(p -> p.info().arguments().map(List::of).orElse(List.of()).contains(name));
  }

  /** What drivers that ran in the cluster wrote. */
  String driverLog() throws IOException {
    return logs("driver-[^/]*");
  }

  String executorLogs() throws IOException {
    return logs("app-[^/]*/[0-9]+");
  }

  private String logs(String folders) throws IOException {
    var all = new StringBuilder();
    try (var files = Files.walk(logs)) {
      for (var f : files.filter(p -> p.toString().matches(".*/" + folders + "/stderr")).toList()) {
        all.append(Files.readString(f));
      }
    }
    return all.toString();
  }

  String log(String name) {
    try {
      var file = logs.resolve(name + ".log");
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The last of what each process wrote: the files are gone when somebody reads of it. */
  private String ends() {
    var all = new StringBuilder();
    try (var files = Files.list(logs)) {
      for (var f : files.filter(p -> p.toString().endsWith(".log")).sorted().toList()) {
        var lines = Files.readAllLines(f);
        var last = lines.subList(Math.max(0, lines.size() - 15), lines.size());
        all.append("\n---- ").append(f.getFileName()).append('\n').append(String.join("\n", last));
      }
    } catch (IOException e) {
      all.append("\nno logs: ").append(e);
    }
    return all.toString();
  }

  void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofMinutes(5).toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("waited in vain for " + what + ends());
      }
      try {
        Thread.sleep(50);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Override
  public void close() {
    var all = new ArrayList<>(workers);
    all.add(masterProcess);
    for (var p : all) {
      p.descendants().forEach(ProcessHandle::destroyForcibly);
      p.destroyForcibly();
    }
  }
}
