package dev.kenaz.cuda;

import dev.kenaz.loopir.GpuProgram;
import java.util.List;

/**
 * This is a program for a GPU with its kernels as CUDA C++.
 *
 * @param kernels the texts of the program's kernels, in their order
 */
public record CudaProgram(GpuProgram program, List<String> kernels) {
  public CudaProgram {
    kernels = List.copyOf(kernels);
  }

  /** Returns the kernels without the prelude, as they are printed. */
  public String text() {
    return String.join("", kernels);
  }

  /** Returns the whole text that a compiler needs for the kernels of these numbers. */
  public String module(int from, int to) {
    return CudaText.prelude() + String.join("", kernels.subList(from, to));
  }
}
