package dev.kenaz.cuda;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.loopir.Kernel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A GPU program's kernels as CUDA C++. The same program gives the same text. */
public final class CudaText {
  private CudaText() {}

  /** All that a compiler needs: what every program starts with, then the kernels. */
  public static String program(GpuProgram program) {
    return prelude() + kernels(program.kernels());
  }

  /** The kernels alone, for people. */
  public static String kernels(List<Kernel> kernels) {
    var text = new StringBuilder();
    var taken = CudaNames.taken(prelude());
    kernels.forEach(k -> text.append(new CudaKernel(k, taken).text()).append('\n'));
    return text.toString();
  }

  /** What every program starts with. */
  public static String prelude() {
    try (var in = CudaText.class.getResourceAsStream("prelude.cu")) {
      if (in == null) {
        throw new CompilerBug("cuda", "prelude.cu is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
