package dev.kenaz.source;

import java.util.HashMap;
import java.util.Map;

/** These are the kinds of tokens. The text in parentheses is the name for error messages. */
enum TokenKind {
  NAME("a name"),
  INT("an integer"),
  FLOAT("a number"),
  CHAR("a character"),
  STRING("a string"),
  CONSTRUCTOR("a constructor"),
  /**
   * An operator, which may be qualified. It consists of symbol characters and is neither = nor ->.
   */
  SYMBOL("an operator"),
  EQUALS("="),
  ARROW("->"),
  LPAREN("("),
  RPAREN(")"),
  LBRACKET("["),
  RBRACKET("]"),
  LBRACE("{"),
  RBRACE("}"),
  COMMA(","),
  COLON(":"),
  COERCE(":>"),
  DOT("."),
  DOT_DOT(".."),
  ELLIPSIS("..."),
  DOT_DOT_LESS("..<"),
  DOT_DOT_GREATER("..>"),
  BACKSLASH("\\"),
  BACKTICK("`"),
  QUESTION("?"),
  HOLE("???"),
  /** {@code #[}. */
  ATTRIBUTE("#["),
  /** {@code '}, {@code '~} or {@code '^} before the name of a type parameter. */
  TICK("'"),
  TILDE("~"),
  /** {@code $}, which stands before the name of a variable in an attribute. */
  DOLLAR("$"),
  TRUE("true"),
  FALSE("false"),
  IF("if"),
  THEN("then"),
  ELSE("else"),
  DEF("def"),
  LET("let"),
  LOOP("loop"),
  IN("in"),
  VAL("val"),
  FOR("for"),
  DO("do"),
  WITH("with"),
  LOCAL("local"),
  OPEN("open"),
  INCLUDE("include"),
  IMPORT("import"),
  TYPE("type"),
  ENTRY("entry"),
  MODULE("module"),
  WHILE("while"),
  ASSERT("assert"),
  MATCH("match"),
  CASE("case"),
  /** Text for which the lexer has already reported a fault. */
  INVALID("invalid text"),
  END("the end of the file");

  private static final Map<String, TokenKind> KEYWORDS = new HashMap<>();

  static {
    for (var kind : values()) {
      if (kind.isKeyword()) {
        KEYWORDS.put(kind.shown, kind);
      }
    }
  }

  private final String shown;

  TokenKind(String shown) {
    this.shown = shown;
  }

  /** Returns the name for messages; it is quoted if the token always has the same text. */
  String shown() {
    return compareTo(EQUALS) >= 0 && compareTo(CASE) <= 0 ? "`" + shown + "`" : shown;
  }

  boolean isKeyword() {
    return compareTo(TRUE) >= 0 && compareTo(CASE) <= 0;
  }

  /** Returns the reserved word of that spelling, or {@link #NAME}. */
  static TokenKind ofWord(String word) {
    return KEYWORDS.getOrDefault(word, NAME);
  }
}
