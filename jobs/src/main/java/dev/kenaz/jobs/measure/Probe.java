package dev.kenaz.jobs.measure;

import java.util.ArrayList;
import java.util.List;

/**
 * Times a fixed computation again and again: if its times vary, those of what is measured can't be
 * trusted either.
 */
final class Probe {
  private static final int STEPS = 100_000;
  private static final int WARM_UP = 300;

  /** The slowest of the machine's states may be slower by no more than this part. */
  private static final double MOST = 0.1;

  private final List<Double> times = new ArrayList<>();
  private long kept;

  Probe() {
    for (int i = 0; i < WARM_UP; i++) {
      kept += work(i);
    }
  }

  /** A chain of dependent operations, whose time follows the frequency of the processor. */
  private static long work(long seed) {
    long x = seed;
    for (int i = 0; i < STEPS; i++) {
      x = x * 6364136223846793005L + 1442695040888963407L;
    }
    return x;
  }

  /** Takes the time once; the shortest of three, as an interrupt says nothing. */
  void look() {
    double best = Double.POSITIVE_INFINITY;
    for (int i = 0; i < 3; i++) {
      long begin = System.nanoTime();
      kept += work(kept);
      best = Math.min(best, (System.nanoTime() - begin) / 1e9);
    }
    times.add(best);
  }

  /** Forgets what was measured so far. */
  void forget() {
    times.clear();
  }

  /** Returns the median of the times in seconds; null if there are none. */
  Double median() {
    return times.isEmpty() ? null : Statistics.median(times);
  }

  /** Returns by what part the machine was slower at some times than at others. */
  double spread() {
    if (times.size() < 2) {
      return 0;
    }
    var sorted = Statistics.sorted(times);
    return Statistics.quantile(sorted, 0.9) / sorted[0] - 1;
  }

  boolean isNoisy() {
    return spread() > MOST;
  }
}
