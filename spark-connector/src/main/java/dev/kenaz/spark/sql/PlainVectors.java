package dev.kenaz.spark.sql;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float2Vector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.UInt1Vector;
import org.apache.arrow.vector.UInt2Vector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * Makes vectors of those kinds that Spark reads, see {@link SparkTypes#plain}. Elements of lists of
 * fixed size stay where they are; they only get offsets.
 */
final class PlainVectors {
  private static final int OFFSET = Integer.BYTES;

  private final BufferAllocator allocator;
  private final String file;

  PlainVectors(BufferAllocator allocator, String file) {
    this.allocator = allocator;
    this.file = file;
  }

  /** Whether the elements of a field's vectors stay where they are. */
  static boolean staysInPlace(Field field) {
    boolean list = field.getType() instanceof ArrowType.FixedSizeList;
    return field.getDictionary() == null
        && SparkTypes.isPlain(list ? field.getChildren().getFirst() : field);
  }

  /** Returns the vector itself, or another one in its place; then it is closed. */
  FieldVector of(FieldVector v) {
    if (SparkTypes.isPlain(v.getField())) {
      return v;
    }
    try (v) {
      return converted(v);
    }
  }

  private FieldVector converted(FieldVector v) {
    var result = SparkTypes.plain(v.getField()).createVector(allocator);
    try {
      fill(v, result);
      return result;
    } catch (RuntimeException | Error e) {
      result.close();
      throw e;
    }
  }

  private void fill(FieldVector from, FieldVector to) {
    switch (from) {
      case FixedSizeListVector v -> lists(v, (ListVector) to, offsets(v));
      case LargeListVector v -> lists(v, (ListVector) to, offsets(v));
      case ListVector v -> lists(v, (ListVector) to, v.getOffsetBuffer());
      case StructVector v -> struct(v, (StructVector) to);
      default -> cells(from, to);
    }
  }

  private void cells(FieldVector from, FieldVector to) {
    to.setInitialCapacity(from.getValueCount());
    to.allocateNew();
    for (int i = 0; i < from.getValueCount(); i++) {
      if (from.isNull(i)) {
        to.setNull(i);
      } else {
        cell(from, to, i);
      }
    }
    to.setValueCount(from.getValueCount());
  }

  private void cell(FieldVector from, FieldVector to, int i) {
    switch (from) {
      case UInt1Vector v -> ((SmallIntVector) to).setSafe(i, v.get(i) & 0xff);
      case UInt2Vector v -> ((IntVector) to).setSafe(i, v.get(i));
      case UInt4Vector v -> ((BigIntVector) to).setSafe(i, Integer.toUnsignedLong(v.get(i)));
      case UInt8Vector v ->
          ((DecimalVector) to)
              .setSafe(i, new BigDecimal(new BigInteger(Long.toUnsignedString(v.get(i)))));
      case Float2Vector v -> ((Float4Vector) to).setSafe(i, v.getValueAsFloat(i));
      case FixedSizeBinaryVector v -> ((VarBinaryVector) to).setSafe(i, v.get(i));
      case DateMilliVector v ->
          ((DateDayVector) to).setSafe(i, (int) Math.floorDiv(v.get(i), TimeUnit.DAYS.toMillis(1)));
      case TimeStampVector v -> ((TimeStampVector) to).setSafe(i, micros(v, i));
      default -> throw SparkTypes.unreadable(from.getField(), file);
    }
  }

  private long micros(TimeStampVector v, int i) {
    long value = v.get(i);
    try {
      return switch (((ArrowType.Timestamp) v.getField().getType()).getUnit()) {
        case SECOND -> Math.multiplyExact(value, TimeUnit.SECONDS.toMicros(1));
        case MILLISECOND -> Math.multiplyExact(value, TimeUnit.MILLISECONDS.toMicros(1));
        case MICROSECOND -> value;
        case NANOSECOND -> Math.floorDiv(value, TimeUnit.MICROSECONDS.toNanos(1));
      };
    } catch (ArithmeticException e) {
      throw new UserError(
          ErrorCode.K6108,
          "time %s of column \"%s\" of %s is too late or too early for Spark"
              .formatted(value, v.getName(), file));
    }
  }

  private ArrowBuf offsets(FixedSizeListVector v) {
    var offsets = allocator.buffer((v.getValueCount() + 1L) * OFFSET);
    for (int i = 0; i <= v.getValueCount(); i++) {
      offsets.setInt((long) i * OFFSET, i * v.getListSize());
    }
    return offsets;
  }

  private ArrowBuf offsets(LargeListVector v) {
    var offsets = allocator.buffer((v.getValueCount() + 1L) * OFFSET);
    for (int i = 0; i <= v.getValueCount(); i++) {
      long at = v.getOffsetBuffer().getLong((long) i * Long.BYTES);
      offsets.setInt((long) i * OFFSET, Math.toIntExact(at));
    }
    return offsets;
  }

  private void lists(FieldVector from, ListVector to, ArrowBuf offsets) {
    try {
      var node = new ArrowFieldNode(from.getValueCount(), from.getNullCount());
      to.loadFieldBuffers(node, List.of(from.getValidityBuffer(), offsets));
    } finally {
      if (!(from instanceof ListVector)) {
        offsets.close(); // The list has counted itself as an owner.
      }
    }
    moved(from.getChildrenFromFields().getFirst(), to.getDataVector());
  }

  private void struct(StructVector from, StructVector to) {
    var node = new ArrowFieldNode(from.getValueCount(), from.getNullCount());
    to.loadFieldBuffers(node, List.of(from.getValidityBuffer()));
    for (int i = 0; i < from.size(); i++) {
      moved((FieldVector) from.getChildByOrdinal(i), (FieldVector) to.getChildByOrdinal(i));
    }
  }

  private void moved(FieldVector from, FieldVector to) {
    if (SparkTypes.isPlain(from.getField())) {
      from.makeTransferPair(to).transfer();
    } else {
      fill(from, to);
    }
  }
}
