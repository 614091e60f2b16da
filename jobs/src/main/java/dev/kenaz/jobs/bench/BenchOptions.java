package dev.kenaz.jobs.bench;

import dev.kenaz.options.CompileOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * How long and how often is measured.
 *
 * @param how programs are compiled
 * @param runs at least so many
 * @param warmUp calls before the measurement, so that the JVM has compiled what runs
 * @param least total time of the runs
 * @param most total time of the runs, while they don't agree
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

  public BenchOptions {
    excluded = Set.copyOf(excluded);
  }
}
