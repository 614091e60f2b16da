package dev.kenaz.spark;

import dev.kenaz.value.NativeLimit;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;

/**
 * Computes how much native memory arrays may take in an executor, all its tasks together. YARN and
 * Kubernetes kill a process that takes more than its heap and its overhead memory; so what isn't
 * heap must fit the overhead. Elsewhere no process is killed, and executors of one machine share
 * its memory in proportion to their cores.
 */
final class ExecutorMemory {
  /**
   * The part of the overhead in bytes that Java itself needs: for classes, compiled code and stacks
   * of threads.
   */
  private static final long JAVA = 192L << 20;

  private static final long LEAST_OVERHEAD = 384L << 20;
  private static final double SHARE = 0.1;
  private static boolean known;

  private ExecutorMemory() {}

  /** Sets the limit of this process, once. */
  static synchronized void respect() {
    var env = SparkEnv.get();
    if (!known && env != null) {
      known = true;
      boolean driver = env.executorId().equals("driver");
      int cores = Runtime.getRuntime().availableProcessors();
      NativeLimit.atMost(allowed(env.conf(), driver, NativeLimit.limit(), cores));
    }
  }

  /**
   * Returns how many bytes arrays may take in a process of the application; 0 if it has no limit of
   * its own.
   *
   * @param usual how many bytes arrays may take in any process
   * @param cores how many cores the machine has
   */
  static long allowed(SparkConf conf, boolean driver, long usual, int cores) {
    var master = conf.get("spark.master", "local");
    boolean managed = master.startsWith("yarn") || master.startsWith("k8s");
    var role = driver ? "spark.driver" : "spark.executor";
    // The only process of an embedded Spark, and a driver on the user's machine, are the user's
    // own.
    boolean own =
        master.equals("local")
            || master.startsWith("local[")
            || driver && !conf.get("spark.submit.deployMode", "client").equals("cluster");
    if (own) {
      return 0;
    }
    if (managed || conf.contains(role + ".memoryOverhead")) {
      long overhead = overhead(conf, role);
      return Math.max(overhead / 2, overhead - JAVA);
    }
    int mine = conf.getInt(role + ".cores", driver ? 1 : cores);
    return mine >= cores ? 0 : usual / cores * mine;
  }

  private static long overhead(SparkConf conf, String role) {
    if (conf.contains(role + ".memoryOverhead")) {
      return conf.getSizeAsMb(role + ".memoryOverhead") << 20;
    }
    long memory = conf.getSizeAsMb(role + ".memory", "1g") << 20;
    double share = conf.getDouble(role + ".memoryOverheadFactor", SHARE);
    long least = conf.getSizeAsMb(role + ".minMemoryOverhead", (LEAST_OVERHEAD >> 20) + "m") << 20;
    return Math.max(least, (long) (memory * share));
  }
}
