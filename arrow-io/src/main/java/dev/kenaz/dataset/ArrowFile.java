package dev.kenaz.dataset;

import dev.kenaz.arrow.Faults;
import dev.kenaz.arrow.RangedFileWriter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.apache.arrow.vector.types.pojo.Schema;

/** Writes an Arrow file with columns of any type, and with the ranges of its batches. */
public final class ArrowFile implements RowWriter {
  private final Path file;
  private final FileChannel channel;
  private final RangedFileWriter messages;
  private boolean committed;

  /**
   * Begins a file.
   *
   * @throws dev.kenaz.error.UserError K6111 if it can't be written
   */
  public ArrowFile(Path file, Schema schema) {
    this.file = file;
    try {
      this.channel =
          FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      this.messages =
          new RangedFileWriter(schema, channel, CodecType.NO_COMPRESSION, BatchMemory.root());
      messages.start();
    } catch (IOException e) {
      throw Faults.cannotWrite(file, e);
    }
  }

  @Override
  public void write(VectorSchemaRoot batch) {
    try {
      messages.write(batch);
    } catch (IOException e) {
      throw Faults.cannotWrite(file, e);
    }
  }

  @Override
  public void commit() {
    try {
      messages.end();
      channel.force(true);
      committed = true;
    } catch (IOException e) {
      throw Faults.cannotWrite(file, e);
    }
  }

  @Override
  public void close() {
    messages.close();
    try {
      channel.close();
      if (!committed) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw Faults.cannotWrite(file, e);
    }
  }
}
