package dev.kenaz.value;

import static dev.kenaz.error.ErrorCode.K6006;
import static dev.kenaz.error.ErrorCode.K6007;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a stream of values in Futhark's text format, its binary format, or a mixture: each value
 * says by its first byte which it is. White space and {@code --} comments may stand between values.
 *
 * <p>All faults of the data are {@link UserError}s K6001 to K6008 with line and column (text) or
 * byte offset (binary). A reader is not thread-safe.
 */
public final class ValueReader implements AutoCloseable {
  private final ByteInput in;

  private ValueReader(InputStream stream, Span start) {
    this.in = new ByteInput(stream, start);
  }

  /** Reads a file; the caller closes the reader. */
  public static ValueReader open(Path file) {
    try {
      return of(Files.newInputStream(UserPath.requireFile(file, K6007)), file.toString());
    } catch (IOException e) {
      throw UserPath.cannotRead(file, K6007, e);
    }
  }

  /** Reads a stream, which closing the reader closes; {@code name} appears in messages. */
  public static ValueReader of(InputStream stream, String name) {
    return new ValueReader(stream, new Span(name, 1, 1, 1, 1));
  }

  public static ValueReader of(byte[] bytes, String name) {
    return of(new ByteArrayInputStream(bytes), name);
  }

  /** Reads text that stands at {@code start} in a source file. */
  public static ValueReader ofText(String text, Span start) {
    return new ValueReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), start);
  }

  /** Returns all values of a text. */
  public static List<Value> parse(String text) {
    return ofText(text, new Span("<text>", 1, 1, 1, 1)).readAll();
  }

  /** Returns all values of a file. */
  public static List<Value> readAll(Path file) {
    try (var reader = open(file)) {
      return reader.readAll();
    }
  }

  /** Skips white space and comments, and returns whether another value follows. */
  public boolean hasNext() {
    TextValues.skipSpace(in);
    return in.peek() >= 0;
  }

  /**
   * Returns the next value. In text, an integer without a suffix is an i32, and a decimal without
   * one is an f64.
   *
   * @throws UserError if the value is malformed, or no value follows
   */
  public Value next() {
    return read(null);
  }

  /**
   * Returns the next value. Numbers without a suffix in text are taken as {@code expected}, where
   * they fit it.
   */
  public Value nextAs(Prim expected) {
    return read(expected);
  }

  private Value read(Prim expected) {
    if (!hasNext()) {
      throw new UserError(
          K6006,
          in.here(),
          "expected a value, found the end of input",
          "give as many values as are wanted");
    }
    return in.peek() == 'b' ? BinaryValues.read(in) : new TextValues(in, expected).read();
  }

  public List<Value> readAll() {
    var values = new ArrayList<Value>();
    while (hasNext()) {
      values.add(next());
    }
    return List.copyOf(values);
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      throw new UserError(K6007, "can't close " + in.name() + ": " + e.getMessage());
    }
  }
}
