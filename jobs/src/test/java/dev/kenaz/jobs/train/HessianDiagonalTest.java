package dev.kenaz.jobs.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** As few directions as a Hessian's structure needs, and never a wrong diagonal for long. */
final class HessianDiagonalTest {
  private interface Entries {
    double at(int row, int column);
  }

  private int directions;
  private int passes;

  private HessianDiagonal.Place place(int size, Entries entries) {
    return vectors -> {
      passes++;
      directions += vectors.length;
      var products = new double[vectors.length][size];
      for (int v = 0; v < vectors.length; v++) {
        for (int row = 0; row < size; row++) {
          for (int column = 0; column < size; column++) {
            products[v][row] += entries.at(row, column) * vectors[v][column];
          }
        }
      }
      return new HessianDiagonal.Products(1, new double[size], products);
    };
  }

  /**
   * @return how many directions it took
   */
  private int check(HessianDiagonal hessian, int size, Entries entries) {
    directions = 0;
    passes = 0;
    var at = hessian.at(place(size, entries), size, 1);
    var expected = IntStream.range(0, size).mapToDouble(i -> entries.at(i, i)).toArray();
    assertArrayEquals(expected, at.curvature());
    return directions;
  }

  private static Entries band(int width) {
    return (i, j) -> Math.abs(i - j) > width ? 0 : i == j ? i - 5.5 : 1 + i * j;
  }

  @Test
  void aDiagonalCostsOneDirectionAndTheCheck() {
    var hessian = new HessianDiagonal();
    for (int i = 0; i < 3; i++) {
      assertEquals(2, check(hessian, 500, (r, c) -> r == c ? Math.pow(10, r % 30 - 15) : 0));
      assertEquals(1, passes);
    }
    assertEquals(2, check(new HessianDiagonal(), 1, (_, _) -> 7));
    assertEquals(2, check(new HessianDiagonal(), 9, (_, _) -> 0));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aBandCostsItsWidth(int width) {
    var hessian = new HessianDiagonal();
    assertEquals(2 + 100, check(hessian, 100, band(width)));
    assertEquals(1 + 4, passes);
    assertEquals(2 * width + 1, hessian.directions());
    assertEquals(2 * width + 2, check(hessian, 100, band(width)));
    assertEquals(1, passes);
  }

  /** One row meets all others: every column touches it. */
  @Test
  void whereGroupsSaveNothingAllAreTaken() {
    for (Entries e :
        new Entries[] {(_, _) -> 3, (i, j) -> i == 0 || j == 0 || i == j ? i + j + 1 : 0}) {
      var hessian = new HessianDiagonal();
      assertEquals(2 + 20, check(hessian, 20, e));
      assertEquals(20, check(hessian, 20, e));
      assertEquals(1, passes);
    }
  }

  @Test
  void aStructureThatChangesIsMeasuredAgain() {
    var hessian = new HessianDiagonal();
    assertEquals(2, check(hessian, 60, band(0)));
    assertEquals(2 + 60, check(hessian, 60, band(1)));
    assertEquals(4, check(hessian, 60, band(0)));
    assertEquals(4 + 60, check(hessian, 60, band(2)));
    assertEquals(6, check(hessian, 60, band(2)));
    // what was touched before still is, though it is zero now
    assertEquals(6 + 60, check(hessian, 60, (i, j) -> i == j || Math.abs(i - j) == 9 ? 1 : 0));
    assertEquals(hessian.directions() + 1, check(hessian, 60, band(2)));
  }

  @Test
  void anyStructure() {
    var random = new Random(5);
    for (int round = 0; round < 300; round++) {
      int size = 1 + random.nextInt(40);
      var hessian = new HessianDiagonal();
      for (int step = 0; step < 4; step++) {
        double density = random.nextDouble() * random.nextDouble() * 0.5;
        var m = new double[size][size];
        for (int i = 0; i < size; i++) {
          m[i][i] = random.nextInt(4) - 1;
          for (int j = 0; j < i; j++) {
            m[i][j] = random.nextDouble() < density ? random.nextInt(-3, 4) : 0;
            m[j][i] = m[i][j];
          }
        }
        check(hessian, size, (i, j) -> m[i][j]);
        assertTrue(hessian.directions() <= size);
      }
    }
  }

  @Test
  void aPlaceThatNobodyStaysAtCostsOnePass() {
    var hessian = new HessianDiagonal();
    var at = hessian.at(place(300, band(2)), 300, 0.5);
    assertEquals(0, at.curvature().length);
    assertEquals(1, passes);
    assertEquals(1, hessian.directions());
  }
}
