package dev.kenaz.spark;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** Opens Spark: the one that spark-submit or a configuration names, else one in this process. */
public final class SparkStart {
  private SparkStart() {}

  /**
   * A context; the caller closes it.
   *
   * @param master empty for spark-submit's choice, else for an embedded one on all cores
   * @throws UserError K8204 if Spark can't be reached
   */
  public static JavaSparkContext open(String application, Optional<String> master) {
    var conf = new SparkConf().setAppName(application);
    master.ifPresent(conf::setMaster);
    conf.setIfMissing("spark.master", "local[*]");
    if (conf.get("spark.master").startsWith("local")) {
      conf.setIfMissing("spark.ui.enabled", "false");
      conf.setIfMissing("spark.driver.bindAddress", "127.0.0.1");
      conf.setIfMissing("spark.driver.host", "127.0.0.1");
    }
    conf.setIfMissing("spark.ui.showConsoleProgress", "false");
    // A task waits this long for the executor that has its shard in memory before going elsewhere.
    conf.setIfMissing("spark.locality.wait", "1s");
    try {
      return new JavaSparkContext(conf);
    } catch (Exception e) { // Spark throws checked exceptions that it does not declare
      throw new UserError(
          "K8204",
          Span.NONE,
          "can't start Spark with master " + conf.get("spark.master") + ": " + e.getMessage(),
          "is the master running, and can this machine reach it?");
    }
  }

  /** Bytes of loaded data that an executor of this context may keep: half of its memory. */
  public static long cacheBytes(JavaSparkContext spark) {
    long memory =
        spark.isLocal()
            ? Runtime.getRuntime().maxMemory()
            : spark.getConf().getSizeAsBytes("spark.executor.memory", "1g");
    return spark.getConf().getSizeAsBytes("spark.kenaz.cache", memory / 2 + "b");
  }
}
