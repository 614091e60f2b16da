package dev.kenaz.kernels;

import dev.kenaz.loopir.Kernel;

/**
 * Runs kernels: a GPU, or something that stands for one. One device runs one program, for one
 * caller at a time; programs may share memory.
 */
public interface Device extends DeviceMemory, AutoCloseable {
  /** The number of arguments that a failure may have. */
  int FAULT_ARGUMENTS = 12;

  /**
   * The bytes of the fault record, which every launch is given. It has i64 words: the first is 0
   * for none or the failure's site plus 1, then come the arguments' bits in normal form (see {@link
   * dev.kenaz.value.Prim}). {@link #NO_HEAP} as the first word means that a thread got no memory
   * from the device's heap. The first failure stays.
   */
  long FAULT_BYTES = 8 * (1 + FAULT_ARGUMENTS);

  /** The first word if a thread got no memory, see {@link #FAULT_BYTES}. */
  long NO_HEAP = -1;

  /** Returns the arrays that its memory keeps between calls, of all programs that run on it. */
  ResidentArrays residents();

  /** Returns how many bytes of memory it has, those in use included. */
  long memory();

  /** Whether what is read is what was written; else addresses that are read mean nothing. */
  default boolean remembers() {
    return true;
  }

  /**
   * Launches a kernel.
   *
   * @param blocks at least 1
   * @param threads at least 1
   * @param sharedBytes of the shared array whose size the kernel leaves open
   * @param faults address of the fault record
   * @param arguments bits in normal form, one for each parameter
   */
  void launch(
      Kernel kernel, long blocks, int threads, long sharedBytes, long faults, long[] arguments);

  @Override
  void close();
}
