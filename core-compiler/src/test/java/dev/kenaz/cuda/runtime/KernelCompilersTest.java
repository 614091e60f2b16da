package dev.kenaz.cuda.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
}
