package dev.kenaz.spark;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.source.Source;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Numbers of this process that Spark's metrics system hands to its sinks. Scala code outside of
 * Spark may not make a source; Java code may.
 */
public final class Gauges implements Source {
  private final String name;
  private final MetricRegistry registry = new MetricRegistry();
  private final Map<String, Number> numbers = new ConcurrentHashMap<>();

  private Gauges(String name) {
    this.name = name;
  }

  /** Makes gauges that ask for their numbers, in the place of others of the same name. */
  static void registerAll(String name, Map<String, Supplier<Number>> numbers) {
    var gauges = new Gauges(name);
    numbers.forEach(
        (gauge, number) -> gauges.registry.register(gauge, (Gauge<Number>) number::get));
    gauges.replace();
  }

  /**
   * Makes gauges, in the place of others of the same name. They stay as long as Spark does, so that
   * also sinks that ask rarely get the last numbers.
   *
   * @param first the gauges with their first numbers
   */
  public static Gauges register(String name, Map<String, Number> first) {
    var gauges = new Gauges(name);
    first.forEach(
        (gauge, number) -> {
          gauges.set(gauge, number);
          gauges.registry.register(gauge, (Gauge<Number>) () -> gauges.numbers.get(gauge));
        });
    gauges.replace();
    return gauges;
  }

  private void replace() {
    var system = SparkEnv.get().metricsSystem();
    CollectionConverters.asJava(system.getSourcesByName(name)).forEach(system::removeSource);
    system.registerSource(this);
  }

  public void set(String gauge, Number number) {
    numbers.put(gauge, number);
  }

  @Override
  public String sourceName() {
    return name;
  }

  @Override
  public MetricRegistry metricRegistry() {
    return registry;
  }
}
