package dev.kenaz.dataset;

import dev.kenaz.value.Prim;
import dev.kenaz.value.TextPrinter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * Writes a dense matrix in the Matrix Market format, from one column of lists of one length. The
 * format has the elements column by column, so the rows wait on disk, and are read again for each
 * few columns that memory holds.
 */
final class DenseMatrixSink implements RowSink {
  /** So many elements are kept at once. */
  private static final int WINDOW = 1 << 22;

  /** So many bytes are read at once. */
  private static final int CHUNK = 1 << 20;

  private final NumberColumn column;
  private final OutputStream out;
  private final Spool elements;
  private final int window;
  private long rows;

  DenseMatrixSink(NumberColumn column, OutputStream out, Path folder) throws IOException {
    this(column, out, folder, WINDOW);
  }

  /**
   * @param window how many elements are kept at once
   */
  DenseMatrixSink(NumberColumn column, OutputStream out, Path folder, int window)
      throws IOException {
    this.column = column;
    this.out = out;
    this.elements = new Spool(folder);
    this.window = window;
  }

  @Override
  public void write(VectorSchemaRoot batch) throws IOException {
    column.writeBytes(batch.getVector(column.name()), batch.getRowCount(), rows, elements.out());
    rows += batch.getRowCount();
  }

  @Override
  public void end() throws IOException {
    int width = column.width();
    var kind = column.type().isFloat() ? "real" : "integer";
    line(MatrixMarketFile.BANNER + " matrix array " + kind + " general");
    line(rows + " " + width);
    int size = column.type().byteSize();
    long rowBytes = (long) width * size;
    elements.size();
    int perPass = Math.clamp(window / Math.max(1, rows), 1, width);
    for (int from = 0; from < width; from += perPass) {
      columns(from, Math.min(width, from + perPass), size, rowBytes);
    }
  }

  /** Writes some columns. */
  private void columns(int from, int to, int size, long rowBytes) throws IOException {
    int rowsAtOnce = (int) Math.clamp(window / (to - from), 1, Math.max(1, rows));
    if (rowsAtOnce < rows) {
      // A single column is longer than what memory holds, and is written in pieces.
      for (long r = 0; r < rows; r += rowsAtOnce) {
        pieces(from, to, size, rowBytes, r, (int) Math.min(rowsAtOnce, rows - r));
      }
    } else {
      pieces(from, to, size, rowBytes, 0, (int) rows);
    }
  }

  private void pieces(int from, int to, int size, long rowBytes, long first, int count)
      throws IOException {
    int atOnce = Math.clamp(CHUNK / rowBytes, 1, Math.max(1, count));
    var chunk = new byte[Math.toIntExact(atOnce * rowBytes)];
    var bytes = ByteBuffer.wrap(chunk).order(ByteOrder.LITTLE_ENDIAN);
    var block = new long[(to - from) * count];
    for (int r = 0; r < count; r++) {
      int inChunk = r % atOnce;
      if (inChunk == 0) {
        int n = Math.min(atOnce, count - r);
        elements.read((first + r) * rowBytes, chunk, Math.toIntExact(n * rowBytes));
      }
      for (int c = 0; c < to - from; c++) {
        block[c * count + r] = bits(bytes, (int) (inChunk * rowBytes) + (from + c) * size);
      }
    }
    for (long bits : block) {
      line(
          column.type() == Prim.BOOL
              ? Long.toString(bits)
              : TextPrinter.digits(column.type(), bits));
    }
  }

  private long bits(ByteBuffer bytes, int at) {
    return switch (column.type()) {
      case BOOL, I8, U8 -> column.type().normalise(bytes.get(at));
      case I16, U16, F16 -> column.type().normalise(bytes.getShort(at));
      case I32, U32, F32 -> column.type().normalise(bytes.getInt(at));
      case I64, U64, F64 -> bytes.getLong(at);
    };
  }

  private void line(String text) throws IOException {
    out.write((text + "\n").getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  public void close() throws IOException {
    elements.close();
  }
}
