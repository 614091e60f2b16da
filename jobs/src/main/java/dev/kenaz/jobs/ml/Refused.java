package dev.kenaz.jobs.ml;

import dev.kenaz.error.Limitation;
import dev.kenaz.error.Span;
import java.util.Arrays;
import java.util.Objects;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.Params;

/** Refuses what a user sets of an estimator of MLlib and Kenaz would have to ignore. */
public final class Refused {
  private Refused() {}

  /**
   * Requires that parameters have their defaults.
   *
   * @throws Limitation for one that is set to something else
   */
  public static void set(Params estimator, Param<?>... parameters) {
    for (var p : parameters) {
      if (estimator.isSet(p)) {
        var value = estimator.getOrDefault(p);
        var usual = estimator.getDefault(p);
        if (usual.isEmpty() || !Objects.deepEquals(usual.get(), value)) {
          throw refused(
              estimator, p, usual.isEmpty() ? "leave it out" : "leave it at " + usual.get());
        }
      }
    }
  }

  /**
   * Requires that a parameter has one of some values.
   *
   * @throws Limitation if it has another one
   */
  public static void unless(Params estimator, Param<?> parameter, Object... values) {
    if (!Arrays.asList(values).contains(estimator.getOrDefault(parameter))) {
      var some = Arrays.stream(values).map(String::valueOf).toList();
      throw refused(estimator, parameter, "possible is " + String.join(" or ", some));
    }
  }

  /** Returns the error for a parameter whose value isn't possible. */
  public static Limitation refused(Params estimator, Param<?> p, String hint) {
    return new Limitation(
        Span.NONE,
        "%s=%s of the estimator %s"
            .formatted(p.name(), estimator.getOrDefault(p), estimator.getClass().getSimpleName()),
        hint,
        "or take the estimator of org.apache.spark.ml");
  }
}
