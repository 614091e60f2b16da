package dev.kenaz.arrow;

import java.util.Optional;
import java.util.function.IntBinaryOperator;
import java.util.function.IntToLongFunction;
import org.apache.arrow.memory.util.ByteFunctionHelpers;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float2Vector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.UInt1Vector;
import org.apache.arrow.vector.UInt2Vector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * Finds the least and the greatest cell of a column. Numbers, dates and times have their usual
 * order, unsigned ones too; false comes before true, and texts are ordered by their bytes.
 */
final class ColumnOrder {
  /** Longer texts would make the range larger than it is useful. */
  private static final int LONGEST_TEXT = 256;

  private static final int BITS_OF_DECIMALS = 128;
  private static final long MOST_REAL = key(Double.doubleToRawLongBits(Double.POSITIVE_INFINITY));
  private static final long LEAST_REAL = key(Double.doubleToRawLongBits(Double.NEGATIVE_INFINITY));

  private ColumnOrder() {}

  /** The rows of a batch that have its least and its greatest cell. */
  record Extremes(int least, int most) {}

  /** Whether columns of this field have an order here. */
  static boolean has(Field field) {
    return field.getDictionary() == null
        && switch (field.getType()) {
          case ArrowType.Bool _, ArrowType.Int _, ArrowType.FloatingPoint _ -> true;
          case ArrowType.Date _, ArrowType.Timestamp _ -> true;
          case ArrowType.Utf8 _, ArrowType.LargeUtf8 _ -> true;
          case ArrowType.Decimal d -> d.getBitWidth() == BITS_OF_DECIMALS;
          default -> false;
        };
  }

  /** Returns nothing if all rows are null, if one is NaN, or if an extreme is a long text. */
  static Optional<Extremes> of(FieldVector column) {
    return switch (column) {
      case VarCharVector v -> texts(v, v::getStartOffset, v::getEndOffset);
      case LargeVarCharVector v -> texts(v, i -> end(v, i), i -> end(v, i + 1));
      case DecimalVector v -> compared(v, decimals(v));
      case Float2Vector v -> reals(v, i -> key(v.getValueAsDouble(i)));
      case Float4Vector v -> reals(v, i -> key(v.get(i)));
      case Float8Vector v -> reals(v, i -> key(v.get(i)));
      default -> keyed(column, key(column));
    };
  }

  private static IntToLongFunction key(FieldVector column) {
    return switch (column) {
      case BitVector v -> v::get;
      case TinyIntVector v -> v::get;
      case SmallIntVector v -> v::get;
      case IntVector v -> v::get;
      case BigIntVector v -> v::get;
      case UInt1Vector v -> i -> v.get(i) & 0xFF;
      case UInt2Vector v -> v::get;
      case UInt4Vector v -> i -> Integer.toUnsignedLong(v.get(i));
      case UInt8Vector v -> i -> v.get(i) ^ Long.MIN_VALUE;
      case DateDayVector v -> v::get;
      case DateMilliVector v -> v::get;
      case TimeStampVector v -> v::get;
      default -> throw new IllegalArgumentException(column.getField().toString());
    };
  }

  private static long key(double x) {
    return key(Double.doubleToRawLongBits(x));
  }

  /** Returns integers in the order of the floats; NaNs come before or after all others. */
  private static long key(long bits) {
    return bits ^ ((bits >> (Long.SIZE - 1)) & Long.MAX_VALUE);
  }

  private static Optional<Extremes> reals(FieldVector column, IntToLongFunction key) {
    return keyed(column, key)
        .filter(
            e -> key.applyAsLong(e.least) >= LEAST_REAL && key.applyAsLong(e.most) <= MOST_REAL);
  }

  private static Optional<Extremes> keyed(FieldVector column, IntToLongFunction key) {
    boolean nulls = column.getNullCount() > 0;
    int least = -1;
    int most = -1;
    long min = 0;
    long max = 0;
    for (int i = 0; i < column.getValueCount(); i++) {
      if (nulls && column.isNull(i)) {
        continue;
      }
      long k = key.applyAsLong(i);
      if (least < 0 || k < min) {
        least = i;
        min = k;
      }
      if (most < 0 || k > max) {
        most = i;
        max = k;
      }
    }
    return least < 0 ? Optional.empty() : Optional.of(new Extremes(least, most));
  }

  private static Optional<Extremes> compared(FieldVector column, IntBinaryOperator compare) {
    int least = -1;
    int most = -1;
    for (int i = 0; i < column.getValueCount(); i++) {
      if (column.isNull(i)) {
        continue;
      }
      least = least < 0 || compare.applyAsInt(i, least) < 0 ? i : least;
      most = most < 0 || compare.applyAsInt(i, most) > 0 ? i : most;
    }
    return least < 0 ? Optional.empty() : Optional.of(new Extremes(least, most));
  }

  /** Returns where the text before a row ends. */
  private static long end(LargeVarCharVector v, int row) {
    return v.getOffsetBuffer().getLong((long) row * Long.BYTES);
  }

  /** Compares texts whose bytes begin and end where the functions say. */
  private static Optional<Extremes> texts(
      FieldVector column, IntToLongFunction start, IntToLongFunction end) {
    var bytes = column.getDataBuffer();
    IntToLongFunction length = i -> end.applyAsLong(i) - start.applyAsLong(i);
    return compared(
            column,
            (i, j) ->
                ByteFunctionHelpers.compare(
                    bytes,
                    start.applyAsLong(i),
                    end.applyAsLong(i),
                    bytes,
                    start.applyAsLong(j),
                    end.applyAsLong(j)))
        .filter(
            e ->
                length.applyAsLong(e.least) <= LONGEST_TEXT
                    && length.applyAsLong(e.most) <= LONGEST_TEXT);
  }

  /** Decimals of a column have one scale, so they are compared as integers of 128 bits. */
  private static IntBinaryOperator decimals(DecimalVector v) {
    var numbers = v.getDataBuffer();
    return (i, j) -> {
      long a = (long) i * DecimalVector.TYPE_WIDTH;
      long b = (long) j * DecimalVector.TYPE_WIDTH;
      int high = Long.compare(numbers.getLong(a + Long.BYTES), numbers.getLong(b + Long.BYTES));
      return high != 0 ? high : Long.compareUnsigned(numbers.getLong(a), numbers.getLong(b));
    };
  }
}
