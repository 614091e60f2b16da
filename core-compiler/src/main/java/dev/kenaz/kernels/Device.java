package dev.kenaz.kernels;

import java.lang.foreign.MemorySegment;

/**
 * What runs kernels: a GPU, or something that stands for one. One device runs one program, for one
 * caller at a time.
 *
 * <p>Operations take effect in the order of the calls; those that return nothing may still be under
 * way when they return, but for copies to and from host memory.
 */
public interface Device extends AutoCloseable {
  /** Arguments that a failure may have. */
  int FAULT_ARGUMENTS = 12;

  /**
   * Bytes of the fault record, which every launch is given: i64 words, first 0 for none or the
   * failure's site plus 1, then the arguments' bits in normal form (see {@link
   * dev.kenaz.value.Prim}). The first failure stays.
   */
  long FAULT_BYTES = 8 * (1 + FAULT_ARGUMENTS);

  /** For people: which device this is. */
  String name();

  /**
   * Device memory, aligned for every type; contents unspecified. Never 0, and distinct for distinct
   * live blocks, also for 0 bytes.
   *
   * @throws dev.kenaz.error.UserError (K5006) if there isn't enough memory
   */
  long allocate(long bytes);

  /** Gives back what {@link #allocate} gave; work that uses it may still be under way. */
  void free(long address);

  /** From host memory, all of the segment. Done when it returns. */
  void copyIn(long to, MemorySegment from);

  /** To host memory, all of the segment. Done when it returns, as is all that was asked before. */
  void copyOut(MemorySegment to, long from);

  /** On the device, between places that don't overlap. */
  void copy(long to, long from, long bytes);

  /**
   * @param blocks at least 1
   * @param threads at least 1
   * @param sharedBytes of the shared array whose size the kernel leaves open
   * @param faults address of the fault record
   * @param arguments bits in normal form, one a parameter
   */
  void launch(
      Kernel kernel, long blocks, int threads, long sharedBytes, long faults, long[] arguments);

  @Override
  void close();
}
