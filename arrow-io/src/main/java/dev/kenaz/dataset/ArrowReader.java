package dev.kenaz.dataset;

import dev.kenaz.arrow.Faults;
import dev.kenaz.arrow.SoundVectors;
import dev.kenaz.arrow.VectorFile;
import dev.kenaz.error.UserError;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Reads the rows of an Arrow file or stream, with columns of any type. Files of this machine are
 * mapped, and their batches are read one by one.
 */
public final class ArrowReader {
  private static final int MAGIC = 8;

  private ArrowReader() {}

  /**
   * Opens a file.
   *
   * @throws dev.kenaz.error.UserError K6101, K6102, K6103, K6105
   */
  public static RowReader open(DataFile file) {
    return file.path().isPresent()
        ? new Mapped(file, VectorFile.map(file.path().get()))
        : Streamed.open(file);
  }

  /** Returns the schema as it is after dictionaries were decoded. */
  private static Schema decoded(Schema schema) {
    var fields =
        schema.getFields().stream()
            .map(
                f ->
                    f.getDictionary() == null
                        ? f
                        : new Field(
                            f.getName(),
                            new FieldType(f.isNullable(), f.getType(), null, f.getMetadata()),
                            f.getChildren()))
            .toList();
    return new Schema(fields, schema.getCustomMetadata());
  }

  /** Gives a long batch in parts. */
  private static final class Parts implements AutoCloseable {
    private VectorSchemaRoot whole;
    private VectorSchemaRoot part;
    private int at;

    void set(VectorSchemaRoot batch) {
      whole = batch;
      at = 0;
    }

    /** Returns the next part; null if there is none. */
    VectorSchemaRoot next() {
      if (part != null && part != whole) {
        part.close();
      }
      part = null;
      if (whole == null || at >= whole.getRowCount()) {
        return null;
      }
      int n = Math.min(RowReader.BATCH_ROWS, whole.getRowCount() - at);
      part = n == whole.getRowCount() ? whole : whole.slice(at, n);
      at += n;
      return part;
    }

    @Override
    public void close() {
      if (part != null && part != whole) {
        part.close();
      }
      part = null;
      if (whole != null) {
        whole.close();
      }
      whole = null;
    }
  }

  /** A mapped file. */
  private static final class Mapped implements RowReader {
    private final VectorFile file;
    private final Schema schema;
    private final BufferAllocator memory;
    private final Parts parts = new Parts();
    private int batch;

    Mapped(DataFile named, VectorFile file) {
      this.file = file;
      this.schema = decoded(SoundVectors.require(named.name(), file.schema()));
      this.memory = BatchMemory.of(named.name());
    }

    @Override
    public Schema schema() {
      return schema;
    }

    @Override
    public VectorSchemaRoot next() {
      var part = parts.next();
      while (part == null && batch < file.batches()) {
        parts.close();
        var columns = IntStream.range(0, schema.getFields().size()).toArray();
        int rows = file.rows(batch);
        var vectors = file.vectors(batch, columns, memory);
        parts.set(new VectorSchemaRoot(schema, vectors, rows));
        batch++;
        part = parts.next();
      }
      return part;
    }

    @Override
    public double fraction() {
      return (double) batch / Math.max(1, file.batches());
    }

    @Override
    public void close() {
      try (memory) {
        parts.close();
      }
    }
  }

  /**
   * The messages of a stream. Those of a file are the same, after its first eight bytes and before
   * its footer, which is not needed.
   */
  private static final class Streamed implements RowReader {
    private final DataFile file;
    private final Unpacked unpacked;
    private final BufferAllocator memory;
    private final ArrowStreamReader reader;
    private final Schema schema;
    private final Parts parts = new Parts();

    private Streamed(DataFile file, Unpacked unpacked) throws IOException {
      this.file = file;
      this.unpacked = unpacked;
      var in = new BufferedInputStream(unpacked.stream(), 1 << 16);
      in.mark(MAGIC);
      var start = in.readNBytes(MAGIC);
      if (!new String(start, StandardCharsets.ISO_8859_1).startsWith("ARROW1")) {
        in.reset();
      }
      this.memory = BatchMemory.of(file.name());
      this.reader = new ArrowStreamReader(in, memory, CommonsCompressionFactory.INSTANCE);
      try {
        this.schema = SoundVectors.require(file.name(), plain(reader));
      } catch (IOException | RuntimeException e) {
        reader.close(false);
        memory.close();
        throw e;
      }
    }

    static RowReader open(DataFile file) {
      try {
        var unpacked = Unpacked.open(file);
        try {
          return new Streamed(file, unpacked);
        } catch (IOException | RuntimeException e) {
          unpacked.close();
          throw e;
        }
      } catch (IOException e) {
        throw file.cannotRead(e);
      } catch (UserError e) {
        throw e;
      } catch (RuntimeException e) {
        throw Faults.notArrow(file.name() + " is not an Arrow file or stream");
      }
    }

    /** The schema of the reader's root names the types of codes; dictionaries know the others. */
    private static Schema plain(ArrowStreamReader reader) throws IOException {
      var fields = new ArrayList<Field>();
      var dictionaries = reader.getDictionaryVectors();
      for (var f : reader.getVectorSchemaRoot().getSchema().getFields()) {
        if (f.getDictionary() == null) {
          fields.add(f);
        } else {
          var values = dictionaries.get(f.getDictionary().getId()).getVector().getField();
          var type = new FieldType(f.isNullable(), values.getType(), null, f.getMetadata());
          fields.add(new Field(f.getName(), type, values.getChildren()));
        }
      }
      return new Schema(fields, reader.getVectorSchemaRoot().getSchema().getCustomMetadata());
    }

    @Override
    public Schema schema() {
      return schema;
    }

    @Override
    public VectorSchemaRoot next() {
      try {
        var part = parts.next();
        while (part == null) {
          parts.close();
          if (!reader.loadNextBatch()) {
            return null;
          }
          parts.set(SoundVectors.require(file.name(), batch()));
          part = parts.next();
        }
        return part;
      } catch (IOException e) {
        throw file.cannotRead(e);
      } catch (UserError e) {
        throw e;
      } catch (RuntimeException e) { // Arrow doesn't check messages, and fails in many ways.
        throw Faults.malformed(file.name(), String.valueOf(e.getMessage()));
      } catch (OutOfMemoryError e) { // Nothing was allocated: the length is a damage's.
        throw Faults.malformed(
            file.name(), "a message claims more bytes than there is memory: " + e.getMessage());
      }
    }

    private VectorSchemaRoot batch() throws IOException {
      var root = reader.getVectorSchemaRoot();
      List<FieldVector> vectors = new ArrayList<>();
      for (var v : root.getFieldVectors()) {
        var encoding = v.getField().getDictionary();
        if (encoding == null) {
          // A vector makes one of its kind for a struct of fixed-size lists only from the field.
          var own = v.getField().createVector(memory);
          v.makeTransferPair(own).transfer();
          vectors.add(own);
        } else {
          var dictionary = reader.getDictionaryVectors().get(encoding.getId());
          vectors.add((FieldVector) DictionaryEncoder.decode(v, dictionary, memory));
        }
      }
      return new VectorSchemaRoot(schema, vectors, root.getRowCount());
    }

    @Override
    public double fraction() {
      return unpacked.fraction();
    }

    @Override
    public void close() {
      try (memory) {
        parts.close();
        reader.close(false);
        unpacked.close();
      } catch (IOException e) {
        throw file.cannotRead(e);
      }
    }
  }
}
