package dev.kenaz.jobs.bench;

import static dev.kenaz.error.ErrorCode.K5006;

import dev.kenaz.error.UserError;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Decides which rows of suites are measured, and reports what becomes of them. A process that works
 * for {@link SuiteProcesses} tells it about each row by lines that begin with {@link #MARK}.
 */
public final class SuiteRows {
  static final String MARK = "#kenaz ";

  private final Set<String> before;
  private final int from;
  private final Optional<Instant> end;
  private final boolean told;
  private final Consumer<String> out;
  private int next;
  private int failed;
  private int left;

  /**
   * @param before the rows that need not be measured again, as {@link #kept} returns them
   * @param from the first row of all suites that is measured
   * @param end the time from which no further row is begun
   * @param told whether another process listens
   */
  public SuiteRows(
      Set<String> before, int from, Optional<Instant> end, boolean told, Consumer<String> out) {
    this.before = Set.copyOf(before);
    this.from = from;
    this.end = end;
    this.told = told;
    this.out = out;
  }

  /** Returns the rows that a file of results has, by name and data. */
  public static Set<String> kept(List<String> lines) {
    var rows = new HashSet<String>();
    for (var line : lines) {
      var cells = line.split(" *\\| *", -1);
      if (line.startsWith("| ") && cells.length > 3) {
        rows.add(cells[1] + " | " + cells[2]);
      }
    }
    return rows;
  }

  void print(String line) {
    out.accept(line);
  }

  /** Whether what stands above the next row must be printed. */
  boolean beginning() {
    return next >= from && before.isEmpty();
  }

  /** Measures the next row, if it is wanted. */
  void row(String name, String data, Runnable action) {
    int number = next++;
    if (number < from || before.contains(name + " | " + data)) {
      return;
    }
    if (end.isPresent() && Instant.now().isAfter(end.get())) {
      left++;
      return;
    }
    tell("row " + number + " | " + name + " | " + data);
    try {
      action.run();
    } catch (RuntimeException | OutOfMemoryError e) {
      failed++;
      out.accept(failure(name, data, String.valueOf(e.getMessage())));
      tell("failed");
      if (told && !harmless(e)) {
        throw e;
      }
    }
  }

  static String failure(String name, String data, String why) {
    var line = why.lines().findFirst().orElse("");
    return "| " + name + " | " + data + " | fails: " + line.replace('|', '/') + " |";
  }

  /** Whether the process can go on: its GPU may be lost after other errors. */
  private static boolean harmless(Throwable e) {
    return e instanceof UserError u && u.diagnostics().getFirst().code() == K5006;
  }

  /** Notes that all rows have been looked at. */
  public void done() {
    tell("done " + left);
    if (!told && left > 0) {
      out.accept("\n" + left + " rows were left out for lack of time");
    }
  }

  public int failed() {
    return failed;
  }

  private void tell(String what) {
    if (told) {
      out.accept(MARK + what);
    }
  }
}
