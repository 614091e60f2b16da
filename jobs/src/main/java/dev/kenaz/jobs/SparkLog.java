package dev.kenaz.jobs;

import java.net.URI;
import java.net.URISyntaxException;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.DefaultConfiguration;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;

/**
 * Sets how much of Spark's log is shown. By default that is almost nothing, so that users see the
 * lines of Kenaz.
 */
public final class SparkLog {
  private static final String QUIET = "dev/kenaz/jobs/log4j2-quiet.properties";
  private static final String SPARKS = "org/apache/spark/log4j2-defaults.properties";

  private SparkLog() {}

  /**
   * Chooses what is shown. Call it before Spark starts. A configuration of the user stays as it is.
   *
   * @param all whether Spark logs as it does by itself
   */
  public static void choose(boolean all) {
    // Spark looks for a configuration of the log only once, when it first logs. That is now.
    new SparkConf(false).initializeLogIfNecessary(false, true);
    // This is Spark's own context, whichever class loader has loaded this class from a job jar.
    var sparks = SparkContext.class.getClassLoader();
    if (!(LogManager.getContext(sparks, false) instanceof LoggerContext context)) {
      return; // Another library configures the log.
    }
    var now = context.getConfiguration();
    var place = String.valueOf(now.getConfigurationSource().getLocation());
    if (now instanceof DefaultConfiguration || place.endsWith(SPARKS) || place.endsWith(QUIET)) {
      context.setConfigLocation(resource(all ? SPARKS : QUIET));
    }
  }

  private static URI resource(String name) {
    try {
      var loader = Thread.currentThread().getContextClassLoader();
      var found = loader == null ? null : loader.getResource(name);
      return (found == null ? SparkLog.class.getClassLoader().getResource(name) : found).toURI();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
