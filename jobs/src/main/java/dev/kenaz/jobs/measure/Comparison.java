package dev.kenaz.jobs.measure;

import static dev.kenaz.error.ErrorCode.K7103;

import dev.kenaz.error.UserError;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Stream;

/**
 * Compares the times of two sweeps, cell by cell.
 *
 * <p>The logarithm of a time has two errors. One is that of the median of a process, which the
 * samples tell. The other is that processes differ, as the JVM compiles differently each time and
 * memory lies elsewhere: two or three processes of one cell can't tell how much, but all cells of
 * both sweeps together can: by the median of what they differ by, and, where there are many, by
 * what only one of twenty exceeds, as there are more large differences than in a normal
 * distribution. The error of a ratio is the sum of the squares of both errors on both sides. A cell
 * whose own processes differ by more than the others counts with what they differ by.
 *
 * <p>The machine may have been faster in one sweep than in the other, for all programs. How much, a
 * fixed computation beside each cell tells. By that the interval is wider, as nobody knows how much
 * of it a program feels: one that waits for memory hardly, one that computes in full.
 */
public final class Comparison {
  /** The ratio of the 75 % quantile of a normal distribution to its standard deviation. */
  private static final double QUARTILE = 0.6745;

  /** From so many differences on, one of twenty is known. */
  private static final int MANY = 20;

  private final double threshold;
  private final double between;
  private final List<Row> rows = new ArrayList<>();
  private final List<String> onlyBefore = new ArrayList<>();
  private final List<String> onlyAfter = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  /** What became of a time. */
  public enum Verdict {
    EQUAL("equal"),
    FASTER("faster"),
    SLOWER("slower"),
    FAILS("fails now"),
    WORKS("works now");

    private final String text;

    Verdict(String text) {
      this.text = text;
    }
  }

  /**
   * A cell of both sweeps.
   *
   * @param ratio the time after, divided by the time before; NaN if one of them failed
   * @param low where the 95 % confidence interval of the ratio begins
   */
  public record Row(
      String title,
      double before,
      double after,
      double ratio,
      double low,
      double high,
      Verdict verdict) {}

  private Comparison(
      SequencedMap<String, Measurement> before,
      SequencedMap<String, Measurement> after,
      double threshold) {
    this.threshold = threshold;
    this.between =
        between(Stream.concat(before.values().stream(), after.values().stream()).toList());
    before.forEach(
        (title, b) -> {
          if (after.containsKey(title)) {
            rows.add(row(title, b, after.get(title)));
          } else {
            onlyBefore.add(title);
          }
        });
    after.keySet().stream().filter(t -> !before.containsKey(t)).forEach(onlyAfter::add);
  }

  /**
   * One of the sweeps.
   *
   * @param machine where it was measured, if that is known
   */
  public record Side(List<Measurement> cells, Optional<Machine> machine) {

    /** Reads what a sweep that measures has written. */
    public static Side of(Path folder) {
      var cells = List.copyOf(MeasurementsFile.read(folder).values());
      if (cells.isEmpty()) {
        throw new UserError(
            K7103, folder + " has no cell that was measured", "continue the sweep with --resume");
      }
      return new Side(cells, Optional.of(Machine.of(folder)));
    }
  }

  /**
   * Compares two sweeps.
   *
   * @param threshold a change that is smaller doesn't count, as a part
   */
  public static Comparison of(Side before, Side after, double threshold) {
    var comparison = of(before.cells(), after.cells(), threshold);
    if (before.machine().isPresent() && after.machine().isPresent()) {
      var a = before.machine().get();
      var b = after.machine().get();
      if (!a.isLike(b)) {
        comparison.warnings.add("the machines differ: " + a.text() + " and " + b.text());
      }
    }
    return comparison;
  }

  static Comparison of(
      Collection<Measurement> before, Collection<Measurement> after, double threshold) {
    return new Comparison(byTitle(before), byTitle(after), threshold);
  }

  /** Cells are paired by their axes: the settings may be what was changed. */
  private static SequencedMap<String, Measurement> byTitle(Collection<Measurement> all) {
    var found = new LinkedHashMap<String, Measurement>();
    all.forEach(m -> found.put(new BenchmarkCell(m.axes(), m.settings()).title(), m));
    return found;
  }

  /** Returns the standard deviation of the logarithms of processes' medians. */
  private static double between(List<Measurement> all) {
    var differences = new ArrayList<Double>();
    for (var m : all) {
      if (m.isDone() && m.samples().size() > 1) {
        var medians = m.medians();
        for (int i = 1; i < medians.size(); i++) {
          // The difference of two has twice the variance of one.
          differences.add(Math.abs(Math.log(medians.get(i) / medians.get(i - 1))) / Math.sqrt(2));
        }
      }
    }
    if (differences.isEmpty()) {
      return 0;
    }
    double usual = Statistics.median(differences) / QUARTILE;
    double rare = Statistics.quantile(Statistics.sorted(differences), 0.95) / Statistics.NORMAL;
    return differences.size() < MANY ? usual : Math.max(usual, rare);
  }

  private Row row(String title, Measurement before, Measurement after) {
    if (!before.isDone() || !after.isDone()) {
      var verdict =
          before.isDone() ? Verdict.FAILS : after.isDone() ? Verdict.WORKS : Verdict.EQUAL;
      return new Row(title, time(before), time(after), Double.NaN, Double.NaN, Double.NaN, verdict);
    }
    double ratio = after.seconds() / before.seconds();
    double error = Statistics.NORMAL * Math.hypot(error(before), error(after));
    double machine = machine(before, after);
    double low = ratio * Math.exp(-error) * Math.min(1, 1 / machine);
    double high = ratio * Math.exp(error) * Math.max(1, 1 / machine);
    boolean slower = low > 1 && ratio > 1 + threshold;
    boolean faster = high < 1 && 1 / ratio > 1 + threshold;
    return new Row(
        title,
        before.seconds(),
        after.seconds(),
        ratio,
        low,
        high,
        slower ? Verdict.SLOWER : faster ? Verdict.FASTER : Verdict.EQUAL);
  }

  /** Returns how many times as long the fixed computation took after as before. */
  private static double machine(Measurement before, Measurement after) {
    return before.probe() == null || after.probe() == null ? 1 : after.probe() / before.probe();
  }

  private static double time(Measurement m) {
    return m.isDone() ? m.seconds() : Double.NaN;
  }

  /** Returns the standard error of the logarithm of a cell's time. */
  private double error(Measurement m) {
    double within =
        Math.sqrt(
            m.samples().stream()
                .mapToDouble(s -> Statistics.error(Statistics.median95(s)))
                .map(e -> e * e)
                .sum());
    int n = m.samples().size();
    double own = n > 1 ? Math.log1p(Measurement.spread(m.medians())) / Math.sqrt(2) : 0;
    return Math.hypot(within / n, Math.max(between, own) / Math.sqrt(n));
  }

  public List<Row> rows() {
    return List.copyOf(rows);
  }

  /** Returns how many cells have that verdict. */
  public long count(Verdict verdict) {
    return rows.stream().filter(r -> r.verdict() == verdict).count();
  }

  /** Returns the comparison as lines of text. */
  public List<String> lines() {
    var lines = new ArrayList<String>();
    warnings.forEach(w -> lines.add("warning: " + w));
    int width = rows.stream().mapToInt(r -> r.title().length()).max().orElse(0);
    for (var r : rows) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%-9s  %-" + Math.max(width, 1) + "s  %10s  %10s  %s",
              r.verdict().text,
              r.title(),
              shown(r.before()),
              shown(r.after()),
              Double.isNaN(r.ratio())
                  ? ""
                  : String.format(
                      Locale.ROOT, "x %.3f (%.3f to %.3f)", r.ratio(), r.low(), r.high())));
    }
    onlyBefore.forEach(t -> lines.add("only before  " + t));
    onlyAfter.forEach(t -> lines.add("only after   " + t));
    lines.add(
        String.format(
            Locale.ROOT,
            "%d cells: %d equal, %d faster, %d slower, %d fail now, %d work now"
                + " (threshold %.0f %%, processes differ by %.1f %%)",
            rows.size(),
            count(Verdict.EQUAL),
            count(Verdict.FASTER),
            count(Verdict.SLOWER),
            count(Verdict.FAILS),
            count(Verdict.WORKS),
            100 * threshold,
            100 * between));
    return lines;
  }

  private static String shown(double seconds) {
    return Double.isNaN(seconds) ? "–" : Units.seconds(seconds);
  }
}
