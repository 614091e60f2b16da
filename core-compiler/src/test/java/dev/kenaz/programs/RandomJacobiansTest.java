package dev.kenaz.programs;

import static org.junit.jupiter.api.Assertions.fail;

import dev.kenaz.options.CompileOptions;
import dev.kenaz.programs.JacobianChecks.Ways;
import dev.kenaz.programs.RandomTemplates.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random functions have one Jacobian, however it is computed, and a symmetric Hessian: see {@link
 * JacobianChecks}. With {@code -Dkenaz.long=N} for N seeds from {@code random.seed} on instead of a
 * few; what fails is made small first.
 */
final class RandomJacobiansTest {
  private static final int PROGRAMS = Integer.getInteger("kenaz.long", 6);
  private static final int DEPTH = Integer.getInteger("random.depth", 3);
  private static final int SMALLEST = Integer.getInteger("random.least", 4);
  private static final int LARGEST = Integer.getInteger("random.size", 40);
  private static final Path TEMPLATES = Path.of("src/test/resources/random/differentiable.txt");

  static List<Long> seeds() {
    long first = Long.getLong("random.seed", 1L);
    return LongStream.range(first, first + PROGRAMS).boxed().toList();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void agree(long seed) throws IOException {
    var found = failure(seed);
    if (found.isPresent()) {
      fail(found.get());
    }
  }

  private record How(Ways ways, long memory) {}

  /** What is wrong with the seed's function, made small. */
  static Optional<String> failure(long seed) throws IOException {
    var source = new RandomTemplates(Files.readAllLines(TEMPLATES), seed);
    var f = source.exp("v", 2 + (int) (seed / 2 % DEPTH));
    for (int i = 0; f.size() > LARGEST || f.size() < SMALLEST && i < 100; i++) {
      f = source.exp("v", 2 + (int) (seed / 2 % DEPTH));
    }
    var ways = seed % 2 == 0 ? Ways.SINGLE : Ways.VECTORS;
    var how = new How(ways, seed % 3 == 0 ? 40 : CompileOptions.UNLIMITED);
    var failure = JacobianChecks.failure(f.text(), how.ways(), how.memory());
    if (failure.isEmpty()) {
      return Optional.empty();
    }
    var small = shrunk(source, f, kind(failure.get()), how);
    var reason =
        JacobianChecks.failure(small.text(), how.ways(), how.memory()).orElse(failure.get());
    return Optional.of("seed " + seed + ": " + reason + "\n  " + small.text());
  }

  /** Failures are alike if they begin alike. */
  private static String kind(String failure) {
    return failure.substring(0, Math.min(failure.length(), failure.indexOf(':') + 12));
  }

  private static Node shrunk(RandomTemplates source, Node start, String kind, How how) {
    var now = start;
    long end = System.nanoTime() + 40_000_000_000L;
    boolean smaller = true;
    while (smaller && System.nanoTime() < end) {
      smaller = false;
      for (var candidate : now.smaller(source)) {
        if (System.nanoTime() > end) {
          break;
        }
        var failure = JacobianChecks.failure(candidate.text(), how.ways(), how.memory());
        if (failure.isPresent() && kind(failure.get()).equals(kind)) {
          now = candidate;
          smaller = true;
          break;
        }
      }
    }
    return now;
  }
}
