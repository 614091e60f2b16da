package dev.kenaz;

import dev.kenaz.value.ArrayValue;
import java.lang.foreign.MemorySegment;

/** Makes memory that belongs to the caller readable for all threads of a call. */
final class Segments {
  private Segments() {}

  /**
   * Returns a segment that all threads of a call can read, without a copy. Memory that belongs to
   * this thread alone stays open meanwhile, because the thread that could close it is busy with the
   * call.
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

  /** A thread that is never started: it stands for any thread but the current one. */
  private static final Thread ANOTHER = new Thread();

  /** Returns the value, over memory that all threads of a call can read. */
  static dev.kenaz.value.Value usable(dev.kenaz.value.Value value, String what) {
    if (!(value instanceof ArrayValue a) || a.elsewhere()) {
      return value;
    }
    var segment = a.data();
    var usable = usable(segment, what);
    return usable == segment ? a : ArrayValue.of(a.elem(), usable, a.shape());
  }
}
