package dev.kenaz.kernels;

import java.lang.foreign.MemorySegment;

/**
 * This is the memory of a device. Operations take effect in the order of the calls; those that
 * return nothing may still be under way when they return, except copies to and from host memory.
 */
public interface DeviceMemory {
  /**
   * Allocates device memory, aligned for every type; its contents are unspecified. The address is
   * never 0, and distinct for distinct live blocks, also for 0 bytes.
   *
   * @throws dev.kenaz.error.UserError (K5006) if there isn't enough memory
   */
  long allocate(long bytes);

  /** Frees what {@link #allocate} gave; work that uses it may still be under way. */
  void free(long address);

  /** Copies all of the segment from host memory. This is done when the call returns. */
  void copyIn(long to, MemorySegment from);

  /**
   * Copies to all of the segment in host memory. This, and all that was asked before, is done when
   * the call returns.
   */
  void copyOut(MemorySegment to, long from);

  /**
   * Copies twice, as two calls of {@link #copyOut(MemorySegment, long)} do; perhaps with only one
   * wait.
   */
  default void copyOut(MemorySegment to, long from, MemorySegment to2, long from2) {
    copyOut(to, from);
    copyOut(to2, from2);
  }

  /** Copies on the device, between places that don't overlap. */
  void copy(long to, long from, long bytes);
}
