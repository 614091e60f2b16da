package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6143;

import dev.kenaz.arrow.Faults;
import dev.kenaz.arrow.TypeText;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Writes rows as CSV (RFC 4180) with a line of names. A column of lists of one length becomes a
 * column for each of their places, {@code x_0}, {@code x_1}, ... A null is an empty field; an empty
 * string stands between quotation marks, and so do strings that would be read as missing, as NA is.
 */
final class CsvSink implements RowSink {
  /** Matches a name that looks like several, unless it stands in quotes. */
  static final Pattern OTHER_SEPARATORS = Pattern.compile("[,;\t|]");

  private final Writer out;
  private final char separator;

  /**
   * @param separator the character between fields
   */
  CsvSink(Schema schema, OutputStream stream, char separator) throws IOException {
    this.out = new OutputStreamWriter(stream, StandardCharsets.UTF_8);
    this.separator = separator;
    var names = new ArrayList<String>();
    for (var field : schema.getFields()) {
      if (field.getType() instanceof ArrowType.FixedSizeList list) {
        for (int j = 0; j < list.getListSize(); j++) {
          names.add(quoted(field.getName() + "_" + j));
        }
      } else {
        boolean looksLikeMore = OTHER_SEPARATORS.matcher(field.getName()).find();
        names.add(looksLikeMore ? inQuotes(field.getName()) : quoted(field.getName()));
      }
    }
    var seen = new HashSet<String>();
    for (var name : names) {
      if (!seen.add(name)) {
        throw Faults.fault(
            K6143,
            "CSV would have two columns " + name + ", one of them a place of a list",
            "give one another name (--rename)");
      }
    }
    out.write(String.join(String.valueOf(separator), names));
    out.write('\n');
  }

  /**
   * The fields of a column.
   *
   * @param width how many fields it has in a row
   */
  private record Column(FieldVector vector, FieldVector cells, CellText text, int width) {}

  @Override
  public void write(VectorSchemaRoot batch) throws IOException {
    var columns = batch.getFieldVectors().stream().map(CsvSink::column).toList();
    for (int row = 0; row < batch.getRowCount(); row++) {
      row(columns, row);
    }
    out.flush();
  }

  private static Column column(FieldVector vector) {
    boolean list = vector instanceof FixedSizeListVector;
    var cells = vector instanceof FixedSizeListVector l ? l.getDataVector() : vector;
    var text = CellText.of(cells).orElseThrow(() -> refused(vector.getField()));
    int width = vector instanceof FixedSizeListVector l ? l.getListSize() : 1;
    return new Column(list ? vector : cells, cells, text, width);
  }

  private static UserError refused(Field field) {
    return Faults.fault(
        K6143,
        "CSV can't hold column \"%s\", which is %s".formatted(field.getName(), TypeText.of(field)),
        "leave the column out, or choose a format that has such columns: docs/data.md");
  }

  private void row(List<Column> columns, int row) throws IOException {
    boolean first = true;
    for (var c : columns) {
      boolean absent = c.vector().isNull(row);
      for (int j = 0; j < c.width(); j++) {
        if (!first) {
          out.write(separator);
        }
        first = false;
        int cell = row * c.width() + j;
        if (!absent && !c.cells().isNull(cell)) {
          var text = c.text().printer().text(cell);
          out.write(c.text().isNumber() ? text : quoted(readable(text, c.vector())));
        }
      }
    }
    if (columns.size() == 1 && columns.getFirst().vector().isNull(row)) {
      // A line without anything is no row, and the words of missing values are.
      out.write("null");
    }
    out.write('\n');
  }

  /** Refuses what {@link CsvScanner} would not read again. */
  private static String readable(String text, FieldVector column) {
    if (text.indexOf('\0') >= 0) {
      throw Faults.fault(
          K6143,
          "CSV can't hold a NUL, which a text of column \"%s\" has".formatted(column.getName()),
          "write Parquet or JSON lines");
    }
    return text;
  }

  private String quoted(String text) {
    boolean plain =
        !CsvOptions.DEFAULT.isMissing(text)
            && text.charAt(0) > ' '
            && text.charAt(text.length() - 1) > ' '
            && text.chars().noneMatch(c -> c == separator || c == '"' || c == '\n' || c == '\r');
    return plain ? text : inQuotes(text);
  }

  private static String inQuotes(String text) {
    return "\"" + text.replace("\"", "\"\"") + "\"";
  }

  @Override
  public void end() throws IOException {
    out.flush();
  }
}
