package dev.kenaz.dataset;

import dev.kenaz.arrow.Progress;
import java.util.Arrays;

/** Adds up the progress of parts that several threads work on. */
final class TransferProgress {
  private final RowSource source;
  private final Progress progress;
  private final double[] fractions;
  private double whole;
  private long rows;

  TransferProgress(RowSource source, Progress progress) {
    this.source = source;
    this.progress = progress;
    this.fractions = new double[source.parts()];
    for (int part = 0; part < fractions.length; part++) {
      whole += weight(part);
    }
  }

  private double weight(int part) {
    return Math.max(1, source.weight(part));
  }

  /**
   * Tells that so many more rows of a part are written.
   *
   * @param fraction how much of the part is done, from 0 to 1
   */
  synchronized void add(int part, long more, double fraction) {
    rows += more;
    fractions[part] = fraction;
    double done = 0;
    for (int i = 0; i < fractions.length; i++) {
      done += fractions[i] * weight(i);
    }
    progress.at(rows, Math.min(1, done / whole));
  }

  /** Looks at all lines of the source for the types of its columns, and begins anew. */
  synchronized void settle() {
    FirstPass.settle(source, progress);
    progress.pass("");
    rows = 0;
    Arrays.fill(fractions, 0);
  }

  synchronized void end() {
    progress.at(rows, 1);
  }
}
