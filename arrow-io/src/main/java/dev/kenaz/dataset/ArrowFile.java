package dev.kenaz.dataset;

import dev.kenaz.arrow.Faults;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.Schema;

/** Writes an Arrow file with columns of any type. */
public final class ArrowFile implements RowWriter {
  private final Path file;
  private final FileChannel channel;
  private final Messages messages;
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
      this.messages = new Messages(schema, channel);
      messages.start();
    } catch (IOException e) {
      throw Faults.cannotWrite(file, e);
    }
  }

  /** Writes batches of any root. The library's own writer has a root that it must be copied to. */
  private static final class Messages extends ArrowFileWriter {
    Messages(Schema schema, WritableByteChannel to) {
      super(
          new VectorSchemaRoot(schema, empty(schema), 0),
          new DictionaryProvider.MapDictionaryProvider(),
          to);
    }

    private static List<org.apache.arrow.vector.FieldVector> empty(Schema schema) {
      return schema.getFields().stream().map(f -> f.createVector(BatchMemory.root())).toList();
    }

    void add(VectorSchemaRoot batch) throws IOException {
      try (ArrowRecordBatch written = new VectorUnloader(batch).getRecordBatch()) {
        writeRecordBatch(written);
      }
    }
  }

  @Override
  public void write(VectorSchemaRoot batch) {
    try {
      messages.add(batch);
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
