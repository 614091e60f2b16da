package dev.kenaz.jobs.measure;

import dev.kenaz.jobs.measure.Measurement.Status;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * This is a process with which one talks by lines. It is stopped if it doesn't answer in time, or
 * if it takes too much memory.
 */
final class WatchedProcess implements AutoCloseable {
  private static final int TAIL = 12;

  /** So often the memory of a process is looked at. */
  private static final long LOOK_MILLIS = 100;

  private final Process process;
  private final long memory;
  private final PrintWriter in;
  private final LinkedBlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();
  private final Deque<String> errors = new ArrayDeque<>();
  private final List<Thread> readers;
  private long peak;

  /**
   * @param memory how many bytes the process may take
   */
  WatchedProcess(ProcessBuilder command, long memory) {
    this.memory = memory;
    try {
      process = command.redirectErrorStream(false).start();
    } catch (IOException e) {
      throw new Subject.Failed(Status.FAILED, "can't start: " + e.getMessage());
    }
    in = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
    readers =
        List.of(
            Thread.ofVirtual().start(() -> read(process.inputReader(), this::line)),
            Thread.ofVirtual().start(() -> read(process.errorReader(), this::error)));
  }

  private void read(BufferedReader from, java.util.function.Consumer<Optional<String>> to) {
    try (from) {
      for (var line = from.readLine(); line != null; line = from.readLine()) {
        to.accept(Optional.of(line));
      }
    } catch (IOException e) {
      error(Optional.of(e.toString()));
    }
    to.accept(Optional.empty());
  }

  private void line(Optional<String> line) {
    lines.add(line);
  }

  private synchronized void error(Optional<String> line) {
    line.filter(l -> !l.startsWith("WARNING: Using incubator"))
        .ifPresent(
            l -> {
              errors.addLast(l);
              if (errors.size() > TAIL) {
                errors.removeFirst();
              }
            });
  }

  void send(String line) {
    in.println(line);
  }

  /**
   * Waits for a line of the process.
   *
   * @throws Subject.Failed if it ends, takes too long or takes too much memory
   */
  String answer(Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    try {
      for (; ; ) {
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        var line = lines.poll(Math.clamp(left, 1, LOOK_MILLIS), TimeUnit.MILLISECONDS);
        if (line != null) {
          return line.orElseThrow(this::ended);
        }
        look();
        if (System.nanoTime() >= end) {
          process.destroyForcibly();
          throw new Subject.Failed(
              Status.HUNG, "no answer within " + limit.toMillis() / 1e3 + " s");
        }
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new Subject.Failed(Status.FAILED, "interrupted");
    }
  }

  private Subject.Failed ended() {
    try {
      int status = process.waitFor();
      for (var reader : readers) {
        reader.join(Duration.ofSeconds(1));
      }
      return new Subject.Failed(Status.FAILED, "the process ended with status " + status + said());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Subject.Failed(Status.FAILED, "interrupted");
    }
  }

  private synchronized String said() {
    return errors.isEmpty() ? "" : ": " + String.join(" / ", errors);
  }

  /** Looks at the memory of the process, and stops it if that is too much. */
  private void look() {
    long now = memory("VmRSS:");
    peak = Math.max(peak, Math.max(now, memory("VmHWM:")));
    if (now > memory) {
      process.destroyForcibly();
      throw new Subject.Failed(
          Status.MEMORY,
          "the process took %d MiB, more than the %d MiB that a cell may take"
              .formatted(now >> 20, memory >> 20));
    }
  }

  /** Returns the greatest memory so far, in bytes; 0 where the system doesn't tell. */
  long peak() {
    peak = Math.max(peak, memory("VmHWM:"));
    return peak;
  }

  private long memory(String key) {
    try {
      return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
          .filter(l -> l.startsWith(key))
          .mapToLong(l -> Long.parseLong(l.replaceAll("\\D", "")) << 10)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      return 0; // It has ended, or the system has no such files.
    }
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
