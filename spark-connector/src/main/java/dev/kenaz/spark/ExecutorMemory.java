package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K8207;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Span;
import dev.kenaz.value.NativeLimit;
import java.util.List;
import java.util.Optional;
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
  private static final String EXECUTOR = "spark.executor";
  private static boolean known;

  private ExecutorMemory() {}

  /** Sets the limit of this process, once. */
  static synchronized void respect() {
    var env = SparkEnv.get();
    if (!known && env != null) {
      known = true;
      boolean driver = env.executorId().equals("driver");
      int cores = Runtime.getRuntime().availableProcessors();
      var allowed =
          driver
              ? allowed(env.conf(), true, NativeLimit.limit(), cores)
              : KenazKey.MEMORY
                  .bytes(env.conf())
                  .orElseGet(() -> allowed(env.conf(), false, NativeLimit.limit(), cores));
      NativeLimit.atMost(allowed);
    }
  }

  /**
   * Returns what is wrong if executors are to take more memory for arrays, or for rows that they
   * keep, than the cluster's manager gives them: it would kill them.
   */
  static Optional<Diagnostic> fault(SparkConf conf) {
    if (!isManaged(conf)) {
      return Optional.empty();
    }
    long overhead = overhead(conf, EXECUTOR);
    long room = KenazKey.MEMORY.bytes(conf).orElseGet(() -> left(overhead));
    var memory = KenazKey.MEMORY.bytes(conf).filter(b -> b > overhead);
    var key = memory.isPresent() ? KenazKey.MEMORY : KenazKey.CACHE;
    return memory
        .or(() -> KenazKey.CACHE.bytes(conf).filter(b -> b > room))
        .map(
            said ->
                new Diagnostic(
                    K8207,
                    Span.NONE,
                    "%s=%s is more than the overhead memory of an executor has room for, which is"
                            .formatted(key.key(), conf.get(key.key()))
                        + " %d MiB".formatted(overhead >> 20),
                    List.of(
                        "set spark.executor.memoryOverhead=%dm, or less here"
                            .formatted((said + JAVA >> 20) + 1))));
  }

  private static boolean isManaged(SparkConf conf) {
    var master = conf.get("spark.master", "local");
    return master.startsWith("yarn") || master.startsWith("k8s");
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
    var role = driver ? "spark.driver" : EXECUTOR;
    // The only process of an embedded Spark, and a driver on the user's machine, are the user's
    // own.
    boolean own =
        master.equals("local")
            || master.startsWith("local[")
            || driver && !conf.get("spark.submit.deployMode", "client").equals("cluster");
    if (own) {
      return 0;
    }
    if (isManaged(conf) || conf.contains(role + ".memoryOverhead")) {
      return left(overhead(conf, role));
    }
    int mine = conf.getInt(role + ".cores", driver ? 1 : cores);
    return mine >= cores ? 0 : usual / cores * mine;
  }

  /** Returns what Java leaves of the overhead memory. */
  private static long left(long overhead) {
    return Math.max(overhead / 2, overhead - JAVA);
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
