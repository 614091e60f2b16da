package dev.kenaz.jobs.bench;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.spark.ShardSource;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Rows with a structure that a model can find, drawn by executors themselves: the same ones in
 * every run.
 *
 * @param kind what the rows look like
 * @param rows how many there are
 * @param shards in how many shards they are
 */
record TrainingRows(Kind kind, long rows, int shards) implements ShardSource {

  /** What rows look like. The columns are those of the model, in the order of its configuration. */
  enum Kind {
    /** Two classes by 64 features: x and y, which is 0 or 1. */
    CLASSES(64),
    /** A number that depends on 64 features: x and y. */
    LINE(64),
    /** Ten classes by 784 features between 0 and 1: x and y. */
    DIGITS(784),
    /** Eight groups of points with 8 coordinates: x. */
    GROUPS(8),
    /** Points with 64 coordinates near a space of 8 dimensions: x. */
    PLANE(64),
    /** Ratings of 3706 items by 6040 users: user, item and rating. */
    RATINGS(10),
    /** Sixteen groups of points with 16 coordinates, of single precision: points. */
    POINTS(16);

    /** How many numbers a row has; for ratings, how many factors are behind them. */
    final int width;

    Kind(int width) {
      this.width = width;
    }
  }

  static final int USERS = 6040;
  static final int ITEMS = 3706;
  static final int DIGIT_CLASSES = 10;

  @Override
  public String key() {
    return "kenaz bench rows " + kind + " " + rows + "/" + shards;
  }

  @Override
  public List<Value> load(int shard) {
    var cuts = Cuts.even(rows, shards);
    int n = Math.toIntExact(cuts.first(shard + 1) - cuts.first(shard));
    var random = new SplittableRandom(shard + 1);
    return switch (kind) {
      case CLASSES, LINE -> features(n, random);
      case DIGITS -> digits(n, random);
      case GROUPS -> List.of(ArrayValue.ofDoubles(groups(n, 8, random), n, kind.width));
      case PLANE -> List.of(ArrayValue.ofDoubles(plane(n, random), n, kind.width));
      case RATINGS -> ratings(n, random);
      case POINTS -> {
        var doubles = groups(n, 16, random);
        var floats = new float[doubles.length];
        for (int i = 0; i < floats.length; i++) {
          floats[i] = (float) doubles[i];
        }
        yield List.of(ArrayValue.ofFloats(floats, n, kind.width));
      }
    };
  }

  /** Numbers that all shards share, such as the weights behind the labels. */
  private static double[] shared(int count) {
    return new SplittableRandom(0).doubles(count, -1, 1).toArray();
  }

  private List<Value> features(int n, RandomGenerator random) {
    int d = kind.width;
    var weights = shared(d);
    var x = new double[n * d];
    var y = new double[n];
    for (int i = 0; i < n; i++) {
      double score = 0;
      for (int j = 0; j < d; j++) {
        x[i * d + j] = random.nextGaussian();
        score += weights[j] * x[i * d + j];
      }
      y[i] =
          kind == Kind.LINE
              ? score + random.nextGaussian()
              : random.nextDouble() < 1 / (1 + Math.exp(-score)) ? 1 : 0;
    }
    return List.of(ArrayValue.ofDoubles(x, n, d), ArrayValue.ofDoubles(y, n));
  }

  /** Each class has a picture of its own, under noise. */
  private List<Value> digits(int n, RandomGenerator random) {
    int d = kind.width;
    var pictures = shared(DIGIT_CLASSES * d);
    var x = new double[n * d];
    var y = new long[n];
    for (int i = 0; i < n; i++) {
      y[i] = random.nextInt(DIGIT_CLASSES);
      for (int j = 0; j < d; j++) {
        double seen = pictures[(int) y[i] * d + j] / 4 + random.nextGaussian();
        x[i * d + j] = Math.clamp(seen / 4, 0, 1);
      }
    }
    return List.of(ArrayValue.ofDoubles(x, n, d), ArrayValue.ofLongs(y, n));
  }

  private double[] groups(int n, int groups, RandomGenerator random) {
    int d = kind.width;
    var centres = shared(groups * d);
    var x = new double[n * d];
    for (int i = 0; i < n; i++) {
      int group = random.nextInt(groups);
      for (int j = 0; j < d; j++) {
        x[i * d + j] = 3 * centres[group * d + j] + random.nextGaussian();
      }
    }
    return x;
  }

  private double[] plane(int n, RandomGenerator random) {
    int d = kind.width;
    int inner = 8;
    var axes = shared(inner * d);
    var x = new double[n * d];
    var at = new double[inner];
    for (int i = 0; i < n; i++) {
      Arrays.setAll(at, k -> (k + 1) * random.nextGaussian());
      for (int j = 0; j < d; j++) {
        double sum = 0.5 * random.nextGaussian();
        for (int k = 0; k < inner; k++) {
          sum += at[k] * axes[k * d + j];
        }
        x[i * d + j] = sum;
      }
    }
    return x;
  }

  private List<Value> ratings(int n, RandomGenerator random) {
    int d = kind.width;
    var factors = shared((USERS + ITEMS) * d);
    var users = new long[n];
    var items = new long[n];
    var ratings = new double[n];
    for (int i = 0; i < n; i++) {
      users[i] = random.nextInt(USERS);
      items[i] = random.nextInt(ITEMS);
      ratings[i] = 3 + 0.3 * random.nextGaussian();
      for (int j = 0; j < d; j++) {
        ratings[i] += factors[(int) users[i] * d + j] * factors[(int) (USERS + items[i]) * d + j];
      }
    }
    return List.of(
        ArrayValue.ofLongs(users, n),
        ArrayValue.ofLongs(items, n),
        ArrayValue.ofDoubles(ratings, n));
  }
}
