package dev.kenaz.options;

import java.io.Serializable;
import java.util.Objects;
import java.util.Set;

/**
 * How a program is compiled. The options travel with the program's text to other machines.
 *
 * @param backend what runs the program
 * @param verify whether the program is checked after each pass
 * @param cores how many threads a call may keep busy
 * @param device the number of the GPU to use, or {@link #ANY_DEVICE}
 * @param loopMemory how many bytes a loop may keep for its reverse derivative, or {@link
 *     #UNLIMITED}; loops that would need more execute iterations again
 * @param checks whether the JVM's code checks each access to memory against the bounds of its
 *     buffer, to find faults of the compiler
 * @param deterministic whether a GPU's results are the same in each run, to the last bit, which
 *     costs time; those of the other backends always are
 * @param leftOut the names of passes that are left out, to find what they are worth; see {@code
 *     Pipelines.CAN_BE_LEFT_OUT}
 */
public record CompileOptions(
    Backend backend,
    boolean verify,
    int cores,
    int device,
    long loopMemory,
    boolean checks,
    boolean deterministic,
    Set<String> leftOut)
    implements Serializable {
  /** Names the property that says whether each access to memory is checked by default. */
  public static final String CHECKS = "kenaz.check";

  /** Names the property that says whether a GPU's results are the same in each run by default. */
  public static final String DETERMINISTIC = "kenaz.deterministic";

  /** Loops may keep all that they need. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  /** Stands for the first GPU that can be used. */
  public static final int ANY_DEVICE = -1;

  /**
   * @throws IllegalArgumentException if the number of cores is less than 1, or another number is
   *     negative
   */
  public CompileOptions {
    Objects.requireNonNull(backend, "backend");
    leftOut = Set.copyOf(leftOut);
    require(cores >= 1, "cores: " + cores);
    require(device >= ANY_DEVICE, "device: " + device);
    require(loopMemory >= 0, "loop memory: " + loopMemory);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /** Returns the options for ordinary use, on all cores. */
  public static CompileOptions of(Backend backend) {
    return new CompileOptions(
        backend,
        false,
        Runtime.getRuntime().availableProcessors(),
        ANY_DEVICE,
        UNLIMITED,
        Boolean.getBoolean(CHECKS),
        Boolean.getBoolean(DETERMINISTIC),
        Set.of());
  }

  /** Returns the same options, with the program checked after each pass. */
  public CompileOptions verified() {
    return new CompileOptions(
        backend, true, cores, device, loopMemory, checks, deterministic, leftOut);
  }

  /** Returns the same options for so many cores. */
  public CompileOptions onCores(int n) {
    return new CompileOptions(
        backend, verify, n, device, loopMemory, checks, deterministic, leftOut);
  }

  /** Returns the same options for the GPU of that number, counted from 0 as the driver does. */
  public CompileOptions onDevice(int n) {
    return new CompileOptions(
        backend, verify, cores, n, loopMemory, checks, deterministic, leftOut);
  }

  /** Returns the same options, where a loop may keep so many bytes for its reverse derivative. */
  public CompileOptions withLoopMemory(long bytes) {
    return new CompileOptions(
        backend, verify, cores, device, bytes, checks, deterministic, leftOut);
  }

  /** Returns the same options, where the JVM's code checks each access to memory. */
  public CompileOptions checked() {
    return new CompileOptions(
        backend, verify, cores, device, loopMemory, true, deterministic, leftOut);
  }

  /** Returns the same options, where a GPU's results are the same in each run. */
  public CompileOptions inEachRun() {
    return new CompileOptions(backend, verify, cores, device, loopMemory, checks, true, leftOut);
  }

  /** Returns the same options without some passes. */
  public CompileOptions without(Set<String> passes) {
    return new CompileOptions(
        backend, verify, cores, device, loopMemory, checks, deterministic, passes);
  }
}
