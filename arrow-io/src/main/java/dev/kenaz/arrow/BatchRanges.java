package dev.kenaz.arrow;

import dev.kenaz.error.UserError;
import java.io.ByteArrayInputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * What the footer of a file says of the least and the greatest cells of its batches.
 *
 * <p>It is a table with the columns that {@link ColumnOrder} knows and two rows for each batch: the
 * row with the least cells, and the one with the greatest. Both are null where there are no such
 * cells. The table is an IPC stream, so its cells are read as those of the file are.
 *
 * <p>Before a range is believed, a seal must fit the batch: it is a checksum of where the batch
 * lies, of how many rows and nulls the column has there, and of the first and the last bytes of its
 * buffers. So what another program took over from an older file, together with other rows, isn't
 * believed. A file whose author says wrong ranges of right batches can't be told from a right one.
 */
public final class BatchRanges {
  /** The key in the footer's metadata. */
  static final String KEY = "kenaz.ranges";

  /** How many bytes of a buffer's beginning and of its end are looked at. */
  static final int SAMPLE = 64;

  private static final byte VERSION = 1;
  private static final int HEADER = 1 + Integer.BYTES;

  private final IpcFile file;
  private final VectorFile table;
  private final int[] places;
  private final ByteBuffer seals;

  private BatchRanges(IpcFile file, VectorFile table, int[] places, ByteBuffer seals) {
    this.file = file;
    this.table = table;
    this.places = places;
    this.seals = seals;
  }

  /** Returns the fields of the table, for those columns of a file that have an order. */
  static List<Field> fields(Schema schema) {
    return schema.getFields().stream()
        .filter(ColumnOrder::has)
        .map(f -> new Field(f.getName(), FieldType.nullable(f.getType()), null))
        .toList();
  }

  /**
   * Returns what a footer says.
   *
   * @param seals one of each batch and column of the table, batch by batch
   * @param stream the table
   */
  static String text(int[] seals, byte[] stream) {
    var bytes = ByteBuffer.allocate(HEADER + seals.length * Integer.BYTES + stream.length);
    bytes.position(HEADER);
    Arrays.stream(seals).forEach(bytes::putInt);
    bytes.put(stream);
    bytes.put(0, VERSION).putInt(1, checksum(bytes.array()));
    return Base64.getEncoder().encodeToString(bytes.array());
  }

  private static int checksum(byte[] all) {
    var sum = new CRC32C();
    sum.update(all, HEADER, all.length - HEADER);
    return (int) sum.getValue();
  }

  /** Reads what a footer says; returns nothing if it isn't whole, or isn't of such a file. */
  static Optional<BatchRanges> read(IpcFile file, Footer footer) {
    try {
      return IpcFile.guarded(file.name(), () -> text(footer).flatMap(t -> parse(file, t)));
    } catch (UserError e) {
      return Optional.empty();
    }
  }

  private static Optional<byte[]> text(Footer footer) {
    for (int i = 0; i < footer.customMetadataLength(); i++) {
      var entry = footer.customMetadata(i);
      if (KEY.equals(entry.key()) && entry.value() != null) {
        return Optional.of(Base64.getDecoder().decode(entry.value()));
      }
    }
    return Optional.empty();
  }

  private static Optional<BatchRanges> parse(IpcFile file, byte[] all) {
    var bytes = ByteBuffer.wrap(all);
    if (all.length < HEADER || bytes.get(0) != VERSION || bytes.getInt(1) != checksum(all)) {
      return Optional.empty();
    }
    var fields = fields(file.schema());
    int length = Math.multiplyExact(fields.size() * file.batches().size(), Integer.BYTES);
    var seals = bytes.slice(HEADER, length);
    int at = HEADER + length;
    var stream = new ByteArrayInputStream(all, at, all.length - at);
    var table = IpcFile.read(stream, "what " + file.name() + " says of its batches");
    boolean fits =
        table.schema().getFields().equals(fields)
            && table.batches().size() == 1
            && table.batches().getFirst().rows() == 2L * file.batches().size();
    var places = new int[file.columns().size()];
    for (int c = 0, place = 0; c < places.length; c++) {
      places[c] = ColumnOrder.has(file.schema().getFields().get(c)) ? place++ : -1;
    }
    return fits
        ? Optional.of(new BatchRanges(file, new VectorFile(table), places, seals))
        : Optional.empty();
  }

  /** Whether there is something to know of a column of the file. */
  public boolean has(int column) {
    return places[column] >= 0;
  }

  /** Returns the number of nulls of a column in a batch. */
  public long nulls(int column, int batch) {
    return file.batches().get(batch).nulls(column);
  }

  /** Whether what is said of a column of a batch was said of this batch. */
  public boolean fits(int column, int batch) {
    var of = file.batches().get(batch);
    var node = of.columns().get(column);
    var seal = new Seal(of.message().body(), of.rows(), node.rows(), node.nulls());
    node.buffers()
        .forEach(
            b -> {
              file.need(b, 0, Math.min(2 * SAMPLE, b.byteSize()));
              file.need(b, Math.max(0, b.byteSize() - SAMPLE), b.byteSize());
              seal.add(b);
            });
    int told = seals.getInt((batch * table.schema().getFields().size() + places[column]) * 4);
    return seal.value() == told && node.rows() == of.rows();
  }

  /**
   * Returns the extremes of a column: row 2i has the least cell of batch i, row 2i + 1 the greatest
   * one. The caller closes the vector.
   *
   * @throws dev.kenaz.error.UserError K6103 if they make no sense
   */
  public FieldVector extremes(int column, BufferAllocator allocator) {
    return table.vectors(0, new int[] {places[column]}, allocator).getFirst();
  }

  /** The checksum of what tells a column of a batch from another one. */
  static final class Seal {
    private final CRC32C sum = new CRC32C();

    /**
     * @param body where the body of the batch begins in the file
     */
    Seal(long body, long rowsOfBatch, long rows, long nulls) {
      add(body, rowsOfBatch, rows, nulls);
    }

    private void add(long... numbers) {
      var bytes = ByteBuffer.allocate(numbers.length * Long.BYTES);
      bytes.asLongBuffer().put(numbers);
      sum.update(bytes);
    }

    void add(MemorySegment buffer) {
      long size = buffer.byteSize();
      add(size);
      if (size <= 2 * SAMPLE) {
        sum.update(buffer.asByteBuffer());
      } else {
        sum.update(buffer.asSlice(0, SAMPLE).asByteBuffer());
        sum.update(buffer.asSlice(size - SAMPLE, SAMPLE).asByteBuffer());
      }
    }

    int value() {
      return (int) sum.getValue();
    }
  }
}
