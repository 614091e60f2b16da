package dev.kenaz.arrow;

import com.google.flatbuffers.FlatBufferBuilder;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.Block;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Writes the bytes of an Arrow IPC file of numeric columns without nulls. Arrow's own writer would
 * need a copy in its own memory, for which a JVM must be started with options; this one writes
 * arrays from where they are.
 */
final class IpcWriter {
  private static final byte[] MAGIC = "ARROW1".getBytes(StandardCharsets.US_ASCII);

  /** Buffers start at multiples of this number of bytes: in a mapped file, at a cache line. */
  private static final int ALIGNMENT = 64;

  /** How many bytes are written at a time: a channel takes no more than a byte buffer holds. */
  private static final long CHUNK = 1L << 30;

  private final List<ColumnInfo> columns;
  private final Schema schema;
  private final WritableByteChannel channel;
  private final List<Place> batches = new ArrayList<>();
  private long position;

  /** The place of a batch: its metadata, with their prefix, then its body. */
  private record Place(long offset, int metadata, long body) {}

  IpcWriter(List<ColumnInfo> columns, Map<String, String> metadata, WritableByteChannel channel) {
    this.columns = columns;
    this.schema = new Schema(columns.stream().map(ColumnInfo::field).toList(), metadata);
    this.channel = channel;
  }

  /** Writes a batch of n rows, with an array for each column. */
  void batch(long n, List<ArrayValue> arrays) throws IOException {
    begin();
    var buffers = arrays.stream().map(IpcWriter::buffer).toList();
    long body = buffers.stream().mapToLong(b -> padded(b.byteSize())).sum();
    long offset = position;
    int metadata = message(header(n, arrays, buffers, body));
    for (var b : buffers) {
      write(b);
      pad();
    }
    batches.add(new Place(offset, metadata, body));
  }

  /** Completes the file. */
  void end() throws IOException {
    begin();
    write(ints(-1, 0));
    var footer = footer();
    write(MemorySegment.ofBuffer(footer));
    write(ints(footer.limit()));
    write(MemorySegment.ofArray(MAGIC));
  }

  private void begin() throws IOException {
    if (position == 0) {
      write(MemorySegment.ofArray(MAGIC));
      pad();
      var b = new FlatBufferBuilder();
      message(finished(b, MessageHeader.Schema, schema.getSchema(b), 0));
    }
  }

  private static MemorySegment buffer(ArrayValue a) {
    return a.elem() == Prim.BOOL ? bits(a) : a.data();
  }

  private static MemorySegment bits(ArrayValue a) {
    var bytes = new byte[Math.toIntExact((a.count() + 7) >>> 3)];
    for (long i = 0; i < a.count(); i++) {
      if (a.getBoolean(i)) {
        bytes[(int) (i >>> 3)] |= (byte) (1 << (i & 7));
      }
    }
    return MemorySegment.ofArray(bytes);
  }

  /** Returns the metadata of a batch. As nothing is null, all validity buffers are empty. */
  private ByteBuffer header(
      long n, List<ArrayValue> arrays, List<MemorySegment> buffers, long body) {
    var b = new FlatBufferBuilder();
    int nodes = 0;
    int validities = 0;
    for (var c : columns) {
      nodes += c.list() ? 2 : 1;
      validities += c.list() ? 2 : 1;
    }
    // Vectors of structures are built from their ends.
    RecordBatch.startNodesVector(b, nodes);
    for (int i = columns.size() - 1; i >= 0; i--) {
      FieldNode.createFieldNode(b, arrays.get(i).count(), 0);
      if (columns.get(i).list()) {
        FieldNode.createFieldNode(b, n, 0);
      }
    }
    int nodesAt = b.endVector();
    RecordBatch.startBuffersVector(b, validities + columns.size());
    long at = body;
    for (int i = columns.size() - 1; i >= 0; i--) {
      at -= padded(buffers.get(i).byteSize());
      Buffer.createBuffer(b, at, buffers.get(i).byteSize());
      Buffer.createBuffer(b, at, 0);
      if (columns.get(i).list()) {
        Buffer.createBuffer(b, at, 0);
      }
    }
    int buffersAt = b.endVector();
    int batch = RecordBatch.createRecordBatch(b, n, nodesAt, buffersAt, 0, 0);
    return finished(b, MessageHeader.RecordBatch, batch, body);
  }

  private static ByteBuffer finished(FlatBufferBuilder b, byte type, int header, long body) {
    b.finish(Message.createMessage(b, MetadataVersion.V5, type, header, body, 0));
    return b.dataBuffer().slice();
  }

  private ByteBuffer footer() {
    var b = new FlatBufferBuilder();
    int schemaAt = schema.getSchema(b);
    Footer.startDictionariesVector(b, 0);
    int dictionaries = b.endVector();
    Footer.startRecordBatchesVector(b, batches.size());
    batches.reversed().forEach(p -> Block.createBlock(b, p.offset(), p.metadata(), p.body()));
    int blocks = b.endVector();
    b.finish(Footer.createFooter(b, MetadataVersion.V5, schemaAt, dictionaries, blocks, 0));
    return b.dataBuffer().slice();
  }

  /**
   * Writes a message's metadata so that what follows is aligned.
   *
   * @return how many bytes were written
   */
  private int message(ByteBuffer metadata) throws IOException {
    int prefix = 8;
    long end = padded(position + prefix + metadata.limit());
    int length = Math.toIntExact(end - position);
    write(ints(-1, length - prefix));
    write(MemorySegment.ofBuffer(metadata));
    pad();
    return length;
  }

  private static MemorySegment ints(int... numbers) {
    var bytes = ByteBuffer.allocate(4 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asIntBuffer().put(numbers);
    return MemorySegment.ofBuffer(bytes);
  }

  private static long padded(long bytes) {
    return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  private void pad() throws IOException {
    write(MemorySegment.ofArray(new byte[(int) (padded(position) - position)]));
  }

  private void write(MemorySegment bytes) throws IOException {
    for (long from = 0; from < bytes.byteSize(); from += CHUNK) {
      var chunk = bytes.asSlice(from, Math.min(CHUNK, bytes.byteSize() - from)).asByteBuffer();
      while (chunk.hasRemaining()) {
        channel.write(chunk);
      }
    }
    position += bytes.byteSize();
  }
}
