package dev.kenaz.cuda.runtime;

import java.util.List;

/** Compiles CUDA C for a device. */
public interface KernelCompiler {
  /** A text that every compiler that works can compile. */
  String TRIAL = "extern \"C\" __global__ void trial(int *x) { *x = 1; }\n";

  /**
   * Returns the compiler's name with its version and place, such as {@code NVRTC 13.0
   * (/usr/local/cuda/lib64/libnvrtc.so.13)}.
   */
  String name();

  /**
   * Compiles a text.
   *
   * @param capability the device's compute capability, 90 for 9.0
   * @param options the compiler's options, such as {@code --fmad=false}
   * @return a cubin, or PTX ending with a zero byte, as the driver loads it
   * @throws UnknownArchitecture if the compiler can't make anything for the device
   * @throws CompilationFailure if the compiler refuses the text
   */
  byte[] compile(String source, int capability, List<String> options);

  /** A compiler refuses a text; the message is the compiler's. */
  class CompilationFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CompilationFailure(String message) {
      super(message);
    }
  }

  /** The device is too old, or too new, for the compiler. */
  final class UnknownArchitecture extends CompilationFailure {
    private static final long serialVersionUID = 1L;

    UnknownArchitecture(String compiler, int capability) {
      super(compiler + " can't compile for compute capability " + capability / 10.0);
    }
  }
}
