package dev.kenaz.spark;

import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.PlanRunner.Caller;
import java.io.Serializable;

/**
 * A program in a form that can be serialised, and that makes a plan of it. Driver and executors
 * make the same plan of the same text, so that a stage is named by its number.
 */
public interface ProgramText extends Serializable {
  /** Returns a key, which is equal for equal text, entry point, dataset and backend. */
  String key();

  /** Whether tasks compute it on GPUs. */
  boolean usesGpu();

  /** Compiles the text and plans it. The plan is always the same. */
  Plan plan();

  /**
   * Returns what calls the plan's functions.
   *
   * @param cores how many threads a call may keep busy
   */
  Caller caller(int cores);
}
