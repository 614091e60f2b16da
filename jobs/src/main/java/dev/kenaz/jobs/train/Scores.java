package dev.kenaz.jobs.train;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a model is worth by some data.
 *
 * @param loss null if the program has none
 * @param metrics by name
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Scores(Double loss, Map<String, Double> metrics) {
  public Scores {
    metrics = new LinkedHashMap<>(metrics);
  }

  /** Returns one of the numbers; {@code loss} is the loss, unless a metric is called so. */
  double named(String name) {
    var metric = metrics.get(name);
    return metric != null ? metric : loss;
  }

  /**
   * Returns all numbers that metrics have by name; the loss is one of them if they are of a
   * validation.
   *
   * @param prefix what their names begin with
   */
  Map<String, Double> all(String prefix) {
    var all = new LinkedHashMap<String, Double>();
    if (loss != null && !prefix.isEmpty()) {
      all.put(prefix + "loss", loss);
    }
    metrics.forEach((name, number) -> all.put(prefix + name, number));
    return all;
  }
}
