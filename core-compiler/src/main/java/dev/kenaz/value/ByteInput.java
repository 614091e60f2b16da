package dev.kenaz.value;

import static dev.kenaz.error.ErrorCode.K6007;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.io.InputStream;

/** Buffers bytes with one byte of lookahead, and knows their line and column. */
final class ByteInput implements AutoCloseable {
  private static final int BUFFER = 1 << 16;

  private final InputStream in;
  private final String name;
  private final byte[] buffer = new byte[BUFFER];
  private int position;
  private int limit;
  private long before;
  private int line;
  private long lineStart;

  /**
   * @param start the place of the first byte, for text that is embedded in a source file
   */
  ByteInput(InputStream in, Span start) {
    this.in = in;
    this.name = start.file();
    this.line = Math.max(1, start.line());
    this.lineStart = 1L - Math.max(1, start.column());
  }

  /** Returns the next byte as 0 to 255, or -1 at the end, and doesn't consume it. */
  int peek() {
    return position < limit || fill() ? buffer[position] & 0xFF : -1;
  }

  /** Consumes the byte that {@link #peek} returned. */
  void skip() {
    if (buffer[position++] == '\n') {
      line++;
      lineStart = offset();
    }
  }

  int next() {
    int b = peek();
    if (b >= 0) {
      skip();
    }
    return b;
  }

  /** Whether the next two bytes are these. */
  boolean peekIs(char first, char second) {
    if (limit - position < 2) {
      refill();
    }
    return limit - position >= 2 && buffer[position] == first && buffer[position + 1] == second;
  }

  /**
   * Consumes up to {@code length} bytes, and returns how many; these are fewer only at the end of
   * the input.
   */
  int read(byte[] into, int length) {
    int n = 0;
    while (n < length && (position < limit || fill())) {
      int step = Math.min(length - n, limit - position);
      System.arraycopy(buffer, position, into, n, step);
      position += step;
      n += step;
    }
    return n;
  }

  /** Returns how many bytes were consumed so far. */
  long offset() {
    return before + position;
  }

  /** Returns the place of the next byte; columns count bytes from 1. */
  Span here() {
    int column = (int) Math.min(Integer.MAX_VALUE, offset() - lineStart + 1);
    return new Span(name, line, column, line, column);
  }

  String name() {
    return name;
  }

  private boolean fill() {
    before += limit;
    position = 0;
    limit = 0;
    return readMore();
  }

  /** Moves what is left to the front to make room, then reads on. */
  private void refill() {
    System.arraycopy(buffer, position, buffer, 0, limit - position);
    before += position;
    limit -= position;
    position = 0;
    while (limit < 2 && readMore()) {
      // A stream may give a byte at a time.
    }
  }

  private boolean readMore() {
    try {
      int n = in.read(buffer, limit, buffer.length - limit);
      limit += Math.max(0, n);
      return n > 0;
    } catch (IOException e) {
      throw new UserError(K6007, here(), "can't read " + name + ": " + e.getMessage());
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
