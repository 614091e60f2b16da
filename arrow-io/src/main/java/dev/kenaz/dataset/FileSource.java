package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6107;

import dev.kenaz.arrow.TypeText;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/** Files of one format with the same columns; each of them is a part. */
public final class FileSource implements FilesSource {
  private final List<DataFile> files;
  private final Function<DataFile, RowReader> format;
  private final Schema schema;

  /**
   * @param files at least one
   * @param format opens a file
   */
  public FileSource(List<DataFile> files, Function<DataFile, RowReader> format) {
    this.files = List.copyOf(files);
    this.format = format;
    try (var first = format.apply(files.getFirst())) {
      this.schema = first.schema();
    }
  }

  @Override
  public Schema schema() {
    return schema;
  }

  @Override
  public List<DataFile> files() {
    return files;
  }

  @Override
  public RowReader open(int part) {
    var reader = format.apply(files.get(part));
    if (!reader.schema().getFields().equals(schema.getFields())) {
      var found = reader.schema().getFields();
      reader.close();
      throw fault(
          K6107,
          "%s has the columns %s, and %s has %s"
              .formatted(
                  files.getFirst().name(), text(schema.getFields()), name(part), text(found)));
    }
    return reader;
  }

  private static String text(List<Field> columns) {
    return columns.stream()
        .map(c -> c.getName() + ": " + TypeText.of(c))
        .collect(Collectors.joining(", "));
  }
}
