package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.arrow.Faults.malformed;
import static dev.kenaz.error.ErrorCode.K6102;
import static dev.kenaz.error.ErrorCode.K6103;
import static dev.kenaz.error.ErrorCode.K6105;

import dev.kenaz.dataset.DataFormat;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.value.ArrayBuilder;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * This is an Arrow IPC file or stream as one segment: it knows its schema, and where its record
 * batches are. Only metadata is read here; a batch's body is read when its columns are.
 *
 * <p>The segment is mapped (or allocated) for as long as anything refers to it, so arrays over it
 * stay valid, and nothing has to be closed. If another process truncates a mapped file, access
 * fails with the JVM's {@link InternalError}.
 */
final class IpcFile {
  private static final byte[] MAGIC = "ARROW1".getBytes(StandardCharsets.US_ASCII);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final String name;
  private final Optional<Path> mapped;
  private final MemorySegment bytes;
  private final Schema schema;
  private final List<ColumnInfo> columns;
  private final List<IpcBatch> batches;
  private final List<MessageAt> dictionaries = new ArrayList<>();

  /** What brings bytes when they are needed; null if all are there. */
  private final PartialCopy copy;

  private Footer footer;

  private IpcFile(String name, Optional<Path> mapped, MemorySegment bytes) {
    this(name, mapped, bytes, null);
  }

  /**
   * @param mapped the file, if that is what the bytes are of
   */
  private IpcFile(String name, Optional<Path> mapped, MemorySegment bytes, PartialCopy copy) {
    this.name = name;
    this.mapped = mapped;
    this.bytes = bytes;
    this.copy = copy;
    var found = new ArrayList<IpcBatch>();
    this.schema = guarded(name, () -> startsWithMagic() ? readFile(found) : readStream(found));
    this.columns = schema.getFields().stream().map(ColumnInfo::of).toList();
    this.batches = copy == null || footer == null ? List.copyOf(found) : new BatchesWhenNeeded();
  }

  private IpcFile(IpcFile of, int column, String name) {
    this.name = of.name;
    this.mapped = of.mapped;
    this.bytes = of.bytes;
    this.copy = of.copy;
    this.batches =
        guarded(of.name, () -> of.batches.stream().map(b -> b.elements(column, name)).toList());
    var lists = of.schema.getFields().get(column).getChildren();
    if (lists.size() != 1) {
      throw fault(
          K6105,
          "column \"%s\" of %s is %s, not lists"
              .formatted(of.columns.get(column).name(), of.name, of.columns.get(column).type()),
          "elements(...) and lengths(...) are of columns of lists");
    }
    var f = lists.getFirst();
    this.schema = new Schema(List.of(new Field(name, f.getFieldType(), f.getChildren())));
    this.columns = schema.getFields().stream().map(ColumnInfo::of).toList();
  }

  private IpcFile(String name, Schema schema, List<IpcBatch> batches) {
    this.name = name;
    this.mapped = Optional.empty();
    this.bytes = MemorySegment.NULL;
    this.copy = null;
    this.schema = schema;
    this.columns = schema.getFields().stream().map(ColumnInfo::of).toList();
    this.batches = List.copyOf(batches);
  }

  /** Returns batches that are in memory as if they were those of a file. */
  static IpcFile of(String name, Schema schema, List<IpcBatch> batches) {
    return new IpcFile(name, schema, batches);
  }

  /**
   * Returns the elements of a column of lists as a file with that column alone.
   *
   * @param name what the column is called then
   */
  IpcFile elements(String of, String name) {
    var names = columns.stream().map(ColumnInfo::name).toList();
    if (!names.contains(of)) {
      throw Faults.noColumn(this.name, of, names);
    }
    return new IpcFile(this, names.indexOf(of), name);
  }

  /** Maps a file; its Arrow buffers are then read in place. */
  static IpcFile map(Path file) {
    return map(file, file.toString());
  }

  /**
   * Maps a file.
   *
   * @param name what errors call it
   */
  static IpcFile map(Path file, String name) {
    return map(file, name, null);
  }

  /** Maps a copy whose bytes come when they are needed; so do the batches of the file format. */
  static IpcFile map(PartialCopy copy) {
    return map(copy.place(), copy.name(), copy);
  }

  private static IpcFile map(Path file, String name, PartialCopy copy) {
    try (var channel = FileChannel.open(file, StandardOpenOption.READ)) {
      if (channel.size() == 0) {
        throw Faults.notArrow(name + " is empty, not an Arrow file");
      }
      var mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), Arena.ofAuto());
      if (copy != null) {
        copy.need(0, 1);
      }
      if (UserPath.isLfsPointer(start(mapped))) {
        throw UserPath.lfsPointer(file, K6102);
      }
      return new IpcFile(name, Optional.of(file), mapped, copy);
    } catch (IOException e) {
      throw Faults.cannotRead(file, e);
    }
  }

  private static byte[] start(MemorySegment bytes) {
    long some = Math.min(DataFormat.START, bytes.byteSize());
    return bytes.asSlice(0, some).toArray(ValueLayout.JAVA_BYTE);
  }

  /** Reads a stream to its end, into memory. */
  static IpcFile read(InputStream in, String name) {
    var all = new ArrayBuilder(Prim.U8);
    var chunk = new byte[1 << 18];
    try {
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        all.addBytes(chunk, 0, n);
      }
    } catch (IOException e) {
      throw Faults.cannotRead(Path.of(name), e);
    }
    return new IpcFile(name, Optional.empty(), all.build().data());
  }

  String name() {
    return name;
  }

  /** Returns the absolute path of the file, if it is one. */
  Optional<Path> path() {
    return mapped.map(p -> p.toAbsolutePath().normalize());
  }

  /** Returns the name by which another process can open it: a path that holds in every folder. */
  String place() {
    return path().map(Path::toString).orElse(name);
  }

  Schema schema() {
    return schema;
  }

  List<ColumnInfo> columns() {
    return columns;
  }

  List<IpcBatch> batches() {
    return batches;
  }

  /** Returns where the body of a batch begins, without reading the batch. */
  long body(int batch) {
    if (copy == null || footer == null) {
      return batches.get(batch).message().body();
    }
    var block = footer.recordBatches(batch);
    return block.offset() + block.metaDataLength();
  }

  /** Has the bytes between two places copied, if they aren't there. */
  private void need(long from, long to) {
    if (copy != null) {
      copy.need(from, to);
    }
  }

  /** Has a stretch of a buffer of this file copied, if it isn't there. */
  void need(MemorySegment buffer, long from, long to) {
    if (copy != null && buffer.byteSize() > 0) {
      long at = buffer.address() - bytes.address();
      copy.need(at + from, at + to);
    }
  }

  /** Has all that a column of a batch consists of copied, if it isn't there. */
  void need(IpcBatch.Node column) {
    column.buffers().forEach(b -> need(b, 0, b.byteSize()));
    column.children().forEach(this::need);
  }

  /** Returns what the footer says of the least and the greatest cells of batches. */
  Optional<BatchRanges> ranges() {
    return footer == null ? Optional.empty() : BatchRanges.read(this, footer);
  }

  /** A message of the file: its metadata, as bytes too, and the body behind them. */
  record Part(Message message, ByteBuffer metadata, MemorySegment body) {}

  /** Returns the dictionaries of encoded columns, in their order. */
  List<Part> dictionaries() {
    return dictionaries.stream().map(this::part).toList();
  }

  /** Returns the message of a batch. */
  Part part(IpcBatch batch) {
    return part(batch.message());
  }

  /** Returns the version of the metadata, which is that of the first message. */
  short version() {
    return batches.isEmpty()
        ? MetadataVersion.V5
        : batches.getFirst().message().message().version();
  }

  private Part part(MessageAt m) {
    need(m.body(), m.body() + m.message().bodyLength());
    var body = bytes.asSlice(m.body(), m.message().bodyLength());
    return new Part(m.message(), m.message().getByteBuffer().slice(), body);
  }

  /**
   * Runs a task that reads metadata. Flatbuffers don't check themselves, so damaged metadata shows
   * as any of these exceptions.
   */
  static <T> T guarded(String name, Supplier<T> read) {
    try {
      return read.get();
    } catch (UserError e) {
      throw e;
    } catch (IndexOutOfBoundsException
        | IllegalArgumentException
        | ArithmeticException
        | ClassCastException
        | IllegalStateException
        | NegativeArraySizeException
        | NullPointerException
        | UnsupportedOperationException
        | AssertionError e) {
      throw malformed(name, "its metadata makes no sense (it may be cut off)");
    }
  }

  private boolean startsWithMagic() {
    return bytes.byteSize() >= MAGIC.length && magicAt(0);
  }

  private boolean magicAt(long offset) {
    return bytes.asSlice(offset, MAGIC.length).mismatch(MemorySegment.ofArray(MAGIC)) < 0;
  }

  /** Reads the file format, in which a footer at the end tells where the batches are. */
  private Schema readFile(List<IpcBatch> found) {
    long end = bytes.byteSize() - MAGIC.length;
    need(end - 4, bytes.byteSize());
    if (end < MAGIC.length + 6 || !magicAt(end)) {
      throw malformed(name, "it doesn't end as an Arrow file must; it was probably cut off");
    }
    int length = bytes.get(INT, end - 4);
    if (length <= 0 || length > end - 4 - MAGIC.length) {
      throw malformed(name, "impossible footer size " + length);
    }
    need(end - 4 - length, end);
    footer =
        Footer.getRootAsFooter(
            bytes.asSlice(end - 4 - length, length).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN));
    var s = checkedSchema(footer.schema());
    if (footer.recordBatchesLength() > length / 24) {
      throw malformed(name, "impossible number of batches");
    }
    if (footer.dictionariesLength() > length / 24) {
      throw malformed(name, "impossible number of dictionaries");
    }
    for (int i = 0; i < footer.dictionariesLength(); i++) {
      dictionaries.add(dictionary(messageAt(footer.dictionaries(i).offset())));
    }
    if (copy == null) {
      for (int i = 0; i < footer.recordBatchesLength(); i++) {
        found.add(batch(s, i, messageAt(footer.recordBatches(i).offset())));
      }
    }
    return s;
  }

  /** The batches of a copy that isn't whole: each is read when it is asked for. */
  private final class BatchesWhenNeeded extends AbstractList<IpcBatch> {
    private final IpcBatch[] read = new IpcBatch[footer.recordBatchesLength()];

    @Override
    public int size() {
      return read.length;
    }

    @Override
    public IpcBatch get(int i) {
      if (read[i] == null) {
        read[i] =
            guarded(name, () -> batch(schema, i, messageAt(footer.recordBatches(i).offset())));
      }
      return read[i];
    }
  }

  /**
   * Reads the stream format, which has messages one after the other, up to an empty one or the end.
   */
  private Schema readStream(List<IpcBatch> found) {
    need(0, bytes.byteSize());
    Schema s = null;
    long at = 0;
    while (at < bytes.byteSize()) {
      var m = messageAt(at);
      if (m == null) {
        requireNothingBehind(at);
        break;
      }
      at = Math.addExact(m.body(), m.message().bodyLength());
      byte type = m.message().headerType();
      if (s == null) {
        if (type != MessageHeader.Schema) {
          throw malformed(name, "it doesn't start with a schema");
        }
        s =
            checkedSchema(
                (org.apache.arrow.flatbuf.Schema)
                    m.message().header(new org.apache.arrow.flatbuf.Schema()));
      } else if (type == MessageHeader.RecordBatch) {
        found.add(batch(s, found.size(), m));
      } else if (type == MessageHeader.DictionaryBatch) {
        dictionaries.add(dictionary(m));
      }
    }
    if (s == null) {
      throw Faults.notArrow(name + " is not an Arrow file or stream");
    }
    return s;
  }

  /** Refuses what isn't padding behind the mark of the stream's end: its rows would be lost. */
  private void requireNothingBehind(long mark) {
    long end = mark + (bytes.get(INT, mark) == -1 ? 8 : 4);
    for (long at = end; at < bytes.byteSize(); at++) {
      if (bytes.get(ValueLayout.JAVA_BYTE, at) != 0) {
        throw Faults.fault(
            K6103,
            "%s has %,d bytes behind the end of its stream, whose rows would be lost"
                .formatted(name, bytes.byteSize() - end),
            "where several streams were joined, write each into a file of its own");
      }
    }
  }

  private Schema checkedSchema(org.apache.arrow.flatbuf.Schema s) {
    if (s.endianness() != Endianness.Little) {
      throw fault(K6105, name + " is big-endian; only little-endian Arrow data can be read");
    }
    try {
      return Schema.convertSchema(s);
    } catch (RuntimeException e) {
      for (int k = 0; k < s.fieldsLength(); k++) {
        requireKnown(s.fields(k));
      }
      throw e;
    }
  }

  /** Refuses decimals of widths that Arrow's library for Java doesn't know. */
  private void requireKnown(org.apache.arrow.flatbuf.Field field) {
    if (field.typeType() == Type.Decimal) {
      int bits = ((Decimal) field.type(new Decimal())).bitWidth();
      if (bits == 32 || bits == 64) {
        throw fault(
            K6105,
            "column \"%s\" of %s is decimal%d, which can't be read"
                .formatted(field.name(), name, bits),
            "write it as decimal128 or as a float");
      }
    }
  }

  /**
   * @param body the offset of the first byte after the metadata
   */
  record MessageAt(Message message, long body) {}

  /** Returns the message at an offset; null for the mark of the stream's end. */
  private MessageAt messageAt(long offset) {
    boolean atStart = offset == 0;
    if (offset < 0 || offset > bytes.byteSize() - 4) {
      throw malformed(name, "a message would start at byte " + offset + ", past its end");
    }
    need(offset, offset + 8);
    int length = bytes.get(INT, offset);
    long start = offset + 4;
    if (length == -1) {
      if (start > bytes.byteSize() - 4) {
        throw malformed(name, "it was cut off at byte " + bytes.byteSize());
      }
      length = bytes.get(INT, start);
      start += 4;
    } else if (atStart && (length <= 0 || length > bytes.byteSize())) {
      // Only streams that are older than Arrow 0.15 lack the mark, and they start with a plausible
      // size.
      throw Faults.notArrow(name + " is not an Arrow file or stream");
    }
    if (length == 0) {
      return null;
    }
    if (length < 0 || length > bytes.byteSize() - start) {
      throw malformed(name, "a message at byte " + offset + " is cut off");
    }
    need(start, start + length);
    var metadata = bytes.asSlice(start, length).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    return new MessageAt(Message.getRootAsMessage(metadata), start + length);
  }

  private MessageAt dictionary(MessageAt m) {
    return checked(m, MessageHeader.DictionaryBatch, "dictionary " + dictionaries.size());
  }

  private MessageAt checked(MessageAt m, byte type, String what) {
    if (m == null || m.message().headerType() != type) {
      throw malformed(name, what + " is not where the footer says");
    }
    long length = m.message().bodyLength();
    if (length < 0 || length > bytes.byteSize() - m.body()) {
      throw malformed(name, what + " is cut off");
    }
    return m;
  }

  private IpcBatch batch(Schema s, int index, MessageAt m) {
    long length = checked(m, MessageHeader.RecordBatch, "batch " + index).message().bodyLength();
    var header =
        (org.apache.arrow.flatbuf.RecordBatch)
            m.message().header(new org.apache.arrow.flatbuf.RecordBatch());
    return IpcBatch.read(name, index, s, m, header, bytes.asSlice(m.body(), length));
  }
}
