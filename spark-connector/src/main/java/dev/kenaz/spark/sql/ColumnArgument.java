package dev.kenaz.spark.sql;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.CreateArray;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.vectorized.ArrowColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * An argument of a call that is made of columns without rows: a column, or an array of columns,
 * whose numbers may be widened.
 *
 * @param type the cells of the parameter
 * @param columns where the columns are among the input; one, unless it is an array of columns
 * @param isArray whether the column has arrays
 */
record ColumnArgument(Cell.Plain type, int[] columns, boolean isArray) {
  /** So many rows of a matrix are written at once, while they are in the processor's cache. */
  private static final int BLOCK = 256;

  /** Returns the argument that an expression is, if it is one. */
  static Optional<ColumnArgument> of(Expression e, Cell.Plain type, List<Attribute> input) {
    if (!CellBuffer.isStoredAlike(type.prim())) {
      return Optional.empty();
    }
    if (type.rank() == 1) {
      var plain = e instanceof Cast c ? c.child() : e;
      if (plain instanceof CreateArray a && !a.children().isEmpty()) {
        var columns = new ArrayList<Integer>();
        for (var child : Seqs.list(a.children())) {
          number(child, type.element(), input).ifPresent(columns::add);
        }
        return columns.size() == a.children().size()
            ? Optional.of(new ColumnArgument(type, ints(columns), false))
            : Optional.empty();
      }
      return column(e, input)
          .filter(i -> isArrayOf(((Expression) input.get(i)).dataType(), type.element()))
          .map(i -> new ColumnArgument(type, new int[] {i}, true));
    }
    return number(e, type.element(), input)
        .map(i -> new ColumnArgument(type, new int[] {i}, false));
  }

  private static int[] ints(List<Integer> all) {
    return all.stream().mapToInt(i -> i).toArray();
  }

  private static boolean isArrayOf(DataType type, DataType element) {
    return type instanceof ArrayType a && a.elementType().equals(element);
  }

  private static Optional<Integer> column(Expression e, List<Attribute> input) {
    for (int i = 0; i < input.size(); i++) {
      if (e instanceof Attribute a && input.get(i).exprId().equals(a.exprId())) {
        return Optional.of(i);
      }
    }
    return Optional.empty();
  }

  /** Returns the column that an expression is, perhaps widened to a type. */
  private static Optional<Integer> number(Expression e, DataType to, List<Attribute> input) {
    var inner = e instanceof Cast c ? c.child() : e;
    return column(inner, input)
        .filter(i -> widens(((Expression) input.get(i)).dataType(), to))
        .filter(_ -> inner == e || e.dataType().equals(to));
  }

  private static boolean widens(DataType from, DataType to) {
    if (from.equals(to)) {
      return true;
    }
    var order = List.of(DataTypes.IntegerType, DataTypes.LongType, DataTypes.DoubleType);
    int a = order.indexOf(from);
    return a >= 0 && order.indexOf(to) > a
        || from.equals(DataTypes.FloatType) && to.equals(DataTypes.DoubleType);
  }

  /** Memory that a task uses for one batch after the other. */
  static final class Scratch {
    private MemorySegment memory;

    MemorySegment of(Prim prim, long... shape) {
      if (memory == null || memory.byteSize() < ArrayValue.byteSize(prim, shape)) {
        memory = ArrayValue.allocate(prim, shape);
      }
      return memory;
    }
  }

  /**
   * Returns the argument for all rows of a batch; nothing if rows must be looked at one by one.
   *
   * @param scratch where the argument is, unless it stays where the column is; nobody else uses
   *     that
   */
  Optional<ArrayValue> read(ColumnarBatch batch, Scratch scratch) {
    int n = batch.numRows();
    if (isArray) {
      return arrays(batch.column(columns[0]), n, scratch);
    }
    int width = columns.length;
    for (int c : columns) {
      if (batch.column(c).hasNull()) {
        return Optional.empty();
      }
    }
    var shape = type.rank() == 0 ? new long[] {n} : new long[] {n, width};
    var there = new MemorySegment[width];
    for (int k = 0; k < width; k++) {
      there[k] = ArrowMemory.numbers(batch.column(columns[k]), type.prim(), n).orElse(null);
    }
    if (width == 1 && there[0] != null) {
      return Optional.of(ArrayValue.of(type.prim(), there[0], shape));
    }
    var memory = scratch.of(type.prim(), shape);
    int block = width == 1 ? n : BLOCK;
    for (int from = 0; from < n; from += block) {
      for (int k = 0; k < width; k++) {
        int count = Math.min(block, n - from);
        if (there[k] == null) {
          numbers(batch.column(columns[k]), from, count, memory, k, width);
        } else {
          spread(there[k], from, count, memory, (long) from * width + k, width);
        }
      }
    }
    return Optional.of(ArrayValue.of(type.prim(), memory, shape));
  }

  /** Vectors of Arrow don't show their elements as Spark's own vectors do. */
  private static boolean hasNullElements(ColumnVector column) {
    return column instanceof ArrowColumnVector a
        ? !(a.getValueVector() instanceof ListVector l) || l.getDataVector().getNullCount() > 0
        : column.getChild(0).hasNull();
  }

  private Optional<ArrayValue> arrays(ColumnVector column, int n, Scratch scratch) {
    if (column.hasNull() || hasNullElements(column)) {
      return Optional.empty();
    }
    int width = n == 0 ? 0 : column.getArray(0).numElements();
    long[] shape = {n, width};
    var there = ArrowMemory.arrays(column, type.prim(), n, width);
    if (there.isPresent()) {
      return Optional.of(ArrayValue.of(type.prim(), there.get(), shape));
    }
    var memory = scratch.of(type.prim(), shape);
    long bytes = (long) width * type.prim().byteSize();
    for (int i = 0; i < n; i++) {
      var array = column.getArray(i);
      if (array.numElements() != width) {
        return Optional.empty();
      }
      var cells =
          switch (type.prim()) {
            case I8 -> MemorySegment.ofArray(array.toByteArray());
            case I16 -> MemorySegment.ofArray(array.toShortArray());
            case I32 -> MemorySegment.ofArray(array.toIntArray());
            case I64 -> MemorySegment.ofArray(array.toLongArray());
            case F32 -> MemorySegment.ofArray(array.toFloatArray());
            case F64 -> MemorySegment.ofArray(array.toDoubleArray());
            default -> null;
          };
      if (cells == null) {
        return Optional.empty();
      }
      MemorySegment.copy(cells, 0, memory, i * bytes, bytes);
    }
    return Optional.of(ArrayValue.of(type.prim(), memory, shape));
  }

  /**
   * Writes some rows of a column: element {@code (from + i) * width + k} is row {@code from + i}.
   */
  private void numbers(ColumnVector v, int from, int n, MemorySegment to, int k, int width) {
    long at = (long) from * width + k;
    switch (type.prim()) {
      case BOOL -> {
        for (int i = 0; i < n; i++) {
          to.set(
              ValueLayout.JAVA_BYTE,
              at + (long) i * width,
              (byte) (v.getBoolean(from + i) ? 1 : 0));
        }
      }
      case I8 -> {
        for (int i = 0; i < n; i++) {
          to.set(ValueLayout.JAVA_BYTE, at + (long) i * width, v.getByte(from + i));
        }
      }
      case I16 -> {
        for (int i = 0; i < n; i++) {
          to.setAtIndex(ValueLayout.JAVA_SHORT, at + (long) i * width, v.getShort(from + i));
        }
      }
      case I32 -> ints(v.getInts(from, n), to, at, width);
      case I64 -> longs(longs(v, from, n), to, at, width);
      case F32 -> floats(v.getFloats(from, n), to, at, width);
      case F64 -> doubles(doubles(v, from, n), to, at, width);
      default -> throw new IllegalStateException(type.prim().text());
    }
  }

  /** Copies some elements to every {@code step}-th place. */
  private void spread(MemorySegment all, int from, int n, MemorySegment to, long at, int step) {
    int size = type.prim().byteSize();
    if (step == 1) {
      MemorySegment.copy(all, (long) from * size, to, at * size, (long) n * size);
    } else if (size == Long.BYTES) {
      for (int i = 0; i < n; i++) {
        long x = all.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, from + i);
        to.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, at + (long) i * step, x);
      }
    } else if (size == Integer.BYTES) {
      for (int i = 0; i < n; i++) {
        int x = all.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, from + i);
        to.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, at + (long) i * step, x);
      }
    } else {
      for (int i = 0; i < n; i++) {
        long place = (at + (long) i * step) * size;
        MemorySegment.copy(all, (long) (from + i) * size, to, place, size);
      }
    }
  }

  private static long[] longs(ColumnVector v, int from, int n) {
    if (v.dataType().equals(DataTypes.LongType)) {
      return v.getLongs(from, n);
    }
    var ints = v.getInts(from, n);
    var all = new long[n];
    for (int i = 0; i < n; i++) {
      all[i] = ints[i];
    }
    return all;
  }

  private static double[] doubles(ColumnVector v, int from, int n) {
    if (v.dataType().equals(DataTypes.DoubleType)) {
      return v.getDoubles(from, n);
    }
    var all = new double[n];
    if (v.dataType().equals(DataTypes.FloatType)) {
      var floats = v.getFloats(from, n);
      for (int i = 0; i < n; i++) {
        all[i] = floats[i];
      }
    } else {
      var longs = longs(v, from, n);
      for (int i = 0; i < n; i++) {
        all[i] = longs[i];
      }
    }
    return all;
  }

  private static void ints(int[] all, MemorySegment to, long at, int step) {
    if (step == 1) {
      MemorySegment.copy(all, 0, to, ValueLayout.JAVA_INT, at * Integer.BYTES, all.length);
      return;
    }
    for (int i = 0; i < all.length; i++) {
      to.setAtIndex(ValueLayout.JAVA_INT, at + (long) i * step, all[i]);
    }
  }

  private static void longs(long[] all, MemorySegment to, long at, int step) {
    if (step == 1) {
      MemorySegment.copy(all, 0, to, ValueLayout.JAVA_LONG, at * Long.BYTES, all.length);
      return;
    }
    for (int i = 0; i < all.length; i++) {
      to.setAtIndex(ValueLayout.JAVA_LONG, at + (long) i * step, all[i]);
    }
  }

  private static void floats(float[] all, MemorySegment to, long at, int step) {
    if (step == 1) {
      MemorySegment.copy(all, 0, to, ValueLayout.JAVA_FLOAT, at * Float.BYTES, all.length);
      return;
    }
    for (int i = 0; i < all.length; i++) {
      to.setAtIndex(ValueLayout.JAVA_FLOAT, at + (long) i * step, all[i]);
    }
  }

  private static void doubles(double[] all, MemorySegment to, long at, int step) {
    if (step == 1) {
      MemorySegment.copy(all, 0, to, ValueLayout.JAVA_DOUBLE, at * Double.BYTES, all.length);
      return;
    }
    for (int i = 0; i < all.length; i++) {
      to.setAtIndex(ValueLayout.JAVA_DOUBLE, at + (long) i * step, all[i]);
    }
  }
}
