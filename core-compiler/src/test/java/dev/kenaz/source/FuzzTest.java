package dev.kenaz.source;

import dev.kenaz.error.UserError;
import dev.kenaz.testing.Seeds;
import dev.kenaz.testing.Shrinking;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

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

  private static final String EDGES = "\0\t\n\f\r\u0085\u2028\uFEFF\uFFFD\uFFFF\uD83D\uDE00\"'\\";

  private static void survives(String text) {
    try {
      Trees.same(
          Parser.parse("t.fut", text),
          Parser.parse("t.fut", PrettyPrinter.print(Parser.parse("t.fut", text))));
    } catch (UserError error) {
      new DiagnosticPrinter(name -> Optional.of(text), true).print(error.diagnostics());
    }
  }

  /** Checks a text for each of the seeds, and shows the shortest of those that fail. */
  private static void survive(int count, Function<SplittableRandom, String> text) {
    Seeds.check(
        count,
        seed ->
            Shrinking.check(
                text.apply(new SplittableRandom(seed)), Shrinking::shorter, FuzzTest::survives));
  }

  @Test
  void bytes() {
    survive(200, random -> new String(bytes(random), StandardCharsets.ISO_8859_1));
    survive(200, random -> new String(bytes(random), StandardCharsets.UTF_8));
  }

  private static byte[] bytes(SplittableRandom random) {
    var bytes = new byte[random.nextInt(256)];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Characters of all planes, lone surrogates and those that end lines or texts among them. */
  @Test
  void text() {
    survive(200, FuzzTest::characters);
  }

  private static String characters(SplittableRandom random) {
    var text = new StringBuilder();
    for (int i = random.nextInt(256); i > 0; i--) {
      switch (random.nextInt(4)) {
        case 0 -> text.append((char) random.nextInt(1 << 16));
        case 1 -> text.appendCodePoint(random.nextInt(Character.MAX_CODE_POINT + 1));
        case 2 -> text.append((char) random.nextInt(128));
        default -> text.append(EDGES.charAt(random.nextInt(EDGES.length())));
      }
    }
    return text.toString();
  }

  @Test
  void pieces() {
    survive(300, FuzzTest::pieces);
  }

  private static String pieces(SplittableRandom random) {
    var text = new StringBuilder("def f = ");
    for (int i = random.nextInt(40); i > 0; i--) {
      text.append(PIECES.get(random.nextInt(PIECES.size())));
    }
    return text.toString();
  }

  @Test
  void mutatedPrograms() {
    survive(200, FuzzTest::mutated);
  }

  private static String mutated(SplittableRandom random) {
    var trees = new RandomTrees(random.nextLong());
    var text = new StringBuilder(PrettyPrinter.print(trees.file(3)));
    for (int i = 1 + random.nextInt(4); i > 0 && !text.isEmpty(); i--) {
      int at = random.nextInt(text.length());
      switch (random.nextInt(4)) {
        case 0 -> text.deleteCharAt(at);
        case 1 -> text.setCharAt(at, (char) random.nextInt(128));
        case 2 -> text.insert(at, PIECES.get(random.nextInt(PIECES.size())));
        default -> text.setLength(at);
      }
    }
    return text.toString();
  }
}
