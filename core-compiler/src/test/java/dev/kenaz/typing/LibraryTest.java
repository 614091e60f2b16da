package dev.kenaz.typing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.Span;
import dev.kenaz.source.Declaration;
import dev.kenaz.source.Formatter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LibraryTest {
  private static final Path FOLDER = Path.of("src/main/resources/dev/kenaz/library/kenaz");

  @Test
  void allModulesAreListed() throws IOException {
    try (var files = Files.list(FOLDER)) {
      var there = files.map(f -> "kenaz/" + f.getFileName()).collect(Collectors.toSet());
      var listed = Library.paths().stream().map(p -> p + ".fut").collect(Collectors.toSet());
      assertEquals(there, listed);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.kenaz.typing.Library#paths")
  void checksWithoutWarnings(String path) {
    var checked = Programs.check("import \"%s\"".formatted(path));
    assertTrue(checked.warnings().isEmpty(), checked.warnings().toString());
  }

  /** Users read the modules. */
  @ParameterizedTest
  @MethodSource("dev.kenaz.typing.Library#paths")
  void isFormattedAndDocumented(String path) {
    var module = Library.module(path, Span.NONE);
    var text = Library.text(module.name()).orElseThrow();
    assertEquals(Formatter.format(module.name(), text), text);
    assertTrue(module.doc().isPresent());
    for (var d : module.declarations()) {
      if (d instanceof Declaration.Value v) {
        assertTrue(v.modifiers().doc().isPresent(), v.name());
      }
    }
  }

  @Test
  void programsOfThePageCheck() throws IOException {
    var page = Files.readString(Path.of("../docs/library.md"));
    var programs =
        Arrays.stream(page.split("(?m)^(?=\\S)"))
            .filter(part -> part.contains("\n    entry "))
            .map(part -> part.substring(part.indexOf('\n')))
            .toList();
    assertFalse(programs.isEmpty());
    programs.forEach(Programs::check);
  }
}
