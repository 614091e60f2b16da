package dev.kenaz.spark;

import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.resource.ExecutorResourceRequests;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.resource.ResourceProfileBuilder;
import org.apache.spark.resource.TaskResourceRequests;

/**
 * Asks Spark for GPUs for the stages that compute on them, where the application as a whole has no
 * tasks with GPUs. So other stages, such as those that read a table, run on all cores.
 */
final class GpuStages {
  private static final String EXECUTOR_AMOUNT = "spark.executor.resource.gpu.amount";
  private static final String TASK_AMOUNT = "spark.task.resource.gpu.amount";
  private static final String SCRIPT = "spark.executor.resource.gpu.discoveryScript";
  private static final String VENDOR = "spark.executor.resource.gpu.vendor";

  private GpuStages() {}

  /**
   * Returns what such stages ask for; nothing if every task has a GPU already, or if Spark knows
   * nothing of GPUs.
   */
  static Optional<ResourceProfile> profile(SparkConf conf) {
    if (!canChoose(conf) || conf.contains(TASK_AMOUNT)) {
      return Optional.empty();
    }
    if (!isManaged(conf) && KenazKey.GPU_FALLBACK.flag(conf)) {
      return Optional.empty(); // Executors of all kinds are welcome.
    }
    var tasks =
        new TaskResourceRequests()
            .cpus(conf.getInt("spark.task.cpus", 1))
            .resource("gpu", amount(conf));
    if (isManaged(conf)) {
      return Optional.of(new ResourceProfileBuilder().require(tasks).build());
    }
    return conf.getBoolean("spark.dynamicAllocation.enabled", false)
        ? Optional.of(new ResourceProfileBuilder().require(tasks).require(executors(conf)).build())
        : Optional.empty();
  }

  /** Whether Spark starts executors only where GPUs are. */
  static boolean isManaged(SparkConf conf) {
    return conf.getInt(EXECUTOR_AMOUNT, 0) > 0;
  }

  /** Whether Spark's scheduler can give stages executors of their own. */
  private static boolean canChoose(SparkConf conf) {
    var master = conf.get("spark.master", "local");
    return master.startsWith("spark://") || master.startsWith("yarn") || master.startsWith("k8s");
  }

  private static double amount(SparkConf conf) {
    return KenazKey.GPU_AMOUNT
        .text(conf)
        .map(Double::parseDouble)
        .orElseGet(() -> 1.0 / KenazKey.GPU_TASKS.count(conf));
  }

  /** Asks for executors like the others, with a GPU each. */
  private static ExecutorResourceRequests executors(SparkConf conf) {
    var script = KenazKey.GPU_DISCOVERY_SCRIPT.text(conf).orElseGet(() -> conf.get(SCRIPT, ""));
    var requests =
        new ExecutorResourceRequests()
            .memory(conf.get("spark.executor.memory", "1g"))
            .resource("gpu", 1, script, conf.get(VENDOR, ""));
    if (conf.contains("spark.executor.cores")) {
      requests.cores(conf.getInt("spark.executor.cores", 1));
    }
    if (conf.contains("spark.executor.memoryOverhead")) {
      requests.memoryOverhead(conf.get("spark.executor.memoryOverhead"));
    }
    return requests;
  }
}
