package dev.kenaz.jobs.measure;

import dev.kenaz.jobs.measure.Measurement.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Speaks Futhark's server protocol with a peer: a command is a line, and its answer ends with
 * {@code %%% OK}.
 */
final class FutharkSubject implements Subject {
  private static final String OK = "%%% OK";
  private static final String FAILURE = "%%% FAILURE";
  private static final String RUNTIME = "runtime: ";

  private final WatchedProcess process;
  private final Duration limit;
  private final String entry;
  private final List<String> arguments = new ArrayList<>();

  /**
   * Starts the server, and reads the arguments.
   *
   * @param input a file with the arguments
   */
  FutharkSubject(
      ProcessBuilder command,
      String entry,
      Optional<Path> input,
      Duration start,
      Duration limit,
      long memory) {
    this.entry = entry;
    this.limit = limit;
    process = new WatchedProcess(command, memory);
    try {
      answer(start);
      var restore = new StringBuilder();
      for (var type : command("inputs " + entry)) {
        arguments.add("in" + arguments.size());
        restore.append(' ').append(arguments.getLast()).append(" \"");
        restore.append(type.replaceFirst("^\\*", "")).append('"');
      }
      if (input.isPresent() && !arguments.isEmpty()) {
        command("restore " + input.get() + restore);
      }
    } catch (Failed e) {
      process.close();
      throw e;
    }
  }

  private List<String> command(String line) {
    process.send(line);
    return answer(limit);
  }

  private List<String> answer(Duration within) {
    var lines = new ArrayList<String>();
    boolean failed = false;
    for (; ; ) {
      var line = process.answer(within);
      if (line.equals(OK)) {
        if (failed) {
          throw new Failed(Status.FAILED, String.join(" ", lines));
        }
        return lines;
      }
      failed |= line.equals(FAILURE);
      if (!line.equals(FAILURE)) {
        lines.add(line);
      }
    }
  }

  @Override
  public double compileSeconds() {
    return Double.NaN;
  }

  @Override
  public Run run(long n) {
    double seconds = 0;
    for (long i = 0; i < n; i++) {
      seconds += call() / 1e6;
      command("free out");
    }
    return new Run(seconds, Double.NaN, 0, 0, 0, Map.of());
  }

  /** Calls the function, and returns the microseconds that the server tells. */
  private double call() {
    return command("call " + entry + " out " + String.join(" ", arguments)).stream()
        .filter(l -> l.startsWith(RUNTIME))
        .mapToDouble(l -> Double.parseDouble(l.substring(RUNTIME.length())))
        .findFirst()
        .orElseThrow(() -> new Failed(Status.FAILED, "the server told no runtime"));
  }

  @Override
  public boolean result(Path file) {
    call();
    command("store " + file + " out");
    command("free out");
    return true;
  }

  @Override
  public long peak() {
    return process.peak();
  }

  @Override
  public void close() {
    process.close();
  }
}
