package dev.kenaz.jvm;

import static dev.kenaz.error.ErrorCode.K5007;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.error.UserError;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.value.ArrayValue;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Programs in a JVM that was started without the options that Kenaz likes to have. */
final class VectorModuleTest {
  /** What the other JVM runs: a loop that would be vectors, and pairs that would be combined so. */
  static final class Sum {
    private static final String PROGRAM =
        """
        def line (a: f64, b: f64) (c: f64, d: f64) = (a * c, b * c + d)
        entry total (xs: []f64) : f64 =
          let (a, b) = reduce line (1, 0) (map (\\x -> (1, x)) xs)
          in f64.sum (map (* 2) xs) + a * b
        """;

    public static void main(String[] args) {
      try (var program = Compiler.compile("sum.fut", PROGRAM, CompileOptions.of(Backend.JVM))) {
        var xs = ArrayValue.ofDoubles(new double[] {1, 2, 3, 4, 5, 6, 7, 8, 9}, 9);
        System.out.println(program.entry("total").call(List.of(xs)));
      } catch (UserError e) {
        System.out.println(e.diagnostics().getFirst().code());
      }
    }
  }

  private static String run(String... options) throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xss16m"));
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", classPath(), Sum.class.getName()));
    var process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor());
    return printed.strip();
  }

  /** Of the tests; some runners keep it in a class loader of theirs. */
  private static String classPath() {
    return VectorModuleTest.class.getClassLoader() instanceof URLClassLoader loader
        ? Arrays.stream(loader.getURLs()).map(URL::getPath).collect(Collectors.joining(":"))
        : System.getProperty("java.class.path");
  }

  @Test
  void withoutTheVectorApiTheScalarTwinRuns() throws Exception {
    assertEquals("[135.0f64]", run());
  }

  @Test
  void withoutRawMemoryTheErrorSaysSo() throws Exception {
    assertEquals(K5007.name(), run("--sun-misc-unsafe-memory-access=deny"));
  }
}
