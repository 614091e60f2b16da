package dev.kenaz.dataset;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * Goes through the lines of a text, and through the words of a line, which white space separates.
 * No text is made of a word before somebody asks for it, because most words are numbers, which are
 * read from their bytes. Lines without words are passed over, and a byte order mark of UTF-8 is no
 * part of the text.
 */
final class TextLines implements AutoCloseable {
  private static final int FIRST = 1 << 16;

  /** A longer line is no line of text. */
  private static final int LONGEST = 1 << 28;

  private static final int SHOWN = 40;

  private final DataFile file;
  private final Unpacked in;
  private byte[] buffer = new byte[FIRST];
  private int at;
  private int limit;
  private boolean ended;
  private long line;
  private int lineFrom;
  private int lineTo;
  private int wordFrom;
  private int wordTo;

  /** Opens a file, which is unpacked on the way. */
  TextLines(DataFile file) {
    this.file = file;
    try {
      this.in = Unpacked.open(file);
    } catch (IOException e) {
      throw file.cannotRead(e);
    }
  }

  /** Goes to the next line that has a word, and in front of its first word; false at the end. */
  boolean next() {
    while (readLine()) {
      wordTo = lineFrom;
      skipSpace();
      if (wordTo < lineTo) {
        return true;
      }
    }
    return false;
  }

  /** Goes to the next word of the line; false at the end of the line. */
  boolean word() {
    skipSpace();
    wordFrom = wordTo;
    while (wordTo < lineTo && !isSpace(buffer[wordTo])) {
      wordTo++;
    }
    return wordFrom < wordTo;
  }

  /** Goes to the next word, which may be on a later line; false at the end of the text. */
  boolean wordOfText() {
    return line > 0 && word() || next() && word();
  }

  private void skipSpace() {
    while (wordTo < lineTo && isSpace(buffer[wordTo])) {
      wordTo++;
    }
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || b == '\t' || b == '\r' || b == '\f' || b == 11;
  }

  private boolean readLine() {
    int i = at;
    while (true) {
      while (i < limit && buffer[i] != '\n') {
        i++;
      }
      if (i < limit || ended) {
        break;
      }
      i -= at;
      more();
    }
    if (at == limit) {
      return false;
    }
    lineFrom = at;
    lineTo = i;
    at = Math.min(i + 1, limit);
    line++;
    if (line == 1) {
      start();
    }
    return true;
  }

  /** Passes over a byte order mark, and refuses the text if it has that of another encoding. */
  private void start() {
    if (lineTo - lineFrom >= 3
        && buffer[lineFrom] == (byte) 0xEF
        && buffer[lineFrom + 1] == (byte) 0xBB
        && buffer[lineFrom + 2] == (byte) 0xBF) {
      lineFrom += 3;
    } else if (lineTo - lineFrom >= 2
        && (buffer[lineFrom] & buffer[lineFrom + 1] & 0xFE) == 0xFE
        && buffer[lineFrom] != buffer[lineFrom + 1]) {
      throw at(ErrorCode.K6141, "this is UTF-16 text", "write it as UTF-8");
    }
  }

  /** Reads more bytes behind those of the line that was begun. */
  private void more() {
    if (at > 0) {
      System.arraycopy(buffer, at, buffer, 0, limit - at);
      limit -= at;
      at = 0;
    } else if (limit == buffer.length) {
      if (buffer.length >= LONGEST) {
        line++;
        throw at(ErrorCode.K6141, "the line is longer than " + LONGEST + " bytes");
      }
      buffer = Arrays.copyOf(buffer, 2 * buffer.length);
    }
    try {
      int n = in.stream().readNBytes(buffer, limit, buffer.length - limit);
      limit += n;
      ended = limit < buffer.length;
    } catch (IOException e) {
      throw file.cannotRead(e);
    }
  }

  /** Returns the bytes that the places of words are in; another line may be in other ones. */
  byte[] bytes() {
    return buffer;
  }

  int from() {
    return wordFrom;
  }

  int to() {
    return wordTo;
  }

  /** Whether the word begins with this character. */
  boolean startsWith(char c) {
    return wordFrom < wordTo && buffer[wordFrom] == c;
  }

  /** Returns where in the bytes a character first is in the word; -1 if it isn't there. */
  int find(char c) {
    for (int i = wordFrom; i < wordTo; i++) {
      if (buffer[i] == c) {
        return i;
      }
    }
    return -1;
  }

  /** Returns the word as text. */
  String text() {
    return new String(buffer, wordFrom, wordTo - wordFrom, StandardCharsets.UTF_8);
  }

  /** Returns the line as text. */
  String lineText() {
    return new String(buffer, lineFrom, lineTo - lineFrom, StandardCharsets.UTF_8);
  }

  /** Returns which part of the file was read, from 0 to 1. */
  double fraction() {
    return in.fraction();
  }

  /** Returns the number of the line, from 1. */
  long line() {
    return line;
  }

  /**
   * Returns the word as a number's bits in normal form.
   *
   * @throws UserError K6142 if it is no number of this type
   */
  long number(Prim type) {
    return number(wordFrom, wordTo, type);
  }

  /** Returns the number that a part of the word is. */
  long number(int from, int to, Prim type) {
    long bits = CsvNumber.parse(buffer, from, to, type);
    if (bits != CsvNumber.OTHER) {
      return bits;
    }
    var text = new String(buffer, from, to - from, StandardCharsets.UTF_8);
    return CsvField.parse(text, type)
        .orElseThrow(() -> at(ErrorCode.K6142, "\"" + shown(text) + "\" is no " + type));
  }

  /** Returns the word as an integer; nothing if it is none. */
  OptionalLong integer() {
    long bits = CsvNumber.parse(buffer, wordFrom, wordTo, Prim.I64);
    return bits == CsvNumber.OTHER ? CsvField.parse(text(), Prim.I64) : OptionalLong.of(bits);
  }

  double real() {
    return Double.longBitsToDouble(number(Prim.F64));
  }

  private static String shown(String text) {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
  }

  /** Returns the error for a fault of the current word. */
  UserError at(ErrorCode code, String message, String... hints) {
    int row = Math.clamp(line, 1, Integer.MAX_VALUE);
    int column = Math.max(1, wordFrom - lineFrom + 1);
    return new UserError(code, new Span(file.name(), row, column, row, column), message, hints);
  }

  /** Returns the error for a text that ends where something is missing. */
  UserError tooShort(String message) {
    return at(ErrorCode.K6141, message, "make the file again; it was probably cut off");
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      throw file.cannotRead(e);
    }
  }
}
