package dev.kenaz.value;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Compares values as Futhark's test tool does. The number of values, element types and shapes must
 * agree. Integers and booleans must be equal. Floats may differ by the tolerance, or by the
 * tolerance times the largest finite magnitude that is expected, whichever is larger; NaN equals
 * NaN.
 */
public final class ValueComparison {
  /** The tolerance of Futhark's test tool. */
  public static final double TOLERANCE = 0.002;

  private ValueComparison() {}

  /** Returns what differs first; nothing if all is the same. */
  public static Optional<String> difference(
      List<? extends Value> expected, List<? extends Value> actual) {
    return difference(expected, actual, TOLERANCE);
  }

  public static Optional<String> difference(
      List<? extends Value> expected, List<? extends Value> actual, double tolerance) {
    if (expected.size() != actual.size()) {
      return Optional.of("expected " + expected.size() + " values, got " + actual.size());
    }
    for (int i = 0; i < expected.size(); i++) {
      var d = difference(expected.get(i), actual.get(i), tolerance);
      if (d.isPresent()) {
        return Optional.of("value " + i + ": " + d.get());
      }
    }
    return Optional.empty();
  }

  public static Optional<String> difference(Value expected, Value actual) {
    return difference(expected, actual, TOLERANCE);
  }

  public static Optional<String> difference(Value expected, Value actual, double tolerance) {
    if (!expected.typeName().equals(actual.typeName())) {
      return Optional.of("expected type " + expected.typeName() + ", got " + actual.typeName());
    }
    if (!Arrays.equals(expected.shape(), actual.shape())) {
      return Optional.of(
          "expected shape %s, got %s"
              .formatted(Arrays.toString(expected.shape()), Arrays.toString(actual.shape())));
    }
    double allowed = allowed(expected, tolerance);
    long n = count(expected);
    for (long i = 0; i < n; i++) {
      long e = bits(expected, i);
      long a = bits(actual, i);
      if (e != a && !close(expected.prim(), e, a, allowed)) {
        return Optional.of(
            "expected "
                + new ScalarValue(expected.prim(), e)
                + ", got "
                + new ScalarValue(actual.prim(), a)
                + at(expected.shape(), i));
      }
    }
    return Optional.empty();
  }

  private static boolean close(Prim prim, long expected, long actual, double allowed) {
    if (!prim.isFloat()) {
      return false;
    }
    double e = prim.toDouble(expected);
    double a = prim.toDouble(actual);
    if (Double.isNaN(e) || Double.isNaN(a)) {
      return Double.isNaN(e) && Double.isNaN(a);
    }
    return e == a || Math.abs(e - a) <= allowed && !Double.isInfinite(e) && !Double.isInfinite(a);
  }

  private static double allowed(Value expected, double tolerance) {
    if (!expected.prim().isFloat()) {
      return 0;
    }
    double largest = 0;
    long n = count(expected);
    for (long i = 0; i < n; i++) {
      double x = Math.abs(expected.prim().toDouble(bits(expected, i)));
      if (x > largest && x != Double.POSITIVE_INFINITY) {
        largest = x;
      }
    }
    return Math.max(tolerance, tolerance * largest);
  }

  private static long count(Value v) {
    return v instanceof ArrayValue a ? a.count() : 1;
  }

  private static long bits(Value v, long i) {
    return switch (v) {
      case ScalarValue s -> s.bits();
      case ArrayValue a -> a.bits(i);
    };
  }

  private static String at(long[] shape, long flat) {
    var out = new StringBuilder();
    for (int d = shape.length - 1; d >= 0; d--) {
      out.insert(0, "[" + flat % shape[d] + "]");
      flat /= shape[d];
    }
    return out.isEmpty() ? "" : " at " + out;
  }
}
