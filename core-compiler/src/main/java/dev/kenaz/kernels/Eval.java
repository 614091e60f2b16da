package dev.kenaz.kernels;

import dev.kenaz.value.Prim;

/** Computes a scalar of a lane. The result is in normal form. */
@FunctionalInterface
public interface Eval {
  long of(Lanes lanes, int lane);

  /** What a scalar is computed from: threads that run together, or the host, which has lane 0. */
  interface Lanes {
    /** Returns the bits of the register with that number. */
    long get(int register, int lane);

    /** Returns the bits of an element in the device's memory. */
    long load(Prim prim, long address, int lane);
  }
}
