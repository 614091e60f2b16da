package dev.kenaz.value;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Writes values in Futhark's text or binary format. A reader gets equal values back. */
public final class ValueWriter {
  private ValueWriter() {}

  /** Writes one value in the binary format. It doesn't close or flush the stream. */
  public static void writeBinary(Value v, OutputStream out) throws IOException {
    BinaryValues.write(v, out);
  }

  /**
   * Writes one value and a newline in the text format. It flushes the stream, but doesn't close it.
   */
  public static void writeText(Value v, OutputStream out) throws IOException {
    try {
      var text =
          new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.US_ASCII), 1 << 16);
      TextPrinter.print(v, text);
      text.append('\n').flush();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
