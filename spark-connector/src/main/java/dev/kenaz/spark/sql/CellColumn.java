package dev.kenaz.spark.sql;

import dev.kenaz.arrow.MemoryBatch;
import dev.kenaz.value.ArrayBuilder;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Optional;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.unsafe.Platform;

/** Collects the cells of a column, in the layout of Arrow. */
final class CellColumn {
  static final int UNKNOWN = 0;

  /** The width of arrays that have different lengths; their elements aren't kept. */
  static final int RAGGED = -1;

  private final TableColumn column;
  private int width;
  private int rows;
  private int expected;
  private ArrayBuilder cells;

  /** Truth values, which Arrow has as bits. */
  private BitSet bits = new BitSet();

  private BitSet nulls = new BitSet();
  private BitSet nullCells = new BitSet();

  CellColumn(TableColumn column) {
    this.column = column;
    this.width = column.isArray() ? UNKNOWN : 1;
    this.cells = new ArrayBuilder(column.prim());
  }

  int width() {
    return width;
  }

  /** Notes the size of arrays whose elements somebody else keeps. */
  void hasWidth(int known) {
    width = known;
  }

  /** Appends a cell of a row. */
  void add(SpecializedGetters row, int ordinal) {
    if (row.isNullAt(ordinal)) {
      nulls.set(rows++);
      fill(Math.max(0, width));
    } else if (column.isArray()) {
      array(column.isVector() ? PlainTables.numbers(row, ordinal) : row.getArray(ordinal));
      rows++;
    } else {
      element(row, ordinal);
      rows++;
    }
  }

  private void fill(int elements) {
    for (int i = 0; i < elements; i++) {
      cells.add(0);
    }
  }

  /** Appends a number; of truth values only those that hold are noted beside it. */
  private void element(SpecializedGetters row, int i) {
    switch (column.prim()) {
      case BOOL -> truth(row.getBoolean(i));
      case I8 -> cells.add(row.getByte(i));
      case I16 -> cells.add(row.getShort(i));
      case I32 -> cells.add(row.getInt(i));
      case I64 -> cells.add(row.getLong(i));
      case F32 -> cells.add(Float.floatToRawIntBits(row.getFloat(i)));
      case F64 -> cells.add(Double.doubleToRawLongBits(row.getDouble(i)));
      default -> throw new IllegalStateException(column.prim().text());
    }
  }

  private void truth(boolean holds) {
    if (holds) {
      bits.set(Math.toIntExact(cells.count()));
    }
    cells.add(holds ? 1 : 0);
  }

  private void array(ArrayData array) {
    int n = array.numElements();
    if (width == UNKNOWN && n > 0) {
      width = n;
      fill(rows * n); // All rows before are null.
    }
    if (width != n || n == 0) {
      width = RAGGED;
      cells = new ArrayBuilder(column.prim());
      return;
    }
    if (column.prim() != Prim.BOOL && !hasNulls(array, n)) {
      cells.addAll(stored(array, n).orElseGet(() -> all(array)));
      return;
    }
    for (int k = 0; k < n; k++) {
      if (array.isNullAt(k)) {
        nullCells.set(Math.toIntExact(cells.count()));
        cells.add(0);
      } else {
        element(array, k);
      }
    }
  }

  private boolean hasNulls(ArrayData array, int n) {
    if (column.isVector()) {
      return false;
    }
    for (int k = 0; k < n; k++) {
      if (array.isNullAt(k)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the elements in the place where Spark has stored them, if it is known. */
  private Optional<MemorySegment> stored(ArrayData array, int n) {
    if (!(array instanceof UnsafeArrayData u) || !(u.getBaseObject() instanceof byte[] bytes)) {
      return Optional.empty();
    }
    long from =
        u.getBaseOffset()
            - Platform.BYTE_ARRAY_OFFSET
            + UnsafeArrayData.calculateHeaderPortionInBytes(n);
    long size = (long) n * column.prim().byteSize();
    return Optional.of(MemorySegment.ofArray(bytes).asSlice(from, size));
  }

  private MemorySegment all(ArrayData array) {
    return switch (column.prim()) {
      case I8 -> MemorySegment.ofArray(array.toByteArray());
      case I16 -> MemorySegment.ofArray(array.toShortArray());
      case I32 -> MemorySegment.ofArray(array.toIntArray());
      case I64 -> MemorySegment.ofArray(array.toLongArray());
      case F32 -> MemorySegment.ofArray(array.toFloatArray());
      case F64 -> MemorySegment.ofArray(array.toDoubleArray());
      default -> throw new IllegalStateException(column.prim().text());
    };
  }

  /** Appends rows of a column, which has no arrays. */
  void addAll(ColumnVector v, int from, int n) {
    if (v.hasNull() || column.prim() == Prim.BOOL) {
      for (int i = from; i < from + n; i++) {
        addOne(v, i);
      }
      return;
    }
    cells.addAll(
        switch (column.prim()) {
          case I8 -> MemorySegment.ofArray(v.getBytes(from, n));
          case I16 -> MemorySegment.ofArray(v.getShorts(from, n));
          case I32 -> MemorySegment.ofArray(v.getInts(from, n));
          case I64 -> MemorySegment.ofArray(v.getLongs(from, n));
          case F32 -> MemorySegment.ofArray(v.getFloats(from, n));
          case F64 -> MemorySegment.ofArray(v.getDoubles(from, n));
          default -> throw new IllegalStateException(column.prim().text());
        });
    rows += n;
  }

  private void addOne(ColumnVector v, int i) {
    if (v.isNullAt(i)) {
      nulls.set(rows++);
      cells.add(0);
      return;
    }
    switch (column.prim()) {
      case BOOL -> truth(v.getBoolean(i));
      case I8 -> cells.add(v.getByte(i));
      case I16 -> cells.add(v.getShort(i));
      case I32 -> cells.add(v.getInt(i));
      case I64 -> cells.add(v.getLong(i));
      case F32 -> cells.add(Float.floatToRawIntBits(v.getFloat(i)));
      case F64 -> cells.add(Double.doubleToRawLongBits(v.getDouble(i)));
      default -> throw new IllegalStateException(column.prim().text());
    }
    rows++;
  }

  /** Returns the cells so far, and begins anew. */
  MemoryBatch.Buffers take() {
    int count = Math.toIntExact(cells.count());
    var data =
        column.prim() == Prim.BOOL
            ? bytes(bits, count)
            : cells.build().data().asSlice(0, (long) count * column.prim().byteSize());
    var all = new MemoryBatch.Buffers(valid(nulls, rows), valid(nullCells, count), data);
    expected = Math.max(expected, count);
    cells = new ArrayBuilder(column.prim(), expected);
    bits = new BitSet();
    nulls = new BitSet();
    nullCells = new BitSet();
    rows = 0;
    return all;
  }

  private static MemorySegment valid(BitSet nulls, int count) {
    if (nulls.isEmpty()) {
      return none();
    }
    var valid = (BitSet) nulls.clone();
    valid.flip(0, count);
    return bytes(valid, count);
  }

  static MemorySegment none() {
    return ArrayValue.allocate(Prim.U8, 0);
  }

  private static MemorySegment bytes(BitSet bits, int count) {
    var all = ArrayValue.allocate(Prim.U8, (count + 7) >>> 3);
    var some = bits.toByteArray();
    MemorySegment.copy(MemorySegment.ofArray(some), 0, all, 0, some.length);
    return all;
  }
}
