package dev.kenaz.value;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Writes values in Futhark's text or binary format; reading them back gives equal values. */
public final class ValueWriter {
  private ValueWriter() {}

  /** Writes one value in the binary format. Doesn't close or flush the stream. */
  public static void writeBinary(Value v, OutputStream out) throws IOException {
    BinaryValues.write(v, out);
  }

  /** Writes one value and a newline in the text format. Flushes but doesn't close the stream. */
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
