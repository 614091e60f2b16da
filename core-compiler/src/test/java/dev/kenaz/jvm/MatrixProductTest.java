package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Products of small integers, which are exact in whatever order they are added, are those of three
 * plain loops: for all layouts of the factors, and sizes around those of tiles, panels and blocks.
 */
class MatrixProductTest {
  private static final int[] SIZES = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 130, 300};

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void productsAreThoseOfPlainLoops(boolean wide) {
    for (int seed = 0; seed < 400; seed++) {
      check(wide, seed);
    }
  }

  /** A matrix whose rows or columns are adjacent, or neither, with room between its elements. */
  private record Matrix(MemorySegment memory, boolean wide, long row, long column) {
    static Matrix random(
        Arena arena, RandomGenerator random, boolean wide, long rows, long columns) {
      boolean turned = random.nextBoolean();
      long gap = random.nextInt(4) == 0 ? 2 : 1;
      long margin = random.nextInt(3);
      long row = turned ? gap : columns * gap + margin;
      long column = turned ? rows * gap + margin : gap;
      return of(arena, random, wide, row, column, rows, columns);
    }

    static Matrix of(
        Arena arena,
        RandomGenerator random,
        boolean wide,
        long row,
        long column,
        long rows,
        long columns) {
      long elements = Math.max(0, rows - 1) * row + Math.max(0, columns - 1) * column + 1;
      var matrix = new Matrix(arena.allocate(elements * 8, 64), wide, row, column);
      for (long i = 0; i < elements; i++) {
        matrix.set(i, random.nextInt(-3, 4));
      }
      return matrix;
    }

    double at(long i, long j) {
      long k = i * row + j * column;
      return wide
          ? memory.getAtIndex(ValueLayout.JAVA_DOUBLE, k)
          : memory.getAtIndex(ValueLayout.JAVA_FLOAT, k);
    }

    void set(long k, double value) {
      if (wide) {
        memory.setAtIndex(ValueLayout.JAVA_DOUBLE, k, value);
      } else {
        memory.setAtIndex(ValueLayout.JAVA_FLOAT, k, (float) value);
      }
    }
  }

  private static void check(boolean wide, int seed) {
    var random = new Random(seed);
    int rows = SIZES[random.nextInt(SIZES.length)];
    int columns = SIZES[random.nextInt(SIZES.length)];
    int depth = SIZES[random.nextInt(SIZES.length)];
    boolean add = random.nextBoolean();
    try (var arena = Arena.ofConfined()) {
      var a = Matrix.random(arena, random, wide, rows, depth);
      var b = Matrix.random(arena, random, wide, depth, columns);
      var c = Matrix.of(arena, random, wide, columns + random.nextInt(3), 1, rows, columns);
      var expected = new double[rows][columns];
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
          expected[i][j] = add ? c.at(i, j) : 0;
          for (int k = 0; k < depth; k++) {
            expected[i][j] += a.at(i, k) * b.at(k, j);
          }
        }
      }
      long[] operands = {
        c.memory.address(),
        c.row,
        a.memory.address(),
        a.row,
        a.column,
        b.memory.address(),
        b.row,
        b.column,
        rows,
        columns,
        depth
      };
      MatrixProduct.run(wide, operands, add);
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
          assertEquals(expected[i][j], c.at(i, j), "seed " + seed + " at " + i + ", " + j);
        }
      }
    }
  }
}
