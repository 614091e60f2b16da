package dev.kenaz;

import dev.kenaz.value.ArrayValue;
import java.lang.foreign.MemorySegment;

/** Memory of others that a call reads. */
final class Segments {
  private Segments() {}

  /**
   * The segment, for other threads of a call too. While this thread is in the call it can't close
   * memory that is its own.
   *
   * @throws IllegalStateException if it is closed
   * @throws WrongThreadException if it belongs to another thread
   */
  static MemorySegment usable(MemorySegment segment, String what) {
    if (!segment.scope().isAlive()) {
      throw new IllegalStateException("the memory of " + what + " is closed");
    }
    if (!segment.isAccessibleBy(Thread.currentThread())) {
      throw new WrongThreadException("the memory of " + what + " belongs to another thread");
    }
    boolean confined = segment.isNative() && !segment.isAccessibleBy(ANOTHER);
    return confined
        ? MemorySegment.ofAddress(segment.address()).reinterpret(segment.byteSize())
        : segment;
  }

  /** Never started. */
  private static final Thread ANOTHER = new Thread();

  /** The value, over memory that is usable. */
  static dev.kenaz.value.Value usable(dev.kenaz.value.Value value, String what) {
    if (!(value instanceof ArrayValue a) || a.elsewhere()) {
      return value;
    }
    var segment = a.data();
    var usable = usable(segment, what);
    return usable == segment ? a : ArrayValue.of(a.elem(), usable, a.shape());
  }
}
