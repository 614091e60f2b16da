package dev.kenaz.jobs.train;

import dev.kenaz.jobs.train.Objective.Evaluation;
import java.util.function.IntFunction;

/**
 * Finds the diagonal of a Hessian. Only products of the Hessian with directions can be computed,
 * several in one pass over the data.
 *
 * <p>Columns that touch no common row share a direction: the product with their sum has each of
 * them in rows of its own. First the Hessian is taken to be diagonal, so that all columns share
 * one. Each evaluation checks the structure by one more direction, which consists of random
 * numbers: from the entries that the structure gives, the product with it follows. If the product
 * is another one, there are entries of other columns too; then all columns are measured, each by a
 * direction of its own, and grouped anew by the rows that they have touched so far. A coupling that
 * is too weak for the check stays in the diagonal: it makes a step a little too long or too short,
 * never a wrong one, as a step is taken only if the cost falls.
 */
public final class HessianDiagonal {
  /**
   * How many directions a pass has at most, which bounds what a task keeps for a row of the data.
   */
  private static final int BLOCK = 32;

  /**
   * How many numbers the products of a pass have at most: each partition sends so many to the
   * driver.
   */
  private static final int NUMBERS = 1 << 20;

  /**
   * By which part of its summands a product may differ from what the structure says, because of
   * rounding.
   */
  private static final double TOLERANCE = 1e-3;

  /** The cost, the gradient, and the Hessian times each direction at a place. */
  record Products(double cost, double[] gradient, double[][] along) {}

  /** The Hessian at a place. */
  interface Place {
    Products along(double[][] directions);
  }

  /** Takes the product with a direction. */
  private interface Sink {
    void accept(int direction, double[] product);
  }

  private ColumnGroups groups;

  /**
   * Returns how many directions there are for the columns; as many as there are columns, if none is
   * shared.
   */
  int directions() {
    return groups.count();
  }

  /** Returns cost, gradient and diagonal; without the diagonal if the cost is above the limit. */
  Evaluation at(Place place, int size, double limit) {
    if (groups == null) {
      groups = ColumnGroups.diagonal(size);
    }
    if (groups.saves()) {
      var check = new Check(groups);
      var result = pass(place, size, limit, groups.count() + 1, check::direction, check::accept);
      if (result.curvature().length == 0) {
        return result;
      }
      if (check.passed()) {
        return new Evaluation(result.cost(), result.gradient(), check.diagonal);
      }
    }
    var diagonal = new double[size];
    var measured = new ColumnGroups.Measurement(groups);
    var result =
        pass(
            place,
            size,
            limit,
            size,
            i -> ColumnGroups.unit(size, i),
            (i, product) -> {
              diagonal[i] = product[i];
              measured.column(i, product);
            });
    if (result.curvature().length == 0) {
      return result;
    }
    groups = measured.groups();
    return new Evaluation(result.cost(), result.gradient(), diagonal);
  }

  /** Passes all products to the sink, in as many passes over the data as they need. */
  private static Evaluation pass(
      Place place, int size, double limit, int count, IntFunction<double[]> direction, Sink sink) {
    int block = Math.clamp(NUMBERS / size, 1, BLOCK);
    for (int from = 0; ; from += block) {
      int to = Math.min(count, from + block);
      var directions = new double[to - from][];
      for (int i = from; i < to; i++) {
        directions[i - from] = direction.apply(i);
      }
      var products = place.along(directions);
      if (!(products.cost() <= limit)) {
        return new Evaluation(products.cost(), products.gradient(), new double[0]);
      }
      for (int i = from; i < to; i++) {
        sink.accept(i, products.along()[i - from]);
      }
      if (to == count) {
        return new Evaluation(products.cost(), products.gradient(), products.gradient());
      }
    }
  }

  /**
   * Compares the product with a direction of random numbers to the product that follows from the
   * groups.
   */
  private static final class Check {
    private final ColumnGroups groups;
    private final double[] random;
    private final double[] expected;
    private final double[] summands;
    private final double[] diagonal;
    private double[] found;

    Check(ColumnGroups groups) {
      int size = groups.size();
      this.groups = groups;
      this.random = groups.random();
      this.expected = new double[size];
      this.summands = new double[size];
      this.diagonal = new double[size];
    }

    /**
     * Returns a direction. The first is that of random numbers, and the others are those of the
     * groups.
     */
    double[] direction(int i) {
      return i == 0 ? random : groups.direction(i - 1);
    }

    void accept(int i, double[] product) {
      if (i == 0) {
        found = product;
        return;
      }
      for (int column : groups.columns(i - 1)) {
        diagonal[column] = product[column];
        for (int row : groups.rows(column)) {
          expected[row] += random[column] * product[row];
          summands[row] += Math.abs(random[column] * product[row]);
        }
      }
    }

    boolean passed() {
      for (int row = 0; row < expected.length; row++) {
        if (!(Math.abs(found[row] - expected[row]) <= TOLERANCE * summands[row])) {
          return false;
        }
      }
      return true;
    }
  }
}
