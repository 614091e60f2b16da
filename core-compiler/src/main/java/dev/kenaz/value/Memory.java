package dev.kenaz.value;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Allocates zeroed native memory for arrays, aligned to 64 bytes.
 *
 * <p>Large blocks on Linux come from {@code mmap} with huge pages, if the system grants them on
 * request. The first touch of fresh memory costs one page fault for each page, so with 4 KB pages
 * filling 256 MB takes 115 ms where copying it takes 14; with huge pages it takes 26. Everywhere
 * else, and for small blocks, the arena itself allocates. Both count against {@code
 * -XX:MaxDirectMemorySize}. Large blocks begin at different lines of a page ({@link Stagger}).
 */
public final class Memory {
  /**
   * The least size in bytes of a large block: from here on page faults take longer than two system
   * calls.
   */
  private static final long LARGE = 4L << 20;

  private static final long HUGE_PAGE = 2L << 20;
  private static final AtomicLong RESERVED = new AtomicLong();
  private static final Optional<Calls> CALLS = Calls.find();

  private Memory() {}

  /**
   * Allocates memory that lives as long as the arena; with {@link Arena#ofAuto}, as long as
   * anything refers to it.
   *
   * @throws dev.kenaz.error.UserError (K5006) if there is not enough memory
   */
  public static MemorySegment allocate(Arena arena, long bytes) {
    if (bytes < LARGE || CALLS.isEmpty()) {
      return arena.allocate(bytes, ArrayValue.ALIGNMENT);
    }
    // One huge page more is mapped, so that the used part can start at the boundary of one, or
    // less than a page later: a mapping itself starts at a page's boundary.
    long mapped = bytes + HUGE_PAGE;
    NativeLimit.reserve(mapped);
    RESERVED.addAndGet(mapped);
    var calls = CALLS.get();
    long address = calls.map(mapped);
    if (address == -1) {
      given(mapped);
      throw NativeLimit.outOfMemory(bytes);
    }
    var whole = MemorySegment.ofAddress(address).reinterpret(mapped, arena, s -> release(calls, s));
    return whole.asSlice((-address & (HUGE_PAGE - 1)) + Stagger.next(), bytes);
  }

  private static void release(Calls calls, MemorySegment whole) {
    calls.unmap(whole.address(), whole.byteSize());
    given(whole.byteSize());
  }

  private static void given(long back) {
    RESERVED.addAndGet(-back);
    NativeLimit.release(back);
  }

  /** Returns how many bytes of large blocks are in use. */
  public static long reserved() {
    return RESERVED.get();
  }

  /** The system calls, with Linux's constants for x86-64 and AArch64. */
  private record Calls(MethodHandle mmap, MethodHandle madvise, MethodHandle munmap) {
    private static final int READ_WRITE = 3;
    private static final int PRIVATE_ANONYMOUS = 0x22;
    private static final int HUGE = 14;

    static Optional<Calls> find() {
      if (!System.getProperty("os.name").equals("Linux")) {
        return Optional.empty();
      }
      try {
        var linker = Linker.nativeLinker();
        var names = linker.defaultLookup();
        var size = ValueLayout.JAVA_LONG;
        var flag = ValueLayout.JAVA_INT;
        return Optional.of(
            new Calls(
                linker.downcallHandle(
                    names.findOrThrow("mmap"),
                    FunctionDescriptor.of(size, size, size, flag, flag, flag, size)),
                linker.downcallHandle(
                    names.findOrThrow("madvise"), FunctionDescriptor.of(flag, size, size, flag)),
                linker.downcallHandle(
                    names.findOrThrow("munmap"), FunctionDescriptor.of(flag, size, size))));
      } catch (RuntimeException e) {
        // There are no such symbols, or native access is denied. The arena's own memory does as
        // well.
        return Optional.empty();
      }
    }

    /** Returns an address, or -1. */
    long map(long bytes) {
      try {
        long address = (long) mmap.invokeExact(0L, bytes, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0L);
        if (address != -1) {
          // This is only advice: without huge pages the memory is as good, but its first use is
          // slower.
          int _ = (int) madvise.invokeExact(address, bytes, HUGE);
        }
        return address;
      } catch (Throwable e) {
        throw new AssertionError(e);
      }
    }

    void unmap(long address, long bytes) {
      try {
        int _ = (int) munmap.invokeExact(address, bytes);
      } catch (Throwable e) {
        throw new AssertionError(e);
      }
    }
  }
}
