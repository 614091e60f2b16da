package dev.kenaz.spark.sql;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.unsafe.Platform;

/**
 * Cells of a column that come row by row, as memory that an array of Kenaz can be made of. All
 * arrays in it have one size.
 */
final class CellBuffer {
  private static final int FIRST_ROWS = 16;

  private final Cell.Plain type;
  private final int size;
  private byte[] data = {};
  private int at;
  private int rows;

  /** How many elements an array has; it is unknown before the first row. */
  private int width;

  CellBuffer(Cell.Plain type) {
    this.type = type;
    this.size = type.prim().byteSize();
    this.width = type.rank() == 0 ? 1 : -1;
  }

  int rows() {
    return rows;
  }

  /** Returns how many elements an array has; -1 if there was no row. */
  int width() {
    return width;
  }

  /** Returns how many bytes the rows take. */
  int bytes() {
    return at;
  }

  /** Forgets the rows, but not the size of arrays. */
  void clear() {
    at = 0;
    rows = 0;
  }

  /** Whether a cell is null, or an array with a null in it. */
  static boolean hasNull(InternalRow row, int i, Cell.Plain type) {
    if (row.isNullAt(i)) {
      return true;
    }
    if (type.rank() == 0) {
      return false;
    }
    var array = row.getArray(i);
    int n = array.numElements();
    if (array instanceof UnsafeArrayData u) {
      // A bit for each null comes after the number of elements.
      int bytes = UnsafeArrayData.calculateHeaderPortionInBytes(n);
      for (int b = Long.BYTES; b < bytes; b += Long.BYTES) {
        if (Platform.getLong(u.getBaseObject(), u.getBaseOffset() + b) != 0) {
          return true;
        }
      }
      return false;
    }
    for (int k = 0; k < n; k++) {
      if (array.isNullAt(k)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a cell, which is not null, has the size of those before. */
  boolean fits(InternalRow row, int i) {
    return type.rank() == 0 || width < 0 || row.getArray(i).numElements() == width;
  }

  /**
   * Adds a cell without nulls that {@linkplain #fits fits}.
   *
   * @throws UserError K6108 for what is no number of the type
   */
  void add(InternalRow row, int i) {
    if (type.rank() == 0) {
      reserve(size);
      put(at, row, i);
      at += size;
    } else {
      addAll(row.getArray(i));
    }
    rows++;
  }

  private void addAll(ArrayData array) {
    int n = array.numElements();
    width = n;
    reserve((long) n * size);
    if (array instanceof UnsafeArrayData u && isStoredAlike(type.prim())) {
      long from = u.getBaseOffset() + UnsafeArrayData.calculateHeaderPortionInBytes(n);
      Platform.copyMemory(
          u.getBaseObject(), from, data, Platform.BYTE_ARRAY_OFFSET + at, (long) n * size);
    } else {
      for (int k = 0; k < n; k++) {
        put(at + k * size, array, k);
      }
    }
    at += n * size;
  }

  /** Whether Spark has numbers of the same size for these. */
  static boolean isStoredAlike(Prim prim) {
    return !prim.isUnsigned() && prim != Prim.F16;
  }

  private void reserve(long more) {
    long needed = at + more;
    if (needed > data.length) {
      if (needed > Integer.MAX_VALUE - Long.BYTES) {
        throw new UserError(ErrorCode.K6116, "the cells of a column take more than 2 GiB at once");
      }
      long room = Math.max(needed, Math.max(FIRST_ROWS * more, 2L * data.length));
      data = Arrays.copyOf(data, (int) Math.min(room, Integer.MAX_VALUE - Long.BYTES));
    }
  }

  private void put(int where, SpecializedGetters from, int i) {
    long to = Platform.BYTE_ARRAY_OFFSET + where;
    switch (type.prim()) {
      case BOOL -> Platform.putBoolean(data, to, from.getBoolean(i));
      case I8 -> Platform.putByte(data, to, from.getByte(i));
      case U8 -> Platform.putByte(data, to, (byte) inside(from.getShort(i), 0xff));
      case I16 -> Platform.putShort(data, to, from.getShort(i));
      case U16 -> Platform.putShort(data, to, (short) inside(from.getInt(i), 0xffff));
      case F16 -> Platform.putShort(data, to, Float.floatToFloat16(from.getFloat(i)));
      case I32 -> Platform.putInt(data, to, from.getInt(i));
      case U32 -> Platform.putInt(data, to, (int) inside(from.getLong(i), 0xffff_ffffL));
      case F32 -> Platform.putFloat(data, to, from.getFloat(i));
      case I64 -> Platform.putLong(data, to, from.getLong(i));
      case U64 ->
          Platform.putLong(
              data, to, u64(from.getDecimal(i, Cell.DIGITS_OF_U64, 0).toJavaBigDecimal()));
      case F64 -> Platform.putDouble(data, to, from.getDouble(i));
    }
  }

  private long inside(long value, long most) {
    if (value < 0 || value > most) {
      throw new UserError(ErrorCode.K6108, value + " is no " + type.prim());
    }
    return value;
  }

  private static long u64(BigDecimal value) {
    var whole = value.toBigInteger();
    if (whole.signum() < 0 || whole.bitLength() > Long.SIZE) {
      throw new UserError(ErrorCode.K6108, value + " is no u64");
    }
    return whole.longValue();
  }

  /** Returns a u64 as Spark has it. */
  static BigDecimal decimal(long u64) {
    return new BigDecimal(new BigInteger(Long.toUnsignedString(u64)));
  }

  /** Returns a copy of the rows: {@code [n]t}, or {@code [n][d]t} for arrays. */
  ArrayValue value() {
    var shape = type.rank() == 0 ? new long[] {rows} : new long[] {rows, Math.max(width, 0)};
    var memory = ArrayValue.allocate(type.prim(), shape);
    MemorySegment.copy(MemorySegment.ofArray(data), 0, memory, 0, at);
    return ArrayValue.of(type.prim(), memory, shape);
  }

  void write(DataOutput out) throws IOException {
    out.writeInt(rows);
    out.writeInt(width);
    out.writeInt(at);
    out.write(data, 0, at);
  }

  /** Adds what another one has written; both have arrays of one size. */
  void read(DataInput in) throws IOException {
    int more = in.readInt();
    width = Math.max(width, in.readInt());
    int bytes = in.readInt();
    reserve(bytes);
    in.readFully(data, at, bytes);
    at += bytes;
    rows += more;
  }

  /** Adds the rows of another one, which have arrays of the same size. */
  void addAll(CellBuffer other) {
    width = Math.max(width, other.width);
    reserve(other.at);
    System.arraycopy(other.data, 0, data, at, other.at);
    at += other.at;
    rows += other.rows;
  }

  /** Shows a cell in a message. */
  static String shown(InternalRow row, int column, Cell.Plain type) {
    if (type.rank() == 0) {
      return String.valueOf(row.get(column, type.sqlType()));
    }
    var element = ((ArrayType) type.sqlType()).elementType();
    var array = row.getArray(column).toObjectArray(element);
    var some = Arrays.asList(array).subList(0, Math.min(array.length, 8));
    return "array" + some.toString().replace("]", array.length > 8 ? ", ...]" : "]");
  }
}
