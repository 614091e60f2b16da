package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6124;

import dev.kenaz.value.Prim;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.apache.arrow.vector.types.pojo.Schema;

/** The kinds of rows that can be made, besides blobs. */
public final class RowKinds {
  /** How many numbers a model may have, so that it fits into memory. */
  private static final long MOST_NUMBERS = 1 << 27;

  /** So many coefficients are told in the metadata of a schema. */
  private static final int TOLD = 4096;

  private RowKinds() {}

  private static void require(boolean possible, Object kind) {
    if (!possible) {
      throw fault(
          K6124,
          "can't make " + kind,
          "numbers of things are positive, noise is 0 or more, and the model fits into memory");
    }
  }

  private static double[] normal(long seed, long n) {
    return new SplittableRandom(seed).doubles(n).map(RowKinds::quantile).toArray();
  }

  /** Makes a number near to a normal one of a uniform one: the logistic quantile, scaled. */
  private static double quantile(double u) {
    double safe = Math.clamp(u, 1e-12, 1 - 1e-12);
    return Math.log(safe / (1 - safe)) * Math.sqrt(3) / Math.PI;
  }

  private static long bits(Prim type, double x) {
    return type.normalise(type.fromDouble(x));
  }

  /** Makes normal coordinates, and returns them as the column holds them. */
  private static double[] coordinates(
      RandomGenerator random, Prim type, int d, RowKind.Numbers column) {
    var x = new double[d];
    for (int j = 0; j < d; j++) {
      long bits = bits(type, random.nextGaussian());
      column.add(bits);
      x[j] = type.toDouble(bits);
    }
    return x;
  }

  /**
   * Points {@code x} with normal coordinates, and {@code y}, the product of x and coefficients plus
   * normal noise. The schema's metadata has the coefficients, unless they are many.
   *
   * @param noise its standard deviation
   */
  public record Regression(long rows, long seed, int dimensions, double noise, Prim type)
      implements RowKind {
    public Regression {
      require(rows >= 0 && dimensions > 0 && noise >= 0 && type.isFloat(), "such a regression");
    }

    /** Returns the true coefficients. */
    public double[] coefficients() {
      return normal(seed, dimensions);
    }

    @Override
    public Schema schema() {
      var told =
          dimensions > TOLD
              ? Map.<String, String>of()
              : Map.of(
                  "coefficients",
                  Arrays.stream(coefficients())
                      .mapToObj(Double::toString)
                      .collect(Collectors.joining(",")));
      return Columns.schema(told, Columns.vector("x", type, dimensions), Columns.scalar("y", type));
    }

    @Override
    public int width() {
      return dimensions;
    }

    @Override
    public Maker maker() {
      var w = coefficients();
      return (random, _, columns) -> {
        var x = coordinates(random, type, dimensions, columns.get(0));
        double y = dot(w, 0, x) + noise * random.nextGaussian();
        columns.get(1).add(bits(type, y));
      };
    }
  }

  private static double dot(double[] w, int from, double[] x) {
    double sum = 0;
    for (int j = 0; j < x.length; j++) {
      sum += w[from + j] * x[j];
    }
    return sum;
  }

  /**
   * Points {@code x} with normal coordinates, and {@code label} (i64), drawn by the softmax of a
   * linear function of x.
   */
  public record Classification(long rows, long seed, int dimensions, int classes, Prim type)
      implements RowKind {
    public Classification {
      require(
          rows >= 0
              && dimensions > 0
              && classes > 1
              && (long) dimensions * classes <= MOST_NUMBERS
              && type.isFloat(),
          "a classification of " + dimensions + " dimensions and " + classes + " classes");
    }

    @Override
    public Schema schema() {
      return Columns.schema(
          Map.of(), Columns.vector("x", type, dimensions), Columns.scalar("label", Prim.I64));
    }

    @Override
    public int width() {
      return dimensions;
    }

    @Override
    public Maker maker() {
      var w = normal(seed, (long) dimensions * classes);
      return (random, _, columns) -> {
        var x = coordinates(random, type, dimensions, columns.get(0));
        // The class with the greatest sum of its score and a Gumbel variable is a draw by softmax.
        int best = 0;
        double most = Double.NEGATIVE_INFINITY;
        for (int c = 0; c < classes; c++) {
          double score = dot(w, c * dimensions, x) - Math.log(-Math.log(1 - random.nextDouble()));
          if (score > most) {
            most = score;
            best = c;
          }
        }
        columns.get(1).add(best);
      };
    }
  }

  /**
   * Ratings of low rank: {@code user}, {@code item} (i64) and {@code rating}, the product of their
   * factors plus normal noise. Users are uniform; item i is rated the more often the smaller i is.
   *
   * @param noise its standard deviation
   */
  public record Ratings(
      long rows, long seed, int users, int items, int rank, double noise, Prim type)
      implements RowKind {
    public Ratings {
      boolean fits = ((long) users + items) * rank <= MOST_NUMBERS;
      require(
          rows >= 0 && users > 0 && items > 0 && rank > 0 && noise >= 0 && fits && type.isFloat(),
          "ratings of %d users and %d items of rank %d".formatted(users, items, rank));
    }

    @Override
    public Schema schema() {
      return Columns.schema(
          Map.of("users", Integer.toString(users), "items", Integer.toString(items)),
          Columns.scalar("user", Prim.I64),
          Columns.scalar("item", Prim.I64),
          Columns.scalar("rating", type));
    }

    @Override
    public int width() {
      return 3;
    }

    @Override
    public Maker maker() {
      var factors = normal(seed, ((long) users + items) * rank);
      double scale = 1 / Math.sqrt(rank);
      return (random, _, columns) -> {
        int user = random.nextInt(users);
        double u = random.nextDouble();
        int item = (int) (items * u * u);
        double rating = noise * random.nextGaussian();
        for (int k = 0; k < rank; k++) {
          rating += scale * factors[user * rank + k] * factors[(users + item) * rank + k];
        }
        columns.get(0).add(user);
        columns.get(1).add(item);
        columns.get(2).add(bits(type, rating));
      };
    }
  }

  /**
   * Lists {@code tokens} (i32) of different lengths, uniform from 1 to twice the mean. After each
   * token, four others are likely, so there is something to learn.
   *
   * @param length the mean length, but for a half
   */
  public record Sequences(long rows, long seed, int vocabulary, int length) implements RowKind {
    private static final int LIKELY = 4;

    public Sequences {
      require(
          rows >= 0 && vocabulary > 0 && length > 0 && length <= 1 << 24,
          "sequences of about " + length + " of " + vocabulary + " tokens");
    }

    @Override
    public Schema schema() {
      return Columns.schema(
          Map.of("vocabulary", Integer.toString(vocabulary)), Columns.list("tokens", Prim.I32));
    }

    @Override
    public int width() {
      return 2 * length;
    }

    @Override
    public Maker maker() {
      return (random, _, columns) -> {
        int n = 1 + random.nextInt(2 * length);
        int token = random.nextInt(vocabulary);
        for (int i = 0; i < n; i++) {
          columns.getFirst().add(token);
          int next = random.nextInt(10 * LIKELY);
          token = next < 9 * LIKELY ? successor(token, next % LIKELY) : random.nextInt(vocabulary);
        }
      };
    }

    private int successor(int token, int which) {
      return (int) Math.floorMod(mixed(seed ^ ((long) token * LIKELY + which)), (long) vocabulary);
    }
  }

  /** Mixes the bits of a number (the finaliser of SplitMix64). */
  private static long mixed(long number) {
    long z = number + 0x9E37_79B9_7F4A_7C15L;
    z = (z ^ z >>> 30) * 0xBF58_476D_1CE4_E5B9L;
    z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
    return z ^ z >>> 31;
  }

  /**
   * Edges of a graph, {@code source} and {@code target} (i64). The probability of node i, counted
   * from 1, is proportional to its power of the negative exponent.
   *
   * @param rows the number of edges
   */
  public record Graph(long rows, long seed, long nodes, double exponent) implements RowKind {
    public Graph {
      require(
          rows >= 0 && nodes > 0 && nodes <= 1L << 40 && exponent >= 0 && exponent <= 10,
          "a graph of " + nodes + " nodes with exponent " + exponent);
    }

    @Override
    public Schema schema() {
      return Columns.schema(
          Map.of("nodes", Long.toString(nodes)),
          Columns.scalar("source", Prim.I64),
          Columns.scalar("target", Prim.I64));
    }

    @Override
    public int width() {
      return 2;
    }

    @Override
    public Maker maker() {
      return (random, _, columns) -> {
        columns.get(0).add(node(random.nextDouble()));
        columns.get(1).add(node(random.nextDouble()));
      };
    }

    /** Returns the node of a quantile, as the integral of the power tells it. */
    private long node(double u) {
      double end = nodes + 1.0;
      double at =
          exponent == 1
              ? Math.pow(end, u)
              : Math.pow(u * (Math.pow(end, 1 - exponent) - 1) + 1, 1 / (1 - exponent));
      return Math.clamp((long) at - 1, 0, nodes - 1);
    }
  }

  /**
   * Values and their bins, as configs/paper/histograms.fut makes them: {@code bin} (i64), uniform,
   * and {@code value} (f32), uniform between 0.5 and 1.5. Seed 1 makes those of the program.
   */
  public record Histogram(long rows, long seed, long bins) implements RowKind {
    public Histogram {
      require(rows >= 0 && bins > 0, "a histogram of " + bins + " bins");
    }

    @Override
    public Schema schema() {
      return Columns.schema(
          Map.of("bins", Long.toString(bins)),
          Columns.scalar("bin", Prim.I64),
          Columns.scalar("value", Prim.F32));
    }

    @Override
    public int width() {
      return 2;
    }

    @Override
    public Maker maker() {
      long start = (seed - 1) * 2 * rows;
      return (_, row, columns) -> {
        columns.get(0).add((long) (number(start + row) * (float) bins) % bins);
        float value = 0.5f + number(start + rows + row);
        columns.get(1).add(Float.floatToRawIntBits(value) & 0xFFFF_FFFFL);
      };
    }

    private static float number(long i) {
      long x = i * 0x9E37_79B9_7F4A_7C15L;
      x = (x ^ x >>> 31) * 0xBF58_476D_1CE4_E5B9L;
      return (float) (x >>> 40) / 16777216;
    }
  }

  /**
   * Sparse rows: {@code label} (i64, 0 or 1, by the sign of a linear function), {@code indices}
   * (i64, increasing) and {@code values}, which are normal.
   *
   * @param nonzeros how many features of a row aren't zero, on average but for a half
   */
  public record Sparse(long rows, long seed, long features, int nonzeros, Prim type)
      implements RowKind {
    public Sparse {
      require(
          rows >= 0 && features > 0 && nonzeros > 0 && 2L * nonzeros <= features && type.isFloat(),
          "rows with about %d of %d features".formatted(nonzeros, features));
    }

    @Override
    public Schema schema() {
      return Columns.schema(
          Map.of(LibsvmReader.FEATURES, Long.toString(features)),
          Columns.scalar(LibsvmReader.LABEL, Prim.I64),
          Columns.list(LibsvmReader.INDICES, Prim.I64),
          Columns.list(LibsvmReader.VALUES, type));
    }

    @Override
    public int width() {
      return 4 * nonzeros;
    }

    @Override
    public Maker maker() {
      return (random, _, columns) -> {
        int n = 1 + random.nextInt(2 * nonzeros);
        double sum = 0;
        for (long index : random.longs(0, features).distinct().limit(n).sorted().toArray()) {
          long bits = bits(type, random.nextGaussian());
          columns.get(1).add(index);
          columns.get(2).add(bits);
          sum += type.toDouble(bits) * (mixed(seed ^ index) >> 32);
        }
        columns.get(0).add(sum > 0 ? 1 : 0);
      };
    }
  }

  /** Returns the names of all kinds, as commands know them. */
  public static List<String> names() {
    return List.of(
        "blobs",
        "regression",
        "classification",
        "ratings",
        "sequences",
        "graph",
        "histogram",
        "sparse");
  }
}
