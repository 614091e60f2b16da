package dev.kenaz.jobs;

import java.net.URI;
import java.net.URISyntaxException;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.DefaultConfiguration;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;

/**
 * Sets how much of what Spark logs is shown: next to nothing unless asked for, as users read our
 * own lines.
 */
public final class SparkLog {
  private static final String QUIET = "dev/kenaz/jobs/log4j2-quiet.properties";
  private static final String SPARKS = "org/apache/spark/log4j2-defaults.properties";

  private SparkLog() {}

  /**
   * To be called before Spark starts. A configuration of the user's own stays as it is.
   *
   * @param all whether Spark logs as it does by itself
   */
  public static void choose(boolean all) {
    // Once only does Spark look for a configuration of the log, when it first logs: now.
    new SparkConf(false).initializeLogIfNecessary(false, true);
    // Spark's context, whichever class loader has loaded this class from a job jar.
    var sparks = SparkContext.class.getClassLoader();
    if (!(LogManager.getContext(sparks, false) instanceof LoggerContext context)) {
      return; // the log is somebody else's
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
