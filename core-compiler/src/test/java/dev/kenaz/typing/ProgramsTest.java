package dev.kenaz.typing;

import static dev.kenaz.typing.Programs.check;
import static dev.kenaz.typing.Programs.rejects;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.error.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole files that must be accepted, and small programs that must not. */
@Execution(CONCURRENT)
class ProgramsTest {
  @ParameterizedTest
  @ValueSource(strings = {"expressions", "functions", "modules", "sealed", "idioms", "inference"})
  void accepted(String name) {
    assertFalse(check(resource(name + ".fut")).defs().isEmpty());
  }

  @ParameterizedTest
  @MethodSource("rejectedPrograms")
  void rejected(String line) {
    rejects(ErrorCode.valueOf(line.substring(0, 5)), "", line.substring(6));
  }

  static Stream<String> rejectedPrograms() {
    List<String> lines = resource("rejected.txt").lines().toList();
    return lines.stream().filter(l -> l.startsWith("K"));
  }

  private static String resource(String name) {
    try (var in = ProgramsTest.class.getResourceAsStream("/typing/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(name, e);
    }
  }
}
