package dev.kenaz.cuda;

import dev.kenaz.loopir.Kernel;
import dev.kenaz.value.Prim;

/** Converts a launch's arguments to those that the generated kernels take. */
public final class KernelParameters {
  private KernelParameters() {}

  /**
   * Returns one word for each parameter: the address of the fault record, then the bits of each of
   * the kernel's parameters in the low bytes of a word.
   *
   * @param arguments the arguments' bits in normal form
   */
  public static long[] of(Kernel kernel, long faults, long[] arguments) {
    var all = new long[arguments.length + 1];
    all[0] = faults;
    for (int i = 0; i < arguments.length; i++) {
      // An f16 is an f32 in registers, and parameters are registers.
      all[i + 1] =
          kernel.params().get(i).reg().prim() == Prim.F16
              ? Float.floatToRawIntBits(Float.float16ToFloat((short) arguments[i]))
              : arguments[i];
    }
    return all;
  }
}
