package dev.kenaz.dataset;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.FieldVector;
import org.apache.parquet.column.Dictionary;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/**
 * Reads numbers of four or eight bytes. Plain ones are copied, and those of a dictionary are looked
 * up, without a call for each of them. Integers of one and two bytes are stored as four.
 */
final class ParquetFixed implements ParquetColumn {
  private static final ValueLayout.OfInt I32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong I64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final ParquetPages pages;
  private final PrimitiveTypeName type;

  /** How many bytes a value has in the file. */
  private final int width;

  /** The entries of the dictionary, as bits. */
  private final int[] entries;

  private final long[] longEntries;
  private int[] codes = new int[1 << 10];
  private MemorySegment scratch = MemorySegment.ofArray(new long[1 << 10]);

  ParquetFixed(ParquetPages pages, PrimitiveTypeName type) {
    this.pages = pages;
    this.type = type;
    this.width = type == PrimitiveTypeName.INT64 || type == PrimitiveTypeName.DOUBLE ? 8 : 4;
    var dictionary = pages.dictionary();
    int n = dictionary == null ? 0 : dictionary.getMaxId() + 1;
    this.entries = new int[width == 4 ? n : 0];
    this.longEntries = new long[width == 8 ? n : 0];
    for (int i = 0; i < n; i++) {
      entry(dictionary, i);
    }
  }

  private void entry(Dictionary d, int i) {
    switch (type) {
      case INT32 -> entries[i] = d.decodeToInt(i);
      case FLOAT -> entries[i] = Float.floatToRawIntBits(d.decodeToFloat(i));
      case INT64 -> longEntries[i] = d.decodeToLong(i);
      case DOUBLE -> longEntries[i] = Double.doubleToRawLongBits(d.decodeToDouble(i));
      case BOOLEAN, BINARY, FIXED_LEN_BYTE_ARRAY, INT96 ->
          throw new IllegalStateException(type + " has another reader");
    }
  }

  @Override
  public void read(FieldVector into, int rows) {
    var vector = (BaseFixedWidthVector) into;
    if (vector.getValueCapacity() < rows) {
      vector.allocateNew(rows);
    }
    var data = BatchNumbers.segment(vector.getDataBuffer());
    var validity = vector.getValidityBuffer();
    BatchNumbers.segment(validity).fill((byte) 0xFF);
    int narrow = vector.getTypeWidth();
    for (int at = 0; at < rows; ) {
      int n = Math.min(rows - at, pages.left());
      int present = pages.take(n);
      boolean direct = present == n && narrow == width;
      var to = direct ? data.asSlice((long) at * width, (long) n * width) : scratch(n);
      values(to, present);
      if (present < n) {
        spread(to, n, present);
        for (int i = 0; i < n; i++) {
          if (pages.missing()[i]) {
            BitVectorHelper.unsetBit(validity, at + i);
          }
        }
      }
      if (!direct) {
        copy(to, data, at, n, narrow);
      }
      at += n;
    }
    vector.setValueCount(rows);
  }

  private MemorySegment scratch(int n) {
    if (scratch.byteSize() < 8L * n) {
      scratch = MemorySegment.ofArray(new long[n]);
    }
    return scratch;
  }

  /** Writes the values that come next, one after the other. */
  private void values(MemorySegment to, int n) {
    if (n == 0) {
      return;
    }
    if (pages.plain() != null) {
      var from = pages.plain();
      int bytes = n * width;
      MemorySegment.copy(MemorySegment.ofBuffer(from), 0, to, 0, bytes);
      from.position(from.position() + bytes);
    } else if (pages.others() != null) {
      others(to, n);
    } else {
      codes = ParquetPages.room(codes, n);
      pages.codes().read(codes, 0, n);
      if (width == 4) {
        for (int i = 0; i < n; i++) {
          to.set(I32, 4L * i, entries[codes[i]]);
        }
      } else {
        for (int i = 0; i < n; i++) {
          to.set(I64, 8L * i, longEntries[codes[i]]);
        }
      }
    }
  }

  private void others(MemorySegment to, int n) {
    var in = pages.others();
    for (int i = 0; i < n; i++) {
      switch (type) {
        case INT32 -> to.set(I32, 4L * i, in.readInteger());
        case FLOAT -> to.set(I32, 4L * i, Float.floatToRawIntBits(in.readFloat()));
        case INT64 -> to.set(I64, 8L * i, in.readLong());
        case DOUBLE -> to.set(I64, 8L * i, Double.doubleToRawLongBits(in.readDouble()));
        case BOOLEAN, BINARY, FIXED_LEN_BYTE_ARRAY, INT96 ->
            throw new IllegalStateException(type + " has another reader");
      }
    }
  }

  /** Moves values to their rows, from the last to the first; null rows become 0. */
  private void spread(MemorySegment values, int rows, int present) {
    var missing = pages.missing();
    int from = present;
    for (int i = rows - 1; i >= 0; i--) {
      if (width == 4) {
        values.set(I32, 4L * i, missing[i] ? 0 : values.get(I32, 4L * --from));
      } else {
        values.set(I64, 8L * i, missing[i] ? 0 : values.get(I64, 8L * --from));
      }
    }
  }

  private void copy(MemorySegment from, MemorySegment to, int at, int n, int narrow) {
    if (narrow == width) {
      MemorySegment.copy(from, 0, to, (long) at * width, (long) n * width);
      return;
    }
    for (int i = 0; i < n; i++) {
      int value = from.get(I32, 4L * i);
      if (narrow == 1) {
        to.set(ValueLayout.JAVA_BYTE, at + i, (byte) value);
      } else {
        to.set(
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN),
            2L * (at + i),
            (short) value);
      }
    }
  }
}
