package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7404;

import dev.kenaz.error.UserError;
import dev.kenaz.jobs.picture.Chart;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.Map;

/**
 * The values that make sense for options of optimisers. With others, a training would end in its
 * start, or run away, and look like a success.
 *
 * @param least the least value
 * @param inclusive whether the least value itself makes sense
 * @param most the values are less than this
 */
record OptionRange(double least, boolean inclusive, double most) {
  private static final OptionRange POSITIVE = above(0);
  private static final OptionRange PART = new OptionRange(0, true, 1);
  private static final OptionRange INSIDE = new OptionRange(0, false, 1);

  /** By the names of options; those of a record in the options have its name before them. */
  private static final Map<String, OptionRange> RANGES =
      Map.ofEntries(
          Map.entry("rate", POSITIVE),
          Map.entry("momentum", PART),
          Map.entry("beta1", PART),
          Map.entry("beta2", PART),
          Map.entry("epsilon", POSITIVE),
          Map.entry("decay", PART),
          Map.entry("weight_decay", from(0)),
          Map.entry("schedule.warm_up", from(0)),
          Map.entry("schedule.decay", POSITIVE),
          Map.entry("schedule.decay_every", from(1)),
          Map.entry("schedule.cosine", from(0)),
          Map.entry("schedule.last", from(0)),
          Map.entry("clip.norm", POSITIVE),
          Map.entry("clip.value", POSITIVE),
          Map.entry("l1", from(0)),
          Map.entry("memory", from(1)),
          Map.entry("sufficient", INSIDE),
          Map.entry("curvature", INSIDE),
          Map.entry("trials", from(1)),
          Map.entry("products", from(1)),
          Map.entry("halvings", from(0)),
          Map.entry("block", from(1)),
          Map.entry("dense", from(0)),
          Map.entry("damping", POSITIVE));

  private static OptionRange from(double least) {
    return new OptionRange(least, true, Double.POSITIVE_INFINITY);
  }

  private static OptionRange above(double least) {
    return new OptionRange(least, false, Double.POSITIVE_INFINITY);
  }

  /**
   * Refuses a value that makes no sense.
   *
   * @param path the path of the option in those of the optimiser
   * @throws UserError K7404 naming the range
   */
  static void require(String optimiser, String path, Value value) {
    // This curvature is one of the cost; that of the others belongs to Wolfe's conditions.
    boolean ofCost = optimiser.equals("proximal") && path.equals("curvature");
    var range = ofCost ? POSITIVE : RANGES.get(path);
    if (range != null && value instanceof ScalarValue s && s.prim() != Prim.BOOL) {
      range.require(path, s.asDouble());
    }
  }

  private void require(String path, double x) {
    boolean reached = inclusive ? x >= least : x > least;
    if (!reached || !(x < most)) {
      throw new UserError(
          K7404, "optimiser.%s is %s, but must be %s".formatted(path, Chart.shown(x), text()));
    }
  }

  private String text() {
    var from = (inclusive ? "at least " : "greater than ") + Chart.shown(least);
    return Double.isInfinite(most) ? from : from + " and less than " + Chart.shown(most);
  }
}
