package dev.kenaz.jvm;

import dev.kenaz.options.CompileOptions;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Says how a program is compiled and run.
 *
 * @param workers the number of threads on which a call computes, the caller's included
 * @param vectors whether inner loops use vector instructions
 * @param grain this many scalar operations are worth handing to another thread
 * @param methodBytes how much bytecode a method may have, roughly, before it is cut
 * @param largestMethod how much bytecode no method may exceed
 * @param dump a folder for the generated class files
 * @param checks whether each access to memory is checked against the bounds of its buffer, to find
 *     faults of the compiler; that is several times slower. By default the system property {@code
 *     kenaz.check} decides
 */
public record JvmOptions(
    int workers,
    Vectors vectors,
    long grain,
    int methodBytes,
    int largestMethod,
    Optional<Path> dump,
    boolean checks) {
  private static final long GRAIN = 1 << 17;

  private static final int METHOD_BYTES = 9000;

  /** HotSpot never compiles a method with more bytecode. */
  private static final int LARGEST = 8000;

  /** Whether to use vector instructions. */
  public enum Vectors {
    /** Vector instructions are used where they can be. */
    ON,
    /** Vector instructions are not used: every loop is scalar code. */
    OFF
  }

  public JvmOptions {
    if (workers < 1) {
      throw new IllegalArgumentException("at least one worker is needed, not " + workers);
    }
  }

  /** Returns the options for all processors, with vectors, without a dump. */
  public static JvmOptions defaults() {
    return new JvmOptions(
        Runtime.getRuntime().availableProcessors(),
        Vectors.ON,
        GRAIN,
        METHOD_BYTES,
        LARGEST,
        Optional.empty(),
        Boolean.getBoolean(CompileOptions.CHECKS));
  }

  public JvmOptions withWorkers(int n) {
    return new JvmOptions(n, vectors, grain, methodBytes, largestMethod, dump, checks);
  }

  public JvmOptions withVectors(Vectors v) {
    return new JvmOptions(workers, v, grain, methodBytes, largestMethod, dump, checks);
  }

  public JvmOptions withDump(Path folder) {
    return new JvmOptions(
        workers, vectors, grain, methodBytes, largestMethod, Optional.of(folder), checks);
  }

  public JvmOptions withGrain(long operations) {
    return new JvmOptions(workers, vectors, operations, methodBytes, largestMethod, dump, checks);
  }

  public JvmOptions withMethodBytes(int bytes) {
    return new JvmOptions(workers, vectors, grain, bytes, largestMethod, dump, checks);
  }

  public JvmOptions withLargestMethod(int bytes) {
    return new JvmOptions(workers, vectors, grain, methodBytes, bytes, dump, checks);
  }

  public JvmOptions withChecks(boolean check) {
    return new JvmOptions(workers, vectors, grain, methodBytes, largestMethod, dump, check);
  }
}
