package dev.kenaz.spec;

import static dev.kenaz.error.ErrorCode.K6300;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads test blocks. A block is a run of comment lines of which one is {@code ==}. That line may go
 * on with the first words of the block: {@code -- == entry: f}.
 */
final class TestSpecParser {
  private static final String COMMENT = "--";
  private static final Pattern SEPARATOR =
      Pattern.compile(
          "\\s*==(\\s*|\\s+((entry|error|property|tags|input|compiled|nobench|random|script)"
              + "\\b.*))");

  private final String fileName;
  private final String[] lines;

  /** The text after {@code ==} of the block that is being read. */
  private String text = "";

  private int at;
  private int firstLine;

  TestSpecParser(String fileName, String program) {
    this.fileName = fileName;
    this.lines = program.split("\n", -1);
  }

  List<TestSpec> blocks() {
    var blocks = new ArrayList<TestSpec>();
    int i = 0;
    while (i < lines.length) {
      int start = i;
      while (i < lines.length && lines[i].startsWith(COMMENT)) {
        i++;
      }
      int description = start;
      for (int j = start; j < i; j++) {
        if (isSeparator(j)) {
          int end = nextSeparator(j + 1, i);
          block(description, j, end, blocks);
          description = end;
        }
      }
      i = Math.max(i, start + 1);
    }
    return blocks;
  }

  private int nextSeparator(int from, int end) {
    for (int j = from; j < end; j++) {
      if (isSeparator(j)) {
        return j;
      }
    }
    return end;
  }

  private boolean isSeparator(int line) {
    return SEPARATOR.matcher(content(line)).matches();
  }

  private String content(int line) {
    return lines[line].substring(COMMENT.length());
  }

  /**
   * Reads a block. Each {@code entry:} begins a specification of its own, as it is for the cases
   * that follow it.
   */
  private void block(int start, int separator, int end, List<TestSpec> blocks) {
    var description = new StringBuilder();
    for (int i = start; i < separator; i++) {
      description.append(content(i).strip()).append('\n');
    }
    var body = new StringBuilder();
    body.append(content(separator).replaceFirst("==", "")).append('\n');
    for (int i = separator + 1; i < end; i++) {
      body.append(content(i)).append('\n');
    }
    text = body.toString();
    at = 0;
    firstLine = separator + 1;
    var tags = take("tags") ? List.of(words(braces())) : List.<String>of();
    var about = description.toString().strip();
    do {
      blocks.add(new TestSpec(separator + 1, about, tags, action()));
    } while (peek() >= 0);
  }

  private TestSpec.Action action() {
    if (take("error:")) {
      return new TestSpec.CompileError(regex());
    }
    if (take("property:")) {
      return new TestSpec.Property(List.of(words(restOfLine())));
    }
    var entries = take("entry:") ? List.of(words(restOfLine())) : List.of("main");
    var cases = new ArrayList<TestSpec.Case>();
    while (peek() >= 0 && !text.startsWith("entry:", at) && !text.startsWith("property:", at)) {
      if (take("structure")) {
        while (peek() >= 0 && peek() != '{') {
          word();
        }
        braces();
      } else {
        cases.add(oneCase());
      }
    }
    return new TestSpec.Run(entries, cases);
  }

  private TestSpec.Case oneCase() {
    int line = line();
    Optional<String> name = peek() == '"' ? Optional.of(quoted()) : Optional.empty();
    var tags = new ArrayList<String>();
    while (true) {
      if (take("input")) {
        var input = input();
        return new TestSpec.Case(name, tags, input, expected(), line);
      }
      if (take("random")) {
        require("input");
        var input = new TestSpec.Random(List.of(words(braces())));
        return new TestSpec.Case(name, tags, input, expected(), line);
      }
      if (take("script")) {
        require("input");
        var input = new TestSpec.Script(take("@") ? "@ " + word() : braces().strip());
        return new TestSpec.Case(name, tags, input, expected(), line);
      }
      if (!Character.isLetter(peek())) {
        throw fault("expected an input");
      }
      tags.add(word());
    }
  }

  private TestSpec.Input input() {
    return take("@") ? new TestSpec.File(word()) : new TestSpec.Literal(braces());
  }

  private TestSpec.Expected expected() {
    if (take("auto")) {
      require("output");
      return new TestSpec.AutoOutput();
    }
    if (take("output")) {
      return take("@") ? new TestSpec.FileOutput(word()) : new TestSpec.LiteralOutput(braces());
    }
    return take("error:") ? new TestSpec.RunTimeError(regex()) : new TestSpec.Success();
  }

  // Words

  private int peek() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at < text.length() ? text.charAt(at) : -1;
  }

  private boolean take(String word) {
    peek();
    if (!text.startsWith(word, at)) {
      return false;
    }
    int end = at + word.length();
    boolean letters = Character.isLetter(word.charAt(word.length() - 1));
    if (letters && end < text.length() && Character.isLetterOrDigit(text.charAt(end))) {
      return false;
    }
    at = end;
    return true;
  }

  private void require(String word) {
    if (!take(word)) {
      throw fault("expected " + word);
    }
  }

  private String word() {
    peek();
    int start = at;
    while (at < text.length() && !Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return text.substring(start, at);
  }

  private String restOfLine() {
    int end = text.indexOf('\n', at);
    var rest = text.substring(at, end).strip();
    at = end;
    return rest;
  }

  private Optional<String> regex() {
    return Optional.of(restOfLine()).filter(r -> !r.isEmpty());
  }

  private static String[] words(String s) {
    return Arrays.stream(s.strip().split("[\\s,]+"))
        .filter(w -> !w.isEmpty())
        .toArray(String[]::new);
  }

  private String quoted() {
    int end = text.indexOf('"', at + 1);
    if (end < 0) {
      throw fault("a name without an end");
    }
    var name = text.substring(at + 1, end);
    at = end + 1;
    return name;
  }

  /** Reads what stands between braces. They may nest; braces in strings don't count. */
  private String braces() {
    if (peek() != '{') {
      throw fault("expected {");
    }
    int start = at + 1;
    int depth = 0;
    boolean inString = false;
    for (; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '"' && text.charAt(at - 1) != '\\') {
        inString = !inString;
      } else if (!inString && c == '{') {
        depth++;
      } else if (!inString && c == '}' && --depth == 0) {
        return text.substring(start, at++);
      }
    }
    throw fault("a { without its }");
  }

  private int line() {
    return firstLine
        + (int)
            text.substring(0, Math.min(at, text.length())).chars().filter(c -> c == '\n').count();
  }

  private UserError fault(String message) {
    int line = line();
    return new UserError(
        K6300, new Span(fileName, line, 1, line, 1), "in the test block: " + message);
  }
}
