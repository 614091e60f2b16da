package dev.kenaz.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A master and two workers with a core each, as processes on loopback, from a SPARK_HOME that
 * {@code kenaz cluster-home} made. Each worker has an address of its own, because Spark takes those
 * of one address for one machine: it repeats a slow task only on another one.
 */
final class StandaloneCluster implements AutoCloseable {
  private final Path home;
  private final Path logs;
  private final String master;
  private final List<Process> workers = new ArrayList<>();
  private final List<Process> jobs = new ArrayList<>();
  private final Process masterProcess;
  private final Machines machines;

  /**
   * What the machines of the workers are like.
   *
   * @param options of Java for workers
   * @param environment of workers
   * @param mounts a command of the shell that a worker runs first, with file systems that only this
   *     worker and its executors see; "" for none
   */
  record Machines(String options, Map<String, String> environment, String mounts) {
    static final Machines USUAL = new Machines("", Map.of(), "");

    /** Whether workers can have file systems of their own here. */
    static boolean canMount() throws IOException, InterruptedException {
      try {
        var shell = new ProcessBuilder("unshare", "-rm", "sh", "-c", "mount -t tmpfs tmpfs /mnt");
        return shell.redirectErrorStream(true).start().waitFor() == 0;
      } catch (IOException e) {
        return false; // There is no such command.
      }
    }

    private List<String> command(String script) {
      return mounts.isEmpty()
          ? List.of(script)
          : List.of("unshare", "-rm", "sh", "-c", mounts + " && exec \"$@\"", "sh", script);
    }
  }

  /** Starts a master and two workers, and waits for them; if they don't come, nothing is left. */
  static StandaloneCluster start(Path home, Path logs) throws IOException {
    return start(home, logs, Machines.USUAL);
  }

  static StandaloneCluster start(Path home, Path logs, Machines machines) throws IOException {
    var cluster = new StandaloneCluster(home, logs, machines);
    try {
      cluster.startWorkers();
      return cluster;
    } catch (IOException | AssertionError e) {
      cluster.close();
      throw e;
    }
  }

  private StandaloneCluster(Path home, Path logs, Machines machines) throws IOException {
    this.home = home;
    this.machines = machines;
    this.logs = Files.createDirectories(logs);
    int port = freePort();
    this.master = "spark://127.0.0.1:" + port;
    this.masterProcess = start("master", "sbin/kenaz-master", "" + port, "" + freePort());
  }

  private void startWorkers() throws IOException {
    await("the master", () -> log("master").contains("I have been elected leader"));
    for (int i = 0; i < 2; i++) {
      workers.add(startWorker(i));
    }
    for (int i = 0; i < 2; i++) {
      var name = "worker" + i;
      await(name, () -> log(name).contains("Successfully registered with master"));
    }
  }

  private Process startWorker(int number) throws IOException {
    var command = new ArrayList<>(machines.command(home.resolve("sbin/kenaz-worker").toString()));
    command.addAll(List.of("--cores", "1", "--memory", "1g", "--webui-port", "" + freePort()));
    command.addAll(List.of("--work-dir", logs.resolve("work" + number).toString(), master));
    var environment = new HashMap<>(machines.environment());
    environment.put("KENAZ_WORKER_OPTS", machines.options());
    environment.put("SPARK_LOCAL_IP", "127.0.0." + (number + 1));
    return start("worker" + number, command, environment);
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
    return start(name, command, Map.of());
  }

  private Process start(String name, List<String> command, Map<String, String> environment)
      throws IOException {
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    return builder.redirectOutput(logs.resolve(name + ".log").toFile()).start();
  }

  /** Submits a job; its output goes to a log of that name. */
  Process submit(String name, List<String> arguments) throws IOException {
    var all = new ArrayList<>(List.of("--master", master));
    all.addAll(arguments);
    var job = start(name, "bin/spark-submit", all.toArray(String[]::new));
    jobs.add(job);
    return job;
  }

  /** Kills one executor, as a machine that fails would. */
  void killAnExecutor() {
    executors().findAny().orElseThrow().destroyForcibly();
  }

  /** Kills a random executor; returns whether there was one. */
  boolean killAnExecutor(Random random) {
    var all = executors().toList();
    return !all.isEmpty() && all.get(random.nextInt(all.size())).destroyForcibly();
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
    all.addAll(jobs); // A test that has failed may have left some.
    all.add(masterProcess);
    for (var p : all) {
      p.descendants().forEach(ProcessHandle::destroyForcibly);
      p.destroyForcibly();
    }
  }
}
