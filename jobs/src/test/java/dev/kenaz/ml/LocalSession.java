package dev.kenaz.ml;

import dev.kenaz.spark.LapackConstants;
import java.util.Map;
import org.apache.spark.sql.SparkSession;

/** The session of tests that compare estimators with those of MLlib. */
final class LocalSession {
  private LocalSession() {}

  /**
   * Opens a session, which the caller stops.
   *
   * @param more of its settings
   */
  static SparkSession open(Map<String, String> more) {
    // MLlib may be the first that needs them.
    LapackConstants.find();
    var builder =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2");
    more.forEach(builder::config);
    var spark = builder.getOrCreate();
    spark.sparkContext().setLogLevel("ERROR");
    return spark;
  }
}
