package dev.kenaz.jobs.train;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.math.BigInteger;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What a model is worth by some data.
 *
 * @param loss null if the program has none
 * @param metrics by name; one of the program's integers is an integer here, with all of its digits
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Scores(Double loss, Map<String, Number> metrics) {
  public Scores {
    metrics = new LinkedHashMap<>(metrics);
  }

  /** Returns the number that a program's metric is. */
  static Number exact(Value metric) {
    var scalar = (ScalarValue) metric;
    var prim = scalar.prim();
    return !prim.isInteger()
        ? scalar.asDouble()
        : prim == Prim.U64 && scalar.asLong() < 0
            ? new BigInteger(Long.toUnsignedString(scalar.asLong()))
            : (Number) scalar.asLong();
  }

  /** Compares numbers exactly; what isn't a number comes last. */
  static int compare(Number a, Number b) {
    return isInteger(a) && isInteger(b)
        ? new BigInteger(a.toString()).compareTo(new BigInteger(b.toString()))
        : Double.compare(a.doubleValue() + 0.0, b.doubleValue() + 0.0); // -0.0 is 0.0
  }

  /** Whether a number is exact, as the program's integers are. */
  static boolean isInteger(Number number) {
    return !(number instanceof Double || number instanceof Float);
  }

  /** Returns a number as {@link #text(double)} does, and integers with all of their digits. */
  public static String text(Number number) {
    return isInteger(number) ? number.toString() : text(number.doubleValue());
  }

  /** Returns a number with some digits; integers have all of theirs. */
  static String text(Number number, int digits) {
    return isInteger(number) ? number.toString() : text(number.doubleValue(), digits);
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

  /** What tables and lines call something else. */
  private static final Set<String> TAKEN =
      Set.of(
          "backend",
          "change",
          "data",
          "finished",
          "folder",
          "iteration",
          "iterations",
          "loss",
          "model",
          "pass",
          "passes",
          "picture",
          "report",
          "rows",
          "seconds",
          "settings",
          "state",
          "validation",
          "versions");

  private static final String METRIC = "metric ";

  /**
   * Returns what a metric is called beside other things: {@code metric loss} if one of these has
   * its name. No metric is called so by the program, as its names have no spaces.
   */
  public static String shown(String metric) {
    return TAKEN.contains(metric) ? METRIC + metric : metric;
  }

  /** Returns metrics by the names that they have beside other things. */
  public static Map<String, Number> shown(Map<String, Number> metrics) {
    var shown = new LinkedHashMap<String, Number>();
    metrics.forEach((name, number) -> shown.put(shown(name), number));
    return shown;
  }

  /** Returns how one of some names is written: {@code loss} is a metric if nothing else is it. */
  static String found(String name, Collection<String> names) {
    return !names.contains(name) && names.contains(METRIC + name) ? METRIC + name : name;
  }

  /** Returns the loss, if there is one, or a metric by the name that it has beside the loss. */
  Number named(String name) {
    var all = shown(metrics);
    return loss != null && name.equals("loss") ? loss : all.get(found(name, all.keySet()));
  }

  /**
   * Returns all numbers that metrics have by name; the loss is one of them if they are of a
   * validation, and a metric of that name is {@code metric loss} then.
   *
   * @param prefix what their names begin with
   */
  Map<String, Number> all(String prefix) {
    var all = new LinkedHashMap<String, Number>();
    if (loss != null && !prefix.isEmpty()) {
      all.put(prefix + "loss", loss);
    }
    metrics.forEach(
        (name, number) ->
            all.put(
                prefix + (!prefix.isEmpty() && name.equals("loss") ? shown(name) : name), number));
    return all;
  }
}
