package dev.kenaz.error;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class RemediesTest {
  private static final Path PAGE = Path.of("../docs/errors.md");

  @Test
  void onlyDocumentedCodes() throws IOException {
    var page = Files.readString(PAGE);
    for (var code : Remedies.codes()) {
      assertTrue(page.contains(code), code);
    }
  }

  /** The codes of programs' faults, at compile time and at run time. */
  @Test
  void allCodesOfPrograms() throws IOException {
    var documented = new TreeSet<String>();
    var codes = Pattern.compile("K[0-5]\\d{3}").matcher(Files.readString(PAGE));
    while (codes.find()) {
      documented.add(codes.group());
    }
    documented.removeAll(Remedies.codes());
    assertEquals(new TreeSet<String>(), documented);
  }

  @Test
  void notBesideHints() {
    var plain = Diagnostic.of("K5003", Span.NONE, "division by zero");
    assertTrue(Remedies.of(plain).orElseThrow().contains("divisor"));
    assertEquals(
        Optional.empty(), Remedies.of(Diagnostic.of("K5003", Span.NONE, "division", "write y")));
    assertTrue(
        Remedies.of(Diagnostic.of("K2001", Span.NONE, "types", "i32 is not f32")).isPresent());
  }

  /** A forgotten transposition is not answered by a coercion. */
  @Test
  void notBesideWhatWasForgotten() {
    assertTrue(
        Remedies.of(Diagnostic.of("K3001", Span.NONE, "sizes", "\"n\" is not \"m\""))
            .orElseThrow()
            .contains(":>"));
    assertEquals(
        Optional.empty(),
        Remedies.of(Diagnostic.of("K3001", Span.NONE, "sizes", "did you forget `transpose`?")));
  }
}
