package dev.kenaz.jobs.bench;

import dev.kenaz.options.CompileOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Says how long and how often programs are measured.
 *
 * @param how how programs are compiled
 * @param runs how many runs there are at least
 * @param warmUp how long a program is called before the measurement, so that the JVM has compiled
 *     what runs
 * @param least the least total time of the runs
 * @param most the largest total time of the runs, while they don't agree
 * @param validate whether results are compared with what the blocks expect
 */
public record BenchOptions(
    CompileOptions how,
    int runs,
    Duration warmUp,
    Duration least,
    Duration most,
    boolean validate,
    Optional<String> entry,
    Set<String> excluded) {
  /** Running times agree when the mean is known this well. */
  static final double CONVERGED = 0.01;

  /** So many runs are enough, however short they are. */
  static final int ENOUGH = 100_000;

  public BenchOptions {
    excluded = Set.copyOf(excluded);
  }
}
