package dev.kenaz.spark;

import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Prepares an application of Spark for Kenaz when it starts, with {@code
 * spark.plugins=dev.kenaz.spark.KenazPlugin}: the keys of its configuration are checked, Spark's
 * pages have a tab, and every executor has its metrics and its limit of native memory from the
 * beginning. What {@link SparkStart} opens needs no plugin.
 */
public final class KenazPlugin implements SparkPlugin {
  @Override
  public DriverPlugin driverPlugin() {
    return new DriverPlugin() {
      @Override
      public Map<String, String> init(SparkContext spark, PluginContext context) {
        KenazKey.check(spark.getConf());
        prepare(spark);
        return Map.of();
      }
    };
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new ExecutorPlugin() {
      @Override
      public void init(PluginContext context, Map<String, String> ofDriver) {
        ShardTask.beginInProcess();
      }
    };
  }

  /** Prepares a driver. */
  static void prepare(SparkContext spark) {
    LostExecutors.of(spark);
    KenazTab.of(spark);
    LapackConstants.find();
  }
}
