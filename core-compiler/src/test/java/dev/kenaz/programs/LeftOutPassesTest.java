package dev.kenaz.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.pipeline.ProgramSource;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Programs compute the same without passes that only make them faster. */
final class LeftOutPassesTest {
  private static final Path ROOT = Path.of("src/test/resources/programs");

  static Stream<Set<String>> passes() {
    return Stream.concat(
        Pipelines.CAN_BE_LEFT_OUT.stream().sorted().map(Set::of),
        Stream.of(Pipelines.CAN_BE_LEFT_OUT));
  }

  @ParameterizedTest
  @MethodSource("passes")
  void resultsStayTheSame(Set<String> leftOut) {
    boolean all = leftOut.size() > 1;
    var names =
        all
            ? Stream.of("ad/constructs", "ad/nested", "ad/kmeans", "fusion/flat_matmul")
            : Stream.of("ad/kmeans", "fusion/shortest_path");
    var options = CompileOptions.of(Backend.JVM).verified().without(leftOut);
    names.forEach(
        name -> {
          var checks = ProgramChecks.of(ROOT.resolve(name + ".fut"), options);
          assertFalse(checks.isEmpty());
          checks.forEach(c -> c.body().run());
        });
  }

  @Test
  void aPassThatIsLeftOutDoesNothing() {
    var text =
        """
        def main [n] (xs: [n]f64) : (f64, f64) =
          let f (xs: [n]f64) = reduce (*) 1 (map (+ 1) xs)
          in (f xs, f64.sum (vjp f xs 1))
        """;
    var source = ProgramSource.of("p.fut", text);
    var plain = CompileOptions.of(Backend.JVM);
    int fused = operators(source, plain);
    assertTrue(operators(source, plain.without(Set.of("fusion", "vertical-fusion"))) > fused);
    // The rule for all operators needs scans, that for products doesn't.
    assertFalse(text(source, plain).contains("Scan["));
    assertTrue(text(source, plain.without(Set.of("special-rules"))).contains("Scan["));
    var wrong = plain.without(Set.of("lower"));
    assertThrows(IllegalArgumentException.class, () -> Compiler.compile(source, wrong));
    assertEquals(Set.of(), plain.leftOut());
  }

  private static String text(ProgramSource source, CompileOptions options) {
    return Compiler.run(source, Pipelines.optimised(options), options).core().toString();
  }

  private static int operators(ProgramSource source, CompileOptions options) {
    return text(source, options).split("Screma\\[").length;
  }
}
