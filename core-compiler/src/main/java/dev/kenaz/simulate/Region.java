package dev.kenaz.simulate;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * This is one allocation: an array of the program, shared memory of a block, or memory of one
 * thread.
 */
final class Region {
  private static final VarHandle SHORT = view(short[].class);
  private static final VarHandle INT = view(int[].class);
  private static final VarHandle LONG = view(long[].class);

  /**
   * New memory is filled with this byte, which gives unlikely numbers of any type. Zeros might look
   * right.
   */
  private static final byte GARBAGE = (byte) 0xcd;

  final String what;
  final byte[] data;

  /** Watches memory that a block's threads share; null for other memory. */
  final SharedMemoryRaces sharing;

  private final Kind kind;
  private Watch watch;

  /** Says whose memory a region is. */
  enum Kind {
    DEVICE,
    BLOCK,
    THREAD
  }

  Region(String what, int bytes, Kind kind) {
    this.what = what;
    this.data = new byte[bytes];
    Arrays.fill(data, GARBAGE);
    this.sharing = kind == Kind.BLOCK ? new SharedMemoryRaces(bytes) : null;
    this.kind = kind;
  }

  /** Whether threads of several blocks may access the region. */
  boolean ofDevice() {
    return kind == Kind.DEVICE;
  }

  /**
   * Returns what watches memory that all threads share; null for other memory, and before the first
   * write.
   *
   * @param size how many bytes are written; 0 for a read
   */
  Watch watch(int size) {
    if (watch == null && size > 0 && ofDevice() && data.length <= Watch.MOST) {
      watch = new Watch(data.length, size);
    }
    return watch;
  }

  private static VarHandle view(Class<?> array) {
    return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns some bytes as the low bytes of a word. */
  long get(int at, int bytes) {
    return switch (bytes) {
      case 1 -> data[at];
      case 2 -> (short) SHORT.get(data, at);
      case 4 -> (int) INT.get(data, at);
      default -> (long) LONG.get(data, at);
    };
  }

  void set(int at, int bytes, long bits) {
    switch (bytes) {
      case 1 -> data[at] = (byte) bits;
      case 2 -> SHORT.set(data, at, (short) bits);
      case 4 -> INT.set(data, at, (int) bits);
      default -> LONG.set(data, at, bits);
    }
  }
}
