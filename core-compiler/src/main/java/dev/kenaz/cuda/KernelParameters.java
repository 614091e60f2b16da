package dev.kenaz.cuda;

import dev.kenaz.loopir.Kernel;
import dev.kenaz.value.Prim;

/** Converts a launch's arguments to those that the generated kernels take. */
public final class KernelParameters {
  private KernelParameters() {}

  /**
   * The fault record's address, then the bits of each parameter in the low bytes of a word.
   *
   * @param arguments bits in normal form
   */
  public static long[] of(Kernel kernel, long faults, long[] arguments) {
    var all = new long[arguments.length + 1];
    all[0] = faults;
    for (int i = 0; i < arguments.length; i++) {
      // f16 is f32 in registers, parameters included
      all[i + 1] =
          kernel.params().get(i).reg().prim() == Prim.F16
              ? Float.floatToRawIntBits(Float.float16ToFloat((short) arguments[i]))
              : arguments[i];
    }
    return all;
  }
}
