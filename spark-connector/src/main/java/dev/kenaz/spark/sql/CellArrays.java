package dev.kenaz.spark.sql;

import dev.kenaz.ElementType;
import dev.kenaz.Value;
import dev.kenaz.error.UserError;
import dev.kenaz.spark.sql.RowFunction.Cells;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.GenericArrayData;

/** Makes arrays of Kenaz of the cells of a column, and cells of arrays. */
final class CellArrays {
  private CellArrays() {}

  /** Returns a column of rows: {@code [n]t}, or {@code [n][d]t} for arrays of one size. */
  static Value column(List<InternalRow> rows, int column, Cells cells) {
    int n = rows.size();
    int width = cells.array() ? rows.getFirst().getArray(column).numElements() : 1;
    var all = elements(cells.elem(), n * width);
    for (int i = 0; i < n; i++) {
      if (cells.array()) {
        var array = rows.get(i).getArray(column);
        for (int k = 0; k < width; k++) {
          set(all, i * width + k, array, k, cells.elem());
        }
      } else {
        set(all, i, rows.get(i), column, cells.elem());
      }
    }
    var value = Value.copyOf(cells.elem(), all);
    return cells.array() ? value.reshape(n, width) : value;
  }

  private static Object elements(ElementType elem, int n) {
    return switch (elem) {
      case BOOL -> new boolean[n];
      case I8, U8 -> new byte[n];
      case I16, U16 -> new short[n];
      case I32, U32 -> new int[n];
      case I64, U64 -> new long[n];
      case F16, F32 -> new float[n];
      case F64 -> new double[n];
    };
  }

  private static void set(Object to, int at, SpecializedGetters from, int i, ElementType elem) {
    switch (elem) {
      case BOOL -> ((boolean[]) to)[at] = from.getBoolean(i);
      case I8 -> ((byte[]) to)[at] = from.getByte(i);
      case U8 -> ((byte[]) to)[at] = (byte) inside(from.getShort(i), 0xff, elem);
      case I16 -> ((short[]) to)[at] = from.getShort(i);
      case U16 -> ((short[]) to)[at] = (short) inside(from.getInt(i), 0xffff, elem);
      case I32 -> ((int[]) to)[at] = from.getInt(i);
      case U32 -> ((int[]) to)[at] = (int) inside(from.getLong(i), 0xffff_ffffL, elem);
      case I64, U64 -> ((long[]) to)[at] = from.getLong(i);
      case F16, F32 -> ((float[]) to)[at] = from.getFloat(i);
      case F64 -> ((double[]) to)[at] = from.getDouble(i);
    }
  }

  private static long inside(long value, long most, ElementType elem) {
    if (value < 0 || value > most) {
      throw new UserError(dev.kenaz.error.ErrorCode.K6108, value + " is no " + elem);
    }
    return value;
  }

  /** Returns the cells of a result, as Spark has them. */
  static List<Object> cells(Cells type, Value result) {
    int n = Math.toIntExact(result.shape()[0]);
    int width = type.array() ? Math.toIntExact(result.shape()[1]) : 1;
    var flat = result.reshape((long) n * width).as(elements(type.elem(), 0).getClass());
    var cells = new ArrayList<Object>(n);
    for (int i = 0; i < n; i++) {
      if (!type.array()) {
        cells.add(cell(flat, i, type.elem()));
        continue;
      }
      var array = new Object[width];
      for (int k = 0; k < width; k++) {
        array[k] = cell(flat, i * width + k, type.elem());
      }
      cells.add(new GenericArrayData(array));
    }
    return cells;
  }

  private static Object cell(Object all, int i, ElementType elem) {
    return switch (elem) {
      case U8 -> (short) (Array.getByte(all, i) & 0xff);
      case U16 -> Array.getShort(all, i) & 0xffff;
      case U32 -> Integer.toUnsignedLong(Array.getInt(all, i));
      default -> Array.get(all, i);
    };
  }

  /** Shows a cell in a message. */
  static String shown(InternalRow row, int column, Cells cells) {
    var value = row.get(column, cells.sqlType());
    if (!cells.array()) {
      return String.valueOf(value);
    }
    var array =
        row.getArray(column)
            .toObjectArray(((org.apache.spark.sql.types.ArrayType) cells.sqlType()).elementType());
    var some = List.of(array).subList(0, Math.min(array.length, 8));
    return "array" + some.toString().replace("]", array.length > 8 ? ", ...]" : "]");
  }
}
