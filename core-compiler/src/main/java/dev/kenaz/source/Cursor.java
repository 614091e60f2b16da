package dev.kenaz.source;

import static dev.kenaz.error.ErrorCode.K0101;
import static dev.kenaz.error.ErrorCode.K0102;
import static dev.kenaz.error.ErrorCode.K0105;
import static dev.kenaz.error.ErrorCode.K0106;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * This is a place in the tokens that moves forward; the parsers read tokens and report faults
 * through it.
 */
final class Cursor {
  /** How deeply constructs may nest. Code that recurses over the tree relies on such a bound. */
  static final int DEEPEST = 2000;

  private final Tokens tokens;
  private int at;
  private int depth;

  Cursor(Tokens tokens) {
    this.tokens = tokens;
  }

  Tokens tokens() {
    return tokens;
  }

  /** Returns the index of the current token. */
  int at() {
    return at;
  }

  TokenKind kind() {
    return tokens.kind(at);
  }

  /** Returns the kind of a token further on. */
  TokenKind kind(int ahead) {
    return tokens.kind(at + ahead);
  }

  boolean at(TokenKind kind) {
    return kind() == kind;
  }

  /** Whether this is an operator (unqualified) of that spelling. */
  boolean atSymbol(String symbol) {
    return at(TokenKind.SYMBOL) && tokens.is(at, symbol);
  }

  /** Whether no blank stands between the last token and the current one. */
  boolean adjacent() {
    return tokens.adjacent(at);
  }

  /** Whether a token further on is a name without qualifiers. */
  boolean simpleName(int ahead) {
    return kind(ahead) == TokenKind.NAME && tokens.text(at + ahead).indexOf('.') < 0;
  }

  String text() {
    return tokens.text(at);
  }

  void next() {
    if (at < tokens.size() - 1) {
      at++;
    }
  }

  boolean accept(TokenKind kind) {
    if (at(kind)) {
      next();
      return true;
    }
    return false;
  }

  void expect(TokenKind kind, String where) {
    if (!accept(kind)) {
      throw unexpected(kind.shown() + " " + where);
    }
  }

  /**
   * Consumes a closing bracket. If it is not there, the message tells which bracket should be
   * closed.
   */
  void close(TokenKind kind, int open) {
    if (!accept(kind)) {
      var hints = new ArrayList<String>();
      hints.add("`" + tokens.text(open) + "` was opened at " + tokens.span(open, open));
      hints.addAll(hints());
      var message = "expected " + kind.shown() + ", found " + found();
      throw new ParseFailure(new Diagnostic(K0105, here(), message, hints));
    }
  }

  /** Consumes an unqualified name, which is being bound. */
  String name(String what) {
    if (!at(TokenKind.NAME)) {
      throw unexpected(what);
    }
    var text = text();
    if (text.indexOf('.') >= 0) {
      throw fail(K0106, "a name that is bound here can't be qualified");
    }
    next();
    return text;
  }

  /** Consumes a name with or without qualifiers. */
  QualName qualName(String what) {
    if (!at(TokenKind.NAME)) {
      throw unexpected(what);
    }
    var name = split(text());
    next();
    return name;
  }

  /** Divides {@code a.b.c} or {@code a.b.+} into its parts. */
  static QualName split(String text) {
    var quals = new ArrayList<String>();
    int from = 0;
    while (!InfixOperators.isSymbol(text.substring(from))) {
      int dot = text.indexOf('.', from);
      if (dot < 0) {
        break;
      }
      quals.add(text.substring(from, dot));
      from = dot + 1;
    }
    return new QualName(quals, text.substring(from));
  }

  /**
   * Parses {@code element, element, ...} up to a closing bracket, with a comma allowed at the end.
   */
  <T> List<T> commaSeparated(TokenKind close, int open, Supplier<T> element) {
    var elements = new ArrayList<T>();
    while (!at(close)) {
      elements.add(element.get());
      if (!accept(TokenKind.COMMA)) {
        break;
      }
    }
    close(close, open);
    return elements;
  }

  /** Returns the span from a first token to the last one consumed. */
  Span spanFrom(int start) {
    return tokens.span(start, Math.max(start, at - 1));
  }

  Span here() {
    return tokens.span(at, at);
  }

  /** Enters a nested construct; {@link #leave} and {@link #resetDepth} go back. */
  void enter() {
    if (++depth > DEEPEST) {
      throw tooDeep();
    }
  }

  void leave() {
    depth--;
  }

  int depth() {
    return depth;
  }

  /** Goes back to the depth at which a construct began that could not be parsed. */
  void resetDepth(int to) {
    depth = to;
  }

  ParseFailure tooDeep() {
    return fail(
        K0102, "this nests too deeply", "name parts of it by `let` or split the definition");
  }

  ParseFailure unexpected(String wanted) {
    var hints = new ArrayList<String>();
    if (kind().isKeyword() && (wanted.startsWith("a name") || wanted.equals("a pattern"))) {
      hints.add("`" + text() + "` is a reserved word; choose another name");
    }
    hints.addAll(hints());
    return new ParseFailure(
        new Diagnostic(K0101, here(), "expected " + wanted + ", found " + found(), hints));
  }

  /** Returns hints on what users often mean where the current token can't stand. */
  private List<String> hints() {
    if (at(TokenKind.EQUALS)) {
      return List.of("to compare, write `==`");
    }
    if (at(TokenKind.SYMBOL) && text().startsWith("=")) {
      return List.of("`" + text() + "` is read as one operator: leave a space after `=`");
    }
    if (at(TokenKind.COLON)) {
      return List.of("an ascription around which there is more needs parentheses: `(e : t)`");
    }
    return List.of();
  }

  ParseFailure fail(ErrorCode code, String message, String... hints) {
    return new ParseFailure(Diagnostic.of(code, here(), message, hints));
  }

  private String found() {
    return switch (kind()) {
      case END, INVALID -> kind().shown();
      default -> {
        var text = text();
        yield "`" + (text.length() > 40 ? text.substring(0, 40) + "…" : text) + "`";
      }
    };
  }
}
