package dev.kenaz.simulate;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** One allocation: an array of the program, shared memory of a block, memory of one thread. */
final class Region {
  private static final VarHandle SHORT = view(short[].class);
  private static final VarHandle INT = view(int[].class);
  private static final VarHandle LONG = view(long[].class);

  /** Unlikely numbers of any type: small memory would look right if it were zero. */
  private static final byte GARBAGE = (byte) 0xcd;

  final String what;
  final byte[] data;

  /** Watches memory that a block's threads share; absent for other memory. */
  final SharedMemoryRaces sharing;

  private final Kind kind;
  private Watch watch;

  /** Whose memory it is. */
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

  /** Whether threads of several blocks may meet there. */
  boolean ofDevice() {
    return kind == Kind.DEVICE;
  }

  /**
   * Watches memory that all threads share; absent for other memory, and before the first write.
   *
   * @param size of a write; 0 for a read
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

  /** The low bytes of a word. */
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
