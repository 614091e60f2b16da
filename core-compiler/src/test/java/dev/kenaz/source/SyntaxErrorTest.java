package dev.kenaz.source;

import static dev.kenaz.error.ErrorCode.K0101;
import static dev.kenaz.error.ErrorCode.K0102;
import static dev.kenaz.error.ErrorCode.K7006;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults have stable codes and places, there can be several, and none takes for ever. */
@Isolated
class SyntaxErrorTest {
  private static List<Diagnostic> faults(String text) {
    return assertThrows(UserError.class, () -> Parser.parse("t.fut", text)).diagnostics();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '@',
      value = {
        "K0001 ~ 1:9 ~ def f = $",
        "K0001 ~ 1:9 ~ def f = ü",
        "K0001 ~ 1:9 ~ def f = # x",
        "K0002 ~ 1:9 ~ def f = \"abc",
        "K0002 ~ 1:9 ~ def f = '\\n",
        "K0003 ~ 1:12 ~ def f = \"ab\\q\"",
        "K0003 ~ 1:10 ~ def f = \"\\x110000\"",
        "K0004 ~ 1:9 ~ def f = 1x",
        "K0004 ~ 1:9 ~ def f = 1.5i32",
        "K0004 ~ 1:9 ~ def f = 0x",
        "K0004 ~ 1:9 ~ def f = 1e",
        "K0005 ~ 1:9 ~ def f = '\\65\\66'",
        "K0101 ~ 1:10 ~ def f = +",
        "K0101 ~ 1:5 ~ def let = 1",
        "K0101 ~ 1:9 ~ def f = in",
        "K0101 ~ 1:9 ~ def f = _",
        "K0101 ~ 1:10 ~ def f =-1",
        "K0101 ~ 1:1 ~ f = 1",
        "K0101 ~ 1:11 ~ def f = a ! b",
        "K0101 ~ 1:10 ~ def f = (!)",
        "K0101 ~ 1:17 ~ def f = match x",
        "K0101 ~ 1:10 ~ def f = x[]",
        "K0103 ~ 1:13 ~ def f = (x,)",
        "K0104 ~ 1:20 ~ def f = let x = 1",
        "K0105 ~ 1:11 ~ def f = (x",
        "K0105 ~ 1:12 ~ def f = [x)",
        "K0106 ~ 1:5 ~ def a.b = 1",
        "K0107 ~ 1:13 ~ def f = 1..2",
        "K0110 ~ 1:16 ~ def f = loop 1 for i < n do 1",
        "K0111 ~ 1:6 ~ def (&&) a b = a",
        "K0111 ~ 1:7 ~ def a || b = a",
      })
  void codesAndPlaces(ErrorCode code, String place, String text) {
    var fault = faults(text).getFirst();
    assertEquals(code, fault.code(), fault::toString);
    assertTrue(fault.span().line() == 1 && fault.span().column() > 0, fault::toString);
    assertEquals(Integer.parseInt(place.substring(2)), fault.span().column(), 2, fault::toString);
  }

  @Test
  void oneFaultForEachDeclaration() {
    var faults =
        faults(
            """
            def a = (1
            def b = 2 +
            type t = {x}
            def fine = 1
            module m = {
              def c = ]
              def d = 3
              def e = let
            }
            def g = "open
            """);
    assertEquals(List.of(2, 3, 3, 6, 9, 10), faults.stream().map(f -> f.span().line()).toList());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '@',
      value = {
        "write `==` ~ def f x = if x = 1 then 2 else 3",
        "write `==` ~ def f x = (x = 1)",
        "leave a space ~ def f = let x =-1 in x",
        "reserved word ~ def f (open: i32) = open",
        "was opened at t.fut:1:14 ~ def f = (1 + [2)]",
        "ends with `in result` ~ def f = let x = 1 def g = 2",
      })
  void likelyFixes(String hint, String text) {
    var hints = faults(text).getFirst().hints();
    assertTrue(hints.stream().anyMatch(h -> h.contains(hint)), () -> faults(text).toString());
  }

  @Test
  void atMostTwentyFaults() {
    assertEquals(20, faults("def f = )\n".repeat(50)).size());
    assertEquals(20, faults("$ ".repeat(50)).size());
  }

  @Test
  void noSecondFaultWhereTheLexerHasComplained() {
    assertEquals(1, faults("def f = g $ x\ndef h = 1").size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(",
        "[",
        "{a=",
        "-",
        "!",
        "\\x->",
        "f (",
        "#c (",
        "if ",
        "match ",
        "#[a] ",
        "M.(",
        "a[",
        "(+ ",
        "let x=",
        "loop x=",
        "assert (",
        "x with a=(",
        "x:(",
        "x:[",
        "x:*",
        "x:a->",
        "x:?[n].",
        "a<|",
        "a..(",
        "let f (",
        "let f {a="
      })
  void deepNestingIsAnError(String unit) {
    assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () -> {
          faults("def f = " + unit.repeat(10_000));
          faults("def f = " + unit.repeat(100_000));
        });
  }

  @Test
  void balancedNestingIsAnErrorWithItsOwnCode() {
    var text = "def f = " + "(".repeat(10_000) + "1" + ")".repeat(10_000);
    assertEquals(K0102, faults(text).getFirst().code());
  }

  @Test
  void longChainsAreFine() {
    var sum = "def f = 1" + " + 1".repeat(5000);
    var lets = "def f = " + "let x = 1 ".repeat(5000) + "in x";
    var ifs = "def f = " + "if a then b else ".repeat(5000) + "c";
    for (var text : List.of(sum, lets, ifs)) {
      var tree = Parser.parse("t.fut", text);
      PrettyPrinter.print(tree);
    }
    assertEquals(K0102, faults("def f = 1" + " + 1".repeat(20_000)).getFirst().code());
    assertEquals(K0102, faults("type t = " + "[1]".repeat(20_000) + "t").getFirst().code());
  }

  @Test
  void largeFilesTakeBoundedTime() {
    assertTimeoutPreemptively(
        Duration.ofSeconds(120),
        () -> {
          Parser.parse("t.fut", "def f (x: i32) = x + 1\n".repeat(450_000));
          faults("(".repeat(10 << 20));
          faults("$".repeat(1 << 18));
          faults("def f = )\n".repeat(1 << 18));
          faults("def f = 1" + "0".repeat(1 << 20));
          faults("\"".repeat(1 << 18));
          faults("'".repeat(1 << 18));
          faults("'\\".repeat(1 << 18));
          faults("def f = " + "let x[".repeat(1 << 18));
          faults("module m = {".repeat(1 << 18));
          faults("-- | d\n".repeat(1 << 18) + ")");
          faults("def f = \"" + "\\".repeat(1 << 20));
        });
  }

  @Test
  void everyCodeIsDocumented() throws IOException {
    var root = Path.of(System.getProperty("user.dir")).toAbsolutePath();
    while (!Files.exists(root.resolve("docs/errors.md"))) {
      root = root.getParent();
    }
    var page = Files.readString(root.resolve("docs/errors.md"));
    var sources = root.resolve("core-compiler/src/main/java/dev/kenaz/source");
    try (var files = Files.list(sources)) {
      for (var file : files.toList()) {
        var codes = Pattern.compile("\"(K0\\d{3})\"").matcher(Files.readString(file));
        while (codes.find()) {
          assertTrue(page.contains("### " + codes.group(1) + ":"), codes.group(1));
        }
      }
    }
  }

  @Test
  void shownWithLineCaretAndHint() {
    var text = "def f x =\n\tlet y = x\n";
    var shown =
        new DiagnosticPrinter(name -> Optional.of(text), false)
            .print(
                List.of(
                    Diagnostic.of(
                        K0101,
                        new dev.kenaz.error.Span("a.fut", 2, 6, 2, 7),
                        "something is off",
                        "try y")));
    assertEquals(
        """
        error[K0101]: something is off
          --> a.fut:2:6
           |
         2 |  let y = x
           |      ^
           = hint: try y
        """,
        shown);
  }

  @Test
  void shownWithoutTextAndWithColour() {
    var fault = Diagnostic.of(K7006, new dev.kenaz.error.Span("a.fut", 9, 6, 9, 7), "off");
    var printer = new DiagnosticPrinter(name -> Optional.of("one line"), true);
    assertTrue(printer.print(fault).contains("a.fut:9:6"));
    assertTrue(printer.print(fault).startsWith("\u001b["));
    var nowhere = Diagnostic.of(K7006, dev.kenaz.error.Span.NONE, "off");
    assertEquals(
        "warning[K7006]: off\n",
        new DiagnosticPrinter(name -> Optional.empty(), false).printWarning(nowhere));
  }
}
