package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6107;
import static dev.kenaz.error.ErrorCode.K6142;

import dev.kenaz.arrow.Faults;
import java.util.List;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Files of JSON lines. The columns are those of the first rows of each file; if a later row has
 * other ones, all rows are looked at.
 */
final class JsonFiles implements FilesSource {
  /** Columns are guessed from so many rows of each file. */
  static final long GUESS = 5_000;

  private final List<DataFile> files;
  private FileSource source;

  /**
   * @throws dev.kenaz.error.UserError K6101, K6107, K6141, K6142
   */
  JsonFiles(List<DataFile> files) {
    this(files, GUESS);
  }

  /**
   * @param guess from how many rows of each file the columns are guessed
   */
  JsonFiles(List<DataFile> files, long guess) {
    this.files = List.copyOf(files);
    this.source = source(guess);
  }

  private FileSource source(long rows) {
    JsonType all = JsonType.Members.NONE;
    for (var file : files) {
      var found = JsonRows.infer(file, rows);
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
    return new FileSource(files, f -> new JsonReader(f, type));
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
