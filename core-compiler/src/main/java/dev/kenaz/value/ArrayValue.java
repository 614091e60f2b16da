package dev.kenaz.value;

import static dev.kenaz.error.ErrorCode.K5005;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * This is a regular array: an immutable view of contiguous, row-major, little-endian elements. A
 * boolean takes one byte, which is 0 or 1; an f16 takes two.
 *
 * <p>A view that {@link #of} makes lives as long as its segment: the owner of the segment must keep
 * it alive and unchanged. The other factories copy into native memory that the garbage collector
 * frees.
 */
public final class ArrayValue implements Value {
  /**
   * The alignment in bytes of memory that is allocated here. It is that of a cache line, and of a
   * vector of AVX-512.
   */
  public static final long ALIGNMENT = 64;

  private final Prim elem;
  private final long[] shape;
  private final Supplier<MemorySegment> source;

  /** Gives the memory back; null if nobody but the garbage collector may. */
  private final Runnable free;

  /**
   * The elements; null until they are asked for. The field is not volatile, because several threads
   * get the same from the source.
   */
  private MemorySegment data;

  private ArrayValue(
      Prim elem, long[] shape, MemorySegment data, Supplier<MemorySegment> source, Runnable free) {
    this.elem = elem;
    this.shape = shape;
    this.data = data;
    this.source = source;
    this.free = free;
  }

  /**
   * Returns an array whose elements are elsewhere, for example on a device, until somebody asks for
   * them.
   *
   * @param source returns at least as many bytes as the shape needs; always the same, as several
   *     threads may ask at once
   */
  public static ArrayValue later(Prim elem, Supplier<MemorySegment> source, long... shape) {
    return new ArrayValue(elem, shape.clone(), null, source, null);
  }

  /**
   * Returns a view, without a copy.
   *
   * @param data the elements: at least as many bytes as the shape needs; a surplus is ignored
   */
  public static ArrayValue of(Prim elem, MemorySegment data, long... shape) {
    return owned(elem, data, null, shape);
  }

  /**
   * Returns a view of memory that belongs to this array alone.
   *
   * @param free gives the memory back before the garbage collector would; {@link #release} calls it
   */
  public static ArrayValue owned(Prim elem, MemorySegment data, Runnable free, long... shape) {
    long bytes = byteSize(elem, shape);
    if (shape.length == 0) {
      throw new CompilerBug("value", "an array needs at least one dimension");
    }
    if (data.byteSize() < bytes) {
      throw new CompilerBug(
          "value", data.byteSize() + " bytes given for " + bytes + " of " + elem + show(shape));
    }
    var view = data.asSlice(0, bytes).asReadOnly();
    return new ArrayValue(elem, shape.clone(), view, ArrayValue::released, free);
  }

  /** Allocates zeroed memory for an array of this shape, which the garbage collector frees. */
  public static MemorySegment allocate(Prim elem, long... shape) {
    return Memory.allocate(Arena.ofAuto(), byteSize(elem, shape));
  }

  /**
   * Returns how many bytes an array of this shape takes.
   *
   * @throws dev.kenaz.error.UserError (K5006) if no memory holds so many
   */
  public static long byteSize(Prim elem, long... shape) {
    return held(Sizes.times(count(shape), elem.byteSize()), shape);
  }

  /**
   * Returns the number of elements, which is the product of the dimensions.
   *
   * @throws dev.kenaz.error.UserError (K5005) if a dimension is negative, as that of the rows of an
   *     array without rows may be, (K5006) if no memory holds so many
   */
  public static long count(long... shape) {
    for (long d : shape) {
      if (d < 0) {
        throw new UserError(K5005, "an array of shape " + show(shape) + " has a negative size");
      }
      if (d > Sizes.LONGEST) {
        throw Sizes.tooLarge(shape);
      }
    }
    return held(Sizes.product(shape), shape);
  }

  private static long held(long product, long[] shape) {
    if (product == Sizes.TOO_LARGE) {
      throw Sizes.tooLarge(shape);
    }
    return product;
  }

  public static ArrayValue ofDoubles(double[] xs, long... shape) {
    return copyOf(Prim.F64, MemorySegment.ofArray(xs), xs.length, shape);
  }

  public static ArrayValue ofFloats(float[] xs, long... shape) {
    return copyOf(Prim.F32, MemorySegment.ofArray(xs), xs.length, shape);
  }

  public static ArrayValue ofLongs(long[] xs, long... shape) {
    return ofLongs(Prim.I64, xs, shape);
  }

  public static ArrayValue ofInts(int[] xs, long... shape) {
    return copyOf(Prim.I32, MemorySegment.ofArray(xs), xs.length, shape);
  }

  /**
   * @param elem the type of the elements, i8 or u8
   */
  public static ArrayValue ofBytes(Prim elem, byte[] xs, long... shape) {
    if (elem != Prim.I8 && elem != Prim.U8) {
      throw new CompilerBug("value", "bytes can't be elements of type " + elem);
    }
    return copyOf(elem, MemorySegment.ofArray(xs), xs.length, shape);
  }

  public static ArrayValue ofBooleans(boolean[] xs, long... shape) {
    var bytes = new byte[xs.length];
    for (int i = 0; i < xs.length; i++) {
      bytes[i] = (byte) (xs[i] ? 1 : 0);
    }
    return copyOf(Prim.BOOL, MemorySegment.ofArray(bytes), xs.length, shape);
  }

  /** Returns an array of any element type; integers wrap around, and floats are rounded. */
  public static ArrayValue ofLongs(Prim elem, long[] xs, long... shape) {
    var data = allocate(elem, checkedShape(xs.length, shape));
    for (int i = 0; i < xs.length; i++) {
      Elements.setBits(data, elem, i, ScalarValue.ofLong(elem, xs[i]).bits());
    }
    return of(elem, data, checkedShape(xs.length, shape));
  }

  /** Returns an array of any element type; floats are rounded, integers truncated and saturated. */
  public static ArrayValue ofDoubles(Prim elem, double[] xs, long... shape) {
    var data = allocate(elem, checkedShape(xs.length, shape));
    for (int i = 0; i < xs.length; i++) {
      Elements.setBits(data, elem, i, elem.fromDouble(xs[i]));
    }
    return of(elem, data, checkedShape(xs.length, shape));
  }

  /**
   * Returns an array of these rows, which must all have one type and shape. It has one dimension
   * more than they have.
   */
  public static ArrayValue stack(List<? extends Value> rows) {
    var first = rows.getFirst();
    var shape = new long[first.rank() + 1];
    shape[0] = rows.size();
    System.arraycopy(first.shape(), 0, shape, 1, first.rank());
    var data = allocate(first.prim(), shape);
    long offset = 0;
    for (var row : rows) {
      if (row.prim() != first.prim() || !Arrays.equals(row.shape(), first.shape())) {
        throw new CompilerBug("value", "rows of different types or shapes");
      }
      switch (row) {
        case ScalarValue s ->
            Elements.setBits(data, s.prim(), offset / s.prim().byteSize(), s.bits());
        case ArrayValue a -> MemorySegment.copy(a.data(), 0, data, offset, a.data().byteSize());
      }
      offset += byteSize(row.prim(), row.shape());
    }
    return of(first.prim(), data, shape);
  }

  /** The rows of all arrays, in order; they have one type, and rows of one shape. */
  public static ArrayValue joined(List<ArrayValue> parts) {
    var first = parts.getFirst();
    var shape = first.shape();
    shape[0] = parts.stream().mapToLong(p -> p.dim(0)).sum();
    var data = allocate(first.elem(), shape);
    long offset = 0;
    for (var part : parts) {
      MemorySegment.copy(part.data(), 0, data, offset, part.data().byteSize());
      offset += part.data().byteSize();
    }
    return of(first.elem(), data, shape);
  }

  private static ArrayValue copyOf(Prim elem, MemorySegment from, long length, long... shape) {
    var s = checkedShape(length, shape);
    var data = allocate(elem, s);
    data.copyFrom(from);
    return of(elem, data, s);
  }

  /** If no shape is given, there is one dimension. */
  private static long[] checkedShape(long length, long... shape) {
    if (shape.length == 0) {
      return new long[] {length};
    }
    if (count(shape) != length) {
      throw new CompilerBug("value", length + " elements don't fill the shape " + show(shape));
    }
    return shape;
  }

  @Override
  public Prim prim() {
    return elem;
  }

  public Prim elem() {
    return elem;
  }

  @Override
  public int rank() {
    return shape.length;
  }

  @Override
  public long[] shape() {
    return shape.clone();
  }

  /** Returns the length of one dimension; 0 is the outermost. */
  public long dim(int i) {
    return shape[i];
  }

  /** Returns the number of elements. */
  public long count() {
    return count(shape);
  }

  /** Returns the elements as a read-only segment, which is exactly as long as the shape needs. */
  public MemorySegment data() {
    var known = data;
    if (known == null) {
      known = source.get().asSlice(0, byteSize(elem, shape)).asReadOnly();
      data = known;
    }
    return known;
  }

  /**
   * Gives the memory back, if it belongs to this array alone. Nobody may use the array afterwards,
   * nor a view of it.
   */
  public void release() {
    if (free != null) {
      data = null;
      free.run();
    }
  }

  private static MemorySegment released() {
    throw new CompilerBug("value", "an array is used after its memory was given back");
  }

  /** Whether the elements are still elsewhere, so that {@link #data} would fetch them. */
  public boolean elsewhere() {
    return data == null;
  }

  /** Returns the bits, in normal form, of the element at a row-major index. */
  public long bits(long i) {
    return Elements.bits(data(), elem, i);
  }

  public ScalarValue scalar(long i) {
    return new ScalarValue(elem, bits(i));
  }

  /** Returns the element as an integer: a boolean is 0 or 1, and a float is truncated. */
  public long getLong(long i) {
    return elem.isFloat() ? (long) getDouble(i) : bits(i);
  }

  public int getInt(long i) {
    return (int) getLong(i);
  }

  public double getDouble(long i) {
    return elem.toDouble(bits(i));
  }

  public float getFloat(long i) {
    return elem == Prim.F32 ? data().get(Elements.F32, i * 4) : (float) getDouble(i);
  }

  public boolean getBoolean(long i) {
    return elem.isFloat() ? getDouble(i) != 0 : bits(i) != 0;
  }

  /**
   * Returns the scalar or the sub-array at leading indices, of which there are at most as many as
   * dimensions.
   *
   * @throws IndexOutOfBoundsException if an index is outside its dimension
   */
  public Value at(long... indices) {
    long flat = flatIndex(indices);
    if (indices.length == shape.length) {
      return scalar(flat);
    }
    var rest = Arrays.copyOfRange(shape, indices.length, shape.length);
    long inner = count(rest);
    return of(elem, data().asSlice(flat * inner * elem.byteSize(), inner * elem.byteSize()), rest);
  }

  public double doubleAt(long... indices) {
    return getDouble(fullIndex(indices));
  }

  public long longAt(long... indices) {
    return getLong(fullIndex(indices));
  }

  private long fullIndex(long[] indices) {
    if (indices.length != shape.length) {
      throw new IndexOutOfBoundsException(
          indices.length + " indices into " + shape.length + " dimensions");
    }
    return flatIndex(indices);
  }

  private long flatIndex(long[] indices) {
    long flat = 0;
    for (int i = 0; i < indices.length; i++) {
      flat = flat * shape[i] + Objects.checkIndex(indices[i], shape[i]);
    }
    return flat;
  }

  /** Returns the same elements in another shape with the same count, without a copy. */
  public ArrayValue reshape(long... newShape) {
    if (count(newShape) != count()) {
      throw new CompilerBug("value", "can't reshape " + show(shape) + " to " + show(newShape));
    }
    return of(elem, data(), newShape);
  }

  /** Returns a copy of this matrix with rows as columns. */
  public ArrayValue transposed() {
    long rows = shape[0];
    long columns = shape[1];
    int size = elem.byteSize();
    var copy = allocate(elem, columns, rows);
    for (long i = 0; i < rows; i++) {
      for (long j = 0; j < columns; j++) {
        MemorySegment.copy(data(), (i * columns + j) * size, copy, (j * rows + i) * size, size);
      }
    }
    return of(elem, copy, columns, rows);
  }

  /**
   * Returns rows {@code from} to {@code to} (exclusive) of the outermost dimension, without a copy.
   */
  public ArrayValue rows(long from, long to) {
    Objects.checkFromToIndex(from, to, shape[0]);
    var s = shape.clone();
    s[0] = to - from;
    long row = byteSize(elem, Arrays.copyOfRange(shape, 1, shape.length));
    return of(elem, data().asSlice(from * row, (to - from) * row), s);
  }

  /**
   * Returns a copy with another element type: numbers are rounded to floats, and truncated and
   * saturated to integers.
   */
  public ArrayValue convert(Prim to) {
    if (to == elem) {
      return this;
    }
    var out = allocate(to, shape);
    boolean integral = !to.isFloat() && !elem.isFloat();
    long n = count();
    for (long i = 0; i < n; i++) {
      long b = bits(i);
      Elements.setBits(
          out,
          to,
          i,
          integral ? ScalarValue.ofLong(to, b).bits() : to.fromDouble(elem.toDouble(b)));
    }
    return of(to, out, shape);
  }

  public double[] toDoubleArray() {
    var out = new double[heapLength()];
    if (elem == Prim.F64) {
      MemorySegment.copy(data(), Elements.F64, 0, out, 0, out.length);
    } else {
      Arrays.setAll(out, this::getDouble);
    }
    return out;
  }

  public float[] toFloatArray() {
    var out = new float[heapLength()];
    if (elem == Prim.F32) {
      MemorySegment.copy(data(), Elements.F32, 0, out, 0, out.length);
    } else {
      for (int i = 0; i < out.length; i++) {
        out[i] = getFloat(i);
      }
    }
    return out;
  }

  public long[] toLongArray() {
    var out = new long[heapLength()];
    if (elem == Prim.I64 || elem == Prim.U64) {
      MemorySegment.copy(data(), Elements.I64, 0, out, 0, out.length);
    } else {
      Arrays.setAll(out, this::getLong);
    }
    return out;
  }

  public int[] toIntArray() {
    var out = new int[heapLength()];
    if (elem == Prim.I32 || elem == Prim.U32) {
      MemorySegment.copy(data(), Elements.I32, 0, out, 0, out.length);
    } else {
      Arrays.setAll(out, this::getInt);
    }
    return out;
  }

  public boolean[] toBooleanArray() {
    var out = new boolean[heapLength()];
    for (int i = 0; i < out.length; i++) {
      out[i] = getBoolean(i);
    }
    return out;
  }

  /** Returns the elements' bytes, as in {@link #data}. */
  public byte[] toByteArray() {
    if (data().byteSize() > Integer.MAX_VALUE - 8) {
      throw new CompilerBug("value", data().byteSize() + " bytes don't fit a Java array");
    }
    return data().toArray(ValueLayout.JAVA_BYTE);
  }

  private int heapLength() {
    if (count() > Integer.MAX_VALUE - 8) {
      throw new CompilerBug("value", count() + " elements don't fit a Java array");
    }
    return (int) count();
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof ArrayValue a) || a.elem != elem || !Arrays.equals(a.shape, shape)) {
      return false;
    }
    long bytes = data().mismatch(a.data());
    if (bytes < 0) {
      return true;
    }
    // The bits are the same up to here. Only NaNs of different bits may still be equal.
    for (long i = bytes / elem.byteSize(); i < count(); i++) {
      if (!elem.sameContent(bits(i), a.bits(i))) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int hashCode() {
    int h = 31 * elem.hashCode() + Arrays.hashCode(shape);
    long n = Math.min(count(), 64);
    for (long i = 0; i < n; i++) {
      h = 31 * h + elem.contentHash(bits(i));
    }
    return h;
  }

  /** Returns the array as Futhark prints it; a long one is cut short. */
  @Override
  public String toString() {
    return TextPrinter.abbreviate(this, 1000);
  }

  private static String show(long[] shape) {
    return Arrays.toString(shape);
  }
}
