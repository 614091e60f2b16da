package dev.kenaz.source;

import dev.kenaz.error.UserError;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Whatever the text, there is a tree or a {@link UserError} that can be shown. */
class FuzzTest {
  private static final List<String> PIECES =
      List.of(
          "def ",
          "let ",
          " in ",
          "(",
          ")",
          "[",
          "]",
          "{",
          "}",
          " = ",
          "->",
          " : ",
          "\\",
          "x",
          "f ",
          "1",
          "2.5",
          "..",
          "...",
          "..<",
          "with ",
          "if ",
          "then ",
          "else ",
          "match ",
          "case ",
          "loop ",
          "for ",
          "do ",
          "#[a]",
          "#c ",
          "'a ",
          "'c'",
          "\"s\"",
          "`f`",
          "+",
          "-",
          "*",
          "?",
          "???",
          ".",
          ",",
          "module ",
          "type ",
          "val ",
          "import ",
          "open ",
          "local ",
          "entry ",
          "\n",
          "-- | d\n",
          "M.",
          "_",
          "|",
          "^",
          "~",
          "<",
          ":>",
          "while ",
          "assert ");

  private static void survives(String text) {
    try {
      Trees.same(
          Parser.parse("t.fut", text),
          Parser.parse("t.fut", PrettyPrinter.print(Parser.parse("t.fut", text))));
    } catch (UserError error) {
      new DiagnosticPrinter(name -> Optional.of(text), true).print(error.diagnostics());
    }
  }

  @Property(tries = 200)
  void bytes(@ForAll byte[] bytes) {
    survives(new String(bytes, StandardCharsets.ISO_8859_1));
    survives(new String(bytes, StandardCharsets.UTF_8));
  }

  @Property(tries = 200)
  void text(@ForAll String text) {
    survives(text);
  }

  @Property(tries = 300)
  void pieces(@ForAll long seed) {
    var random = new Random(seed);
    var text = new StringBuilder("def f = ");
    for (int i = random.nextInt(40); i > 0; i--) {
      text.append(PIECES.get(random.nextInt(PIECES.size())));
    }
    survives(text.toString());
  }

  @Property(tries = 200)
  void mutatedPrograms(@ForAll long seed) {
    var random = new Random(seed);
    var text = new StringBuilder(PrettyPrinter.print(new RandomTrees(seed).file(3)));
    for (int i = 1 + random.nextInt(4); i > 0 && !text.isEmpty(); i--) {
      int at = random.nextInt(text.length());
      switch (random.nextInt(4)) {
        case 0 -> text.deleteCharAt(at);
        case 1 -> text.setCharAt(at, (char) random.nextInt(128));
        case 2 -> text.insert(at, PIECES.get(random.nextInt(PIECES.size())));
        default -> text.setLength(at);
      }
    }
    survives(text.toString());
  }
}
