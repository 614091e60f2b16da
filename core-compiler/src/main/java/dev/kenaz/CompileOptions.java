package dev.kenaz;

import dev.kenaz.cuda.runtime.NvidiaDevice;
import java.io.Serializable;

/**
 * How a program is compiled. Travels with the program's text.
 *
 * @param backend what runs it
 * @param verify whether the core program is checked after each stage
 * @param cores how many threads a call may keep busy
 * @param device number of the GPU to use, or {@link #ANY_DEVICE}
 */
public record CompileOptions(Backend backend, boolean verify, int cores, int device)
    implements Serializable {
  /** The first GPU that can be used. */
  public static final int ANY_DEVICE = NvidiaDevice.ANY;

  /** For ordinary use: on all cores. */
  public static CompileOptions of(Backend backend) {
    return new CompileOptions(
        backend, false, Runtime.getRuntime().availableProcessors(), ANY_DEVICE);
  }

  /** The same, with the core program checked after each stage. */
  public CompileOptions verified() {
    return new CompileOptions(backend, true, cores, device);
  }

  /** The same on so many cores. */
  public CompileOptions onCores(int n) {
    return new CompileOptions(backend, verify, n, device);
  }

  /** The same on the GPU of that number. */
  public CompileOptions onDevice(int n) {
    return new CompileOptions(backend, verify, cores, n);
  }
}
