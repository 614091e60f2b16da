package dev.kenaz.jobs.train;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One of several models that a job has trained.
 *
 * @param name of its folder in that of the job
 * @param settings by which it differs from the others; null if the data is the only difference
 * @param loss null if there is none
 * @param validation what it is worth by other data; null if there was none
 * @param failure why there is no such model; null if there is one
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Trained(
    String name,
    JsonNode settings,
    int iterations,
    Double loss,
    Map<String, Number> metrics,
    Scores validation,
    String failure) {
  static Trained of(String name, ModelFolder.Document d) {
    return new Trained(name, null, d.iterations(), d.loss(), d.metrics(), d.validation(), null);
  }

  /** Returns what there is of a model that could not be trained. */
  static Trained failed(Variant v, String why) {
    return new Trained(v.name(), v.settings(), 0, null, Map.of(), null, why);
  }

  /** Returns the same model as that of some settings. */
  Trained of(JsonNode other) {
    return new Trained(name, other, iterations, loss, metrics, validation, failure);
  }

  /** Returns the number by which a training may be stopped, and by which its model is chosen. */
  Number number(String metric) {
    return (validation != null ? validation : new Scores(loss, metrics)).named(metric);
  }

  /**
   * How numbers spread.
   *
   * @param deviation the standard deviation of a sample
   */
  record Spread(double mean, double deviation) {
    static Spread of(List<Double> numbers) {
      double n = numbers.size();
      double mean = numbers.stream().mapToDouble(x -> x / n).sum();
      double squares = numbers.stream().mapToDouble(x -> (x - mean) * (x - mean)).sum();
      return new Spread(mean, Math.sqrt(squares / (n - 1)));
    }
  }

  /** Returns how the numbers of the validation spread, by name. */
  static Map<String, Spread> spread(List<Trained> folds) {
    var spread = new LinkedHashMap<String, Spread>();
    for (var name : folds.getFirst().validation().all("validation ").keySet()) {
      var numbers =
          folds.stream()
              .map(f -> f.validation().all("validation ").get(name).doubleValue())
              .toList();
      spread.put(name.substring("validation ".length()), Spread.of(numbers));
    }
    return spread;
  }

  /** Returns for example {@code 5 folds: loss 1.2 +- 0.1 rmse 1.1 +- 0.05}. */
  static String text(List<Trained> folds) {
    return spread(folds).entrySet().stream()
        .map(
            s ->
                s.getKey()
                    + " "
                    + Scores.text(s.getValue().mean(), 6)
                    + " +- "
                    + Scores.text(s.getValue().deviation(), 3))
        .collect(Collectors.joining("  ", folds.size() + " folds: ", ""));
  }
}
