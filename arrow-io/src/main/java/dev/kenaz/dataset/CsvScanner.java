package dev.kenaz.dataset;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Finds the fields of the rows of a CSV file (RFC 4180) in its bytes. No text is made of a field
 * before somebody asks for it, because most fields are numbers, which are read from their bytes.
 * Spaces and tabs around fields, and lines without anything else, are no part of the data.
 */
final class CsvScanner implements AutoCloseable {
  private static final int FIRST = 1 << 18;

  /** A row that is longer is no row: a quotation mark that is never closed makes such rows. */
  private static final int LONGEST = 1 << 28;

  /** A fault in the form of the file. */
  static final class Malformed extends IOException {
    private static final long serialVersionUID = 1;

    Malformed(String message) {
      super(message);
    }
  }

  /** Refuses what is no UTF-8. */
  private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();

  private final InputStream in;
  private final byte separator;
  private final long separators;

  private byte[] buffer;

  /** The next byte, and the end of those that were read. */
  private int at;

  private int limit;
  private boolean ended;

  private int[] from = new int[16];
  private int[] to = new int[16];

  /** Whether a field has doubled quotation marks inside. */
  private boolean[] doubled = new boolean[16];

  private int count;
  private long lines = 1;
  private long rowLine = 1;

  CsvScanner(InputStream in, char separator) throws IOException {
    this(in, separator, FIRST);
  }

  /**
   * @param first how many bytes are read at first
   */
  CsvScanner(InputStream in, char separator, int first) throws IOException {
    this.in = in;
    this.separator = (byte) separator;
    this.separators = EightBytes.all(separator);
    this.buffer = new byte[first];
    fill(0);
    if (limit >= 3 && buffer[0] == (byte) 0xEF && buffer[1] == (byte) 0xBB) {
      at = 3; // the byte order mark of UTF-8
    }
  }

  /** Returns the number of fields in the row. */
  int count() {
    return count;
  }

  /** Returns the line in which the row begins, from 1. */
  long line() {
    return rowLine;
  }

  byte[] bytes() {
    return buffer;
  }

  int from(int field) {
    return from[field];
  }

  int to(int field) {
    return to[field];
  }

  /** Whether a field has doubled quotation marks inside. */
  boolean doubled(int field) {
    return doubled[field];
  }

  /** Whether a field stands between quotation marks; only they can stand just before a field. */
  boolean quoted(int field) {
    return from[field] > 0 && buffer[from[field] - 1] == '"';
  }

  /** Whether a field is text of UTF-8. */
  boolean isText(int field) {
    for (int i = from[field]; i < to[field]; i++) {
      if (buffer[i] < 0) {
        return decodes(i, to[field]);
      }
    }
    return true;
  }

  private boolean decodes(int start, int stop) {
    try {
      decoder.decode(ByteBuffer.wrap(buffer, start, stop - start));
      return true;
    } catch (CharacterCodingException _) {
      return false;
    }
  }

  /** Returns a field as text. */
  String text(int field) {
    var text = new String(buffer, from[field], to[field] - from[field], StandardCharsets.UTF_8);
    return doubled[field] ? text.replace("\"\"", "\"") : text;
  }

  /**
   * Goes to the next row.
   *
   * @return false at the end
   * @throws Malformed if quotation marks stand where they must not
   */
  boolean next() throws IOException {
    skipEmptyLines();
    if (at == limit) {
      return false;
    }
    rowLine = lines;
    while (true) {
      int start = at;
      count = 0;
      if (row()) {
        return true;
      }
      // The row goes on behind the bytes that are there: more of them, and once again.
      at = start;
      lines = rowLine;
      more();
    }
  }

  /**
   * Reads plain lines of numbers that come next, and returns how many these are. {@link #next} goes
   * on with the line behind them.
   *
   * @param most how many lines are read at most
   */
  int numbers(CsvNumberLines plain, int most) {
    int read = plain.read(buffer, at, limit, most);
    at = plain.end();
    lines += read;
    return read;
  }

  private void skipEmptyLines() throws IOException {
    int start = at;
    while (true) {
      if (at == limit) {
        if (ended) {
          return;
        }
        at = start;
        more();
        start = at;
        continue;
      }
      byte b = buffer[at];
      if (b == '\n' || b == '\r' && !isPairAt(at)) {
        lines++;
        start = at + 1;
      } else if (!isBlank(b) && b != '\r') {
        at = start;
        return;
      }
      at++;
    }
  }

  /** Whether a carriage return is followed by a line feed, which then ends the line. */
  private boolean isPairAt(int i) throws IOException {
    return i + 1 < limit ? buffer[i + 1] == '\n' : !ended;
  }

  private boolean isBlank(byte b) {
    return (b == ' ' || b == '\t') && b != separator;
  }

  /** Reads more bytes behind those that are not consumed yet. */
  private void more() throws IOException {
    if (at > 0) {
      System.arraycopy(buffer, at, buffer, 0, limit - at);
    } else if (limit == buffer.length) {
      if (buffer.length >= LONGEST) {
        throw new Malformed("a row is longer than " + LONGEST + " bytes");
      }
      buffer = Arrays.copyOf(buffer, 2 * buffer.length);
    }
    fill(limit - at);
  }

  private void fill(int kept) throws IOException {
    at = 0;
    limit = kept;
    int n = in.readNBytes(buffer, kept, buffer.length - kept);
    limit += n;
    ended = limit < buffer.length;
  }

  /** Finds the fields of a row. Returns false if it needs more bytes for that. */
  private boolean row() throws IOException {
    while (true) {
      simpleFields();
      if (!field()) {
        return false;
      }
      if (at == limit) {
        return true; // The last line of a file needs no end.
      }
      byte b = buffer[at];
      if (b == separator) {
        at++;
      } else {
        return endOfLine(b);
      }
    }
  }

  private boolean endOfLine(byte b) {
    if (b == '\r') {
      if (at + 1 == limit && !ended) {
        return false;
      }
      at += at + 1 < limit && buffer[at + 1] == '\n' ? 2 : 1;
    } else {
      at++;
    }
    lines++;
    return true;
  }

  /**
   * Finds fields without spaces and quotation marks that a separator follows, as nearly all are.
   * What is there then is looked at with more care.
   */
  private void simpleFields() {
    var bytes = buffer;
    byte end = separator;
    int last = limit;
    int start = at;
    int n = count;
    var starts = from;
    var stops = to;
    var twice = doubled;
    while (start < last && n < starts.length && bytes[start] > ' ' && bytes[start] != '"') {
      int i = EightBytes.endOfField(bytes, start + 1, last, separators);
      if (i == last || bytes[i] != end || bytes[i - 1] <= ' ' || bytes[start] == end) {
        break;
      }
      starts[n] = start;
      stops[n] = i;
      twice[n++] = false;
      start = i + 1;
    }
    count = n;
    at = start;
  }

  /** Finds a field, up to what follows it. Returns false if it needs more bytes for that. */
  private boolean field() throws IOException {
    while (at < limit && isBlank(buffer[at])) {
      at++;
    }
    if (at == limit && !ended) {
      return false;
    }
    return at < limit && buffer[at] == '"' ? quoted() : plain();
  }

  private boolean plain() {
    var bytes = buffer;
    int last = limit;
    int i = EightBytes.endOfField(bytes, at, last, separators);
    if (i == last && !ended) {
      return false;
    }
    int stop = i;
    while (stop > at && isBlank(bytes[stop - 1])) {
      stop--;
    }
    add(at, stop, false);
    at = i;
    return true;
  }

  /** Reads a field between quotation marks, up to what follows the second one. */
  private boolean quoted() throws IOException {
    int start = at + 1;
    boolean twice = false;
    long inside = lines;
    int i = start;
    while (true) {
      if (i == limit) {
        if (ended) {
          throw new Malformed("a quotation mark is never closed");
        }
        return false;
      }
      byte b = buffer[i];
      if (b == '"') {
        if (i + 1 == limit && !ended) {
          return false;
        }
        if (i + 1 == limit || buffer[i + 1] != '"') {
          break;
        }
        twice = true;
        i++;
      } else if (b == '\n') {
        inside++;
      }
      i++;
    }
    add(start, i, twice);
    at = i + 1;
    while (at < limit && isBlank(buffer[at])) {
      at++;
    }
    if (at == limit && !ended) {
      return false;
    }
    if (at < limit && buffer[at] != separator && buffer[at] != '\n' && buffer[at] != '\r') {
      throw new Malformed("text follows a closing quotation mark");
    }
    lines = inside;
    return true;
  }

  private void add(int start, int stop, boolean twice) {
    if (count == from.length) {
      from = Arrays.copyOf(from, 2 * count);
      to = Arrays.copyOf(to, 2 * count);
      doubled = Arrays.copyOf(doubled, 2 * count);
    }
    from[count] = start;
    to[count] = stop;
    doubled[count++] = twice;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
