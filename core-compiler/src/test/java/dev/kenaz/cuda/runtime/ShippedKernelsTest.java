package dev.kenaz.cuda.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ShippedKernelsTest {
  private static final List<String> OPTIONS = List.of("--std=c++17");
  private static final String TEXT = "// map, a.fut:1:2\nint f();\n";

  @TempDir private Path folder;

  private boolean taken(String text, int capability, List<String> options) {
    return new ShippedKernels(folder).get(text, capability, options).isPresent();
  }

  /** A kernel of another text, option or family would compute something else, or not run. */
  @Test
  void onlyOfTheSameTextOptionsAndFamily() throws IOException {
    var shipped = new ShippedKernels(folder);
    Files.write(shipped.file(TEXT, 80, OPTIONS), new byte[] {8});
    assertTrue(taken(TEXT, 80, OPTIONS));
    assertTrue(taken(TEXT, 89, OPTIONS));
    assertFalse(taken(TEXT, 75, OPTIONS));
    assertFalse(taken(TEXT, 90, OPTIONS));
    assertFalse(taken(TEXT, 80, List.of()));
    assertFalse(taken(TEXT.replace("f()", "g()"), 80, OPTIONS));
    assertFalse(taken(TEXT.replace("int", "// int\nint"), 90, OPTIONS));
  }

  /** A program is elsewhere on another machine. */
  @Test
  void placeOfTheProgramMakesNoDifference() throws IOException {
    var shipped = new ShippedKernels(folder);
    Files.write(shipped.file(TEXT, 90, OPTIONS), new byte[] {9});
    assertTrue(taken(TEXT.replace("a.fut", "/other/place/a.fut"), 90, OPTIONS));
  }

  @Test
  void theNearestOfTheFamily() throws IOException {
    var shipped = new ShippedKernels(folder);
    Files.write(shipped.file(TEXT, 100, OPTIONS), new byte[] {1});
    Files.write(shipped.file(TEXT, 103, OPTIONS), new byte[] {2});
    assertArrayEquals(new byte[] {1}, shipped.get(TEXT, 102, OPTIONS).orElseThrow());
    assertArrayEquals(new byte[] {2}, shipped.get(TEXT, 104, OPTIONS).orElseThrow());
    assertFalse(taken(TEXT, 120, OPTIONS));
  }

  @Test
  void linesOfProcessesAddUp() {
    var sum = new KernelUse();
    assertTrue(sum.add("kernels: 3 modules shipped, 2 kept from before, 1 compiled in 1.5 s"));
    assertTrue(sum.add("kernels: 4 modules shipped, 0 kept from before, 0 compiled in 0.0 s"));
    assertFalse(sum.add("kernels: many"));
    assertEquals("kernels: 7 modules shipped, 2 kept from before, 1 compiled in 1.5 s", sum.text());
    assertTrue(sum.add(sum.text()));
  }
}
