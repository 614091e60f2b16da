package dev.kenaz.spark;

import java.io.Serializable;

/**
 * What an executor computes. Source text or another portable form travels; each executor makes
 * {@link Stage} of it once.
 */
public interface StageProgram extends Serializable {
  /** Equal for equal programs: executors keep one compiled stage for a key. */
  String key();

  /** Compiles it, in the process that is to run it. */
  Stage open();
}
