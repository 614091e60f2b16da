package dev.kenaz.jobs.sweep;

import dev.kenaz.jobs.config.Settings;
import dev.kenaz.jobs.measure.Comparison;
import dev.kenaz.jobs.measure.Comparison.Verdict;
import dev.kenaz.jobs.measure.Machine;
import dev.kenaz.jobs.measure.Measurement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * Compares two sweeps that train: the times of their iterations, and the losses that the models
 * have come to. A cell is a single run, so what differs from process to process doesn't show; a
 * change of the time counts if it is greater than the threshold and than what the iterations of a
 * run differ by.
 */
public final class SweepComparison {
  private final Comparison times;
  private final List<String> changed = new ArrayList<>();
  private final double threshold;
  private int compared;
  private int worse;

  private SweepComparison(SweepReport before, SweepReport after, double threshold) {
    this.threshold = threshold;
    this.times = Comparison.of(side(before), side(after), threshold);
    var models = new LinkedHashMap<String, CellResult>();
    after.rows().forEach(r -> models.put(title(r), r));
    for (var b : before.rows()) {
      var a = models.get(title(b));
      if (a != null && b.cost() != null && a.cost() != null) {
        loss(title(b), b.cost(), a.cost());
      }
    }
  }

  /**
   * Compares two folders.
   *
   * @param threshold a change that is smaller doesn't count, as a part
   * @throws dev.kenaz.error.UserError K7103 if they have no results
   */
  public static SweepComparison of(Path before, Path after, double threshold) {
    return new SweepComparison(SweepReport.read(before), SweepReport.read(after), threshold);
  }

  private void loss(String title, double before, double after) {
    compared++;
    if (Double.compare(before, after) == 0) {
      return;
    }
    // A NaN is worse than any number, and a loss may be negative.
    boolean isWorse =
        Double.isNaN(after) || after - before > threshold * Math.max(Math.abs(before), 1e-300);
    worse += isWorse && !Double.isNaN(before) ? 1 : 0;
    changed.add(
        String.format(
            Locale.ROOT, "%-9s  %s  loss %s -> %s", isWorse ? "worse" : "", title, before, after));
  }

  private static Comparison.Side side(SweepReport sweep) {
    var machine =
        Files.exists(sweep.folder().resolve(Machine.FILE))
            ? Optional.of(Machine.of(sweep.folder()))
            : Optional.<Machine>empty();
    return new Comparison.Side(
        sweep.rows().stream().map(SweepComparison::measurement).toList(), machine);
  }

  /** Returns the settings by their paths, of which each is there once. */
  private static SequencedMap<String, String> axes(CellResult r) {
    var axes = new LinkedHashMap<String, String>();
    r.settings().properties().forEach(s -> axes.put(s.getKey(), Settings.shown(s.getValue())));
    return axes;
  }

  private static String title(CellResult r) {
    return Settings.title(r.settings(), _ -> true);
  }

  private static Measurement measurement(CellResult r) {
    if (!r.isDone()) {
      return Measurement.failed(
          title(r),
          axes(r),
          r.settings(),
          Measurement.Status.FAILED,
          r.code() + " " + r.message(),
          null,
          null);
    }
    // Tables of earlier versions have only the median.
    var samples = r.times() == null ? List.of(r.secondsPerIteration()) : r.times();
    return Measurement.timed(title(r), axes(r), r.settings(), samples, null);
  }

  /** Whether a cell has become slower, its loss greater, or it fails now. */
  public boolean isWorse() {
    return times.count(Verdict.SLOWER) + times.count(Verdict.FAILS) + worse > 0;
  }

  /** Returns the comparison as lines of text. */
  public List<String> lines() {
    var lines = new ArrayList<>(times.lines());
    lines.addAll(changed);
    lines.add(
        "%d losses: %d the same, %d worse".formatted(compared, compared - changed.size(), worse));
    return lines;
  }
}
