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
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.Block;
import org.apache.arrow.flatbuf.BodyCompression;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Writes the bytes of an Arrow IPC file of numeric columns. They may stand behind columns of any
 * kind, which are copied from another file as they are. Arrow's own writer would need a copy in its
 * own memory, for which a JVM must be started with options; this one writes arrays from where they
 * are.
 */
final class IpcWriter {
  private static final byte[] MAGIC = "ARROW1".getBytes(StandardCharsets.US_ASCII);

  /** Buffers start at multiples of this number of bytes: in a mapped file, at a cache line. */
  private static final int ALIGNMENT = 64;

  /** How many bytes are written at a time: a channel takes no more than a byte buffer holds. */
  private static final long CHUNK = 1L << 30;

  /** Stands before a buffer that is not compressed among buffers that are. */
  private static final int PLAIN = 8;

  private final List<ColumnInfo> columns;
  private final Schema schema;
  private final short version;
  private final WritableByteChannel channel;
  private final List<Place> batches = new ArrayList<>();
  private final List<Place> dictionaries = new ArrayList<>();
  private long position;

  /** The place of a batch: its metadata, with their prefix, then its body. */
  private record Place(long offset, int metadata, long body) {}

  IpcWriter(List<ColumnInfo> columns, Map<String, String> metadata, WritableByteChannel channel) {
    this(
        columns,
        new Schema(columns.stream().map(ColumnInfo::field).toList(), metadata),
        MetadataVersion.V5,
        channel);
  }

  /**
   * @param columns those of which arrays are given, which are the last ones of the schema
   * @param version of the metadata, which says how the other columns are laid out
   */
  IpcWriter(List<ColumnInfo> columns, Schema schema, short version, WritableByteChannel channel) {
    this.columns = columns;
    this.schema = schema;
    this.version = version;
    this.channel = channel;
  }

  /** The columns of a batch of another file: what describes them, and their buffers. */
  record Copied(RecordBatch header, MemorySegment body) {
    static final Copied NONE = new Copied(null, MemorySegment.NULL);

    private int nodes() {
      return header == null ? 0 : header.nodesLength();
    }

    private int buffers() {
      return header == null ? 0 : header.buffersLength();
    }

    private int variadic() {
      return header == null ? 0 : header.variadicBufferCountsLength();
    }

    private BodyCompression compression() {
      return header == null ? null : header.compression();
    }
  }

  /**
   * The elements of a column of a batch, which need not all be in memory: those of some rows are
   * made when they are written.
   *
   * @param count how many there are
   * @param parts the elements in order; where they are truth values, each part but the last has a
   *     multiple of eight
   */
  record Cells(long count, Iterable<ArrayValue> parts) {
    static Cells of(ArrayValue all) {
      return new Cells(all.count(), List.of(all));
    }
  }

  /** Copies a dictionary of another file: its metadata, and its body. */
  void dictionary(ByteBuffer metadata, MemorySegment body) throws IOException {
    begin();
    long offset = position;
    int length = message(metadata);
    write(body);
    pad();
    dictionaries.add(new Place(offset, length, body.byteSize()));
  }

  /** Writes a batch of n rows, with an array for each column. */
  void batch(long n, List<ArrayValue> arrays) throws IOException {
    batch(n, Copied.NONE, arrays.stream().map(Cells::of).toList(), new BitSet());
  }

  /**
   * Writes a batch of n rows.
   *
   * @param before the columns that stand before those of the cells
   * @param nulls the rows in which the columns of the cells are null
   */
  void batch(long n, Copied before, List<Cells> cells, BitSet nulls) throws IOException {
    begin();
    boolean plain = before.compression() != null;
    var validity = nulls.isEmpty() ? MemorySegment.NULL : validity(n, nulls);
    var sizes = new ArrayList<Long>();
    for (int i = 0; i < cells.size(); i++) {
      sizes.add(validity.byteSize());
      sizes.add(bytes(columns.get(i).prim().orElseThrow(), cells.get(i).count()));
    }
    long body = padded(before.body().byteSize());
    for (long b : sizes) {
      body += padded(size(b, plain));
    }
    long offset = position;
    int metadata = message(header(n, before, cells, sizes, nulls.cardinality(), body));
    write(before.body());
    pad();
    for (int i = 0; i < cells.size(); i++) {
      mark(sizes.get(2 * i), plain);
      write(validity);
      pad();
      mark(sizes.get(2 * i + 1), plain);
      for (var part : cells.get(i).parts()) {
        write(buffer(part));
      }
      pad();
    }
    batches.add(new Place(offset, metadata, body));
  }

  private static long bytes(Prim prim, long count) {
    return prim == Prim.BOOL ? (count + 7) >>> 3 : Math.multiplyExact(count, prim.byteSize());
  }

  private static long size(long bytes, boolean plain) {
    return bytes + (plain && bytes > 0 ? PLAIN : 0);
  }

  /** Writes what stands before a buffer that is not compressed among buffers that are. */
  private void mark(long bytes, boolean plain) throws IOException {
    if (size(bytes, plain) > bytes) {
      write(ints(-1, -1));
    }
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

  private static MemorySegment validity(long n, BitSet nulls) {
    var valid = new BitSet();
    valid.set(0, Math.toIntExact(n));
    valid.andNot(nulls);
    return MemorySegment.ofArray(Arrays.copyOf(valid.toByteArray(), (int) ((n + 7) >>> 3)));
  }

  /**
   * Returns the metadata of a batch. A column whose rows are never null has an empty validity
   * buffer, and so have the elements of lists.
   *
   * @param sizes of the buffers of each column: its validity, and its elements
   */
  private ByteBuffer header(
      long n, Copied before, List<Cells> cells, List<Long> sizes, int nulls, long body) {
    var b = new FlatBufferBuilder();
    int compression = 0;
    int variadic = 0;
    if (before.compression() != null) {
      var c = before.compression();
      compression = BodyCompression.createBodyCompression(b, c.codec(), c.method());
    }
    if (before.variadic() > 0) {
      RecordBatch.startVariadicBufferCountsVector(b, before.variadic());
      for (int i = before.variadic() - 1; i >= 0; i--) {
        b.addLong(before.header().variadicBufferCounts(i));
      }
      variadic = b.endVector();
    }
    int lists = (int) columns.stream().filter(ColumnInfo::list).count();
    // Vectors of structures are built from their ends.
    RecordBatch.startNodesVector(b, before.nodes() + columns.size() + lists);
    for (int i = columns.size() - 1; i >= 0; i--) {
      boolean list = columns.get(i).list();
      FieldNode.createFieldNode(b, cells.get(i).count(), list ? 0 : nulls);
      if (list) {
        FieldNode.createFieldNode(b, n, nulls);
      }
    }
    for (int i = before.nodes() - 1; i >= 0; i--) {
      var node = before.header().nodes(i);
      FieldNode.createFieldNode(b, node.length(), node.nullCount());
    }
    int nodesAt = b.endVector();
    RecordBatch.startBuffersVector(b, before.buffers() + sizes.size() + lists);
    long at = body;
    for (int i = columns.size() - 1; i >= 0; i--) {
      long elements = size(sizes.get(2 * i + 1), compression != 0);
      at -= padded(elements);
      Buffer.createBuffer(b, at, elements);
      if (columns.get(i).list()) {
        Buffer.createBuffer(b, at, 0);
      }
      long validity = size(sizes.get(2 * i), compression != 0);
      at -= padded(validity);
      Buffer.createBuffer(b, at, validity);
    }
    for (int i = before.buffers() - 1; i >= 0; i--) {
      var buffer = before.header().buffers(i);
      Buffer.createBuffer(b, buffer.offset(), buffer.length());
    }
    int buffersAt = b.endVector();
    int batch = RecordBatch.createRecordBatch(b, n, nodesAt, buffersAt, compression, variadic);
    return finished(b, MessageHeader.RecordBatch, batch, body);
  }

  private ByteBuffer finished(FlatBufferBuilder b, byte type, int header, long body) {
    b.finish(Message.createMessage(b, version, type, header, body, 0));
    return b.dataBuffer().slice();
  }

  private ByteBuffer footer() {
    var b = new FlatBufferBuilder();
    int schemaAt = schema.getSchema(b);
    Footer.startDictionariesVector(b, dictionaries.size());
    dictionaries.reversed().forEach(p -> Block.createBlock(b, p.offset(), p.metadata(), p.body()));
    int encoded = b.endVector();
    Footer.startRecordBatchesVector(b, batches.size());
    batches.reversed().forEach(p -> Block.createBlock(b, p.offset(), p.metadata(), p.body()));
    int blocks = b.endVector();
    b.finish(Footer.createFooter(b, version, schemaAt, encoded, blocks, 0));
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
