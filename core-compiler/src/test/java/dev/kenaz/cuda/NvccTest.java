package dev.kenaz.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kenaz.Backend;
import dev.kenaz.CompileOptions;
import dev.kenaz.Kenaz;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.flatten.Flatten;
import dev.kenaz.flatten.FlattenOptions;
import dev.kenaz.kernels.GpuLowering;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The CUDA C text is what NVIDIA's compiler takes. By default a sample of the programs; all with
 * {@code -Dkenaz.nvcc=all}.
 */
final class NvccTest {
  private static final Pattern SAMPLE = Pattern.compile("/cuda/.*\\.fut");
  private static final Pattern NAME = Pattern.compile("(?m)^KZ_KERNEL void (\\w+)\\(");

  /** Programs that are compiled at once. */
  private static final int TOGETHER = 6;

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"sm_80", "sm_90"})
  void compiles(String architecture) throws IOException, InterruptedException {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(d -> Files.isExecutable(Path.of(d, "nvcc"))),
        "there is no nvcc here");
    var all = files();
    // one large text takes longer than its parts
    for (int first = 0; first < all.size(); first += TOGETHER) {
      var some = all.subList(first, Math.min(all.size(), first + TOGETHER));
      long start = System.nanoTime();
      compile(some, architecture);
      System.out.printf(
          "%s: %d to %d of %d programs, %.0f s%n",
          architecture,
          first + 1,
          first + some.size(),
          all.size(),
          (System.nanoTime() - start) / 1e9);
    }
  }

  private void compile(List<Path> files, String architecture)
      throws IOException, InterruptedException {
    var text = new StringBuilder(CudaText.prelude());
    int k = 0;
    for (var file : files) {
      // kernels of different programs may have one name
      text.append(NAME.matcher(kernels(file)).replaceAll("KZ_KERNEL void p" + k++ + "_$1("));
    }
    var source = Files.writeString(folder.resolve("kernels.cu"), text);
    var log = folder.resolve("log.txt").toFile();
    var command =
        List.of(
            "nvcc",
            "-std=c++17",
            "-cubin",
            "-Werror",
            "all-warnings",
            "-arch=" + architecture,
            "-o",
            folder.resolve("out.cubin").toString(),
            source.toString());
    int rc =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start().waitFor();
    assertEquals(0, rc, () -> files + "\n" + read(log.toPath()));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static List<Path> files() throws IOException {
    boolean all = System.getProperty("kenaz.nvcc", "").equals("all");
    var files = new ArrayList<Path>();
    var roots =
        List.of(
            "src/test/resources/cuda",
            "src/test/resources/programs",
            "../jobs/src/main/resources/dev/kenaz/jobs/programs");
    for (var root : roots) {
      try (var found = Files.walk(Path.of(root))) {
        found
            .filter(f -> f.toString().endsWith(".fut"))
            .filter(f -> all || SAMPLE.matcher(f.toString()).find())
            .sorted()
            .forEach(files::add);
      }
    }
    return files;
  }

  private static String kernels(Path file) {
    try {
      var core = Kenaz.compile(file, CompileOptions.of(Backend.INTERPRET)).core();
      var program = GpuLowering.program(Flatten.program(core, FlattenOptions.gpu()));
      return CudaText.kernels(program.kernels());
    } catch (UserError | Limitation e) {
      return ""; // a program that is to be rejected
    }
  }
}
