package dev.kenaz.kernels;

import java.lang.foreign.MemorySegment;

/**
 * Memory of a device. Operations take effect in the order of the calls; those that return nothing
 * may still be under way when they return, but for copies to and from host memory.
 */
public interface DeviceMemory {
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

  /** Both, as by two calls of {@link #copyOut(MemorySegment, long)}; perhaps with one wait. */
  default void copyOut(MemorySegment to, long from, MemorySegment to2, long from2) {
    copyOut(to, from);
    copyOut(to2, from2);
  }

  /** On the device, between places that don't overlap. */
  void copy(long to, long from, long bytes);
}
