package dev.kenaz.spark.sql;

import org.apache.spark.TaskContext;

/**
 * Ends a task that Spark has cancelled. Spark itself looks whether it has only where it reads rows,
 * and a function may compute for a long time with few of them.
 */
final class CancelledTask {
  private CancelledTask() {}

  static void check() {
    var task = TaskContext.get();
    if (task != null) {
      task.killTaskIfInterrupted();
    }
  }
}
