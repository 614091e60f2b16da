package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6143;

import dev.kenaz.arrow.Faults;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import java.util.zip.CheckedOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Writes columns as NumPy's arrays: one column as a file of {@code np.save}, several as an archive
 * of {@code np.savez}. The number of rows stands before the elements, so these wait on disk.
 */
final class NumpySink implements RowSink {
  private static final int ALIGNMENT = 64;

  private final OutputStream out;
  private final boolean archive;
  private final List<NumberColumn> columns;
  private final List<Spool> elements = new ArrayList<>();
  private long rows;

  private NumpySink(List<NumberColumn> columns, boolean archive, OutputStream out, Path folder)
      throws IOException {
    this.columns = columns;
    this.archive = archive;
    this.out = out;
    for (int i = 0; i < columns.size(); i++) {
      elements.add(new Spool(folder));
    }
  }

  /** Begins a file of one array. */
  static RowSink array(Schema schema, OutputStream out, Path folder) throws IOException {
    var fields = schema.getFields();
    if (fields.size() != 1) {
      throw Faults.fault(
          K6143,
          "a file of NumPy (.npy) can't hold " + fields.size() + " columns",
          "choose one by --columns, or write .npz, which holds several");
    }
    return new NumpySink(List.of(NumberColumn.of(fields.getFirst(), "NumPy")), false, out, folder);
  }

  /** Begins an archive of an array for each column. */
  static RowSink archive(Schema schema, OutputStream out, Path folder) throws IOException {
    var columns = schema.getFields().stream().map(f -> NumberColumn.of(f, "NumPy")).toList();
    return new NumpySink(columns, true, out, folder);
  }

  @Override
  public void write(VectorSchemaRoot batch) throws IOException {
    for (int c = 0; c < columns.size(); c++) {
      columns
          .get(c)
          .writeBytes(batch.getVector(c), batch.getRowCount(), rows, elements.get(c).out());
    }
    rows += batch.getRowCount();
  }

  @Override
  public void end() throws IOException {
    if (!archive) {
      out.write(header(columns.getFirst()));
      elements.getFirst().copyTo(out);
      return;
    }
    var zip = new ZipOutputStream(out);
    zip.setMethod(ZipOutputStream.STORED);
    for (int c = 0; c < columns.size(); c++) {
      entry(zip, columns.get(c), elements.get(c));
    }
    zip.finish();
  }

  private void entry(ZipOutputStream zip, NumberColumn column, Spool spool) throws IOException {
    var header = header(column);
    var sum = new CRC32();
    sum.update(header);
    spool.copyTo(new CheckedOutputStream(OutputStream.nullOutputStream(), sum));
    var entry = new ZipEntry(column.name() + ".npy");
    // One time for all, so that the same rows make the same bytes.
    entry.setTimeLocal(java.time.LocalDateTime.of(1980, 1, 1, 0, 0));
    entry.setSize(header.length + spool.size());
    entry.setCompressedSize(entry.getSize());
    entry.setCrc(sum.getValue());
    zip.putNextEntry(entry);
    zip.write(header);
    spool.copyTo(zip);
    zip.closeEntry();
  }

  /** Returns what stands before the elements of an array. */
  private byte[] header(NumberColumn column) {
    var dims =
        rows
            + ","
            + Arrays.stream(column.shape()).mapToObj(d -> " " + d).collect(Collectors.joining(","));
    var text =
        "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }"
            .formatted(description(column.type()), dims);
    int before = 10;
    int length = before + text.length() + 1;
    length += Math.floorMod(-length, ALIGNMENT);
    var bytes = new byte[length];
    Arrays.fill(bytes, (byte) ' ');
    byte[] start = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    System.arraycopy(start, 0, bytes, 0, start.length);
    bytes[8] = (byte) (length - before);
    bytes[9] = (byte) (length - before >> 8);
    var ascii = text.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(ascii, 0, bytes, before, ascii.length);
    bytes[length - 1] = '\n';
    return bytes;
  }

  private static String description(Prim type) {
    return switch (type) {
      case BOOL -> "|b1";
      case I8 -> "|i1";
      case U8 -> "|u1";
      case I16, I32, I64 -> "<i" + type.byteSize();
      case U16, U32, U64 -> "<u" + type.byteSize();
      case F16, F32, F64 -> "<f" + type.byteSize();
    };
  }

  @Override
  public void close() throws IOException {
    for (var spool : elements) {
      spool.close();
    }
  }
}
