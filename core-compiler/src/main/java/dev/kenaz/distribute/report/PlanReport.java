package dev.kenaz.distribute.report;

import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.Rates;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a plan does and what it moves, in words and as a picture. */
public final class PlanReport {
  private final PlanSummary summary;

  private PlanReport(PlanSummary summary) {
    this.summary = summary;
  }

  /**
   * Reports on a plan for a dataset of some size.
   *
   * @param sizes numbers, such as {@code 1e9}, of the sizes and integer parameters that are known,
   *     by their names
   * @param pieces in how many pieces the dataset is
   * @throws UserError (K7501) for a name that the plan hasn't got, or what is no number
   */
  public static PlanReport of(Plan plan, Map<String, String> sizes, long pieces) {
    return of(plan, sizes, pieces, pieces, Rates.SPARK);
  }

  /**
   * The same, with an estimate of the time on so many cores.
   *
   * @param rates of the engine that is to run it
   */
  public static PlanReport of(
      Plan plan, Map<String, String> sizes, long pieces, long cores, Rates rates) {
    var numbers = new TreeMap<String, Long>();
    sizes.forEach((name, text) -> numbers.put(name, number(name, text)));
    var names = new KnownSizes(plan, Map.of(), pieces).names();
    for (var name : numbers.keySet()) {
      if (!names.contains(name)) {
        throw new UserError(
            K7501,
            Span.NONE,
            "--sizes: the program has no size or integer parameter " + name,
            names.isEmpty() ? "it has none" : "it has " + String.join(", ", names));
      }
    }
    return new PlanReport(PlanSummary.of(plan, numbers, pieces, cores, rates));
  }

  private static long number(String name, String text) {
    try {
      long number = new BigDecimal(text).longValueExact();
      if (number >= 0) {
        return number;
      }
    } catch (ArithmeticException | NumberFormatException e) {
      // told below
    }
    throw new UserError(
        K7501,
        Span.NONE,
        "--sizes: " + name + "=" + text + " is no whole number from 0 to 2^63 - 1");
  }

  /** A line for each thing that is read, sent, combined or kept. */
  public List<String> lines() {
    return PlanText.of(summary);
  }

  /** Returns the estimate of the time of the whole plan in seconds; NaN if it can't be told. */
  public double seconds() {
    return summary.takes().total();
  }

  /** Draws it as an SVG picture. */
  public void draw(Path file) throws IOException {
    Files.writeString(file, picture());
  }

  /** Returns the picture as SVG. */
  public String picture() {
    return new PlanPicture().draw(summary);
  }
}
