package dev.kenaz.typing;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.source.Parser;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Helpers for tests that check small programs. */
final class Programs {
  private static final Pattern TYPES = Pattern.compile("Expected: (.*)\nActual:   (.*)");

  private Programs() {}

  static TypedProgram check(String text) {
    return Checker.check(Parser.parse("test.fut", text), ImportResolver.none());
  }

  /** The type that a definition got, as the language writes it. */
  static String typeOf(String name, String text) {
    var program = check(text);
    var def =
        program.defs().stream()
            .filter(d -> d.name().base().equals(name) && d.span().file().equals("test.fut"))
            .reduce((_, last) -> last)
            .orElseThrow();
    var printer = new TypePrinter();
    var params =
        def.typeParams().stream()
            .map(
                p ->
                    p instanceof TypeParam.OfSize
                        ? "[" + p.name().base() + "] "
                        : "'" + p.name().base() + " ")
            .collect(Collectors.joining());
    var types =
        def.params().stream()
            .map(p -> printer.type(p.type()) + " -> ")
            .collect(Collectors.joining());
    return params + types + printer.result(def.result());
  }

  /** Asserts that checking fails with this code, and that the message has this in it. */
  static void rejects(ErrorCode code, String part, String text) {
    try {
      check(text);
    } catch (UserError e) {
      var all =
          e.diagnostics().stream()
              .map(d -> d.code() + " " + d.span() + " " + d.message() + " " + d.hints())
              .collect(Collectors.joining("\n"));
      assertTrue(
          e.diagnostics().stream()
              .anyMatch(d -> d.code() == code && (d.message() + d.hints()).contains(part)),
          all);
      e.diagnostics().forEach(d -> distinct(d.message()));
      return;
    }
    fail("accepted:\n" + text);
  }

  /** What is expected and what there is never read alike. */
  private static void distinct(String message) {
    var types = TYPES.matcher(message);
    if (types.find()) {
      assertNotEquals(types.group(1), types.group(2), message);
    }
  }
}
