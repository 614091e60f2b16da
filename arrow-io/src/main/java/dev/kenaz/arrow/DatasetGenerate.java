package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6124;

import dev.kenaz.dataset.ArrowFile;
import dev.kenaz.dataset.GeneratedRows;
import dev.kenaz.dataset.RowKind;
import dev.kenaz.dataset.RowOutput;
import dev.kenaz.dataset.Transfer;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Makes datasets of random rows, such as Gaussian blobs: a column of points, and a column {@code
 * blob} (i32) that tells each one's centre.
 */
public final class DatasetGenerate {
  /** Half the width of the cube in which centres lie. */
  private static final double HALF_WIDTH = 10;

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
      long rows, int dimensions, int blobs, long seed, double spread, Prim type, boolean asList)
      implements RowKind {
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

    @Override
    public Schema schema() {
      return columns(this);
    }

    @Override
    public int width() {
      return dimensions;
    }

    @Override
    public Maker maker() {
      var centres = centres(this).toDoubleArray();
      return (random, _, columns) -> DatasetGenerate.row(this, centres, random, columns);
    }
  }

  /** Returns the true centres, {@code [blobs][dimensions]f64}. */
  public static ArrayValue centres(Blobs b) {
    var random = new SplittableRandom(b.seed());
    var xs = random.doubles((long) b.blobs() * b.dimensions(), -HALF_WIDTH, HALF_WIDTH);
    return ArrayValue.ofDoubles(xs.toArray(), b.blobs(), b.dimensions());
  }

  /**
   * Writes rows, the files of a folder at the same time.
   *
   * @param target a file, or a folder if {@code files} isn't 1
   * @param files the number of files, which are of about equal size
   */
  public static void write(
      RowKind kind, Path target, int files, boolean overwrite, Progress progress) {
    var output =
        files == 1
            ? RowOutput.arrowFile(target, overwrite)
            : new RowOutput(
                target,
                true,
                0,
                ".arrow",
                ArrowFile::new,
                List.of(),
                0,
                overwrite,
                false,
                Runtime.getRuntime().availableProcessors(),
                kind.toString());
    Transfer.run(new GeneratedRows(kind, files), output, progress);
  }

  private static Schema columns(Blobs b) {
    var columns = new ArrayList<Field>();
    if (b.asList()) {
      columns.add(ColumnInfo.field("x", b.type(), b.dimensions(), true));
    } else {
      for (int j = 0; j < b.dimensions(); j++) {
        columns.add(ColumnInfo.field("x" + j, b.type(), 1, false));
      }
    }
    columns.add(ColumnInfo.field("blob", Prim.I32, 1, false));
    return new Schema(columns);
  }

  private static void row(
      Blobs b, double[] centres, RandomGenerator random, List<RowKind.Numbers> columns) {
    int d = b.dimensions();
    int blob = random.nextInt(b.blobs());
    columns.getLast().add(blob);
    for (int j = 0; j < d; j++) {
      double x = centres[blob * d + j] + b.spread() * random.nextGaussian();
      columns.get(b.asList() ? 0 : j).add(b.type().normalise(b.type().fromDouble(x)));
    }
  }
}
