package dev.kenaz.programs;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.options.Backend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;

/**
 * Functions of all kinds under {@code derivatives}: each compares its own Jacobians, by both modes
 * and by differences, and those of its gradient. On the interpreter too, which takes derivatives in
 * its own way.
 */
@Execution(CONCURRENT)
final class DerivativesTest {
  private static final Path ROOT = Path.of("src/test/resources/derivatives");

  /**
   * Attributes of operators mean nothing to the interpreter, and it takes long over many numbers.
   */
  private static final Set<String> JVM_ONLY = Set.of("invertible.fut", "large.fut");

  @TestFactory
  Stream<DynamicTest> derivatives() throws IOException {
    List<Path> files;
    try (var all = Files.list(ROOT)) {
      files = all.sorted().toList();
    }
    return files.stream().flatMap(DerivativesTest::checks);
  }

  private static Stream<DynamicTest> checks(Path file) {
    return Stream.of(Backend.JVM, Backend.INTERPRET)
        .filter(b -> b == Backend.JVM || !JVM_ONLY.contains(file.getFileName().toString()))
        .flatMap(
            backend ->
                ProgramChecks.of(file, backend).stream()
                    .map(
                        c ->
                            dynamicTest(
                                file.getFileName() + " " + c.name() + " " + backend,
                                c.body()::run)));
  }
}
