package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6143;

import dev.kenaz.arrow.Faults;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.Decimal256Vector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.LargeVarBinaryVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeSecVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.complex.BaseListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;

/** Hands the values of vectors to a consumer of Parquet's records. */
final class ParquetCells {
  private static final long DAY = 86_400_000;

  private ParquetCells() {}

  /** Adds a value that isn't null. */
  private interface Cell {
    void add(RecordConsumer to, int i);
  }

  /** A vector and how its values are added. */
  record Column(FieldVector vector, Cell cell) {
    /** Adds a value as a field of the record or group that was begun; a null has no field. */
    void field(RecordConsumer to, String name, int index, int i) {
      if (!vector.isNull(i)) {
        to.startField(name, index);
        cell.add(to, i);
        to.endField(name, index);
      }
    }
  }

  /** Returns the column of a vector whose type {@link ParquetFields} has accepted. */
  static Column of(FieldVector vector) {
    return new Column(vector, cell(vector));
  }

  private static Cell cell(FieldVector vector) {
    return switch (vector) {
      case MapVector m -> map(m);
      case BaseListVector l ->
          list(
              l::getElementStartIndex,
              l::getElementEndIndex,
              of(l.getChildrenFromFields().getFirst()));
      case LargeListVector l ->
          list(
              l::getElementStartIndex,
              l::getElementEndIndex,
              of(l.getChildrenFromFields().getFirst()));
      case StructVector s -> struct(s);
      case VarCharVector v -> (to, i) -> to.addBinary(Binary.fromConstantByteArray(v.get(i)));
      case LargeVarCharVector v -> (to, i) -> to.addBinary(Binary.fromConstantByteArray(v.get(i)));
      case VarBinaryVector v -> (to, i) -> to.addBinary(Binary.fromConstantByteArray(v.get(i)));
      case LargeVarBinaryVector v ->
          (to, i) -> to.addBinary(Binary.fromConstantByteArray(v.get(i)));
      case FixedSizeBinaryVector v ->
          (to, i) -> to.addBinary(Binary.fromConstantByteArray(v.get(i)));
      case DecimalVector v -> {
        int size = ParquetFields.decimalBytes(v.getPrecision());
        yield (to, i) -> to.addBinary(decimal(v.getObject(i).unscaledValue(), size));
      }
      case Decimal256Vector v -> {
        int size = ParquetFields.decimalBytes(v.getPrecision());
        yield (to, i) -> to.addBinary(decimal(v.getObject(i).unscaledValue(), size));
      }
      default -> number(vector);
    };
  }

  private static Cell number(FieldVector vector) {
    return switch (vector) {
      case DateDayVector v -> (to, i) -> to.addInteger(v.get(i));
      case DateMilliVector v -> (to, i) -> to.addInteger(days(v, i));
      case TimeStampVector v -> {
        var type = (ArrowType.Timestamp) v.getField().getType();
        long scale = type.getUnit() == TimeUnit.SECOND ? 1000 : 1;
        yield (to, i) -> to.addLong(scaled(v, v.get(i), scale));
      }
      case TimeSecVector v -> (to, i) -> to.addInteger(Math.multiplyExact(v.get(i), 1000));
      case TimeMilliVector v -> (to, i) -> to.addInteger(v.get(i));
      case TimeMicroVector v -> (to, i) -> to.addLong(v.get(i));
      case TimeNanoVector v -> (to, i) -> to.addLong(v.get(i));
      default -> {
        var numbers = NumberVector.of(vector).orElseThrow();
        yield switch (numbers.type()) {
          case BOOL -> (to, i) -> to.addBoolean(numbers.get(i) != 0);
          case I8, I16, I32, U8, U16, U32 -> (to, i) -> to.addInteger((int) numbers.get(i));
          case I64, U64 -> (to, i) -> to.addLong(numbers.get(i));
          case F16 -> (to, i) -> to.addBinary(half((int) numbers.get(i)));
          case F32 -> (to, i) -> to.addFloat(Float.intBitsToFloat((int) numbers.get(i)));
          case F64 -> (to, i) -> to.addDouble(Double.longBitsToDouble(numbers.get(i)));
        };
      }
    };
  }

  private static Binary half(int bits) {
    return Binary.fromConstantByteArray(new byte[] {(byte) bits, (byte) (bits >> 8)});
  }

  /** Returns a decimal's digits as a number of so many bytes, the highest first. */
  private static Binary decimal(java.math.BigInteger unscaled, int size) {
    var bytes = unscaled.toByteArray();
    var padded = new byte[size];
    Arrays.fill(padded, (byte) (unscaled.signum() < 0 ? -1 : 0));
    System.arraycopy(bytes, 0, padded, size - bytes.length, bytes.length);
    return Binary.fromConstantByteArray(padded);
  }

  private static int days(DateMilliVector v, int i) {
    long millis = v.get(i);
    if (millis % DAY != 0) {
      throw refused(v, "a time of day in a date");
    }
    return (int) (millis / DAY);
  }

  private static long scaled(FieldVector v, long time, long scale) {
    try {
      return Math.multiplyExact(time, scale);
    } catch (ArithmeticException _) {
      throw refused(v, "so late or early a time");
    }
  }

  private static RuntimeException refused(FieldVector v, String what) {
    return Faults.fault(K6143, "Parquet can't hold " + what + " in column \"" + v.getName() + "\"");
  }

  /**
   * @param starts where the elements of a list begin
   * @param ends where they end
   */
  private static Cell list(IntToLongFunction starts, IntToLongFunction ends, Column element) {
    return (to, i) -> {
      to.startGroup();
      int from = Math.toIntExact(starts.applyAsLong(i));
      int end = Math.toIntExact(ends.applyAsLong(i));
      if (from < end) {
        to.startField("list", 0);
        for (int j = from; j < end; j++) {
          to.startGroup();
          element.field(to, "element", 0, j);
          to.endGroup();
        }
        to.endField("list", 0);
      }
      to.endGroup();
    };
  }

  private static Cell map(MapVector maps) {
    var entries = (StructVector) maps.getDataVector();
    var key = of(entries.getChildrenFromFields().get(0));
    var value = of(entries.getChildrenFromFields().get(1));
    return (to, i) -> {
      to.startGroup();
      if (maps.getElementStartIndex(i) < maps.getElementEndIndex(i)) {
        to.startField("key_value", 0);
        for (int j = maps.getElementStartIndex(i); j < maps.getElementEndIndex(i); j++) {
          to.startGroup();
          key.field(to, "key", 0, j);
          value.field(to, "value", 1, j);
          to.endGroup();
        }
        to.endField("key_value", 0);
      }
      to.endGroup();
    };
  }

  private static Cell struct(StructVector structs) {
    var names = structs.getChildFieldNames();
    List<Column> children = new ArrayList<>();
    for (var child : structs.getChildrenFromFields()) {
      children.add(of(child));
    }
    return (to, i) -> {
      to.startGroup();
      for (int c = 0; c < children.size(); c++) {
        children.get(c).field(to, names.get(c), c, i);
      }
      to.endGroup();
    };
  }
}
