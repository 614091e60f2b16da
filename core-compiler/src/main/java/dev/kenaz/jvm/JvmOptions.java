package dev.kenaz.jvm;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How to compile and run.
 *
 * @param workers threads that a call computes on, the caller's included
 * @param vectors whether inner loops use vector instructions
 * @param grain scalar operations that make handing them to another thread worth while
 * @param dump a folder for the generated class files
 */
public record JvmOptions(int workers, Vectors vectors, long grain, Optional<Path> dump) {
  private static final long GRAIN = 1 << 15;

  /** Whether to use vector instructions. */
  public enum Vectors {
    /** Where they can be used. */
    ON,
    /** Nowhere: the scalar twin of every loop. */
    OFF
  }

  public JvmOptions {
    if (workers < 1) {
      throw new IllegalArgumentException("at least one worker is needed, not " + workers);
    }
  }

  /** All processors, vectors, no dump. */
  public static JvmOptions defaults() {
    return new JvmOptions(
        Runtime.getRuntime().availableProcessors(), Vectors.ON, GRAIN, Optional.empty());
  }

  public JvmOptions withWorkers(int n) {
    return new JvmOptions(n, vectors, grain, dump);
  }

  public JvmOptions withVectors(Vectors v) {
    return new JvmOptions(workers, v, grain, dump);
  }

  public JvmOptions withDump(Path folder) {
    return new JvmOptions(workers, vectors, grain, Optional.of(folder));
  }

  public JvmOptions withGrain(long operations) {
    return new JvmOptions(workers, vectors, operations, dump);
  }
}
