package dev.kenaz.cuda.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** With the compilers that are on this machine. */
final class KernelCompilersTest {
  private static final String KERNEL =
      "extern \"C\" __global__ void twice(float *xs, long long n) {"
          + " long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;"
          + " if (i < n) xs[i] *= 2; }";

  private static List<KernelCompiler> compilers() {
    var found = CompilerSearch.all();
    Assumptions.assumeFalse(
        found.compilers().isEmpty(), "neither NVRTC nor nvcc here: no kernel is compiled");
    return found.compilers();
  }

  @Test
  void makesCubinsForTheArchitectureAskedFor() {
    for (var compiler : compilers()) {
      for (int capability : new int[] {80, 90}) {
        var image = compiler.compile(KERNEL, capability, List.of("--std=c++17"));
        assertEquals(
            "\177ELF", new String(image, 0, 4, java.nio.charset.StandardCharsets.ISO_8859_1));
      }
    }
  }

  /** As a run on a GPU would have it, but for the GPU. */
  @Test
  void nvrtcTakesTheKernelsOfPrograms() {
    var nvrtc = CompilerSearch.all().compilers().stream().filter(Nvrtc.class::isInstance).toList();
    if (nvrtc.isEmpty()) {
      System.out.println("no NVRTC here (KENAZ_NVRTC names its folder): nothing compiled by it");
    }
    Assumptions.assumeFalse(nvrtc.isEmpty(), "no NVRTC here");
    var cuda =
        Pipelines.cuda().apply(Optimised.file(Path.of("src/test/resources/cuda/operators.fut")));
    var text = cuda.module(0, cuda.kernels().size());
    for (int capability : new int[] {80, 90}) {
      long start = System.nanoTime();
      var image = nvrtc.getFirst().compile(text, capability, List.of("--std=c++17"));
      System.out.printf(
          "%s, sm_%d: %d bytes from %d kernels in %d ms%n",
          nvrtc.getFirst().name(),
          capability,
          image.length,
          text.split("KZ_KERNEL void").length - 1,
          (System.nanoTime() - start) / 1_000_000);
      assertTrue(image.length > 10_000);
    }
  }

  @Test
  void tellsWhatTheCompilerSays() {
    for (var compiler : compilers()) {
      var e =
          assertThrows(
              KernelCompiler.CompilationFailure.class,
              () ->
                  compiler.compile(
                      "extern \"C\" __global__ void f() { nosuch(); }", 90, List.of()));
      assertTrue(e.getMessage().contains("nosuch"), e.getMessage());
    }
  }

  /** Nobody should be told to install a compiler that is there. */
  @Test
  void anInterruptionIsNoFaultOfTheCompiler() {
    var nvcc = compilers().stream().filter(Nvcc.class::isInstance).toList();
    Assumptions.assumeFalse(nvcc.isEmpty(), "no nvcc here");
    Thread.currentThread().interrupt();
    try {
      var e =
          assertThrows(
              UserError.class, () -> nvcc.getFirst().compile(KERNEL, 90, List.of("--std=c++17")));
      assertTrue(e.isInterruption(), e.getMessage());
    } finally {
      assertTrue(Thread.interrupted(), "whoever interrupts sees it");
    }
    assertTrue(nvcc.getFirst().compile(KERNEL, 90, List.of("--std=c++17")).length > 0);
  }
}
