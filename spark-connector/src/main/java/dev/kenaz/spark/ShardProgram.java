package dev.kenaz.spark;

import java.io.Serializable;

/**
 * The portable form of what an executor computes, for example source text: this is what travels.
 * Each executor compiles it to a {@link ShardFunction} once.
 */
public interface ShardProgram extends Serializable {
  /** Equal for equal programs: executors keep one compiled function for a key. */
  String key();

  /** Compiles it, in the process that is to run it. */
  ShardFunction open();
}
