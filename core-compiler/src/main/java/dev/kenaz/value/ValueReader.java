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
 * byte offset (binary). Not thread-safe.
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

  /** Reads text that stands at {@code start} in some source file. */
  public static ValueReader ofText(String text, Span start) {
    return new ValueReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), start);
  }

  /** All values of a text. */
  public static List<Value> parse(String text) {
    return ofText(text, new Span("<text>", 1, 1, 1, 1)).readAll();
  }

  /** All values of a file. */
  public static List<Value> readAll(Path file) {
    try (var reader = open(file)) {
      return reader.readAll();
    }
  }

  /** Whether another value follows; skips white space and comments. */
  public boolean hasNext() {
    TextValues.skipSpace(in);
    return in.peek() >= 0;
  }

  /**
   * The next value. In text, an integer without a suffix is an i32, a decimal without one an f64.
   *
   * @throws UserError also if no value follows
   */
  public Value next() {
    return read(null);
  }

  /** The next value, taking text numbers without a suffix as {@code expected} where they fit it. */
  public Value nextAs(Prim expected) {
    return read(expected);
  }

  private Value read(Prim expected) {
    if (!hasNext()) {
      throw new UserError(K6006, in.here(), "expected a value, found the end of input");
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
      throw new UserError(K6007, Span.NONE, "can't close " + in.name() + ": " + e.getMessage());
    }
  }
}
