package dev.kenaz.error;

import static dev.kenaz.error.ErrorCode.K2001;
import static dev.kenaz.error.ErrorCode.K3001;
import static dev.kenaz.error.ErrorCode.K5003;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ErrorCodeTest {
  private static final Path PAGE = Path.of("../docs/errors.md");

  /** The page and the codes are one list. */
  @Test
  void allCodesAreDocumented() throws IOException {
    var documented = new TreeSet<String>();
    var codes = Pattern.compile("\\bK\\d{4}\\b").matcher(Files.readString(PAGE));
    while (codes.find()) {
      documented.add(codes.group());
    }
    var known = new TreeSet<String>();
    Stream.of(ErrorCode.values()).forEach(c -> known.add(c.name()));
    assertEquals(known, documented);
  }

  /** Of faults of programs, at compile time and at run time. */
  @Test
  void programsAreHelped() {
    var without =
        Stream.of(ErrorCode.values())
            .filter(c -> c.name().compareTo("K6000") < 0 && !c.hasRemedy())
            .toList();
    assertEquals(List.of(), without);
  }

  @Test
  void notBesideHints() {
    var plain = Diagnostic.of(K5003, Span.NONE, "division by zero");
    assertTrue(ErrorCode.remedy(plain).orElseThrow().contains("divisor"));
    assertEquals(
        Optional.empty(), ErrorCode.remedy(Diagnostic.of(K5003, Span.NONE, "division", "write y")));
    assertTrue(
        ErrorCode.remedy(Diagnostic.of(K2001, Span.NONE, "types", "i32 is not f32")).isPresent());
  }

  /** A forgotten transposition is not answered by a coercion. */
  @Test
  void notBesideWhatWasForgotten() {
    assertTrue(
        ErrorCode.remedy(Diagnostic.of(K3001, Span.NONE, "sizes", "\"n\" is not \"m\""))
            .orElseThrow()
            .contains(":>"));
    assertEquals(
        Optional.empty(),
        ErrorCode.remedy(Diagnostic.of(K3001, Span.NONE, "sizes", "did you forget `transpose`?")));
  }
}
