package dev.kenaz.arrow;

import dev.kenaz.error.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.ipc.ReadChannel;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * An Arrow file or stream whose columns are read as vectors of Arrow's library, of any type.
 *
 * <p>The file is mapped. Vectors of uncompressed columns are views of it, and keep it mapped; they
 * must not be written to.
 */
public final class VectorFile {
  private static final String MAGIC = "ARROW1";

  private final IpcFile file;

  VectorFile(IpcFile file) {
    this.file = file;
  }

  /**
   * Maps a file and reads its metadata.
   *
   * @throws dev.kenaz.error.UserError K6101 to K6105
   */
  public static VectorFile map(Path path) {
    return new VectorFile(IpcFile.map(path));
  }

  /**
   * Maps a copy that isn't whole, and reads its metadata. What else is needed is copied when a
   * batch is asked for; a stream is copied as a whole.
   *
   * @throws dev.kenaz.error.UserError K6101 to K6105
   */
  public static VectorFile map(PartialCopy copy) {
    return new VectorFile(IpcFile.map(copy));
  }

  /** Whether it is a stream, whose batches can't be found without reading all before them. */
  public static boolean isStream(PartialCopy copy) {
    return !copy.begins(MAGIC.getBytes(StandardCharsets.US_ASCII));
  }

  /** Returns the schema. The type of an encoded column is that of its values. */
  public Schema schema() {
    return file.schema();
  }

  /** Returns the number of record batches. */
  public int batches() {
    return file.batches().size();
  }

  /**
   * Returns the number of rows of a batch.
   *
   * @throws dev.kenaz.error.UserError K6103 if it is more than vectors can have
   */
  public int rows(int batch) {
    long rows = file.batches().get(batch).rows();
    if (rows > Integer.MAX_VALUE) {
      throw Faults.malformed(file.name(), "a batch claims " + rows + " rows");
    }
    return (int) rows;
  }

  /** Whether a batch must be decompressed to be read. */
  public boolean compressed(int batch) {
    return file.batches().get(batch).compressed();
  }

  /** Returns where in the file the body of a batch begins, in bytes. */
  public long position(int batch) {
    return file.body(batch);
  }

  /** Returns what the file says of the least and the greatest cells of its batches, if it does. */
  public Optional<BatchRanges> ranges() {
    return file.ranges();
  }

  /**
   * Returns columns of a batch, whose buffers have what its rows need. The caller closes them.
   *
   * @param columns their numbers in the schema
   * @throws dev.kenaz.error.UserError K6103, K6105
   */
  public List<FieldVector> vectors(int batch, int[] columns, BufferAllocator allocator) {
    return IpcFile.guarded(file.name(), () -> read(batch, columns, allocator));
  }

  private List<FieldVector> read(int batch, int[] columns, BufferAllocator allocator) {
    var of = file.batches().get(batch);
    for (int c : columns) {
      file.need(of.columns().get(c));
    }
    var dictionaries = new HashMap<Long, Dictionary>();
    var vectors = new ArrayList<FieldVector>();
    boolean whole = false;
    try {
      for (int c : columns) {
        var encoding = file.schema().getFields().get(c).getDictionary();
        if (encoding != null && !dictionaries.containsKey(encoding.getId())) {
          dictionaries.put(encoding.getId(), dictionary(c, encoding, allocator));
        }
      }
      var load = new ColumnVectors(file.name(), of.codec(), allocator, dictionaries);
      for (int c : columns) {
        vectors.add(load.of(of.columns().get(c)));
        SoundVectors.require(file.name(), vectors.getLast(), of.rows());
      }
      whole = true;
      return vectors;
    } finally {
      dictionaries.values().forEach(d -> d.getVector().close());
      if (!whole) {
        vectors.forEach(FieldVector::close);
      }
    }
  }

  private Dictionary dictionary(int column, DictionaryEncoding encoding, BufferAllocator a) {
    var field = file.schema().getFields().get(column);
    var type = new FieldType(true, field.getType(), null);
    var values = new Field(field.getName(), type, field.getChildren());
    IpcFile.Part found = null;
    for (var part : file.dictionaries()) {
      var header = (DictionaryBatch) part.message().header(new DictionaryBatch());
      if (header.id() == encoding.getId()) {
        if (found != null) {
          throw Faults.fault(
              ErrorCode.K6105,
              "the dictionary of column \"%s\" of %s changes from batch to batch"
                  .formatted(field.getName(), file.name()),
              "write the column without a dictionary");
        }
        found = part;
      }
    }
    if (found == null) {
      throw Faults.malformed(
          file.name(), "the dictionary of column \"" + field.getName() + "\" is missing");
    }
    var data = ((DictionaryBatch) found.message().header(new DictionaryBatch())).data();
    var batch =
        IpcBatch.read(file.name(), 0, new Schema(List.of(values)), null, data, found.body());
    var load = new ColumnVectors(file.name(), batch.codec(), a, Map.of());
    return new Dictionary(load.of(batch.columns().getFirst()), encoding);
  }

  /**
   * Returns the schema of a file or stream that can't be mapped. Only the schema is read.
   *
   * @param name what errors call it
   */
  public static Schema schema(SeekableByteChannel channel, String name) throws IOException {
    var start = read(channel, 0, (int) Math.min(MAGIC.length(), channel.size()));
    if (!MAGIC.equals(StandardCharsets.US_ASCII.decode(start).toString())) {
      channel.position(0);
      return IpcFile.guarded(name, () -> schemaOfStream(channel, name));
    }
    long end = channel.size() - MAGIC.length() - Integer.BYTES;
    int length = end < MAGIC.length() ? -1 : read(channel, end, Integer.BYTES).getInt();
    if (length <= 0 || length > end - MAGIC.length()) {
      throw Faults.malformed(name, "it doesn't end as an Arrow file must; it was probably cut off");
    }
    var footer = read(channel, end - length, length);
    return IpcFile.guarded(
        name, () -> Schema.convertSchema(Footer.getRootAsFooter(footer).schema()));
  }

  private static Schema schemaOfStream(SeekableByteChannel channel, String name) {
    try {
      requireMessage(channel, name);
      return MessageSerializer.deserializeSchema(
          new ReadChannel(Channels.newChannel(Channels.newInputStream(channel))));
    } catch (IOException e) {
      throw Faults.notArrow(name + " is not an Arrow file or stream");
    }
  }

  /**
   * Looks at the length of a stream's first message: Arrow's reader would ask for as much memory as
   * any other bytes there say.
   */
  private static void requireMessage(SeekableByteChannel channel, String name) throws IOException {
    var start = read(channel, 0, (int) Math.min(2 * Integer.BYTES, channel.size()));
    // Streams of old versions begin with the length, others with a mark before it.
    int at = start.remaining() > Integer.BYTES && start.getInt(0) == -1 ? Integer.BYTES : 0;
    int length = start.remaining() >= at + Integer.BYTES ? start.getInt(at) : -1;
    if (length <= 0 || length > channel.size() - at - Integer.BYTES) {
      throw Faults.notArrow(name + " is not an Arrow file or stream");
    }
    channel.position(0);
  }

  /** Reads so many bytes from a place on. */
  static ByteBuffer read(SeekableByteChannel channel, long at, int length) throws IOException {
    var bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    channel.position(at);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes) < 0) {
        throw new java.io.EOFException("the file ends at byte " + (at + bytes.position()));
      }
    }
    return bytes.flip();
  }
}
