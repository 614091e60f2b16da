package dev.kenaz.cuda;

import dev.kenaz.value.Prim;

/** C++ types of scalars. */
final class CudaTypes {
  private CudaTypes() {}

  /** In registers. */
  static String register(Prim prim) {
    return prim == Prim.F16 ? "f32" : prim.text();
  }

  /** In memory. */
  static String memory(Prim prim) {
    return prim == Prim.F16 ? "u16" : prim.text();
  }
}
