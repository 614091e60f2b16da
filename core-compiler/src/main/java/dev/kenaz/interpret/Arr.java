package dev.kenaz.interpret;

import static dev.kenaz.error.ErrorCode.K5006;
import static dev.kenaz.error.ErrorCode.K5009;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.interpret.Datum.Num;
import dev.kenaz.interpret.Datum.Plain;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Elements;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.Arrays;
import java.util.BitSet;

/**
 * This is a row-major array that owns its elements: sub-arrays are copies. The elements are bits in
 * normal form or, once one of them has a tangent, numbers.
 */
final class Arr implements Datum {
  /** Tells where elements lie in a program that a backend has compiled; the counter asks for it. */
  enum Place {
    MEMORY,
    /**
     * The elements lie in memory that was made just now, so that it can become part of a larger
     * array without a copy.
     */
    NEW,
    /** The elements repeat others, which lie in memory. */
    REPEATED,
    /** The elements lie nowhere: they are a function of the index. */
    COMPUTED
  }

  /**
   * Checks that no element that has been read is overwritten.
   *
   * @param span the loop that promises this
   */
  private record Watch(BitSet read, Span span) {}

  private Place place = Place.MEMORY;
  private Watch watch;
  private final Prim elem;
  private final long[] shape;
  private long[] bits;
  private Num[] nums;

  private Arr(Prim elem, long[] shape, long[] bits, Num[] nums) {
    this.elem = elem;
    this.shape = shape;
    this.bits = bits;
    this.nums = nums;
  }

  /** Returns an array of zero bits. */
  static Arr zeros(Prim elem, long... shape) {
    return new Arr(elem, shape.clone(), new long[length(shape)], null);
  }

  /** Returns an array with unlikely contents. */
  static Arr scratch(Prim elem, long... shape) {
    var a = zeros(elem, shape);
    Arrays.fill(a.bits, elem.normalise(0x5A5A_5A5A_5A5A_5A5AL));
    return a;
  }

  static Arr of(ArrayValue value) {
    var a = zeros(value.elem(), value.shape());
    for (int i = 0; i < a.bits.length; i++) {
      a.bits[i] = value.bits(i);
    }
    return a;
  }

  ArrayValue toValue() {
    var data = ArrayValue.allocate(elem, shape);
    for (int i = 0; i < size(); i++) {
      Elements.setBits(data, elem, i, bitsAt(i));
    }
    return ArrayValue.of(elem, data, shape);
  }

  static int length(long[] shape) {
    return length(ArrayValue.count(shape));
  }

  /**
   * Returns a number of elements as an int.
   *
   * @throws UserError (K5006) if it is too large for the interpreter
   */
  static int length(long n) {
    if (n > Integer.MAX_VALUE - 8) {
      throw new UserError(
          K5006,
          n + " elements of an array are too many for the interpreter",
          "use smaller inputs, or another backend");
    }
    return (int) n;
  }

  /** Forbids, from now on, to overwrite what is read. Returns whether that is new. */
  boolean watch(Span loop) {
    boolean isNew = watch == null;
    if (isNew) {
      watch = new Watch(new BitSet(), loop);
    }
    return isNew;
  }

  void unwatch() {
    watch = null;
  }

  private void reading(int from, int to) {
    if (watch != null) {
      watch.read().set(from, to);
    }
  }

  private void writing(int i) {
    if (watch != null && watch.read().get(i)) {
      throw new UserError(
          K5009,
          watch.span(),
          "The loop with #[true_dep] overwrites element "
              + i
              + " (in row-major order) of an array of shape "
              + ArrayOps.shapeText(shape)
              + " after having read it.");
    }
  }

  Prim elem() {
    return elem;
  }

  Place place() {
    return place;
  }

  Arr in(Place newPlace) {
    place = newPlace;
    return this;
  }

  /** Notes that this array is a view of another: it lies where that array lies. */
  Arr view(Arr of) {
    return in(of.place == Place.NEW ? Place.MEMORY : of.place);
  }

  long[] shape() {
    return shape;
  }

  int rank() {
    return shape.length;
  }

  long dim(int i) {
    return shape[i];
  }

  int size() {
    return nums != null ? nums.length : bits.length;
  }

  private long bitsAt(int i) {
    return nums != null ? nums[i].value().bits() : bits[i];
  }

  Num get(int i) {
    reading(i, i + 1);
    return nums != null ? nums[i] : new Plain(new ScalarValue(elem, bits[i]));
  }

  void set(int i, Num x) {
    writing(i);
    if (nums == null) {
      if (x instanceof Plain(var v)) {
        bits[i] = v.bits();
        return;
      }
      nums = new Num[bits.length];
      for (int k = 0; k < bits.length; k++) {
        nums[k] = new Plain(new ScalarValue(elem, bits[k]));
      }
      bits = null;
    }
    nums[i] = x;
  }

  Arr copy() {
    return range(0, size(), shape);
  }

  /** Returns a copy of some consecutive elements, with a shape of that size. */
  Arr range(int from, int count, long... newShape) {
    reading(from, from + count);
    return nums != null
        ? new Arr(elem, newShape.clone(), null, Arrays.copyOfRange(nums, from, from + count))
        : new Arr(elem, newShape.clone(), Arrays.copyOfRange(bits, from, from + count), null);
  }

  /** Sets consecutive elements to those of another array. */
  void setRange(int to, Arr from) {
    for (int i = 0; watch != null && i < from.size(); i++) {
      writing(to + i);
    }
    if (nums == null && from.nums == null) {
      System.arraycopy(from.bits, 0, bits, to, from.bits.length);
    } else {
      for (int i = 0; i < from.size(); i++) {
        set(to + i, from.get(i));
      }
    }
  }

  /** Returns the shape without its outer {@code n} dimensions. */
  long[] innerShape(int n) {
    return Arrays.copyOfRange(shape, n, shape.length);
  }

  /**
   * Returns a copy of the element or row at flat position {@code i} of the outer {@code n}
   * dimensions.
   */
  Datum at(int n, long i) {
    if (n == shape.length) {
      return get((int) i);
    }
    var inner = innerShape(n);
    int size = length(inner);
    return range((int) i * size, size, inner).view(this);
  }

  /** Sets the element or row at flat position {@code i} of the outer {@code n} dimensions. */
  void setAt(int n, long i, Datum x) {
    if (n == shape.length) {
      set((int) i, (Num) x);
      return;
    }
    var row = (Arr) x;
    if (!Arrays.equals(row.shape, innerShape(n))) {
      throw new CompilerBug(
          "interpret",
          "a row of shape " + Arrays.toString(row.shape) + " for " + Arrays.toString(shape));
    }
    setRange((int) i * row.size(), row);
  }
}
