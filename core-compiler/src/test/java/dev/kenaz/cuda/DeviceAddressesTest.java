package dev.kenaz.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The text tells the GPU's compiler which atomic updates are surely in device memory. */
final class DeviceAddressesTest {
  private static final String TEXT =
      CudaText.PASS
          .apply(
              Pipelines.gpu()
                  .apply(
                      Optimised.text(
                          """
                          entry main [n] (k: i64) (is: [n]i64) (xs: [n]f64): [k]f64 =
                            hist (+) 0 k is xs
                          """)))
          .text();

  private static List<String> updates(String what) {
    var kernel =
        Stream.of(TEXT.split("\n\n"))
            .filter(k -> k.contains("// histogram in " + what))
            .findFirst()
            .orElseThrow();
    return kernel.lines().filter(l -> l.contains("atomicAdd(")).toList();
  }

  @Test
  void updatesOfCopiesInDeviceMemoryAreSentOff() {
    var updates = updates("device memory");
    assertTrue(!updates.isEmpty());
    assertEquals(
        updates, updates.stream().filter(l -> l.contains("(&in_device<f64>(")).toList(), TEXT);
  }

  @Test
  void thoseOfABlockAreInSharedMemory() {
    var updates = updates("shared memory");
    assertTrue(updates.stream().anyMatch(l -> l.contains("(&at<f64>(")), TEXT);
  }

  /** What a thread has for itself is neither. */
  @Test
  void buffersOfAThreadBeginAsItsOwnArrays() {
    var text =
        CudaText.PASS
            .apply(
                Pipelines.gpu()
                    .apply(
                        Optimised.text(
                            """
                            entry main [n] (ns: [n]i64): [n]i64 =
                              map (\\m -> let xs = loop xs = replicate m 1 for i < m - 1 do
                                                    xs with [i + 1] = xs[i] + i
                                         in xs[m - 1]) ns
                            """)))
            .text();
    assertTrue(text.contains("_own[KZ_OWN];"), text);
    assertTrue(text.contains("heap_grow("), text);
    assertTrue(!text.contains("in_device<i64>(xs"), text);
  }
}
