package dev.kenaz.jobs.train;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.LinkedHashMap;
import java.util.Locale;
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

  /** Whole numbers up to here are told without a point. */
  private static final double WHOLE = 1e15;

  /**
   * Returns a number with as many digits as it needs: one of the program's integers has no point,
   * and one of its f32 not the digits of an f64.
   */
  public static String text(double number) {
    return isWhole(number)
        ? Long.toString((long) number)
        : number == (float) number ? Float.toString((float) number) : Double.toString(number);
  }

  /** Returns a number with some digits; whole numbers have all of theirs. */
  static String text(double number, int digits) {
    return isWhole(number)
        ? Long.toString((long) number)
        : String.format(Locale.ROOT, "%." + digits + "g", number);
  }

  private static boolean isWhole(double number) {
    return number == Math.rint(number) && Math.abs(number) < WHOLE;
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
