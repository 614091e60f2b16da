package dev.kenaz.jobs.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.kenaz.ElementType;
import dev.kenaz.Kenaz;
import dev.kenaz.Program;
import dev.kenaz.Value;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What HotSpot has learned of the Vector API from one program makes no objects of the vectors of
 * the next one. Both run in a JVM of their own. It compiles in the foreground, so that each run is
 * the same.
 */
final class SecondProgramTest {
  private static final int LINE_STEPS = 20;
  private static final int MIXTURE_STEPS = 40;

  /** A step whose vectors are objects allocates more than ten times as much. */
  private static final long FEW_BYTES = 5_000_000;

  /** Fits a line and then a mixture; prints what the last step of the mixture has allocated. */
  static final class Fits {
    public static void main(String[] args) {
      try (var line = program("linear");
          var mixture = program("gmm")) {
        var x = rows(100_000, 64);
        var y = rows(100_000, 1).reshape(100_000);
        var straight = line.entry("init").call(x);
        var fit = line.entry("step").inPieces("x", "y").pieces(8);
        for (int i = 0; i < LINE_STEPS; i++) {
          fit.call(straight, x, y, 0.0);
        }
        var points = rows(50_000, 8);
        var model = mixture.entry("init").call(rows(2000, 8), 8L, 1L, 1e-6);
        var step = mixture.entry("step").inPieces("x").pieces(8);
        for (int i = 1; i < MIXTURE_STEPS; i++) {
          step.call(model, points, 1e-6);
        }
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getTotalThreadAllocatedBytes();
        step.call(model, points, 1e-6);
        System.out.println(threads.getTotalThreadAllocatedBytes() - before);
      }
    }

    private static Program program(String name) {
      var file = Path.of("..", "configs", "models", name + ".fut");
      return Kenaz.compile(file, CompileOptions.of(Backend.JVM).onCores(1));
    }

    private static Value rows(int n, int width) {
      var random = new Random(n);
      var values = random.doubles((long) n * width).toArray();
      return Value.copyOf(ElementType.F64, values).reshape(n, width);
    }
  }

  @Test
  @Tag("slow")
  void vectorsOfASecondProgramAreNoObjects() throws IOException, InterruptedException {
    var command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xbatch",
            "-Xss16m",
            "--add-modules=jdk.incubator.vector",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("java.class.path"),
            Fits.class.getName());
    var process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), printed);
    long bytes = Long.parseLong(printed.strip());
    assertTrue(bytes < FEW_BYTES, bytes + " bytes");
  }
}
