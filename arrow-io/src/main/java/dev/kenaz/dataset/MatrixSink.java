package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6143;

import dev.kenaz.arrow.Faults;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Writes a sparse matrix in the Matrix Market format, from a row for each entry or from a row for
 * each row of the matrix, with the columns that {@link MatrixEntriesReader} and {@link
 * MatrixRowsReader} make. The size is that of the schema's metadata, or what the entries need.
 */
final class MatrixSink implements RowSink {
  private static final String FORMAT = "Matrix Market";

  private final Schema schema;
  private final OutputStream out;
  private final Spool entries;
  private final boolean byRow;
  private final boolean pattern;
  private Prim type = Prim.I64;
  private long greatestRow = -1;
  private long greatestColumn = -1;
  private long rows;
  private long stored;

  MatrixSink(Schema schema, OutputStream out, Path folder) throws IOException {
    this.schema = schema;
    this.out = out;
    var names = schema.getFields().stream().map(Field::getName).toList();
    this.byRow = names.contains(LibsvmReader.INDICES);
    var places =
        byRow
            ? List.of(LibsvmReader.INDICES)
            : List.of(MatrixEntriesReader.ROW, MatrixEntriesReader.COLUMN);
    var value = byRow ? LibsvmReader.VALUES : MatrixEntriesReader.VALUE;
    this.pattern = !names.contains(value);
    if (!names.containsAll(places) || names.size() != places.size() + (pattern ? 0 : 1)) {
      throw Faults.fault(
          K6143,
          "Matrix Market can't hold the columns " + String.join(", ", names),
          "it holds row, column and value, or the lists indices and values, or one column of lists"
              + " of one length");
    }
    this.entries = new Spool(folder);
  }

  @Override
  public void write(VectorSchemaRoot batch) throws IOException {
    if (byRow) {
      lists(batch);
    } else {
      entries(batch);
    }
  }

  private void lists(VectorSchemaRoot batch) throws IOException {
    var indices = ListColumn.of(batch.getVector(LibsvmReader.INDICES), FORMAT);
    var values = pattern ? null : ListColumn.of(batch.getVector(LibsvmReader.VALUES), FORMAT);
    type = pattern ? type : values.numbers().type();
    for (int row = 0; row < batch.getRowCount(); row++) {
      indices.requirePresent(FORMAT, row, rows);
      int shift = 0;
      if (!pattern) {
        values.requirePresent(FORMAT, row, rows);
        shift = values.from(row) - indices.from(row);
        if (values.length(row) != indices.length(row)) {
          throw refused("has %d indices and %d values", indices.length(row), values.length(row));
        }
      }
      for (int i = indices.from(row); i < indices.to(row); i++) {
        var value = pattern ? null : values.numbers();
        entry(rows, indices.numbers().get(i), value, i + shift);
      }
      rows++;
    }
  }

  private void entries(VectorSchemaRoot batch) throws IOException {
    var row = scalar(batch, MatrixEntriesReader.ROW);
    var column = scalar(batch, MatrixEntriesReader.COLUMN);
    var values = pattern ? null : scalar(batch, MatrixEntriesReader.VALUE);
    type = pattern ? type : values.type();
    for (int i = 0; i < batch.getRowCount(); i++) {
      entry(row.get(i), column.get(i), values, i);
      rows++;
    }
  }

  private NumberVector scalar(VectorSchemaRoot batch, String name) {
    var vector = batch.getVector(name);
    var column = NumberColumn.of(vector.getField(), FORMAT);
    boolean place = !name.equals(MatrixEntriesReader.VALUE);
    if (column.shape().length > 0 || place && !column.type().isInteger()) {
      throw Faults.fault(
          K6143,
          "Matrix Market needs %s as column \"%s\""
              .formatted(place ? "integers" : "numbers", name));
    }
    return column.elements(vector, rows);
  }

  private void entry(long row, long column, NumberVector values, int i) throws IOException {
    if (row < 0 || column < 0) {
      throw refused("has a place before 0: %d, %d", row, column);
    }
    greatestRow = Math.max(greatestRow, row);
    greatestColumn = Math.max(greatestColumn, column);
    stored++;
    var value = values == null ? "" : " " + value(values, i);
    var line = (row + 1) + " " + (column + 1) + value + "\n";
    entries.out().write(line.getBytes(StandardCharsets.US_ASCII));
  }

  /** Returns a value as text; a truth value is 0 or 1. */
  static String value(NumberVector values, int i) {
    return values.type() == Prim.BOOL ? Long.toString(values.get(i)) : CellText.number(values, i);
  }

  private UserError refused(String what, Object... of) {
    return Faults.fault(
        K6143, "Matrix Market can't hold row " + rows + ", which " + what.formatted(of));
  }

  @Override
  public void end() throws IOException {
    var kind = pattern ? "pattern" : type.isFloat() ? "real" : "integer";
    long height = size("rows", byRow ? rows : greatestRow + 1);
    long width = size("columns", greatestColumn + 1);
    var head =
        "%s matrix coordinate %s general%n%d %d %d%n"
            .formatted(MatrixMarketFile.BANNER, kind, height, width, stored)
            .replace(System.lineSeparator(), "\n");
    out.write(head.getBytes(StandardCharsets.US_ASCII));
    entries.copyTo(out);
  }

  /** Returns what the schema says of the size, if it isn't less than what is needed. */
  private long size(String key, long needed) {
    var told = schema.getCustomMetadata().get(key);
    try {
      return told == null ? needed : Math.max(needed, Long.parseLong(told));
    } catch (NumberFormatException _) {
      return needed; // The key means something else to whoever wrote it.
    }
  }

  @Override
  public void close() throws IOException {
    entries.close();
  }
}
