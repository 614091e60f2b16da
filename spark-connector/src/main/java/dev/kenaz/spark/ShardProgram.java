package dev.kenaz.spark;

import java.io.Serializable;

/**
 * The form of a program that travels to executors, for example its source text. Each executor
 * compiles it to a {@link ShardFunction} once.
 */
public interface ShardProgram extends Serializable {
  /**
   * Returns a key, which is equal for equal programs. An executor keeps one compiled function for
   * each key.
   */
  String key();

  /** Returns what Spark's pages and logs call a run of the program. */
  String title();

  /** Whether tasks compute it on GPUs. */
  default boolean usesGpu() {
    return false;
  }

  /** Compiles the program in the process that runs it. */
  ShardFunction open();
}
