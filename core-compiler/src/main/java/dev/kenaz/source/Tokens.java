package dev.kenaz.source;

import dev.kenaz.error.Span;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * These are the tokens of a file, as parallel arrays: a file of 10 MB has some millions of them.
 * The last one is {@link TokenKind#END}. What a token stands for is read off the text when it is
 * asked for.
 */
final class Tokens {
  private final String file;
  private final String text;
  private final LineMap lines;
  private TokenKind[] kinds;
  private int[] starts;
  private int[] ends;
  private int size;
  private int[] invalid = new int[8];
  private int invalidCount;
  private final Map<Integer, String> docs = new HashMap<>();
  private Optional<String> fileDoc = Optional.empty();

  Tokens(String file, String text) {
    this.file = file;
    this.text = text;
    this.lines = new LineMap(text);
    int guess = text.length() / 4 + 16;
    kinds = new TokenKind[guess];
    starts = new int[guess];
    ends = new int[guess];
  }

  void add(TokenKind kind, int start, int end) {
    if (size == kinds.length) {
      kinds = Arrays.copyOf(kinds, size * 2);
      starts = Arrays.copyOf(starts, size * 2);
      ends = Arrays.copyOf(ends, size * 2);
    }
    if (kind == TokenKind.INVALID) {
      if (invalidCount == invalid.length) {
        invalid = Arrays.copyOf(invalid, invalidCount * 2);
      }
      invalid[invalidCount++] = size;
    }
    kinds[size] = kind;
    starts[size] = start;
    ends[size] = end;
    size++;
  }

  /**
   * Remembers a documentation comment for the next token to come; the last of several is used. The
   * first one in a file is about the file, if it stands apart from what follows.
   *
   * @param apart whether an empty line or another comment follows
   */
  void addDoc(String doc, boolean apart) {
    if (size == 0 && apart && fileDoc.isEmpty()) {
      fileDoc = Optional.of(doc);
    } else {
      docs.put(size, doc);
    }
  }

  /** Returns the documentation comment of the whole file. */
  Optional<String> fileDoc() {
    return fileDoc;
  }

  /** Returns the documentation comment right before a token. */
  Optional<String> doc(int index) {
    return Optional.ofNullable(docs.get(index));
  }

  /** Whether the lexer has reported a fault in any token from a first to a last. */
  boolean anyInvalid(int first, int last) {
    int found = Arrays.binarySearch(invalid, 0, invalidCount, first);
    int next = found >= 0 ? found : -found - 1;
    return next < invalidCount && invalid[next] <= last;
  }

  int size() {
    return size;
  }

  TokenKind kind(int index) {
    return kinds[Math.min(index, size - 1)];
  }

  String text(int index) {
    return text.substring(starts[index], ends[index]);
  }

  /**
   * Returns the token that begins at, or contains, a place; its line and column are counted from 1.
   */
  int at(int line, int column) {
    int offset = lines.startOf(line - 1) + column - 1;
    int found = Arrays.binarySearch(starts, 0, size, offset);
    return found >= 0 ? found : -found - 2;
  }

  /** Returns the offset of a token's first character. */
  int start(int index) {
    return starts[index];
  }

  /** Returns the offset just past a token's last character. */
  int end(int index) {
    return ends[index];
  }

  /** Whether a token has this text. No string is made for it. */
  boolean is(int index, String expected) {
    int i = Math.min(index, size - 1);
    return ends[i] - starts[i] == expected.length() && text.startsWith(expected, starts[i]);
  }

  /** Whether nothing stands between a token and the one before it. */
  boolean adjacent(int index) {
    return index > 0 && index < size && starts[index] == ends[index - 1];
  }

  /** Returns the column of a token, counted from 1, if it is the first of its line; else 0. */
  int columnIfFirstOnLine(int index) {
    int line = lines.lineAt(starts[index]);
    boolean first = index == 0 || lines.lineAt(starts[index - 1]) < line;
    return first ? starts[index] - lines.startOf(line) + 1 : 0;
  }

  /** Returns the span from the first character of one token to the last of another. */
  Span span(int first, int last) {
    return lines.span(file, starts[first], Math.max(ends[last], starts[first]));
  }

  /** Returns the span of a part of one token; {@code from} and {@code to} count from its start. */
  Span spanWithin(int index, int from, int to) {
    return lines.span(file, starts[index] + from, starts[index] + to);
  }
}
