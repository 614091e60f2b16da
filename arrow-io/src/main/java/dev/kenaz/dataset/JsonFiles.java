package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6107;
import static dev.kenaz.error.ErrorCode.K6142;

import dev.kenaz.arrow.Faults;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Files of JSON lines. The columns are those of the first rows of each file; if a later row has
 * other ones, all rows are looked at. Columns whose types are told have these.
 */
public final class JsonFiles implements FilesSource {
  /** Columns are guessed from so many rows of each file. */
  static final long GUESS = 5_000;

  private final List<DataFile> files;
  private final Map<String, CsvType> told;
  private FileSource source;

  /**
   * @param told the types of columns by name; of arrays, of their elements
   * @throws dev.kenaz.error.UserError K6101, K6104, K6107, K6141, K6142
   */
  public JsonFiles(List<DataFile> files, Map<String, CsvType> told) {
    this(files, told, GUESS);
  }

  /**
   * @param guess from how many rows of each file the columns are guessed
   */
  JsonFiles(List<DataFile> files, Map<String, CsvType> told, long guess) {
    this.files = List.copyOf(files);
    this.told = Map.copyOf(told);
    this.source = source(guess);
  }

  private FileSource source(long rows) {
    JsonType all = JsonType.Members.NONE;
    for (var file : files) {
      var found = JsonRows.infer(file, rows, told);
      var before = all;
      all =
          JsonType.join(all, found)
              .orElseThrow(
                  () ->
                      Faults.fault(
                          K6107,
                          "%s has %s, and files before it have %s"
                              .formatted(file.name(), found.text(), before.text()),
                          "a column of all files must be of one type"));
    }
    var type = (JsonType.Members) all;
    if (type.members().isEmpty()) {
      throw Faults.fault(K6142, files.getFirst().name() + " has no objects with members");
    }
    for (var name : told.keySet()) {
      if (!type.members().containsKey(name) && rows < Long.MAX_VALUE) {
        return source(Long.MAX_VALUE);
      }
      if (!type.members().containsKey(name)) {
        throw Faults.noColumn(files.getFirst().name(), name, List.copyOf(type.members().keySet()));
      }
    }
    var columns = withTold(type);
    return new FileSource(files, f -> new JsonReader(f, columns));
  }

  /** Gives columns that have no values yet the types that are told. */
  private JsonType.Members withTold(JsonType.Members type) {
    var members = new LinkedHashMap<>(type.members());
    told.forEach((name, t) -> members.computeIfPresent(name, (_, found) -> found.told(t)));
    return new JsonType.Members(members);
  }

  @Override
  public Schema schema() {
    return source.schema();
  }

  @Override
  public List<DataFile> files() {
    return files;
  }

  @Override
  public RowReader open(int part) {
    return source.open(part);
  }

  @Override
  public void settle() {
    source = source(Long.MAX_VALUE);
  }
}
