package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6143;

import dev.kenaz.arrow.Faults;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Writes sparse rows as LIBSVM and SVMlight read them. The columns are those that {@link
 * LibsvmReader} makes.
 */
final class LibsvmSink implements RowSink {
  private static final String FORMAT = "LIBSVM";

  private final OutputStream out;
  private final int base;
  private long rows;

  LibsvmSink(Schema schema, OutputStream out, FormatOptions options) {
    this.out = out;
    this.base = options.indexBase();
    var names = schema.getFields().stream().map(Field::getName).toList();
    var without = names.stream().filter(n -> !n.equals(LibsvmReader.QUERY)).toList();
    var wanted = List.of(LibsvmReader.LABEL, LibsvmReader.INDICES, LibsvmReader.VALUES);
    if (without.size() != wanted.size() || !without.containsAll(wanted)) {
      throw Faults.fault(
          K6143,
          "LIBSVM can't hold the columns " + String.join(", ", names),
          "it holds the columns label, indices and values, and perhaps qid: rename columns, or"
              + " choose another format");
    }
  }

  @Override
  public void write(VectorSchemaRoot batch) throws IOException {
    var label = scalar(batch, LibsvmReader.LABEL);
    var query =
        batch.getVector(LibsvmReader.QUERY) == null
            ? Optional.<NumberVector>empty()
            : Optional.of(scalar(batch, LibsvmReader.QUERY));
    var indices = ListColumn.of(batch.getVector(LibsvmReader.INDICES), FORMAT);
    var values = ListColumn.of(batch.getVector(LibsvmReader.VALUES), FORMAT);
    if (!indices.numbers().type().isInteger()) {
      throw Faults.fault(K6143, "LIBSVM needs integers as column \"indices\"");
    }
    var line = new StringBuilder();
    for (int row = 0; row < batch.getRowCount(); row++) {
      line.setLength(0);
      line.append(CellText.number(label, row));
      if (query.isPresent()) {
        line.append(" qid:").append(CellText.number(query.get(), row));
      }
      features(indices, values, row, line);
      out.write(line.append('\n').toString().getBytes(StandardCharsets.US_ASCII));
      rows++;
    }
  }

  private NumberVector scalar(VectorSchemaRoot batch, String name) {
    var vector = batch.getVector(name);
    var column = NumberColumn.of(vector.getField(), FORMAT);
    if (column.shape().length > 0) {
      throw Faults.fault(K6143, "LIBSVM needs a number as column \"" + name + "\", not a list");
    }
    return column.elements(vector, rows);
  }

  private void features(ListColumn indices, ListColumn values, int row, StringBuilder line) {
    indices.requirePresent(FORMAT, row, rows);
    values.requirePresent(FORMAT, row, rows);
    if (indices.length(row) != values.length(row)) {
      throw row("has %d indices and %d values".formatted(indices.length(row), values.length(row)));
    }
    long before = -1;
    int from = values.from(row) - indices.from(row);
    for (int i = indices.from(row); i < indices.to(row); i++) {
      long index = indices.numbers().get(i);
      if (index <= before) {
        throw row("has indices that don't increase, or are negative");
      }
      before = index;
      line.append(' ').append(index + base).append(':');
      line.append(CellText.number(values.numbers(), from + i));
    }
  }

  private UserError row(String what) {
    return Faults.fault(K6143, "LIBSVM can't hold row " + rows + ", which " + what);
  }

  @Override
  public void end() {}
}
