package dev.kenaz.spark;

import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells that an application waits because it has no executors, and ends its jobs if executors come
 * but can't work. Spark waits and tries for ever, and tells it only in its log.
 */
final class ExecutorsAwaited extends SparkListener implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(ExecutorsAwaited.class);
  private static final int SECONDS = 20;

  /** What Spark says of an executor that has come, but can't work. */
  static final String UNABLE = "Unable to create executor due to ";

  /** After so many executors that can't work, and none that does, a further one is no hope. */
  private static final int ENOUGH = 6;

  private final SparkContext spark;
  private int unable;

  private ExecutorsAwaited(SparkContext spark) {
    this.spark = spark;
  }

  /** Watches an application until it has an executor, or ends. */
  static void watch(SparkContext spark) {
    var awaited = new ExecutorsAwaited(spark);
    spark.addSparkListener(awaited);
    var thread = new Thread(awaited, "kenaz-executors-awaited");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    if (end.taskInfo() != null && end.taskInfo().successful()) {
      unable = 0;
    }
  }

  @Override
  public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
    if (removed.reason().startsWith(UNABLE) && ++unable >= ENOUGH) {
      for (int job : spark.statusTracker().getActiveJobIds()) {
        spark.cancelJob(job, removed.reason());
      }
    }
  }

  @Override
  public void run() {
    try {
      for (long waited = SECONDS; ; waited *= 2) {
        Thread.sleep(1000 * (waited == SECONDS ? waited : waited / 2));
        if (spark.isStopped() || !spark.getExecutorIds().isEmpty()) {
          return;
        }
        LOG.warn(
            "no executor has come within {} s. {} says whether the cluster has room for one of {}"
                + " of memory (--executor-memory) and {} cores (--executor-cores), and whether"
                + " executors fail when they start",
            waited,
            page(),
            spark.conf().get("spark.executor.memory", "1g"),
            spark.conf().get("spark.executor.cores", "all"));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String page() {
    return "The page of " + (spark.master().equals("yarn") ? "YARN" : spark.master());
  }
}
