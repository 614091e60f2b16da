package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6124;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Elements;
import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * Makes datasets of Gaussian blobs. Every row has its own random stream, derived from the seed and
 * the row's number, so the data doesn't depend on how it is divided into batches and files.
 */
public final class DatasetGenerate {
  private static final RandomGeneratorFactory<RandomGenerator> GENERATOR =
      RandomGeneratorFactory.of("L64X128MixRandom");

  /** Half the width of the cube in which centres lie. */
  private static final double HALF_WIDTH = 10;

  /** A large odd number, so that the streams of neighbouring rows start far apart. */
  private static final long ROW_STEP = 0x9E37_79B9_7F4A_7C15L;

  /** How many numbers all centres may have together, so that they fit into memory. */
  private static final long MAX_CENTRE_NUMBERS = 1 << 27;

  private DatasetGenerate() {}

  /**
   * The blobs that are made.
   *
   * @param rows how many points there are
   * @param dimensions how many coordinates a point has
   * @param blobs how many centres there are; they are uniform in a cube of width 20 around the
   *     origin
   * @param spread the standard deviation around a centre, in each dimension
   * @param type the type of the coordinates, a float type
   * @param asList whether points are one column {@code x} of fixed-size lists; if not, they are
   *     columns {@code x0}, {@code x1}, ...
   */
  public record Blobs(
      long rows, int dimensions, int blobs, long seed, double spread, Prim type, boolean asList) {
    public Blobs {
      boolean tooMany = (long) blobs * dimensions > MAX_CENTRE_NUMBERS;
      if (rows < 0 || dimensions < 1 || blobs < 1 || tooMany || !(spread >= 0) || !type.isFloat()) {
        throw fault(
            K6124,
            "can't make %s points of %s dimensions of type %s round %s centres with spread %s"
                .formatted(rows, dimensions, type, blobs, spread),
            "there must be a dimension, a centre, a spread of 0 or more, and a float type;",
            "the centres must fit into memory");
      }
    }
  }

  /** Returns the true centres, {@code [blobs][dimensions]f64}. */
  public static ArrayValue centres(Blobs b) {
    var random = new SplittableRandom(b.seed());
    var xs = random.doubles((long) b.blobs() * b.dimensions(), -HALF_WIDTH, HALF_WIDTH);
    return ArrayValue.ofDoubles(xs.toArray(), b.blobs(), b.dimensions());
  }

  /**
   * Writes the points and a column {@code blob} (i32) that tells each one's centre.
   *
   * @param target a file, or a folder if {@code files} isn't 1
   * @param files the number of files, which are of about equal size
   */
  public static void write(Blobs b, Path target, int files, boolean overwrite, Progress progress) {
    if (files < 1) {
      throw fault(K6124, "can't write " + files + " files");
    }
    var centres = centres(b).toDoubleArray();
    long perFile = files == 1 ? 0 : Math.max(1, (b.rows() + files - 1) / files);
    long batch = Math.clamp((4 << 20) / b.dimensions(), 1, ArrowOutput.BATCH_ROWS);
    var points = ArrayValue.allocate(b.type(), batch, b.dimensions());
    var blobs = ArrayValue.allocate(Prim.I32, batch);
    try (var out = new PartedOutput(target, columns(b), perFile, overwrite)) {
      for (long from = 0; from < b.rows(); from += batch) {
        long n = Math.min(batch, b.rows() - from);
        for (long i = 0; i < n; i++) {
          row(b, centres, from + i, i, batch, points, blobs);
        }
        var arrays = new ArrayList<ArrayValue>();
        if (b.asList()) {
          arrays.add(ArrayValue.of(b.type(), points, n, b.dimensions()));
        } else {
          for (int j = 0; j < b.dimensions(); j++) {
            var column = points.asSlice(j * batch * b.type().byteSize());
            arrays.add(ArrayValue.of(b.type(), column, n));
          }
        }
        arrays.add(ArrayValue.of(Prim.I32, blobs, n));
        out.write(arrays);
        progress.at(from + n, (double) (from + n) / b.rows());
      }
      out.commit();
    }
  }

  private static List<ColumnInfo> columns(Blobs b) {
    var columns = new ArrayList<ColumnInfo>();
    if (b.asList()) {
      columns.add(ColumnInfo.list("x", b.type(), b.dimensions()));
    } else {
      for (int j = 0; j < b.dimensions(); j++) {
        columns.add(ColumnInfo.scalar("x" + j, b.type()));
      }
    }
    columns.add(ColumnInfo.scalar("blob", Prim.I32));
    return columns;
  }

  /** Makes row {@code row} of the dataset as row {@code i} of the batch. */
  private static void row(
      Blobs b,
      double[] centres,
      long row,
      long i,
      long batch,
      MemorySegment points,
      MemorySegment blobs) {
    var random = GENERATOR.create(b.seed() ^ (row + 1) * ROW_STEP);
    int d = b.dimensions();
    int blob = random.nextInt(b.blobs());
    Elements.setBits(blobs, Prim.I32, i, blob);
    for (int j = 0; j < d; j++) {
      double x = centres[blob * d + j] + b.spread() * random.nextGaussian();
      long at = b.asList() ? i * d + j : j * batch + i;
      Elements.setBits(points, b.type(), at, b.type().fromDouble(x));
    }
  }
}
