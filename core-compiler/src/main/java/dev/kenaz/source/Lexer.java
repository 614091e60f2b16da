package dev.kenaz.source;

import static dev.kenaz.error.ErrorCode.K0001;
import static dev.kenaz.error.ErrorCode.K0002;
import static dev.kenaz.error.ErrorCode.K0003;
import static dev.kenaz.error.ErrorCode.K0004;
import static dev.kenaz.error.ErrorCode.K0005;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts text into tokens. Faults are collected, and an {@link TokenKind#INVALID} token stands where
 * each was, so that the parser can go on and yet not complain about the same place again.
 */
final class Lexer {
  private static final String INT_SUFFIXES = " i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 ";
  private static final String BYTE_ORDER_MARK = "\uFEFF";
  private static final String FLOAT_SUFFIXES = " f16 f32 f64 ";

  /** A literal with more digits than this is a mistake, and slow to read. */
  private static final int LONGEST_NUMBER = 1000;

  /** The length of the longest character literal, with its quotes. */
  private static final int LONGEST_ESCAPE = 14;

  private final String text;
  private final LineMap lines;
  private final String file;
  private final Tokens tokens;
  private final List<Diagnostic> faults = new ArrayList<>();
  private int at;
  private TokenKind previous = TokenKind.END;
  private int previousEnd = -1;

  Lexer(String file, String text) {
    this.file = file;
    this.text = text;
    this.lines = new LineMap(text);
    this.tokens = new Tokens(file, text);
  }

  /** Returns what is wrong with the text, in order. It is known after {@link #tokens()}. */
  List<Diagnostic> faults() {
    return faults;
  }

  /** Reads the whole text. */
  Tokens tokens() {
    if (text.startsWith(BYTE_ORDER_MARK)) {
      at = BYTE_ORDER_MARK.length();
    }
    while (true) {
      skipBlanksAndComments();
      if (at >= text.length()) {
        tokens.add(TokenKind.END, text.length(), text.length());
        return tokens;
      }
      token();
    }
  }

  private char peek(int ahead) {
    int i = at + ahead;
    return i < text.length() ? text.charAt(i) : '\0';
  }

  private void emit(TokenKind kind, int length) {
    tokens.add(kind, at, at + length);
    at += length;
    previous = kind;
    previousEnd = at;
  }

  private void fault(ErrorCode code, int length, String message, String... hints) {
    note(code, at, length, message, hints);
    emit(TokenKind.INVALID, length);
  }

  private void note(ErrorCode code, int from, int length, String message, String... hints) {
    if (faults.size() < Parser.MOST_FAULTS) {
      faults.add(Diagnostic.of(code, lines.span(file, from, from + length), message, hints));
    }
  }

  private void skipBlanksAndComments() {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f') {
        at++;
      } else if (c == '-' && peek(1) == '-') {
        comment();
      } else {
        return;
      }
    }
  }

  /**
   * Reads a comment. A documentation comment is {@code -- |} and all comment lines that follow
   * without a gap.
   */
  private void comment() {
    boolean doc = text.startsWith("-- |", at);
    int end = endOfLine(at);
    if (!doc) {
      at = end;
      return;
    }
    var content = new StringBuilder(text.substring(at + 4, end).strip());
    int next = nextLine(end);
    while (text.startsWith("--", next) && !text.startsWith("-- |", next)) {
      end = endOfLine(next);
      var line = text.substring(next + 2, end).stripTrailing();
      content.append('\n').append(line.startsWith(" ") ? line.substring(1) : line);
      next = nextLine(end);
    }
    boolean apart = next >= text.length() || "-\r\n".indexOf(text.charAt(next)) >= 0;
    tokens.addDoc(content.toString(), apart);
    at = end;
  }

  /** Returns the place of the first character of the next line that is not a blank. */
  private int nextLine(int endOfLine) {
    int next = text.indexOf('\n', endOfLine);
    next = next < 0 ? text.length() : next + 1;
    while (next < text.length() && " \t".indexOf(text.charAt(next)) >= 0) {
      next++;
    }
    return next;
  }

  private int endOfLine(int from) {
    int end = text.indexOf('\n', from);
    if (end < 0) {
      return text.length();
    }
    return end > from && text.charAt(end - 1) == '\r' ? end - 1 : end;
  }

  private void token() {
    char c = text.charAt(at);
    if (isLetter(c) || c == '_') {
      word();
    } else if (isDigit(c)) {
      number();
    } else if (InfixOperators.SYMBOL_START.indexOf(c) >= 0) {
      symbol(0);
    } else {
      switch (c) {
        case '(' -> emit(TokenKind.LPAREN, 1);
        case ')' -> emit(TokenKind.RPAREN, 1);
        case '[' -> emit(TokenKind.LBRACKET, 1);
        case ']' -> emit(TokenKind.RBRACKET, 1);
        case '{' -> emit(TokenKind.LBRACE, 1);
        case '}' -> emit(TokenKind.RBRACE, 1);
        case ',' -> emit(TokenKind.COMMA, 1);
        case '\\' -> emit(TokenKind.BACKSLASH, 1);
        case '`' -> emit(TokenKind.BACKTICK, 1);
        case '~' -> emit(TokenKind.TILDE, 1);
        case '$' -> dollar();
        case ':' -> emit(peek(1) == '>' ? TokenKind.COERCE : TokenKind.COLON, colonLength());
        case '.' -> dot();
        case '#' -> hash();
        case '?' -> question();
        case '"' -> string();
        case '\'' -> apostrophe();
        default -> unexpected();
      }
    }
  }

  private int colonLength() {
    return peek(1) == '>' ? 2 : 1;
  }

  private void unexpected() {
    int length = Character.charCount(text.codePointAt(at));
    while (at + length < text.length() && isStrange(text.charAt(at + length))) {
      length++;
    }
    var shown = text.substring(at, at + Math.min(length, 20));
    var printable = shown.chars().allMatch(ch -> ch > ' ' && ch != 127);
    fault(
        K0001,
        length,
        printable ? "`" + shown + "` can't stand here" : "this is not text of a program",
        "names are made of ASCII letters, digits, `_` and `'`; comments begin with `--`");
  }

  private static boolean isStrange(char c) {
    return c >= 127 || c < ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\f';
  }

  /** Reads a name or reserved word; {@code a.b.c} and {@code a.+} are one token. */
  private void word() {
    int end = endOfWord(at);
    var kind = TokenKind.ofWord(text.substring(at, end));
    if (kind != TokenKind.NAME) {
      emit(kind, end - at);
      return;
    }
    while (end + 1 < text.length() && text.charAt(end) == '.') {
      char next = text.charAt(end + 1);
      if (InfixOperators.SYMBOL_START.indexOf(next) >= 0) {
        symbol(end + 1 - at);
        return;
      }
      if (!isLetter(next) && next != '_') {
        break;
      }
      end = endOfWord(end + 1);
    }
    emit(TokenKind.NAME, end - at);
  }

  private int endOfWord(int from) {
    int end = from;
    while (end < text.length() && isConstituent(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private void symbol(int qualifiers) {
    int end = at + qualifiers;
    while (end < text.length()
        && (InfixOperators.SYMBOL_START.indexOf(text.charAt(end)) >= 0
            || text.charAt(end) == '.')) {
      end++;
    }
    int length = end - at;
    if (length == 1 && text.charAt(at) == '=') {
      emit(TokenKind.EQUALS, 1);
    } else if (length == 2 && text.startsWith("->", at)) {
      emit(TokenKind.ARROW, 2);
    } else {
      emit(TokenKind.SYMBOL, length);
    }
  }

  private void dot() {
    if (text.startsWith("...", at)) {
      emit(TokenKind.ELLIPSIS, 3);
    } else if (text.startsWith("..<", at)) {
      emit(TokenKind.DOT_DOT_LESS, 3);
    } else if (text.startsWith("..>", at)) {
      emit(TokenKind.DOT_DOT_GREATER, 3);
    } else if (text.startsWith("..", at)) {
      emit(TokenKind.DOT_DOT, 2);
    } else if (isDigit(peek(1)) && !followsOperand()) {
      number();
    } else {
      emit(TokenKind.DOT, 1);
    }
  }

  /** Whether a dot here projects from what stands right before it: {@code x.0}, {@code (e).0}. */
  private boolean followsOperand() {
    if (previous == TokenKind.LPAREN) {
      return true;
    }
    return previousEnd == at
        && switch (previous) {
          case NAME, RPAREN, RBRACKET, RBRACE, INT, FLOAT -> true;
          default -> false;
        };
  }

  private void hash() {
    if (peek(1) == '[') {
      emit(TokenKind.ATTRIBUTE, 2);
    } else if (isLetter(peek(1)) || peek(1) == '_') {
      emit(TokenKind.CONSTRUCTOR, endOfWord(at + 1) - at);
    } else {
      fault(K0001, 1, "`#` needs a name or `[` right after it", "a constructor is `#name`");
    }
  }

  private void dollar() {
    if (isLetter(peek(1)) || peek(1) == '_') {
      emit(TokenKind.DOLLAR, 1);
    } else {
      unexpected();
    }
  }

  private void question() {
    if (text.startsWith("???", at)) {
      emit(TokenKind.HOLE, 3);
    } else {
      emit(TokenKind.QUESTION, 1);
    }
  }

  private void string() {
    int end = at + 1;
    while (end < text.length() && text.charAt(end) != '"' && text.charAt(end) != '\n') {
      end += text.charAt(end) == '\\' && end + 1 < text.length() ? 2 : 1;
    }
    if (end >= text.length() || text.charAt(end) != '"') {
      int stop = Math.min(endOfLine(at), text.length());
      fault(K0002, stop - at, "this string is never closed", "close it with `\"` on its line");
      return;
    }
    quoted(TokenKind.STRING, end + 1 - at);
  }

  private void quoted(TokenKind kind, int length) {
    int bad = Escapes.firstInvalid(text, at + 1, at + length - 1);
    if (bad >= 0) {
      note(
          K0003,
          bad,
          2,
          "unknown escape",
          "known are \\n \\t \\r \\a \\b \\f \\v \\\\ \\\" \\' and \\65, \\x41, \\o101");
      emit(TokenKind.INVALID, length);
    } else {
      emit(kind, length);
    }
  }

  /** Reads a character literal, or the mark of a type parameter. */
  private void apostrophe() {
    int end = at + 1;
    if (peek(1) == '\\') {
      var escape = text.substring(at, Math.min(at + LONGEST_ESCAPE, text.length()));
      end = at + escape.indexOf('\'', peek(2) == '\'' ? 3 : 2);
      if (end < at || text.substring(at, end).indexOf('\n') >= 0) {
        fault(K0002, 2, "this character is never closed", "a character is written 'c'");
        return;
      }
      var escaped = Escapes.firstInvalid(text, at + 1, end) < 0;
      if (escaped && Escapes.decode(text, at + 1, end).codePointCount(0, length(end)) != 1) {
        fault(K0005, end + 1 - at, "a character literal holds one character");
        return;
      }
      quoted(TokenKind.CHAR, end + 1 - at);
      return;
    }
    if (end < text.length() && text.charAt(end) != '\n' && text.charAt(end) != '\'') {
      int after = end + Character.charCount(text.codePointAt(end));
      if (after < text.length() && text.charAt(after) == '\'') {
        emit(TokenKind.CHAR, after + 1 - at);
        return;
      }
    }
    boolean marked = peek(1) == '~' || peek(1) == '^';
    emit(TokenKind.TICK, marked ? 2 : 1);
  }

  private int length(int end) {
    return Escapes.decode(text, at + 1, end).length();
  }

  private void number() {
    if (previous == TokenKind.DOT && previousEnd == at) {
      emit(TokenKind.INT, scan(at, Lexer::isDigit) - at);
      return;
    }
    char second = peek(1);
    if (text.charAt(at) == '0' && (second == 'x' || second == 'X')) {
      hexadecimal();
    } else if (text.charAt(at) == '0' && (second == 'b' || second == 'B')) {
      int end = scan(at + 2, c -> c == '0' || c == '1' || c == '_');
      finishNumber(TokenKind.INT, end, end > at + 2 && text.charAt(at + 2) != '_');
    } else {
      decimal();
    }
  }

  private void hexadecimal() {
    int end = scan(at + 2, Lexer::isHexDigit);
    boolean valid = end > at + 2 && text.charAt(at + 2) != '_';
    int fraction = end;
    if (end + 1 < text.length() && text.charAt(end) == '.' && isHexDigit(text.charAt(end + 1))) {
      fraction = scan(end + 1, Lexer::isHexDigit);
    }
    if (fraction < text.length() && (text.charAt(fraction) | 32) == 'p') {
      int exponent = afterSign(fraction + 1);
      int last = endOfExponent(exponent);
      finishNumber(TokenKind.FLOAT, last, valid && isExponent(exponent, last, 4));
    } else {
      finishNumber(TokenKind.INT, end, valid);
    }
  }

  private void decimal() {
    int end = scan(at, c -> isDigit(c) || c == '_');
    var kind = TokenKind.INT;
    boolean valid = true;
    if (end + 1 < text.length() && text.charAt(end) == '.' && isDigit(text.charAt(end + 1))) {
      kind = TokenKind.FLOAT;
      end = scan(end + 1, c -> isDigit(c) || c == '_');
    }
    if (end < text.length() && (text.charAt(end) | 32) == 'e') {
      kind = TokenKind.FLOAT;
      int exponent = afterSign(end + 1);
      end = endOfExponent(exponent);
      valid = isExponent(exponent, end, 5);
    }
    finishNumber(kind, end, valid);
  }

  /** Skips digits, with underscores from the second place on. */
  private int endOfExponent(int from) {
    int digit = scan(from, Lexer::isDigit);
    return digit == from ? from : scan(digit, c -> isDigit(c) || c == '_');
  }

  private boolean isExponent(int from, int to, int mostDigits) {
    long digits = text.substring(from, to).chars().filter(c -> c != '_').count();
    return digits > 0 && digits <= mostDigits;
  }

  private int afterSign(int from) {
    boolean sign = from < text.length() && "+-".indexOf(text.charAt(from)) >= 0;
    return sign ? from + 1 : from;
  }

  private void finishNumber(TokenKind kind, int digitsEnd, boolean valid) {
    int end = endOfWord(digitsEnd);
    var suffix = " " + text.substring(digitsEnd, Math.min(end, digitsEnd + 5)) + " ";
    var allowed = kind == TokenKind.INT ? INT_SUFFIXES : FLOAT_SUFFIXES;
    if (!valid) {
      fault(K0004, Math.max(end, at + 1) - at, "this number is malformed");
    } else if (digitsEnd - at > LONGEST_NUMBER) {
      fault(K0004, end - at, "this number has more than " + LONGEST_NUMBER + " digits");
    } else if (end > digitsEnd && !allowed.contains(suffix)) {
      fault(
          K0004,
          end - at,
          "a number can't end in `" + suffix.strip() + "`",
          "it may end in one of" + allowed.stripTrailing(),
          "leave a space if this is an application");
    } else {
      emit(kind, end - at);
    }
  }

  private interface CharTest {
    boolean test(char c);
  }

  private int scan(int from, CharTest test) {
    int end = Math.min(from, text.length());
    while (end < text.length() && test.test(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isHexDigit(char c) {
    return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' || c == '_';
  }

  static boolean isConstituent(char c) {
    return isLetter(c) || isDigit(c) || c == '_' || c == '\'';
  }
}
