package dev.kenaz.dataset;

import dev.kenaz.value.Prim;
import dev.kenaz.value.TextPrinter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Writes each column as a value in Futhark's text or binary format, one after the other. So the
 * elements wait on disk until all rows are there.
 */
final class FutharkSink implements RowSink {
  private final OutputStream out;
  private final boolean binary;
  private final List<NumberColumn> columns;
  private final List<Spool> elements = new ArrayList<>();
  private long rows;

  FutharkSink(Schema schema, OutputStream out, Path folder, boolean binary) throws IOException {
    this.out = out;
    this.binary = binary;
    this.columns = schema.getFields().stream().map(f -> NumberColumn.of(f, "Futhark")).toList();
    for (int i = 0; i < columns.size(); i++) {
      elements.add(new Spool(folder));
    }
  }

  @Override
  public void write(VectorSchemaRoot batch) throws IOException {
    int n = batch.getRowCount();
    for (int c = 0; c < columns.size(); c++) {
      var to = elements.get(c).out();
      if (binary) {
        columns.get(c).writeBytes(batch.getVector(c), n, rows, to);
      } else {
        text(columns.get(c), columns.get(c).elements(batch.getVector(c), rows), n, to);
      }
    }
    rows += n;
  }

  private void text(NumberColumn column, NumberVector numbers, int n, OutputStream to)
      throws IOException {
    var line = new StringBuilder();
    for (int row = 0; row < n; row++) {
      line.setLength(0);
      line.append(rows + row == 0 ? "" : ", ");
      row(column, numbers, row * column.width(), line);
      to.write(line.toString().getBytes(StandardCharsets.US_ASCII));
    }
  }

  /** Writes a row, which has brackets around each of its dimensions. */
  private static void row(NumberColumn column, NumberVector numbers, int from, StringBuilder to) {
    int width = column.width();
    var shape = column.shape();
    for (int i = 0; i < width; i++) {
      to.append(i == 0 ? "" : ", ");
      int inner = 1;
      for (int d = shape.length - 1; d >= 0; d--) {
        inner *= shape[d];
        to.append(i % inner == 0 ? "[" : "");
      }
      to.append(scalar(numbers.type(), numbers.get(from + i)));
      inner = 1;
      for (int d = shape.length - 1; d >= 0; d--) {
        inner *= shape[d];
        to.append((i + 1) % inner == 0 ? "]" : "");
      }
    }
  }

  private static String scalar(Prim type, long bits) {
    if (!type.isFloat()) {
      return TextPrinter.digits(type, bits) + (type == Prim.BOOL ? "" : type.text());
    }
    double x = type.toDouble(bits);
    if (Double.isNaN(x)) {
      return type.text() + ".nan";
    }
    if (Double.isInfinite(x)) {
      return (x < 0 ? "-" : "") + type.text() + ".inf";
    }
    return TextPrinter.digits(type, bits).replace('E', 'e') + type.text();
  }

  @Override
  public void end() throws IOException {
    for (int c = 0; c < columns.size(); c++) {
      if (binary) {
        out.write(header(columns.get(c)));
        elements.get(c).copyTo(out);
      } else if (rows == 0) {
        ascii("empty(" + dimensions(columns.get(c)) + columns.get(c).type().text() + ")\n");
      } else {
        ascii("[");
        elements.get(c).copyTo(out);
        ascii("]\n");
      }
    }
  }

  private String dimensions(NumberColumn column) {
    var text = new StringBuilder("[" + rows + "]");
    for (int d : column.shape()) {
      text.append('[').append(d).append(']');
    }
    return text.toString();
  }

  private byte[] header(NumberColumn column) {
    int rank = 1 + column.shape().length;
    var head = ByteBuffer.allocate(7 + 8 * rank).order(ByteOrder.LITTLE_ENDIAN);
    head.put((byte) 'b').put((byte) 2).put((byte) rank);
    head.put(column.type().binaryTag().getBytes(StandardCharsets.US_ASCII));
    head.putLong(rows);
    for (int d : column.shape()) {
      head.putLong(d);
    }
    return head.array();
  }

  private void ascii(String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  public void close() throws IOException {
    for (var spool : elements) {
      spool.close();
    }
  }
}
