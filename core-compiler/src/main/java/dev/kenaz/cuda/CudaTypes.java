package dev.kenaz.cuda;

import dev.kenaz.value.Prim;

/** Names the C++ types of scalars. */
final class CudaTypes {
  private CudaTypes() {}

  /** Returns the type of a scalar in registers. */
  static String register(Prim prim) {
    return prim == Prim.F16 ? "f32" : prim.text();
  }

  /** Returns the type of a scalar in memory. */
  static String memory(Prim prim) {
    return prim == Prim.F16 ? "u16" : prim.text();
  }
}
