package dev.kenaz.spark;

import dev.kenaz.cuda.runtime.DriverProbe;
import dev.kenaz.options.CompileOptions;
import org.apache.spark.TaskContext;

/** Finds which GPU a task may use: the one that Spark has assigned to it, and no other. */
final class Gpus {
  private Gpus() {}

  /**
   * Returns the number that the driver gives to the task's GPU; any GPU outside of a task, and
   * where Spark doesn't manage GPUs.
   */
  static int ofTask() {
    var task = TaskContext.get();
    var given = task == null ? null : task.resourcesJMap().get("gpu");
    return given == null || given.addresses().length == 0
        ? CompileOptions.ANY_DEVICE
        : DriverProbe.report(given.addresses()[0]).find(given.addresses()[0]);
  }
}
