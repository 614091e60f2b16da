package dev.kenaz.jobs.train;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

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
        : Double.compare(a.doubleValue(), b.doubleValue());
  }

  private static boolean isInteger(Number number) {
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

  /** Returns one of the numbers; {@code loss} is the loss, unless a metric is called so. */
  double named(String name) {
    var metric = metrics.get(name);
    return metric != null ? metric.doubleValue() : loss;
  }

  /**
   * Returns all numbers that metrics have by name; the loss is one of them if they are of a
   * validation.
   *
   * @param prefix what their names begin with
   */
  Map<String, Number> all(String prefix) {
    var all = new LinkedHashMap<String, Number>();
    if (loss != null && !prefix.isEmpty()) {
      all.put(prefix + "loss", loss);
    }
    metrics.forEach((name, number) -> all.put(prefix + name, number));
    return all;
  }
}
