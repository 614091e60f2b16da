package dev.kenaz.jvm;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * This is the memory of code that checks its accesses, see {@link JvmOptions#checks}. An address is
 * the number of a buffer and an offset in it, so that no arithmetic on addresses ends in another
 * buffer unnoticed; each access asks for the place in native memory that it means.
 *
 * <p>A buffer has as many bytes as the code asked for, and is filled with garbage at first. A freed
 * buffer stays known for a while, so that a late access to it is reported as such.
 */
public final class CheckedMemory {
  private static final int OFFSET_BITS = 40;
  private static final long OFFSET = (1L << OFFSET_BITS) - 1;

  /**
   * The offset of a buffer's first byte. It is in the middle of the range of offsets, so that the
   * addresses before it belong to no buffer.
   */
  private static final long START = 1L << (OFFSET_BITS - 1);

  /** How many freed buffers keep their numbers, so that new buffers don't get these yet. */
  private static final int LATE = 10_000;

  /**
   * New memory is filled with this byte, which gives unlikely numbers of any type. Zeros might look
   * right.
   */
  private static final byte GARBAGE = (byte) 0xcd;

  private static final ArrayDeque<Integer> UNUSED = new ArrayDeque<>();
  private static volatile Buffer[] buffers = new Buffer[1024];
  private static int count = 1; // No buffer has the number 0, so that no address is 0.

  private CheckedMemory() {}

  /**
   * Bytes that belong together.
   *
   * @param what a name for messages
   * @param memory where it lies
   * @param constant whether nothing may write to it: an argument, or an array in the code
   */
  private record Buffer(String what, long memory, long bytes, boolean constant, boolean freed) {
    Buffer afterwards() {
      return new Buffer(what, 0, bytes, constant, true);
    }
  }

  /** Says that an access is out of bounds, or otherwise wrong. */
  static final class Finding extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Finding(String message) {
      super(message, null, false, false);
    }
  }

  /** Makes a new buffer; returns its address. */
  static long allocate(long bytes, String what) {
    long memory = NativeMemory.allocate(bytes);
    MemorySegment.ofAddress(memory).reinterpret(bytes).fill(GARBAGE);
    return add(new Buffer(what, memory, bytes, false, false));
  }

  /** Returns the address of memory that others own, and that may only be read. */
  static long constant(MemorySegment memory, String what) {
    return add(new Buffer(what, memory.address(), memory.byteSize(), true, false));
  }

  private static synchronized long add(Buffer buffer) {
    int number = UNUSED.size() > LATE ? UNUSED.pop() : count++;
    if (number == buffers.length) {
      buffers = Arrays.copyOf(buffers, 2 * number);
    }
    buffers[number] = buffer;
    return ((long) number << OFFSET_BITS) + START;
  }

  /** Frees a buffer; 0 stands for none. */
  static void free(long address) {
    if (address == 0) {
      return;
    }
    var buffer = forget(address);
    if (buffer.constant) {
      throw new Finding("frees " + buffer.what + ", which is not the code's own");
    }
    NativeMemory.free(buffer.memory, NativeMemory.capacity(buffer.bytes));
  }

  /** Ends the use of a {@link #constant}. */
  static void release(long address) {
    forget(address);
  }

  private static synchronized Buffer forget(long address) {
    var buffer = buffer(address);
    if (buffer == null || buffer.freed || offset(address) != 0) {
      throw new Finding("frees " + Long.toHexString(address) + ": " + text(address, buffer));
    }
    int number = number(address);
    buffers[number] = buffer.afterwards();
    UNUSED.add(number);
    return buffer;
  }

  private static int number(long address) {
    return (int) (address >>> OFFSET_BITS);
  }

  private static long offset(long address) {
    return (address & OFFSET) - START;
  }

  private static Buffer buffer(long address) {
    var all = buffers;
    int number = number(address);
    return number < all.length ? all[number] : null;
  }

  private static String text(long address, Buffer buffer) {
    if (buffer == null) {
      return "no buffer";
    }
    return "byte %d of %s, which %s %d bytes"
        .formatted(
            offset(address), buffer.what, buffer.freed ? "was freed and had" : "has", buffer.bytes);
  }

  // Accesses

  /** Returns the place of so many bytes that are read. */
  public static long read(long address, long bytes) {
    var buffer = buffer(address);
    long at = offset(address);
    if (buffer == null || buffer.freed || at < 0 || at > buffer.bytes - bytes) {
      throw new Finding("reads " + bytes + " bytes at " + text(address, buffer));
    }
    return buffer.memory + at;
  }

  /** Returns the place of so many bytes that are written. */
  public static long write(long address, long bytes) {
    var buffer = buffer(address);
    long at = offset(address);
    if (buffer == null || buffer.freed || buffer.constant || at < 0 || at > buffer.bytes - bytes) {
      var why = buffer != null && buffer.constant ? " and may only be read" : "";
      throw new Finding("writes " + bytes + " bytes at " + text(address, buffer) + why);
    }
    return buffer.memory + at;
  }

  // These methods are for generated code. A site is the number of one of the context's places.

  /** Returns the place of so many bytes that are read. */
  public static long read(long address, int bytes, Context context, int site) {
    try {
      return read(address, bytes);
    } catch (Finding f) {
      throw context.broken(f, site);
    }
  }

  /** Returns the place of so many bytes that are written. */
  public static long write(long address, int bytes, Context context, int site) {
    try {
      return write(address, bytes);
    } catch (Finding f) {
      throw context.broken(f, site);
    }
  }

  /** Copies bytes between places that don't overlap, or are the same. */
  public static void copy(long to, long from, long bytes, Context context, int site) {
    if (bytes <= 0) {
      return;
    }
    try {
      long target = write(to, bytes);
      long source = read(from, bytes);
      if (to != from && number(to) == number(from) && Math.abs(to - from) < bytes) {
        throw new Finding("copies " + text(from, buffer(from)) + " to where it overlaps itself");
      }
      Helpers.copy(target, source, bytes);
    } catch (Finding f) {
      throw context.broken(f, site);
    }
  }

  /** Multiplies matrices, see {@link MatrixProduct#run}. */
  public static void product(
      boolean wide, boolean differences, long[] operands, boolean add, Context context, int site) {
    try {
      MatrixProduct.runChecked(wide, differences, operands, add);
    } catch (Finding f) {
      throw context.broken(f, site);
    }
  }

  /** Replaces this buffer (0 for none) by another one of so many bytes. */
  public static long grow(long base, long bytes, Context context, int site) {
    try {
      free(base);
    } catch (Finding f) {
      throw context.broken(f, site);
    }
    return allocate(bytes, context.place(site));
  }

  /** Frees a buffer. */
  public static void free(long base, Context context, int site) {
    try {
      free(base);
    } catch (Finding f) {
      throw context.broken(f, site);
    }
  }

  /** Frees the slots of a frame, see {@link Context#freeAll}. */
  public static void freeAll(long[] frame, int slotsAt, int slots, Context context, int site) {
    for (int k = 0; k < slots; k++) {
      free(frame[slotsAt + 2 * k], context, site);
    }
  }

  // Results

  /**
   * Returns an array as a block that the garbage collector frees.
   *
   * @param base the address of the buffer, which the caller owns
   * @param address the address of the array in the buffer
   */
  static ArrayValue result(long base, long address, Prim prim, long... shape) {
    long bytes = ArrayValue.byteSize(prim, shape);
    if (base == 0 && bytes == 0) {
      return NativeMemory.result(0, 0, 0, prim, shape);
    }
    try {
      if (number(base) != number(address)) {
        throw new Finding("the result lies in another buffer than its own");
      }
      long memory = read(address, bytes);
      var buffer = forget(base);
      long capacity = NativeMemory.capacity(buffer.bytes);
      return NativeMemory.result(buffer.memory, capacity, memory, prim, shape);
    } catch (Finding f) {
      throw new CompilerBug("jvm", "the result " + f.getMessage());
    }
  }
}
