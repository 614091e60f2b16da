package dev.kenaz.programs;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.options.Backend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;

/** Every program under {@code programs}, on every backend, does what its test blocks say. */
@Execution(CONCURRENT)
final class ProgramsTest {
  private static final Path ROOT = Path.of("src/test/resources/programs");

  @TestFactory
  Stream<DynamicNode> programs() throws IOException {
    List<Path> files;
    try (var all = Files.walk(ROOT)) {
      files = all.filter(f -> f.toString().endsWith(".fut")).sorted().toList();
    }
    var only = System.getProperty("program", "");
    return files.stream().filter(f -> f.toString().contains(only)).map(ProgramsTest::program);
  }

  private static DynamicNode program(Path file) {
    var name = ROOT.relativize(file).toString();
    var tests = new ArrayList<DynamicNode>();
    for (var backend : Backend.EVERYWHERE) {
      for (var check : ProgramChecks.of(file, backend)) {
        tests.add(dynamicTest(backend.text() + " " + check.name(), check.body()::run));
      }
    }
    return dynamicContainer(name, tests);
  }
}
