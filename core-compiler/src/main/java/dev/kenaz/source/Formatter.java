package dev.kenaz.source;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Tidies the text of a program without moving anything to another line: blanks between tokens, at
 * the ends of lines and between declarations, tabs, and {@code let} at top level, which becomes
 * {@code def}. Comments and line breaks stay, and so does the tree, which is checked.
 */
public final class Formatter {
  private final String text;
  private final Tokens tokens;
  private final Set<Integer> oldDefinitions = new HashSet<>();
  private final StringBuilder out = new StringBuilder();

  private Formatter(String text, Tokens tokens) {
    this.text = text;
    this.tokens = tokens;
  }

  /**
   * @param fileName the file's name in spans
   * @return the tidied text; tidying it again changes nothing
   * @throws UserError if the text does not parse
   */
  public static String format(String fileName, String text) {
    var tree = Parser.parse(fileName, text);
    var formatter = new Formatter(text, new Lexer(fileName, text).tokens());
    formatter.findOldDefinitions(tree.declarations());
    var formatted = formatter.run();
    var meant = PrettyPrinter.print(tree);
    if (!PrettyPrinter.print(Parser.parse(fileName, formatted)).equals(meant)) {
      throw new CompilerBug("fmt", "the formatted program means something else");
    }
    return formatted;
  }

  /**
   * Finds {@code let} at top level: it is the first word after the modifiers of a value's
   * declaration.
   */
  private void findOldDefinitions(List<Declaration> declarations) {
    for (var declaration : declarations) {
      if (declaration instanceof Declaration.Module module) {
        findOldDefinitions(module.body());
      } else if (declaration instanceof Declaration.Open open) {
        findOldDefinitions(open.module());
      } else if (declaration instanceof Declaration.Value value) {
        int word = tokens.at(value.span().line(), value.span().column());
        while (!isDefinition(tokens.kind(word))) {
          word++;
        }
        if (!value.entry()) {
          oldDefinitions.add(word);
        }
      }
    }
  }

  private static boolean isDefinition(TokenKind kind) {
    return kind == TokenKind.LET || kind == TokenKind.DEF || kind == TokenKind.ENTRY;
  }

  private void findOldDefinitions(ModuleExp module) {
    switch (module) {
      case ModuleExp.Block(var declarations, _) -> findOldDefinitions(declarations);
      case ModuleExp.Apply(var function, var argument, _) -> {
        findOldDefinitions(function);
        findOldDefinitions(argument);
      }
      case ModuleExp.Seal(var inner, _, _) -> findOldDefinitions(inner);
      case ModuleExp.Lambda(_, _, var body, _) -> findOldDefinitions(body);
      case ModuleExp.Name _, ModuleExp.Import _ -> {}
    }
  }

  private String run() {
    int end = 0;
    for (int i = 0; i < tokens.size(); i++) {
      gap(text.substring(end, tokens.start(i)), i);
      end = tokens.end(i);
      out.append(oldDefinitions.contains(i) ? "def" : text.substring(tokens.start(i), end));
    }
    return out.toString().strip().isEmpty() ? "" : out.toString().stripTrailing() + "\n";
  }

  /** Writes what stands before a token: blanks, line breaks and comments. */
  private void gap(String gap, int next) {
    if (gap.indexOf('\n') < 0 && gap.indexOf("--") < 0) {
      if (next > 0 && tokens.kind(next) != TokenKind.END) {
        out.append(spaced(next, !gap.isEmpty()) ? " " : "");
      }
      return;
    }
    var lines = gap.replace("\r", "").replace("\uFEFF", "").split("\n", -1);
    if (!lines[0].isBlank()) {
      out.append(out.isEmpty() ? "" : " ").append(lines[0].strip());
    }
    boolean empty = false;
    for (int i = 1; i < lines.length; i++) {
      boolean last = i == lines.length - 1;
      if (!last && lines[i].isBlank()) {
        empty = true;
        continue;
      }
      out.append(
          empty && !out.isEmpty() ? "\n\n" : out.isEmpty() && lines[0].isBlank() ? "" : "\n");
      out.append(indent(lines[i])).append(lines[i].strip());
      empty = false;
    }
  }

  /**
   * Returns the beginning of a line with spaces for tabs. A tab goes to the next multiple of eight,
   * as in most terminals.
   */
  private static String indent(String line) {
    int column = 0;
    for (int i = 0; i < line.length() && Character.isWhitespace(line.charAt(i)); i++) {
      column = line.charAt(i) == '\t' ? (column / 8 + 1) * 8 : column + 1;
    }
    return " ".repeat(column);
  }

  /** Whether a blank belongs between a token and the one before it. */
  private boolean spaced(int next, boolean was) {
    var before = tokens.kind(next - 1);
    var after = tokens.kind(next);
    if (after == TokenKind.COMMA || after == TokenKind.RPAREN || after == TokenKind.RBRACKET) {
      return false;
    }
    if (before == TokenKind.LPAREN || before == TokenKind.LBRACKET) {
      return false;
    }
    boolean wide =
        before == TokenKind.COMMA
            || isWide(before)
            || isWide(after)
            || isInfix(next)
            || isInfix(next - 1);
    return was || wide;
  }

  private static boolean isWide(TokenKind kind) {
    return kind == TokenKind.EQUALS || kind == TokenKind.ARROW || kind == TokenKind.COERCE;
  }

  /** An operator between two operands, other than minus and star, which may be prefixes. */
  private boolean isInfix(int index) {
    if (tokens.kind(index) != TokenKind.SYMBOL
        || index == 0
        || tokens.is(index, "-")
        || tokens.is(index, "*")
        || tokens.is(index, "!")
        || tokens.is(index, "^")) {
      return false;
    }
    boolean operandBefore =
        switch (tokens.kind(index - 1)) {
          case NAME, INT, FLOAT, CHAR, STRING, TRUE, FALSE, CONSTRUCTOR, RPAREN, RBRACKET, RBRACE ->
              true;
          default -> false;
        };
    return operandBefore && tokens.kind(index + 1) != TokenKind.RPAREN;
  }
}
