package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.malformed;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.arrow.flatbuf.BodyCompressionMethod;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.vector.TypeLayout;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/** This is one record batch of a file or stream. It knows where the buffers of each column are. */
record IpcBatch(
    String file, int index, long rows, List<Node> columns, Codec codec, IpcFile.MessageAt message) {
  /** A node of the tree that Arrow flattens: a field's null count and buffers, and its children. */
  record Node(
      Field field, long rows, long nulls, List<MemorySegment> buffers, List<Node> children) {}

  static IpcBatch read(
      String file,
      int index,
      Schema schema,
      IpcFile.MessageAt message,
      RecordBatch header,
      MemorySegment body) {
    var compression = header.compression();
    Codec codec = Codec.NONE;
    if (compression != null) {
      if (compression.method() != BodyCompressionMethod.BUFFER) {
        throw malformed(file, "unknown compression method " + compression.method());
      }
      codec = Codec.of(compression.codec(), file);
    }
    if (header.length() < 0) {
      throw malformed(file, "batch " + index + " has " + header.length() + " rows");
    }
    var walk = new Walk(file, header, body);
    List<Node> columns = schema.getFields().stream().map(field -> walk.next(field)).toList();
    return new IpcBatch(file, index, header.length(), List.copyOf(columns), codec, message);
  }

  /** Takes nodes and buffers in schema order, parents before children. */
  private static final class Walk {
    private final String file;
    private final RecordBatch header;
    private final MemorySegment body;
    private int node;
    private int buffer;
    private int variadic;

    Walk(String file, RecordBatch header, MemorySegment body) {
      this.file = file;
      this.header = header;
      this.body = body;
    }

    Node next(Field field) {
      if (node >= header.nodesLength()) {
        throw malformed(file, "a batch has fewer columns than the schema");
      }
      var n = header.nodes(node++);
      // An encoded field is stored as its indices, which have a validity and a data buffer.
      boolean encoded = field.getDictionary() != null;
      int count = encoded ? 2 : TypeLayout.getTypeBufferCount(field.getType());
      if (isView(field.getType()) && !encoded) {
        count = 2 + (int) header.variadicBufferCounts(variadic++);
      }
      List<MemorySegment> buffers = IntStream.range(0, count).mapToObj(i -> buffer(field)).toList();
      var children = new ArrayList<Node>();
      if (!encoded) {
        field.getChildren().forEach(child -> children.add(next(child)));
      }
      return new Node(field, n.length(), n.nullCount(), buffers, children);
    }

    private static boolean isView(ArrowType type) {
      return type instanceof ArrowType.Utf8View || type instanceof ArrowType.BinaryView;
    }

    private MemorySegment buffer(Field field) {
      if (buffer >= header.buffersLength()) {
        throw malformed(file, "a batch lacks buffers of column \"" + field.getName() + "\"");
      }
      var b = header.buffers(buffer++);
      if (b.offset() < 0 || b.length() < 0 || b.offset() > body.byteSize() - b.length()) {
        throw malformed(
            file, "a buffer of column \"" + field.getName() + "\" lies outside its batch");
      }
      return body.asSlice(b.offset(), b.length());
    }
  }

  boolean compressed() {
    return codec != Codec.NONE;
  }

  /** Returns how many rows of a column are null, as the file states it. */
  long nulls(int column) {
    return columns.get(column).nulls();
  }

  /** Returns how many bytes the column's buffers take in the file. */
  long byteSize(int column) {
    return byteSize(columns.get(column));
  }

  private static long byteSize(Node n) {
    return n.buffers().stream().mapToLong(MemorySegment::byteSize).sum()
        + n.children().stream().mapToLong(IpcBatch::byteSize).sum();
  }

  /** Returns a numeric column, as views of the file or decompressed copies. */
  ColumnData column(int i) {
    var node = columns.get(i);
    var info = ColumnInfo.of(node.field());
    ColumnData.requireNumeric(info, file);
    if (info.list() && node.children().size() != 1) {
      throw malformed(file, "column \"" + info.name() + "\" has no elements");
    }
    var cells = info.list() ? node.children().getFirst() : node;
    long count = Math.multiplyExact(rows, info.width());
    if (node.rows() != rows || cells.rows() < count) {
      throw malformed(file, "column \"" + info.name() + "\" has too few rows in batch " + index);
    }
    boolean bool = info.prim().orElseThrow() == dev.kenaz.value.Prim.BOOL;
    long bytes =
        bool ? bitBytes(count) : Math.multiplyExact(count, info.prim().orElseThrow().byteSize());
    return new ColumnData(
        info,
        0,
        rows,
        validity(node, rows),
        info.list() ? validity(cells, count) : null,
        sized(cells, 1, bytes));
  }

  private MemorySegment validity(Node node, long count) {
    return node.nulls() == 0 ? null : sized(node, 0, bitBytes(count));
  }

  private MemorySegment sized(Node node, int buffer, long bytes) {
    var data = codec.decode(node.buffers().get(buffer), file);
    if (data.byteSize() < bytes) {
      throw malformed(
          file,
          "a buffer of column \"%s\" has %s bytes where %s are needed"
              .formatted(node.field().getName(), data.byteSize(), bytes));
    }
    return data;
  }

  private static long bitBytes(long bits) {
    return (bits + 7) >>> 3;
  }
}
