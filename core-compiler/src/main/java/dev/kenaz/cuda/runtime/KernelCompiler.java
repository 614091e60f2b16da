package dev.kenaz.cuda.runtime;

import java.util.List;

/** Compiles CUDA C for a device. */
public interface KernelCompiler {
  /** For people: {@code NVRTC 13.0 (/usr/local/cuda/lib64/libnvrtc.so.13)}. */
  String name();

  /**
   * Compiles a text.
   *
   * @param capability of the device, 90 for 9.0
   * @param options such as {@code --fmad=false}
   * @return a cubin, or PTX ending with a zero byte, as the driver loads it
   * @throws CompilationFailure if the compiler refuses it
   */
  byte[] compile(String source, int capability, List<String> options);

  /** A compiler's complaint. */
  final class CompilationFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CompilationFailure(String message) {
      super(message);
    }
  }
}
