package dev.kenaz.jobs.bench;

import dev.kenaz.cuda.runtime.KernelUse;
import dev.kenaz.jobs.ExitStatus;
import dev.kenaz.jobs.OwnProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Measures suites in a process of its own. If a row ends that process, another process goes on with
 * the next row: after a kernel has failed, its process can't use the GPU any more, and a kernel
 * that never ends blocks its process. A summary comes at the end.
 */
public final class SuiteProcesses {
  private static final String END = "";

  /** How many seconds a row gets after the end. */
  private static final long GRACE = 30;

  /** A line that each process of a JVM prints. */
  private static final String NOISE = "WARNING: Using incubator modules";

  private final List<String> arguments;
  private final long patience;
  private final Optional<Instant> end;
  private final Consumer<String> out;
  private final SuiteSummary summary = new SuiteSummary();
  private final KernelUse kernels = new KernelUse();
  private int row;
  private String name = "";
  private boolean failed;
  private boolean done;
  private int overdue;

  /**
   * @param arguments the arguments of the kenaz command
   * @param patience after so many seconds without output a process is stopped
   * @param end the time from which no further row is begun; the row that is being measured then
   *     gets half a minute
   */
  public SuiteProcesses(
      List<String> arguments, long patience, Optional<Instant> end, Consumer<String> out) {
    this.arguments = List.copyOf(arguments);
    this.patience = patience;
    this.end = end;
    this.out = out;
  }

  /** Adds to the summary what earlier processes have measured. */
  public void before(List<String> lines) {
    lines.forEach(summary::add);
  }

  /** Measures all rows, and returns the exit status. */
  public int run() throws IOException, InterruptedException {
    row = -1;
    while (!done) {
      int before = row;
      int status = one(row + 1);
      if (!done && row == before) {
        return status; // The process could not even begin.
      }
    }
    summary.left(overdue);
    summary.lines().forEach(out);
    out.accept(kernels.text());
    return summary.failures() == 0 ? ExitStatus.OK : ExitStatus.BUG;
  }

  private int one(int from) throws IOException, InterruptedException {
    var all = new ArrayList<>(arguments);
    all.addAll(List.of("--from", "" + from, "--told"));
    var process = OwnProcess.of(all).start();
    process.getOutputStream().close();
    var lines = new LinkedBlockingQueue<String>();
    var reader = Thread.ofVirtual().start(() -> read(process, lines));
    failed = true; // The process ended before its first row, so the failure belongs to no row.
    boolean silent = false;
    var last = last();
    try {
      for (; ; ) {
        long wait = Math.min(patience, Duration.between(Instant.now(), last).toSeconds() + 1);
        var line = lines.poll(wait, TimeUnit.SECONDS);
        silent = line == null;
        if (silent || line.equals(END)) {
          break;
        }
        line(line.substring(1));
      }
    } finally {
      process.destroyForcibly();
    }
    int status = process.waitFor();
    reader.join();
    if (silent && !Instant.now().isBefore(last)) {
      overdue++;
    } else if (!done && !failed) {
      var why = silent ? "no answer for " + patience + " s" : "the process ended with " + status;
      var at = name.split(" \\| ", 2);
      print(SuiteRows.failure(at[0], at[1], why));
    }
    return status;
  }

  /** Returns the time at which a process that begins now is stopped, whatever it does. */
  private Instant last() {
    var soon = Instant.now().plusSeconds(GRACE);
    return end.map(e -> e.plusSeconds(GRACE))
        .map(e -> e.isBefore(soon) ? soon : e)
        .orElse(Instant.MAX);
  }

  /** Reads lines, and puts a blank before each, as a line may be empty. */
  private static void read(Process process, LinkedBlockingQueue<String> lines) {
    try (BufferedReader in = process.inputReader()) {
      for (var line = in.readLine(); line != null; line = in.readLine()) {
        lines.add(" " + line);
      }
    } catch (IOException e) {
      lines.add(" " + e);
    }
    lines.add(END);
  }

  private void line(String line) {
    if (!line.startsWith(SuiteRows.MARK)) {
      if (!kernels.add(line) && !line.startsWith(NOISE)) {
        print(line);
      }
      return;
    }
    var words = line.substring(SuiteRows.MARK.length()).split(" ", 4);
    switch (words[0]) {
      case "row" -> {
        row = Integer.parseInt(words[1]);
        name = words[3];
        failed = false;
      }
      case "failed" -> failed = true;
      default -> {
        done = true;
        summary.left(Integer.parseInt(words[1]));
      }
    }
  }

  private void print(String line) {
    summary.add(line);
    out.accept(line);
  }
}
