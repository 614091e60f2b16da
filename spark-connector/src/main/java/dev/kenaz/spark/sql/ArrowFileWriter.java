package dev.kenaz.spark.sql;

import dev.kenaz.arrow.RangedFileWriter;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.nio.channels.Channels;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.arrow.ArrowWriter;
import org.apache.spark.sql.execution.datasources.OutputWriter;
import org.apache.spark.sql.util.ArrowUtils;

/** Writes rows of a task into an Arrow file, in batches, with the ranges of their cells. */
final class ArrowFileWriter extends OutputWriter {
  private static final long BYTES = 16L << 20;
  private static final int ROWS_BETWEEN_LOOKS = 512;

  private final String path;
  private final BufferAllocator allocator;
  private final VectorSchemaRoot filled;
  private final VectorSchemaRoot written;
  private final ArrowWriter rows;
  private final RangedFileWriter file;
  private final int rowsOfBatch;
  private int count;

  /**
   * @param rowsOfBatch the rows of a record batch; 0 if its bytes decide
   */
  ArrowFileWriter(
      String path, Schema schema, CodecType codec, int rowsOfBatch, TaskAttemptContext context)
      throws IOException {
    this.path = path;
    this.rowsOfBatch = rowsOfBatch;
    var to = new Path(path);
    var out = to.getFileSystem(context.getConfiguration()).create(to, false);
    this.allocator =
        ArrowUtils.rootAllocator().newChildAllocator("kenaz " + path, 0, Long.MAX_VALUE);
    var lists = schema.getFields().stream().map(ArrowFileWriter::list).toList();
    this.filled = VectorSchemaRoot.create(new Schema(lists), allocator);
    this.written = VectorSchemaRoot.create(schema, allocator);
    this.rows = ArrowWriter.create(filled);
    this.file = new RangedFileWriter(schema, Channels.newChannel(out), codec, allocator);
    file.start();
  }

  /** Returns the field that Spark's writer fills, which knows lists of any size only. */
  private static Field list(Field field) {
    return field.getType() instanceof ArrowType.FixedSizeList
        ? new Field(
            field.getName(),
            new FieldType(field.isNullable(), ArrowType.List.INSTANCE, null),
            field.getChildren())
        : field;
  }

  @Override
  public void write(InternalRow row) {
    rows.write(row);
    count++;
    boolean full =
        rowsOfBatch > 0 ? count == rowsOfBatch : count % ROWS_BETWEEN_LOOKS == 0 && size() >= BYTES;
    if (full) {
      batch();
    }
  }

  /**
   * Returns the bytes of the rows that wait, as {@code ArrowWriter.sizeInBytes} does, whose type
   * isn't the same in all versions of Spark.
   */
  private long size() {
    long bytes = 0;
    for (var vector : filled.getFieldVectors()) {
      vector.setValueCount(count);
      bytes += vector.getBufferSize();
    }
    return bytes;
  }

  private void batch() {
    rows.finish();
    for (int i = 0; i < written.getSchema().getFields().size(); i++) {
      move(filled.getVector(i), written.getVector(i));
    }
    written.setRowCount(count);
    try {
      file.write(written);
    } catch (IOException e) {
      throw cannotWrite(e);
    }
    written.clear();
    rows.reset();
    count = 0;
  }

  private void move(FieldVector from, FieldVector to) {
    if (to instanceof FixedSizeListVector lists) {
      var plain = (ListVector) from;
      requireSize(plain, lists.getListSize());
      lists.loadFieldBuffers(new ArrowFieldNode(count, 0), List.of(allocator.getEmpty()));
      plain.getDataVector().makeTransferPair(lists.getDataVector()).transfer();
    } else {
      from.makeTransferPair(to).transfer();
    }
  }

  private void requireSize(ListVector lists, int size) {
    for (int i = 0; i < count; i++) {
      if (lists.isNull(i)) {
        throw unequal(lists, size, "null");
      }
      int n = lists.getElementEndIndex(i) - lists.getElementStartIndex(i);
      if (n != size) {
        throw unequal(lists, size, "an array of " + n);
      }
    }
  }

  private static UserError unequal(ListVector lists, int size, String found) {
    return new UserError(
        ErrorCode.K6112,
        "column \"%s\" is written as lists of %s elements, but a row has %s"
            .formatted(lists.getName(), size, found));
  }

  private UserError cannotWrite(IOException e) {
    return new UserError(ErrorCode.K6111, "can't write " + path + ": " + e.getMessage());
  }

  @Override
  public void close() {
    try (allocator;
        filled;
        written;
        file) {
      if (count > 0) {
        batch();
      }
      file.end();
    } catch (IOException e) {
      throw cannotWrite(e);
    }
  }

  @Override
  public String path() {
    return path;
  }
}
