package dev.kenaz.jobs.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Summarises the rows of suites that ran on a GPU. */
final class SuiteSummary {
  private static final Pattern COPY = Pattern.compile("copies (\\d+) GB/s");
  private static final Pattern NUMBER = Pattern.compile("(?:.*-)?([0-9.]+)");

  /** A derivative is listed if its overhead is more than this factor times the paper's. */
  private static final double MORE = 1.5;

  /**
   * A function that only goes through memory is listed if it reaches less than this part of the
   * rate at which memory is copied.
   */
  private static final double LEAST = 0.6;

  private double copy;
  private int rows;
  private int left;
  private final List<String> failed = new ArrayList<>();
  private final List<String> costly = new ArrayList<>();
  private final List<String> slow = new ArrayList<>();

  int failures() {
    return failed.size();
  }

  /** Notes how many rows weren't measured for lack of time. */
  void left(int number) {
    left += number;
  }

  /** Adds a line that was printed. */
  void add(String line) {
    var copied = COPY.matcher(line);
    if (copied.find()) {
      copy = Double.parseDouble(copied.group(1));
    }
    if (!line.startsWith("| ") || line.startsWith("| ---") || line.startsWith("| program |")) {
      return;
    }
    var cells = line.substring(1).split("\\|", -1);
    var title = cells[0].strip() + ", " + cells[1].strip();
    rows++;
    if (cells.length < 7) {
      failed.add(title);
      return;
    }
    double rate = number(cells[3]);
    double overhead = number(cells[5]);
    double paper = number(cells[6]);
    if (paper > 0 && overhead > MORE * paper) {
      costly.add("%s: %.1f, the paper's %s".formatted(title, overhead, cells[6].strip()));
    }
    boolean simple = title.matches("(map linear|reduce add|scan add), 10\\^8");
    if (copy > 0 && simple && rate < LEAST * copy) {
      slow.add(String.format(Locale.ROOT, "%s: %.0f %%", title, 100 * rate / copy));
    }
  }

  /** Returns the last number of a cell; 0 if there is none. */
  private static double number(String cell) {
    var found = NUMBER.matcher(cell.strip());
    return found.matches() ? Double.parseDouble(found.group(1)) : 0;
  }

  /** Returns the lines of the summary. */
  List<String> lines() {
    var lines = new ArrayList<String>();
    lines.add("");
    lines.add(rows - failed.size() + " of " + rows + " rows were measured");
    if (left > 0) {
      lines.add(left + " more were left out for lack of time");
    }
    list(lines, "failed", failed);
    list(lines, "derivatives of more than 1.5 times the paper's overhead", costly);
    list(lines, "below 60 % of the rate at which memory is copied", slow);
    return lines;
  }

  private static void list(List<String> lines, String title, List<String> what) {
    if (!what.isEmpty()) {
      lines.add(title + ":");
      what.forEach(w -> lines.add("  " + w));
    }
  }
}
