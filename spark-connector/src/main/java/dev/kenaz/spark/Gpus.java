package dev.kenaz.spark;

import dev.kenaz.options.CompileOptions;
import org.apache.spark.TaskContext;

/** Finds which GPU a task may use: the one that Spark has assigned to it, and no other. */
final class Gpus {
  private Gpus() {}

  /**
   * Returns the number of the task's GPU; any GPU outside of a task, and where Spark doesn't manage
   * GPUs.
   */
  static int ofTask() {
    var task = TaskContext.get();
    var given = task == null ? null : task.resourcesJMap().get("gpu");
    return given == null || given.addresses().length == 0
        ? CompileOptions.ANY_DEVICE
        : Integer.parseInt(given.addresses()[0]);
  }
}
