package dev.kenaz.spark;

import java.util.Set;
import org.apache.spark.api.java.JavaSparkContext;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What Spark's scheduler has at present. Scala code outside of Spark may not ask for it; Java code
 * may.
 */
record Cluster(JavaSparkContext spark) {
  /** Returns how many tasks can run at once. */
  int slots() {
    var profile = spark.sc().resourceProfileManager().defaultResourceProfile();
    int now = spark.sc().maxNumConcurrentTasks(profile);
    // Executors may not have come yet.
    return now > 0 ? now : Math.max(1, spark.defaultParallelism());
  }

  /** Returns the executors that are there; the empty set if all of Spark is in this process. */
  Set<String> executors() {
    return spark.isLocal()
        ? Set.of()
        : Set.copyOf(CollectionConverters.asJava(spark.sc().getExecutorIds()));
  }
}
