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
import dev.ludovic.netlib.blas.JavaBLAS;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What HotSpot has learned of the Vector API from another program, or from a library that uses it,
 * makes no objects of the vectors of the next program. Both run in a JVM of their own. It compiles
 * in the foreground, so that each run is the same.
 */
final class SecondProgramTest {
  /** Options with which loops are compiled soon. */
  private static final Path FLAGS =
      Path.of("../core-compiler/src/main/resources/dev/kenaz/jvm/jit-flags");

  private static final int LINE_STEPS = 20;
  private static final int MIXTURE_STEPS = 40;
  private static final int PRODUCTS = 500;

  /** A step whose vectors are objects allocates more than ten times as much. */
  private static final long FEW_BYTES = 5_000_000;

  /**
   * Does something with vectors and then fits a mixture; prints what the last step of the mixture
   * has allocated.
   */
  static final class Fits {
    public static void main(String[] args) {
      switch (args[0]) {
        case "line" -> line();
        case "products" -> products();
        default -> throw new IllegalArgumentException(args[0]);
      }
      try (var mixture = program("gmm")) {
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

    private static void line() {
      try (var line = program("linear")) {
        var x = rows(100_000, 64);
        var y = rows(100_000, 1).reshape(100_000);
        var straight = line.entry("init").call(x);
        var fit = line.entry("step").inPieces("x", "y").pieces(8);
        for (int i = 0; i < LINE_STEPS; i++) {
          fit.call(straight, x, y, 0.0);
        }
      }
    }

    /** Calls what MLlib's estimators call, whose vectors are of other classes. */
    private static void products() {
      var blas = JavaBLAS.getInstance();
      var random = new Random(1);
      int n = 64;
      var a = random.doubles(n * n).toArray();
      var b = random.doubles(n * n).toArray();
      var c = new double[n * n];
      var floats = new float[n];
      for (int i = 0; i < PRODUCTS; i++) {
        blas.dgemm("T", "N", n, n, n, 1, a, n, b, n, 0.5, c, n);
        blas.dgemm("N", "N", n, n, n, 1, a, n, b, n, 0.5, c, n);
        blas.dgemv("N", n, n, 1, a, n, b, 1, 0.5, c, 1);
        for (int k = 0; k < n; k++) {
          blas.ddot(n, a, k * n, 1, b, 0, 1);
          blas.daxpy(n, 1e-9, a, k * n, 1, c, 0, 1);
          blas.dspr("U", 8, 1e-9, a, 1, c);
          blas.saxpy(n, 1e-9f, floats, 1, floats, 1);
        }
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

  @ParameterizedTest
  @CsvSource({"line, false", "products, false", "line, true", "products, true"})
  @Tag("slow")
  void vectorsOfASecondProgramAreNoObjects(String first, boolean soon)
      throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xbatch", "-Xss16m"));
    command.add("--add-modules=jdk.incubator.vector");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.addAll(soon ? List.of("@" + FLAGS) : List.of());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Fits.class.getName(), first));
    var process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), printed);
    long bytes = Long.parseLong(printed.strip());
    assertTrue(bytes < FEW_BYTES, bytes + " bytes");
  }
}
