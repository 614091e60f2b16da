package dev.kenaz.spark.sql;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.Decimal;

/** Writes what a function gives for rows as a column of Spark. */
final class ResultColumns {
  private ResultColumns() {}

  /** Returns a column of so many rows, all of which are null. */
  static WritableColumnVector nulls(Cell type, int rows) {
    var column = new OnHeapColumnVector(Math.max(rows, 1), type.sqlType());
    column.putNulls(0, rows);
    return column;
  }

  /** Returns a column with all its rows. */
  static WritableColumnVector of(Cell type, List<ArrayValue> values, int rows) {
    var column = new OnHeapColumnVector(Math.max(rows, 1), type.sqlType());
    write(column, type, values.iterator(), Rows.from(0, rows));
    return column;
  }

  /**
   * Writes some rows of a column.
   *
   * @param values the core values, which have only these rows
   * @param at the rows' numbers
   */
  static void put(WritableColumnVector column, Cell type, List<ArrayValue> values, int[] at) {
    write(column, type, values.iterator(), new Rows(at, 0, at.length));
  }

  /** Numbers of rows: those of an array, or of a stretch. */
  private record Rows(int[] at, int first, int count) {
    static Rows from(int first, int count) {
      return new Rows(null, first, count);
    }

    int at(int i) {
      return at == null ? first + i : at[i];
    }
  }

  private static void write(
      WritableColumnVector to, Cell type, Iterator<ArrayValue> values, Rows rows) {
    for (int i = 0; i < rows.count(); i++) {
      to.putNotNull(rows.at(i));
    }
    switch (type) {
      case Cell.Plain(var prim, var rank) -> {
        var value = values.next();
        var flat = value.reshape(value.count());
        plain(to, prim, flat, value.shape(), value.rank() - rank, rows);
      }
      case Cell.Struct(_, var cells) -> {
        for (int k = 0; k < cells.size(); k++) {
          write(to.getChild(k), cells.get(k), values, rows);
        }
      }
    }
  }

  /**
   * @param flat all elements
   * @param outer how many of the dimensions are rows here
   */
  private static void plain(
      WritableColumnVector to, Prim prim, ArrayValue flat, long[] shape, int outer, Rows rows) {
    if (outer == shape.length) {
      elements(to, prim, flat, rows);
      return;
    }
    int width = Math.toIntExact(shape[outer]);
    var child = to.arrayData();
    int first = child.getElementsAppended();
    int count = Math.multiplyExact(rows.count(), width);
    child.reserve(first + count);
    child.addElementsAppended(count);
    for (int i = 0; i < rows.count(); i++) {
      to.putArray(rows.at(i), first + i * width, width);
    }
    plain(child, prim, flat, shape, outer + 1, Rows.from(first, count));
  }

  private static void elements(WritableColumnVector to, Prim prim, ArrayValue from, Rows rows) {
    if (rows.at() == null && stretch(to, prim, from, rows)) {
      return;
    }
    for (int i = 0; i < rows.count(); i++) {
      int at = rows.at(i);
      switch (prim) {
        case BOOL -> to.putBoolean(at, from.getBoolean(i));
        case I8 -> to.putByte(at, (byte) from.getLong(i));
        case I16, U8 -> to.putShort(at, (short) from.getLong(i));
        case I32, U16 -> to.putInt(at, (int) from.getLong(i));
        case I64, U32 -> to.putLong(at, from.getLong(i));
        case U64 ->
            to.putDecimal(
                at,
                Decimal.apply(CellBuffer.decimal(from.getLong(i)), Cell.DIGITS_OF_U64, 0),
                Cell.DIGITS_OF_U64);
        case F16, F32 -> to.putFloat(at, (float) from.getDouble(i));
        case F64 -> to.putDouble(at, from.getDouble(i));
      }
    }
  }

  /** Copies elements at once, if Spark has them alike. */
  private static boolean stretch(WritableColumnVector to, Prim prim, ArrayValue from, Rows rows) {
    int n = rows.count();
    switch (prim) {
      case I32 -> to.putInts(rows.first(), n, from.toIntArray(), 0);
      case I64 -> to.putLongs(rows.first(), n, from.toLongArray(), 0);
      case F32 -> to.putFloats(rows.first(), n, from.toFloatArray(), 0);
      case F64 -> to.putDoubles(rows.first(), n, from.toDoubleArray(), 0);
      default -> {
        return false;
      }
    }
    return true;
  }
}
