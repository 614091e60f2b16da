package dev.kenaz.jobs.measure;

import java.nio.file.Path;
import java.util.Map;

/** This is a process that calls the function of a cell whenever it is told. */
sealed interface Subject extends AutoCloseable permits KenazSubject, FutharkSubject {
  /**
   * What some calls have taken.
   *
   * @param seconds wall time of all calls together; of a GPU, the time that it computed
   * @param cpu the CPU time of the process
   * @param collection the seconds in which the JVM collected garbage
   * @param jit the seconds for which the JVM's compilers have worked
   * @param allocated the bytes that were allocated in the heap
   * @param events how often events of the processor came, by their names
   */
  record Run(
      double seconds,
      double cpu,
      double collection,
      double jit,
      long allocated,
      Map<String, Long> events) {}

  /** Tells that the process has failed, or was stopped. */
  final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Measurement.Status status;

    Failed(Measurement.Status status, String message) {
      super(message);
      this.status = status;
    }

    Measurement.Status status() {
      return status;
    }
  }

  /** Returns how many seconds Kenaz has compiled; NaN of a peer. */
  double compileSeconds();

  /** Calls the function so many times. */
  Run run(long n);

  /** Writes the result into a file, and returns whether it can do that. */
  boolean result(Path file);

  /** Returns the greatest memory of the process so far, in bytes. */
  long peak();

  @Override
  void close();
}
