package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.arrow.Faults.malformed;
import static dev.kenaz.error.ErrorCode.K6105;
import static dev.kenaz.error.ErrorCode.K6106;

import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.arrow.flatbuf.BodyCompressionMethod;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.vector.TypeLayout;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * This is one record batch of a file or stream. It knows where the buffers of each column are.
 *
 * @param first where its rows begin in the buffers
 */
record IpcBatch(
    String file,
    int index,
    long first,
    long rows,
    List<Node> columns,
    Codec codec,
    IpcFile.MessageAt message) {
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

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
    return new IpcBatch(file, index, 0, header.length(), List.copyOf(columns), codec, message);
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
    long all = Math.addExact(first, rows);
    long count = Math.multiplyExact(all, info.width());
    if (node.rows() < all || cells.rows() < count) {
      throw malformed(file, "column \"" + info.name() + "\" has too few rows in batch " + index);
    }
    boolean bool = info.prim().orElseThrow() == Prim.BOOL;
    long bytes =
        bool ? bitBytes(count) : Math.multiplyExact(count, info.prim().orElseThrow().byteSize());
    var data =
        new ColumnData(
            info,
            0,
            all,
            validity(node, all),
            info.list() ? validity(cells, count) : null,
            sized(cells, 1, bytes));
    return first == 0 ? data : data.slice(first, all);
  }

  /**
   * Returns the elements of a column of lists as the rows of a batch with a column of this name.
   *
   * @throws dev.kenaz.error.UserError K6105 if it is no column of lists, K6106 if a list is null
   */
  IpcBatch elements(int column, String name) {
    var node = columns.get(column);
    var ends = ends(node);
    if (node.nulls() > 0) {
      var validity = validity(node, rows);
      for (long row = 0; row < rows; row++) {
        if (!ColumnData.bit(validity, row)) {
          throw fault(
              K6106,
              "%s: column \"%s\" is null in row %d of batch %d"
                  .formatted(file, node.field().getName(), row, index),
              "give such rows empty lists, or leave them out before");
        }
      }
    }
    long from = rows == 0 ? 0 : ends.at(0);
    long to = rows == 0 ? 0 : ends.at(rows);
    var cells = node.children().getFirst();
    if (from < 0 || from > to || to > cells.rows()) {
      throw damaged(node);
    }
    var f = cells.field();
    var field = new Field(name, f.getFieldType(), f.getChildren());
    var renamed = new Node(field, cells.rows(), cells.nulls(), cells.buffers(), cells.children());
    return new IpcBatch(file, index, from, to - from, List.of(renamed), codec, message);
  }

  /** Returns how many elements the lists of a column have before a row of the batch. */
  long elementsBefore(int column, long row) {
    var ends = ends(columns.get(column));
    return row == 0 ? 0 : ends.at(row) - ends.at(0);
  }

  /** Returns the lengths of a column of lists, as a column of this name. */
  ColumnData lengths(int column, String name, long from, long to) {
    var node = columns.get(column);
    var ends = ends(node);
    var lengths = ArrayValue.allocate(Prim.I64, to - from);
    for (long row = from; row < to; row++) {
      long length = ends.at(row + 1) - ends.at(row);
      if (length < 0) {
        throw damaged(node);
      }
      lengths.set(LONG, (row - from) * Long.BYTES, length);
    }
    var info = ColumnInfo.scalar(name, Prim.I64);
    var bits = validity(node, rows);
    if (bits == null) {
      return new ColumnData(info, 0, to - from, null, null, lengths);
    }
    var valid = new BitSet();
    for (long row = from; row < to; row++) {
      valid.set((int) (row - from), ColumnData.bit(bits, row));
    }
    var own = Arrays.copyOf(valid.toByteArray(), (int) bitBytes(to - from));
    return new ColumnData(info, 0, to - from, MemorySegment.ofArray(own), null, lengths);
  }

  /** Where the lists of a column begin; one ends where the next one begins. */
  private interface Ends {
    long at(long row);
  }

  private Ends ends(Node node) {
    boolean list = node.field().getDictionary() == null && node.children().size() == 1;
    return switch (list ? node.field().getType() : null) {
      case ArrowType.List _ -> {
        var at = rows == 0 ? MemorySegment.NULL : sized(node, 1, (rows + 1) * Integer.BYTES);
        yield row -> at.get(INT, row * Integer.BYTES);
      }
      case ArrowType.LargeList _ -> {
        var at = rows == 0 ? MemorySegment.NULL : sized(node, 1, (rows + 1) * Long.BYTES);
        yield row -> at.get(LONG, row * Long.BYTES);
      }
      case ArrowType.FixedSizeList l -> row -> row * l.getListSize();
      case null, default ->
          throw fault(
              K6105,
              "column \"%s\" of %s is %s, not lists"
                  .formatted(node.field().getName(), file, node.field().getType()),
              "elements(...) and lengths(...) are of columns of lists");
    };
  }

  private UserError damaged(Node node) {
    return malformed(
        file,
        "the lists of column \"%s\" in batch %d are in no order"
            .formatted(node.field().getName(), index));
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
