package dev.kenaz.programs;

import static org.junit.jupiter.api.Assertions.fail;

import dev.kenaz.options.CompileOptions;
import dev.kenaz.programs.JacobianChecks.Ways;
import dev.kenaz.testing.Seeds;
import dev.kenaz.testing.Shrinking;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Random functions have one Jacobian, however it is computed, and a symmetric Hessian: see {@link
 * JacobianChecks}. What fails is made small first.
 */
final class RandomJacobiansTest {
  private static final int DEPTH = Integer.getInteger("random.depth", 3);
  private static final int SMALLEST = Integer.getInteger("random.least", 4);
  private static final int LARGEST = Integer.getInteger("random.size", 40);
  private static final Path TEMPLATES = Path.of("src/test/resources/random/differentiable.txt");

  @Test
  void agree() {
    Seeds.check(6, RandomJacobiansTest::check);
  }

  private static void check(long seed) throws IOException {
    var source = new RandomTemplates(Files.readAllLines(TEMPLATES), seed);
    var f = source.exp("v", 2 + (int) (seed / 2 % DEPTH));
    for (int i = 0; f.size() > LARGEST || f.size() < SMALLEST && i < 100; i++) {
      f = source.exp("v", 2 + (int) (seed / 2 % DEPTH));
    }
    var ways = seed % 2 == 0 ? Ways.SINGLE : Ways.VECTORS;
    long memory = seed % 3 == 0 ? 40 : CompileOptions.UNLIMITED;
    Shrinking.check(
        f,
        node -> node.smaller(source).stream(),
        node ->
            JacobianChecks.failure(node.text(), ways, memory)
                .ifPresent(failure -> fail(failure + "\n  " + node.text())));
  }
}
