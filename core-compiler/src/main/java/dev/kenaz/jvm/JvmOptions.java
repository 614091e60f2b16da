package dev.kenaz.jvm;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How to compile and run.
 *
 * @param workers threads that a call computes on, the caller's included
 * @param vectors whether inner loops use vector instructions
 * @param grain scalar operations that make handing them to another thread worth while
 * @param methodBytes bytecode that a method may have, roughly: HotSpot never compiles more than
 *     8000
 * @param dump a folder for the generated class files
 */
public record JvmOptions(
    int workers, Vectors vectors, long grain, int methodBytes, Optional<Path> dump) {
  private static final long GRAIN = 1 << 15;

  private static final int METHOD_BYTES = 9000;

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
        Runtime.getRuntime().availableProcessors(),
        Vectors.ON,
        GRAIN,
        METHOD_BYTES,
        Optional.empty());
  }

  public JvmOptions withWorkers(int n) {
    return new JvmOptions(n, vectors, grain, methodBytes, dump);
  }

  public JvmOptions withVectors(Vectors v) {
    return new JvmOptions(workers, v, grain, methodBytes, dump);
  }

  public JvmOptions withDump(Path folder) {
    return new JvmOptions(workers, vectors, grain, methodBytes, Optional.of(folder));
  }

  public JvmOptions withGrain(long operations) {
    return new JvmOptions(workers, vectors, operations, methodBytes, dump);
  }

  public JvmOptions withMethodBytes(int bytes) {
    return new JvmOptions(workers, vectors, grain, bytes, dump);
  }
}
