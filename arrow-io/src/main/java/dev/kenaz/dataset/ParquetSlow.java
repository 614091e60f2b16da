package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6105;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteOrder;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.Decimal256Vector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float2Vector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.UInt1Vector;
import org.apache.arrow.vector.UInt2Vector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/** Reads lists and rare types of a Parquet file, one value after the other. */
final class ParquetSlow implements ParquetColumn {
  /** The day of 1970-01-01 in the count of days that 12-byte times use. */
  private static final long EPOCH = 2_440_588;

  private static final long DAY = 86_400_000_000L;

  private final ColumnReader in;
  private final PrimitiveTypeName type;
  private final int most;

  /** The least level of a row that has a value or a null in its list. */
  private final int inList;

  /**
   * @param inList from which definition level on a list has an element; 0 for other columns
   */
  ParquetSlow(ColumnReader in, int inList) {
    this.in = in;
    this.type = in.getDescriptor().getPrimitiveType().getPrimitiveTypeName();
    this.most = in.getDescriptor().getMaxDefinitionLevel();
    this.inList = inList;
  }

  @Override
  public void read(FieldVector into, int rows) {
    into.setInitialCapacity(rows);
    into.allocateNew();
    if (into instanceof ListVector lists) {
      lists(lists, rows);
    } else if (into instanceof FixedSizeListVector lists) {
      sized(lists, rows);
    } else {
      for (int i = 0; i < rows; i++) {
        value(into, i);
      }
    }
    into.setValueCount(rows);
  }

  private void lists(ListVector lists, int rows) {
    var cells = lists.getDataVector();
    int at = 0;
    for (int i = 0; i < rows; i++) {
      int level = in.getCurrentDefinitionLevel();
      if (level < inList) {
        if (level < inList - 1) {
          lists.setNull(i);
        } else {
          lists.startNewValue(i);
          lists.endValue(i, 0);
        }
        in.consume();
        continue;
      }
      lists.startNewValue(i);
      int first = at;
      do {
        value(cells, at++);
      } while (in.getCurrentRepetitionLevel() > 0);
      lists.endValue(i, at - first);
    }
    cells.setValueCount(at);
  }

  private void sized(FixedSizeListVector lists, int rows) {
    var cells = lists.getDataVector();
    int size = lists.getListSize();
    for (int i = 0; i < rows; i++) {
      if (in.getCurrentDefinitionLevel() < inList - 1) {
        lists.setNull(i);
        in.consume();
        continue;
      }
      lists.setNotNull(i);
      int count = 0;
      if (in.getCurrentDefinitionLevel() < inList) {
        in.consume();
      } else {
        do {
          if (count < size) {
            value(cells, i * size + count);
          }
          count++;
        } while (count <= size && in.getCurrentRepetitionLevel() > 0);
      }
      if (count != size) {
        throw new IllegalArgumentException(
            "column %s has a list that hasn't %d elements".formatted(lists.getName(), size));
      }
    }
    cells.setValueCount(rows * size);
  }

  private void value(FieldVector to, int i) {
    if (in.getCurrentDefinitionLevel() < most) {
      while (i >= to.getValueCapacity()) {
        to.reAlloc();
      }
      to.setNull(i);
    } else {
      set(to, i);
    }
    in.consume();
  }

  private void set(FieldVector to, int i) {
    switch (to) {
      case BitVector v -> v.setSafe(i, in.getBoolean() ? 1 : 0);
      case TinyIntVector v -> v.setSafe(i, in.getInteger());
      case SmallIntVector v -> v.setSafe(i, in.getInteger());
      case IntVector v -> v.setSafe(i, in.getInteger());
      case BigIntVector v -> v.setSafe(i, in.getLong());
      case UInt1Vector v -> v.setSafe(i, in.getInteger());
      case UInt2Vector v -> v.setSafe(i, in.getInteger());
      case UInt4Vector v -> v.setSafe(i, in.getInteger());
      case UInt8Vector v -> v.setSafe(i, in.getLong());
      case Float2Vector v -> v.setSafe(i, half(in.getBinary()));
      case Float4Vector v -> v.setSafe(i, in.getFloat());
      case Float8Vector v -> v.setSafe(i, in.getDouble());
      case DateDayVector v -> v.setSafe(i, in.getInteger());
      case TimeMilliVector v -> v.setSafe(i, in.getInteger());
      case TimeMicroVector v -> v.setSafe(i, in.getLong());
      case TimeNanoVector v -> v.setSafe(i, in.getLong());
      case TimeStampVector v -> v.setSafe(i, time(to.getName()));
      case DecimalVector v -> v.setSafe(i, new BigDecimal(digits(), v.getScale()));
      case Decimal256Vector v -> v.setSafe(i, new BigDecimal(digits(), v.getScale()));
      case VarCharVector v -> v.setSafe(i, in.getBinary().getBytes());
      case VarBinaryVector v -> v.setSafe(i, in.getBinary().getBytes());
      case FixedSizeBinaryVector v -> v.setSafe(i, in.getBinary().getBytes());
      default -> throw new IllegalStateException("no Parquet column becomes " + to.getField());
    }
  }

  private static short half(Binary two) {
    return two.toByteBuffer().order(ByteOrder.LITTLE_ENDIAN).getShort();
  }

  private BigInteger digits() {
    return switch (type) {
      case INT32 -> BigInteger.valueOf(in.getInteger());
      case INT64 -> BigInteger.valueOf(in.getLong());
      case BINARY, FIXED_LEN_BYTE_ARRAY -> new BigInteger(in.getBinary().getBytes());
      case BOOLEAN, FLOAT, DOUBLE, INT96 ->
          throw new IllegalStateException(type + " is no decimal");
    };
  }

  private long time(String column) {
    if (type != PrimitiveTypeName.INT96) {
      return in.getLong();
    }
    var bytes = in.getBinary().toByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    long nanos = bytes.getLong();
    long days = bytes.getInt() - EPOCH;
    if (nanos % 1000 != 0) {
      throw fault(
          K6105,
          "column \""
              + column
              + "\" has times with parts of microseconds in the old form of 12 bytes",
          "write it as TIMESTAMP_NANOS, or leave it out");
    }
    return days * DAY + nanos / 1000;
  }
}
