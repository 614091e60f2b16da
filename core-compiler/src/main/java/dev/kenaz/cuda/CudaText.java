package dev.kenaz.cuda;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.pass.Pass;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Writes a GPU program's kernels as CUDA C++. The same program gives the same text. */
public final class CudaText {
  public static final Pass<GpuProgram, CudaProgram> PASS =
      Pass.of("cuda", "Writes the kernels as CUDA C++.", CudaText::program);

  private CudaText() {}

  private static CudaProgram program(GpuProgram program) {
    var taken = CudaNames.taken(prelude());
    var texts = program.kernels().stream().map(k -> new CudaKernel(k, taken).text() + '\n');
    return new CudaProgram(program, texts.toList());
  }

  /** The text that every program starts with. */
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
