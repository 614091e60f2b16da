package dev.kenaz.arrow;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TypeLayout;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.ipc.message.ArrowBlock;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Writes an Arrow file whose footer says which least and greatest cells each batch has, see {@link
 * BatchRanges}. The columns have no dictionaries.
 */
public final class RangedFileWriter extends ArrowFileWriter {
  private final Map<String, String> footer;
  private final CompressionCodec codec;
  private final VectorSchemaRoot ranges;
  private final List<Column> columns;
  private final IntStream.Builder seals = IntStream.builder();
  private int batches;

  /** Where the parts of a column are among those of a batch. */
  private record Column(int number, int node, int buffer, int buffers) {}

  /**
   * @param allocator for what is collected until the file is complete
   */
  public RangedFileWriter(
      Schema schema, WritableByteChannel to, CodecType codec, BufferAllocator allocator) {
    this(schema, to, codec, allocator, new HashMap<>());
  }

  private RangedFileWriter(
      Schema schema,
      WritableByteChannel to,
      CodecType codec,
      BufferAllocator allocator,
      Map<String, String> footer) {
    super(
        new VectorSchemaRoot(schema, empty(schema, allocator), 0),
        new DictionaryProvider.MapDictionaryProvider(),
        to,
        footer, // It is written at the end, so it may still be added to.
        IpcOption.DEFAULT);
    this.footer = footer;
    this.codec =
        codec == CodecType.NO_COMPRESSION
            ? NoCompressionCodec.INSTANCE
            : CommonsCompressionFactory.INSTANCE.createCodec(codec);
    this.columns = columns(schema);
    this.ranges =
        VectorSchemaRoot.create(
            new Schema(columns.isEmpty() ? List.of() : BatchRanges.fields(schema)), allocator);
  }

  private static List<FieldVector> empty(Schema schema, BufferAllocator allocator) {
    return schema.getFields().stream().map(f -> f.createVector(allocator)).toList();
  }

  /** Returns the columns with an order; none if places of buffers vary from batch to batch. */
  private static List<Column> columns(Schema schema) {
    var found = new java.util.ArrayList<Column>();
    int node = 0;
    int buffer = 0;
    for (int c = 0; c < schema.getFields().size(); c++) {
      var field = schema.getFields().get(c);
      if (hasViews(field)) {
        return List.of();
      }
      int buffers = buffers(field);
      if (ColumnOrder.has(field)) {
        found.add(new Column(c, node, buffer, buffers));
      }
      node += nodes(field);
      buffer += buffers;
    }
    return List.copyOf(found);
  }

  private static boolean hasViews(Field field) {
    return field.getType() instanceof ArrowType.Utf8View
        || field.getType() instanceof ArrowType.BinaryView
        || field.getChildren().stream().anyMatch(RangedFileWriter::hasViews);
  }

  private static int nodes(Field field) {
    return 1 + field.getChildren().stream().mapToInt(RangedFileWriter::nodes).sum();
  }

  private static int buffers(Field field) {
    return TypeLayout.getTypeBufferCount(field.getType())
        + field.getChildren().stream().mapToInt(RangedFileWriter::buffers).sum();
  }

  /** Appends a batch of any root that has the columns of the file. It remains the caller's. */
  public void write(VectorSchemaRoot batch) throws IOException {
    start();
    for (int i = 0; i < columns.size(); i++) {
      add(batch.getVector(columns.get(i).number), ranges.getVector(i));
    }
    batches++;
    try (ArrowRecordBatch written = new VectorUnloader(batch, true, codec, true).getRecordBatch()) {
      writeRecordBatch(written);
    }
  }

  private void add(FieldVector column, FieldVector extremes) {
    ColumnOrder.of(column)
        .ifPresent(
            e -> {
              extremes.copyFromSafe(e.least(), 2 * batches, column);
              extremes.copyFromSafe(e.most(), 2 * batches + 1, column);
            });
  }

  @Override
  protected ArrowBlock writeRecordBatch(ArrowRecordBatch batch) throws IOException {
    var block = super.writeRecordBatch(batch);
    long body = block.getOffset() + block.getMetadataLength();
    for (var c : columns) {
      var node = batch.getNodes().get(c.node);
      var seal =
          new BatchRanges.Seal(body, batch.getLength(), node.getLength(), node.getNullCount());
      for (int b = c.buffer; b < c.buffer + c.buffers; b++) {
        var buffer = batch.getBuffers().get(b);
        seal.add(
            MemorySegment.ofAddress(buffer.memoryAddress())
                .reinterpret(batch.getBuffersLayout().get(b).getSize()));
      }
      seals.add(seal.value());
    }
    return block;
  }

  /** Completes the file; to do so again has no effect. */
  @Override
  public void end() throws IOException {
    if (batches > 0 && !columns.isEmpty() && !footer.containsKey(BatchRanges.KEY)) {
      ranges.setRowCount(2 * batches);
      footer.put(BatchRanges.KEY, BatchRanges.text(seals.build().toArray(), stream()));
    }
    super.end();
  }

  private byte[] stream() throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var out = new ArrowStreamWriter(ranges, null, Channels.newChannel(bytes))) {
      out.writeBatch();
      out.end();
    }
    return bytes.toByteArray();
  }

  /** Closes the channel, too. */
  @Override
  public void close() {
    try (ranges) {
      super.close();
    }
  }
}
