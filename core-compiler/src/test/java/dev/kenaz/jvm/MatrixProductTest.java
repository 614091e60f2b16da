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
  private static final long FAR = dev.kenaz.loopir.Band.FAR;
  private static final int[] SIZES = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 130, 300};

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void productsAreThoseOfPlainLoops(boolean wide) {
    for (int seed = 0; seed < 400; seed++) {
      check(wide, seed, new Random(seed), (a, b, c) -> {});
    }
  }

  /**
   * Zeros and tiny numbers are rows or columns of the left factor; the right one has an infinite
   * element sometimes. All are positive, so that no sum depends on its order.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void tinyRowsAndColumnsAreThoseOfPlainLoops(boolean wide) {
    for (int seed = 0; seed < 600; seed++) {
      var random = new Random(seed);
      boolean byRow = random.nextBoolean();
      double tiny = wide ? 0x1p-1071 : 0x1p-146;
      double[] parts = {1, 0, random.nextBoolean() ? tiny : 0, random.nextInt(2)};
      var scales = random.ints(300, 0, parts.length).mapToDouble(k -> parts[k]).toArray();
      double odd = random.nextBoolean() ? Double.NaN : Double.POSITIVE_INFINITY;
      boolean hasOdd = random.nextInt(4) == 0;
      check(
          wide,
          seed,
          random,
          (a, b, c) -> {
            a.fill((i, k) -> random.nextInt(1, 4) * scales[byRow ? i : k]);
            b.fill((k, j) -> hasOdd && random.nextInt(50) == 0 ? odd : random.nextInt(1, 4));
            c.fill((i, j) -> random.nextInt(4));
          });
    }
  }

  /**
   * Triangular and banded factors on either side, beside others that have an infinity or NaN
   * sometimes, which a zero makes NaN.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void triangularFactorsGiveWhatPlainLoopsDo(boolean wide) {
    for (int seed = 0; seed < 800; seed++) {
      var random = new Random(seed);
      var left = band(random);
      var right = band(random);
      double odd = random.nextBoolean() ? Double.NaN : Double.NEGATIVE_INFINITY;
      int odds = random.nextInt(3) == 0 ? 2000 : Integer.MAX_VALUE;
      int depth = SIZES[random.nextInt(9, SIZES.length)];
      check(
          wide,
          seed,
          random,
          depth,
          (a, b, c) -> {
            a.fill((i, k) -> element(random, left.contains(i - k), odd, odds));
            b.fill((k, j) -> element(random, right.contains(k - j), odd, odds));
          });
    }
  }

  /** Diagonals that are not zero. */
  private record Band(int from, int to) {
    boolean contains(int diagonal) {
      return from <= diagonal && diagonal <= to;
    }
  }

  private static Band band(Random random) {
    int middle = random.nextInt(-20, 21);
    return switch (random.nextInt(4)) {
      case 0 -> new Band(Integer.MIN_VALUE, middle);
      case 1 -> new Band(middle, Integer.MAX_VALUE);
      case 2 -> new Band(middle, middle + random.nextInt(30));
      default -> new Band(Integer.MIN_VALUE, Integer.MAX_VALUE);
    };
  }

  private static double element(Random random, boolean inside, double odd, int odds) {
    if (random.nextInt(odds) == 0) {
      return odd;
    }
    return inside ? random.nextInt(-3, 4) : random.nextBoolean() ? 0.0 : -0.0;
  }

  private interface Element {
    double at(int i, int j);
  }

  private interface Filling {
    void fill(Matrix a, Matrix b, Matrix c);
  }

  /** A matrix whose rows or columns are adjacent, or neither, with room between its elements. */
  private record Matrix(
      MemorySegment memory, boolean wide, long row, long column, long rows, long columns) {
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
      var memory = arena.allocate(elements * 8, 64);
      var matrix = new Matrix(memory, wide, row, column, rows, columns);
      for (long i = 0; i < elements; i++) {
        matrix.set(i, random.nextInt(-3, 4));
      }
      return matrix;
    }

    void fill(Element element) {
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
          set(i * row + j * column, element.at(i, j));
        }
      }
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

  /** Around the depths at which there is one block more. */
  @ParameterizedTest
  @ValueSource(ints = {255, 256, 257, 383, 384, 385, 639, 640, 641, 1000})
  void deepProductsAreThoseOfPlainLoops(int depth) {
    for (int seed = 0; seed < 20; seed++) {
      check(seed % 2 == 0, seed, new Random(seed), depth, (a, b, c) -> {});
    }
  }

  /**
   * Several blocks of rows by more columns than are copied at a time, with blocks that have columns
   * of zeros or of tiny numbers between others that don't.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void largeProductsAreThoseOfPlainLoops(boolean wide) {
    double tiny = wide ? 0x1p-1071 : 0x1p-146;
    for (int seed = 0; seed < 8; seed++) {
      var random = new Random(seed);
      int rows = random.nextInt(180, 250);
      int columns = (wide ? 700 : 1350) + random.nextInt(100);
      int depth = random.nextInt(370, 385);
      int block = (256 << 10) / (depth * (wide ? 8 : 4));
      int odd = seed % 4;
      Filling filling =
          (a, b, c) -> {
            if (odd < 3) {
              a.fill(
                  (i, k) -> {
                    double x = random.nextInt(1, 4);
                    boolean other = i / block % 2 == 0 && k % 3 == 0;
                    return !other ? x : odd == 0 ? 0 : odd == 1 ? x * tiny : k;
                  });
              b.fill((k, j) -> k + j == 400 ? 0 : random.nextInt(1, 4));
            }
          };
      check(wide, false, seed, random, rows, columns, depth, filling);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void distancesAreThoseOfPlainLoops(boolean wide) {
    for (int seed = 0; seed < 400; seed++) {
      var random = new Random(seed);
      int depth = SIZES[random.nextInt(SIZES.length)];
      check(wide, true, seed, random, depth, (a, b, c) -> {});
    }
  }

  private static void check(boolean wide, int seed, Random random, Filling filling) {
    check(wide, seed, random, SIZES[random.nextInt(SIZES.length)], filling);
  }

  private static void check(boolean wide, int seed, Random random, int depth, Filling filling) {
    check(wide, false, seed, random, depth, filling);
  }

  private static double term(boolean differences, double x, double y) {
    return differences ? (x - y) * (x - y) : x * y;
  }

  private static void check(
      boolean wide, boolean differences, int seed, Random random, int depth, Filling filling) {
    int rows = SIZES[random.nextInt(SIZES.length)];
    int columns = SIZES[random.nextInt(SIZES.length)];
    check(wide, differences, seed, random, rows, columns, depth, filling);
  }

  private static void check(
      boolean wide,
      boolean differences,
      int seed,
      Random random,
      int rows,
      int columns,
      int depth,
      Filling filling) {
    boolean add = random.nextBoolean();
    boolean band = random.nextInt(4) == 0;
    long from = band ? random.nextInt(2 * rows + 1) - rows : -FAR;
    long to = band && random.nextBoolean() ? from + random.nextInt(2 * rows + 1) : FAR;
    try (var arena = Arena.ofConfined()) {
      var a = Matrix.random(arena, random, wide, rows, depth);
      var b = Matrix.random(arena, random, wide, depth, columns);
      var c = Matrix.of(arena, random, wide, columns + random.nextInt(3), 1, rows, columns);
      filling.fill(a, b, c);
      var expected = new double[rows][columns];
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
          expected[i][j] = add ? c.at(i, j) : 0;
          for (int k = 0; k < depth; k++) {
            expected[i][j] += term(differences, a.at(i, k), b.at(k, j));
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
        depth,
        from,
        to
      };
      MatrixProduct.run(wide, differences, operands, add);
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
          if (i + from <= j && j < i + to) {
            assertEquals(expected[i][j], c.at(i, j), "seed " + seed + " at " + i + ", " + j);
          }
        }
      }
    }
  }
}
