package dev.kenaz.value;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Collects elements of one type when their number isn't known beforehand, in native memory that
 * doubles as it fills. It is not thread-safe.
 */
public final class ArrayBuilder {
  private static final long FIRST_BYTES = 256;

  private final Prim elem;
  private MemorySegment data;
  private long count;

  public ArrayBuilder(Prim elem) {
    this(elem, 0);
  }

  /**
   * @param expected how many elements there is room for at first
   */
  public ArrayBuilder(Prim elem, long expected) {
    this.elem = elem;
    this.data = memory(Math.max(FIRST_BYTES, ArrayValue.byteSize(elem, expected)));
  }

  private static MemorySegment memory(long bytes) {
    return Memory.allocate(Arena.ofAuto(), bytes);
  }

  public Prim elem() {
    return elem;
  }

  public long count() {
    return count;
  }

  /** Appends an element, which is given by its low bits. */
  public void add(long bits) {
    if ((count + 1) * elem.byteSize() > data.byteSize()) {
      grow(1);
    }
    Elements.setBits(data, elem, count++, bits);
  }

  /**
   * Appends {@code elements} elements, which are given as little-endian bytes from {@code offset}
   * on.
   */
  public void addBytes(byte[] from, int offset, long elements) {
    addAll(MemorySegment.ofArray(from).asSlice(offset, elements * elem.byteSize()));
  }

  /** Appends all elements of a segment in little-endian order. */
  public void addAll(MemorySegment from) {
    long elements = from.byteSize() / elem.byteSize();
    if ((count + elements) * elem.byteSize() > data.byteSize()) {
      grow(elements);
    }
    MemorySegment.copy(from, 0, data, count * elem.byteSize(), elements * elem.byteSize());
    count += elements;
  }

  private void grow(long more) {
    long needed = ArrayValue.byteSize(elem, count + more);
    var bigger = memory(Math.max(needed, 2 * data.byteSize()));
    MemorySegment.copy(data, 0, bigger, 0, count * elem.byteSize());
    data = bigger;
  }

  /**
   * Forgets the elements but keeps the memory; arrays that were built before must no longer be in
   * use.
   */
  public void clear() {
    count = 0;
  }

  /**
   * Returns an array of the elements so far. No element may be added as long as the array is used,
   * because they share memory; the whole buffer, even if it is mostly empty, stays allocated with
   * the array. Without a shape the array has one dimension.
   */
  public ArrayValue build(long... shape) {
    return ArrayValue.of(elem, data, shape.length == 0 ? new long[] {count} : shape);
  }
}
