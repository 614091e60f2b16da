package dev.kenaz.spark;

import java.util.Optional;
import java.util.Set;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.resource.ResourceProfile;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What Spark's scheduler has at present. Scala code outside of Spark may not ask for it; Java code
 * may.
 */
record Cluster(JavaSparkContext spark) {
  /**
   * Returns how many tasks can run at once.
   *
   * @param asked what they ask for, unless that is the usual
   */
  int slots(Optional<ResourceProfile> asked) {
    var profile = asked.orElse(spark.sc().resourceProfileManager().defaultResourceProfile());
    int now = spark.sc().maxNumConcurrentTasks(profile);
    // Executors may not have come yet.
    return now > 0 ? now : Math.max(1, spark.defaultParallelism());
  }

  /** Returns what stages that compute on GPUs ask for, if that isn't the usual. */
  Optional<ResourceProfile> gpus() {
    return GpuStages.profile(spark.getConf()).map(this::known);
  }

  /**
   * Returns the application's profile that asks for the same; each new one has its own executors.
   */
  private ResourceProfile known(ResourceProfile profile) {
    var manager = spark.sc().resourceProfileManager();
    synchronized (manager) {
      var there = manager.getEquivalentProfile(profile);
      if (there.isDefined()) {
        return there.get();
      }
      manager.addResourceProfile(profile);
      return profile;
    }
  }

  /** Returns the executors that are there; the empty set if all of Spark is in this process. */
  Set<String> executors() {
    return spark.isLocal()
        ? Set.of()
        : Set.copyOf(CollectionConverters.asJava(spark.sc().getExecutorIds()));
  }
}
