package dev.kenaz.arrow;

import dev.kenaz.value.Elements;
import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.function.IntBinaryOperator;
import java.util.function.IntToLongFunction;
import org.apache.arrow.memory.util.ByteFunctionHelpers;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.TimeStampVector;
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
  private static final ValueLayout.OfLong LONGS =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INTS =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
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
      default -> numbers(column);
    };
  }

  private static Optional<Extremes> numbers(FieldVector column) {
    var type =
        switch (column) {
          case DateDayVector _ -> Prim.I32;
          case DateMilliVector _, TimeStampVector _ -> Prim.I64;
          default -> ColumnInfo.prim(column.getField().getType()).orElseThrow();
        };
    var data = MemorySegment.ofAddress(column.getDataBuffer().memoryAddress());
    var keys = new Keys(data.reinterpret(column.getDataBuffer().capacity()), type);
    int rows = column.getValueCount();
    boolean nulls = column.getNullCount() > 0;
    for (int from = 0; from < rows; from += Keys.CHUNK) {
      int count = Math.min(Keys.CHUNK, rows - from);
      if (nulls) {
        keys.addPresent(column, from, count);
      } else {
        keys.add(from, count);
      }
    }
    return keys.extremes();
  }

  /**
   * Finds the extremes of a column of numbers, some rows at a time: integers that are in the order
   * of the numbers are made of all of them first. So the loops have one thing to do.
   */
  private static final class Keys {
    static final int CHUNK = 1 << 10;

    private final MemorySegment data;
    private final Prim type;
    private final long[] keys = new long[CHUNK];
    private int least = -1;
    private int most = -1;
    private long min;
    private long max;

    Keys(MemorySegment data, Prim type) {
      this.data = data;
      this.type = type;
    }

    /** Looks at rows without nulls. */
    void add(int from, int count) {
      fill(from, count);
      long low = keys[0];
      long high = keys[0];
      for (int i = 1; i < count; i++) {
        low = Math.min(low, keys[i]);
        high = Math.max(high, keys[i]);
      }
      if (least < 0 || low < min) {
        least = from + place(low);
        min = low;
      }
      if (most < 0 || high > max) {
        most = from + place(high);
        max = high;
      }
    }

    private int place(long key) {
      int i = 0;
      while (keys[i] != key) {
        i++;
      }
      return i;
    }

    /** Looks at those rows that aren't null. */
    void addPresent(FieldVector column, int from, int count) {
      fill(from, count);
      for (int i = 0; i < count; i++) {
        if (column.isNull(from + i)) {
          continue;
        }
        if (least < 0 || keys[i] < min) {
          least = from + i;
          min = keys[i];
        }
        if (most < 0 || keys[i] > max) {
          most = from + i;
          max = keys[i];
        }
      }
    }

    /** Returns nothing if there are no numbers, or one is NaN. */
    Optional<Extremes> extremes() {
      boolean nans = type.isFloat() && (min < LEAST_REAL || max > MOST_REAL);
      return least < 0 || nans ? Optional.empty() : Optional.of(new Extremes(least, most));
    }

    private void fill(int from, int count) {
      switch (type) {
        case I64 -> {
          for (int i = 0; i < count; i++) {
            keys[i] = data.get(LONGS, 8L * (from + i));
          }
        }
        case F64 -> {
          for (int i = 0; i < count; i++) {
            keys[i] = key(data.get(LONGS, 8L * (from + i)));
          }
        }
        case I32 -> {
          for (int i = 0; i < count; i++) {
            keys[i] = data.get(INTS, 4L * (from + i));
          }
        }
        case F32 -> {
          for (int i = 0; i < count; i++) {
            keys[i] = key((double) Float.intBitsToFloat(data.get(INTS, 4L * (from + i))));
          }
        }
        case BOOL -> {
          for (int i = 0; i < count; i++) {
            keys[i] = ColumnData.bit(data, from + i) ? 1 : 0;
          }
        }
        case I8, I16, U8, U16, U32 -> {
          for (int i = 0; i < count; i++) {
            keys[i] = Elements.bits(data, type, from + i);
          }
        }
        case U64 -> {
          for (int i = 0; i < count; i++) {
            keys[i] = Elements.bits(data, type, from + i) ^ Long.MIN_VALUE;
          }
        }
        case F16 -> {
          for (int i = 0; i < count; i++) {
            keys[i] = key(type.toDouble(Elements.bits(data, type, from + i)));
          }
        }
      }
    }
  }

  private static long key(double x) {
    return key(Double.doubleToRawLongBits(x));
  }

  /** Returns integers in the order of the floats; NaNs come before or after all others. */
  private static long key(long bits) {
    return bits ^ ((bits >> (Long.SIZE - 1)) & Long.MAX_VALUE);
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
