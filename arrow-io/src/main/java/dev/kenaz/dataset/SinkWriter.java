package dev.kenaz.dataset;

import dev.kenaz.arrow.Faults;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/** Writes a format to a file, which is packed on the way. If it isn't completed, it is removed. */
final class SinkWriter implements RowWriter {
  /** Makes what writes a format. */
  interface Format {
    /**
     * @param out takes the bytes
     * @param folder where files may be for a while
     * @throws dev.kenaz.error.UserError K6143 if it can't hold such columns
     */
    RowSink to(Schema schema, OutputStream out, Path folder) throws IOException;
  }

  private final Path file;
  private OutputStream out;
  private RowSink sink;
  private boolean committed;

  /**
   * Begins a file, which must not exist.
   *
   * @throws dev.kenaz.error.UserError K6111, K6143
   */
  SinkWriter(Path file, Packing packing, Schema schema, Format format) {
    this.file = file;
    try {
      var plain =
          new BufferedOutputStream(
              Files.newOutputStream(file, StandardOpenOption.CREATE_NEW), 1 << 16);
      this.out = plain;
      this.out = packing.packed(plain);
      this.sink = format.to(schema, out, file.toAbsolutePath().getParent());
      refuse(schema);
    } catch (IOException e) {
      close();
      throw Faults.cannotWrite(file, e);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Lets the format refuse columns before there are rows. */
  private void refuse(Schema schema) throws IOException {
    try (var memory = BatchMemory.of(file.toString());
        var none = VectorSchemaRoot.create(schema, memory)) {
      sink.write(none);
    }
  }

  @Override
  public void write(VectorSchemaRoot batch) {
    try {
      sink.write(batch);
    } catch (IOException e) {
      throw Faults.cannotWrite(file, e);
    }
  }

  @Override
  public void commit() {
    try {
      sink.end();
      sink.close();
      sink = null;
      out.close();
      out = null;
      committed = true;
    } catch (IOException e) {
      throw Faults.cannotWrite(file, e);
    }
  }

  @Override
  public void close() {
    // What was begun is thrown away, so it is no fault if its last bytes can't be written.
    closeQuietly(sink);
    closeQuietly(out);
    sink = null;
    out = null;
    if (!committed) {
      closeQuietly(() -> Files.deleteIfExists(file));
    }
  }

  private static void closeQuietly(AutoCloseable what) {
    try {
      if (what != null) {
        what.close();
      }
    } catch (Exception _) {
      return;
    }
  }
}
