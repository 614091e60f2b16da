package dev.kenaz;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Calls with objects of Java. */
final class EntryTest {
  private static final String LEAST_SQUARES =
      """
      entry cost [n] [d] (w: [d]f64) (points: [n][d]f64) (wanted: [n]f64): f64 =
        let residual (p: [d]f64) (y: f64) = f64.sum (map2 (*) w p) - y
        in f64.sum (map (\\r -> r * r) (map2 residual points wanted))
      """;

  @Test
  void scalarOfArrays() {
    try (var program = Kenaz.compile(LEAST_SQUARES)) {
      double[] w = {1, 2};
      double[][] points = {{1, 0}, {0, 1}, {1, 1}};
      double[] wanted = {1, 1, 1};
      var cost = program.entry("cost");
      assertEquals(5, cost.call(w, points, wanted).asDouble());
      assertArrayEquals(
          new double[] {4, 6}, cost.gradient("w").call(w, points, wanted).as(double[].class));
      assertArrayEquals(
          new double[][] {{4, 2}, {2, 4}},
          cost.hessian("w").call(w, points, wanted).as(double[][].class));
    }
  }
}
