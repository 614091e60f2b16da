package dev.kenaz.jvm;

import static dev.kenaz.error.ErrorCode.K5007;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.NativeLimit;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Stagger;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Allocates blocks of native memory, addressed by longs, in four size classes for each power of
 * two. Freed blocks are kept for reuse up to a limit, so that a program in a steady state neither
 * calls the system nor touches fresh pages. Memory isn't cleared.
 *
 * <p>The first touch of a page costs far more than clearing it, so larger blocks are backed by huge
 * pages. Medium ones are cut, several at a time, from slabs with huge pages, and are never given
 * back. Both begin at different lines of a page ({@link Stagger}).
 */
final class NativeMemory {
  /** All memory as one segment; accesses cost no liveness check. */
  static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private static final int ALIGNMENT = 64;
  private static final int CLASSES = 4 * 48;
  private static final long CACHE_LIMIT = Math.max(1L << 28, Runtime.getRuntime().maxMemory() / 2);
  private static final LongAdder CACHED = new LongAdder();
  private static final LongAdder LIVE = new LongAdder();

  private static final FreeBlocks[] FREE = new FreeBlocks[CLASSES];

  private static final MethodHandle MALLOC;
  private static final MethodHandle RELEASE;
  private static final MethodHandle ADVISE;

  /** The system is asked to back blocks of this size and more by huge pages. */
  private static final long HUGE = 1L << 22;

  private static final long HUGE_PAGE = 1L << 21;
  private static final int MADV_HUGEPAGE = 14;

  /** Smaller blocks than {@link #HUGE} but of at least this size come from slabs. */
  private static final long MEDIUM = 1L << 17;

  private static final long SLAB = 4 * HUGE_PAGE;

  /**
   * If results grow by this much, the collector is asked to run: it doesn't see how much native
   * memory hangs on small objects. This is as much as the heap holds, so that collecting stays
   * cheap beside what made the results.
   */
  private static final long RESULT_GROWTH = 1L << 28;

  private static final AtomicLong RESULTS = new AtomicLong();

  /** The least that results have held since the last request. */
  private static final AtomicLong LOW = new AtomicLong();

  static {
    for (int i = 0; i < CLASSES; i++) {
      FREE[i] = new FreeBlocks();
    }
    NativeLimit.whenScarce(NativeMemory::trim);
    var linker = Linker.nativeLinker();
    var lookup = linker.defaultLookup();
    var size = ValueLayout.JAVA_LONG;
    MALLOC =
        linker.downcallHandle(
            lookup.findOrThrow("aligned_alloc"), FunctionDescriptor.of(size, size, size));
    RELEASE = linker.downcallHandle(lookup.findOrThrow("free"), FunctionDescriptor.ofVoid(size));
    ADVISE =
        lookup
            .find("madvise")
            .map(
                f ->
                    linker.downcallHandle(
                        f,
                        FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, size, size, ValueLayout.JAVA_INT)))
            .orElse(null);
  }

  private NativeMemory() {}

  /** The smallest size class: 64 bytes times 1, 1.25, 1.5 or 1.75 times a power of two. */
  private static int sizeClass(long bytes) {
    long units = Math.max(4, (bytes + ALIGNMENT - 1) / ALIGNMENT);
    int log = 63 - Long.numberOfLeadingZeros(units);
    long quarter = 1L << (log - 2);
    int k = (int) ((units + quarter - 1) / quarter) - 4;
    return 4 * (log - 2) + k;
  }

  private static long classBytes(int c) {
    long quarters = 4 + c % 4;
    return (quarters << (c / 4)) * ALIGNMENT;
  }

  /** Returns how many bytes a block for so many bytes holds. */
  static long capacity(long bytes) {
    return classBytes(sizeClass(bytes));
  }

  static long allocate(long bytes) {
    if (bytes < 0 || bytes > 1L << 46) {
      throw NativeLimit.outOfMemory(bytes);
    }
    int c = sizeClass(bytes);
    long size = classBytes(c);
    LIVE.add(size);
    long cached = FREE[c].pop();
    if (cached != FreeBlocks.NONE) {
      keep(-size);
      return cached;
    }
    if (isMedium(size)) {
      return slab(c, size);
    }
    return size < HUGE
        ? reserved(size, size)
        : reserved(size + Stagger.PAGE, size) + Stagger.next();
  }

  /**
   * Reserves memory from the system, and counts it.
   *
   * @param live how much of it counts as live, unless the system refuses it
   */
  private static long reserved(long bytes, long live) {
    try {
      NativeLimit.reserve(bytes);
    } catch (RuntimeException e) {
      LIVE.add(-live);
      throw e;
    }
    long address = malloc(bytes);
    if (address == 0) {
      trim();
      address = malloc(bytes);
    }
    if (address == 0) {
      NativeLimit.release(bytes);
      LIVE.add(-live);
      throw NativeLimit.outOfMemory(bytes);
    }
    return address;
  }

  private static boolean isMedium(long size) {
    return size >= MEDIUM && size < HUGE && ADVISE != null;
  }

  /** Makes a new slab; returns one block of it and frees the others. */
  private static long slab(int c, long size) {
    long blocks = SLAB / size;
    long first = reserved(SLAB + blocks * Stagger.PAGE, size);
    for (long b = 1; b < blocks; b++) {
      CACHED.add(size);
      FREE[c].push(first + b * (size + Stagger.PAGE) + Stagger.next());
    }
    return first + Stagger.next();
  }

  /**
   * Frees a block.
   *
   * @param capacity the capacity of the block, which {@link #capacity} returned
   */
  static void free(long address, long capacity) {
    if (address == 0) {
      return;
    }
    LIVE.add(-capacity);
    if (capacity >= MEDIUM && CACHED.sum() + capacity > CACHE_LIMIT && !isMedium(capacity)) {
      release(address, capacity);
    } else {
      keep(capacity);
      FREE[sizeClass(capacity)].push(address);
    }
  }

  /**
   * Counts what is kept for reuse, or no longer if it is negative. Small blocks are left out: tasks
   * make and free some in less time than it takes to read what other processors count.
   */
  private static void keep(long bytes) {
    if (Math.abs(bytes) >= MEDIUM) {
      CACHED.add(bytes);
    }
  }

  /** A block with a result, which is freed once. */
  private static final class Result implements Runnable {
    private final long base;
    private final long capacity;
    private final AtomicBoolean freed = new AtomicBoolean();

    Result(long base, long capacity) {
      this.base = base;
      this.capacity = capacity;
    }

    @Override
    public void run() {
      if (!freed.getAndSet(true)) {
        RESULTS.addAndGet(-capacity);
        free(base, capacity);
      }
    }
  }

  /** Returns an array in a block that the garbage collector frees, if nobody does it earlier. */
  static ArrayValue result(long base, long capacity, long address, Prim prim, long... shape) {
    long now = RESULTS.addAndGet(capacity);
    long low = LOW.accumulateAndGet(now, Math::min);
    if (now - low > RESULT_GROWTH) {
      var heap = Runtime.getRuntime();
      if (now - low > heap.totalMemory() - heap.freeMemory()) {
        LOW.set(now);
        System.gc();
      }
    }
    var block = new Result(base, capacity);
    var memory =
        MemorySegment.ofAddress(address)
            .reinterpret(ArrayValue.byteSize(prim, shape), Arena.ofAuto(), _ -> block.run());
    return ArrayValue.owned(prim, memory, block, shape);
  }

  /** Returns the number of bytes in blocks that are allocated and not freed. */
  static long live() {
    return LIVE.sum();
  }

  /** Gives cached blocks back to the system. */
  static void trim() {
    for (int c = 0; c < CLASSES; c++) {
      if (isMedium(classBytes(c))) {
        continue;
      }
      for (long a = FREE[c].pop(); a != FreeBlocks.NONE; a = FREE[c].pop()) {
        keep(-classBytes(c));
        release(a, classBytes(c));
      }
    }
  }

  private static long malloc(long bytes) {
    try {
      if (bytes < HUGE) {
        return (long) MALLOC.invokeExact((long) ALIGNMENT, bytes);
      }
      long address = (long) MALLOC.invokeExact(HUGE_PAGE, bytes);
      if (address != 0 && ADVISE != null) {
        var _ = (int) ADVISE.invokeExact(address, bytes, MADV_HUGEPAGE);
      }
      return address;
    } catch (Throwable t) {
      throw new CompilerBug("jvm", "aligned_alloc failed", t);
    }
  }

  /** Gives a block back to the system that isn't part of a slab. */
  private static void release(long block, long size) {
    boolean large = size >= HUGE;
    NativeLimit.release(large ? size + Stagger.PAGE : size);
    long address = large ? block & -Stagger.PAGE : block;
    try {
      RELEASE.invokeExact(address);
    } catch (Throwable t) {
      throw new CompilerBug("jvm", "free failed", t);
    }
  }

  /** The JDK's raw memory access, for generated code: plain loads and stores without checks. */
  static Object unsafe() {
    try {
      var field = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
      field.setAccessible(true);
      return field.get(null);
    } catch (ReflectiveOperationException e) {
      throw new CompilerBug("jvm", "no raw memory access", e);
    }
  }

  /**
   * Checks that the JVM doesn't refuse raw access, which it can be told to do and some later one
   * will do.
   */
  static void requireAccess() {
    try {
      var unsafe = unsafe();
      var read = unsafe.getClass().getMethod("getByte", Object.class, long.class);
      read.invoke(unsafe, new byte[64], 32L);
    } catch (InvocationTargetException e) {
      throw new UserError(
          K5007,
          "Java was started without access to raw memory",
          "start it with --sun-misc-unsafe-memory-access=allow;",
          "on Spark: --driver-java-options, and spark.executor.extraJavaOptions");
    } catch (ReflectiveOperationException e) {
      throw new CompilerBug("jvm", "no raw memory access", e);
    }
  }
}
