package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6143;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import dev.kenaz.arrow.Faults;
import dev.kenaz.arrow.TypeText;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;

/**
 * Writes each row as a JSON object on a line of its own. Numbers that aren't finite are {@code
 * NaN}, {@code Infinity} and {@code -Infinity}.
 */
final class JsonSink implements RowSink {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
          .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
          .build();

  private final JsonGenerator out;

  JsonSink(OutputStream stream) throws IOException {
    this.out = JSON.createGenerator(stream);
    out.setPrettyPrinter(new MinimalPrettyPrinter("\n"));
  }

  /** Writes one value of a column. */
  private interface Column {
    void write(int i) throws IOException;
  }

  @Override
  public void write(VectorSchemaRoot batch) throws IOException {
    var names = batch.getSchema().getFields().stream().map(f -> f.getName()).toList();
    var columns = new ArrayList<Column>();
    for (var vector : batch.getFieldVectors()) {
      columns.add(column(vector, vector.getName()));
    }
    for (int row = 0; row < batch.getRowCount(); row++) {
      members(names, columns, row);
    }
    out.flush();
  }

  private void members(List<String> names, List<Column> columns, int row) throws IOException {
    out.writeStartObject();
    for (int c = 0; c < columns.size(); c++) {
      out.writeFieldName(names.get(c));
      columns.get(c).write(row);
    }
    out.writeEndObject();
  }

  /**
   * @param name the column that errors name
   */
  private Column column(FieldVector vector, String name) {
    var plain = present(vector, name);
    return i -> {
      if (vector.isNull(i)) {
        out.writeNull();
      } else {
        plain.write(i);
      }
    };
  }

  private Column present(FieldVector vector, String name) {
    return switch (vector) {
      case NullVector _ -> _ -> out.writeNull();
      case MapVector _ -> throw refused(vector, name);
      case ListVector l -> {
        var element = column(l.getDataVector(), name);
        yield i -> array(element, l.getElementStartIndex(i), l.getElementEndIndex(i));
      }
      case LargeListVector l -> {
        var element = column(l.getDataVector(), name);
        yield i ->
            array(
                element,
                Math.toIntExact(l.getElementStartIndex(i)),
                Math.toIntExact(l.getElementEndIndex(i)));
      }
      case FixedSizeListVector l -> {
        var element = column(l.getDataVector(), name);
        int width = l.getListSize();
        yield i -> array(element, i * width, (i + 1) * width);
      }
      case StructVector s -> {
        var names = s.getChildFieldNames();
        var columns = new ArrayList<Column>();
        for (var child : s.getChildrenFromFields()) {
          columns.add(column(child, name));
        }
        yield i -> members(names, columns, i);
      }
      default -> scalar(vector, name);
    };
  }

  private void array(Column element, int from, int to) throws IOException {
    out.writeStartArray();
    for (int i = from; i < to; i++) {
      element.write(i);
    }
    out.writeEndArray();
  }

  private Column scalar(FieldVector vector, String name) {
    var text = CellText.of(vector).orElseThrow(() -> refused(vector, name));
    return i -> {
      if (text.isNumber()) {
        out.writeRawValue(text.printer().text(i));
      } else {
        out.writeString(text.printer().text(i));
      }
    };
  }

  private static RuntimeException refused(FieldVector vector, String name) {
    return Faults.fault(
        K6143,
        "JSON can't hold column \"%s\", which has %s"
            .formatted(name, TypeText.of(vector.getField())),
        "leave the column out, or choose a format that has such columns: docs/data.md");
  }

  @Override
  public void end() throws IOException {
    if (out.getOutputContext().getEntryCount() > 0) {
      out.writeRaw('\n');
    }
    out.flush();
  }
}
