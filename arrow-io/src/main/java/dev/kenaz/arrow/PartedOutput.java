package dev.kenaz.arrow;

import dev.kenaz.value.ArrayValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes a stream of batches to one file, or to a folder of files with so many rows each. All of it
 * appears at {@link #commit}; without that, nothing does.
 */
final class PartedOutput implements AutoCloseable {
  private final List<ColumnInfo> columns;
  private final long rowsPerFile;
  private final AtomicOutput folder;
  private ArrowOutput current;
  private int files;
  private long rows;

  /**
   * @param rowsPerFile how many rows a file in the folder {@code target} has; 0 if {@code target}
   *     is the only file
   */
  PartedOutput(Path target, List<ColumnInfo> columns, long rowsPerFile, boolean overwrite) {
    this.columns = columns;
    this.rowsPerFile = rowsPerFile;
    if (rowsPerFile == 0) {
      this.folder = null;
      this.current = ArrowOutput.create(target, columns, overwrite);
      this.files = 1;
    } else {
      this.folder = AtomicOutput.to(target, overwrite);
      try {
        Files.createDirectory(folder.path());
        nextFile();
      } catch (IOException e) {
        throw Faults.cannotWrite(target, e);
      } catch (RuntimeException e) {
        folder.close();
        throw e;
      }
    }
  }

  private void nextFile() {
    var name = "part-%05d.arrow".formatted(files++);
    current = ArrowOutput.create(folder.path().resolve(name), columns, false);
  }

  private void finishFile() {
    try (var done = current) {
      done.commit();
    }
    current = null;
  }

  /** Appends one array for each column, and splits the arrays where a file is full. */
  void write(List<ArrayValue> batch) {
    long n = batch.getFirst().dim(0);
    long from = 0;
    while (from < n) {
      if (rowsPerFile > 0 && current.rows() == rowsPerFile) {
        finishFile();
        nextFile();
      }
      long room = rowsPerFile == 0 ? n : rowsPerFile - current.rows();
      long start = from;
      long end = Math.min(n, from + room);
      current.write(batch.stream().map(a -> a.rows(start, end)).toList());
      from = end;
    }
    rows += n;
  }

  long rows() {
    return rows;
  }

  int files() {
    return files;
  }

  void commit() {
    finishFile();
    if (folder != null) {
      try {
        folder.commit();
      } catch (IOException e) {
        throw Faults.cannotWrite(folder.target(), e);
      }
    }
  }

  @Override
  public void close() {
    try (folder) {
      if (current != null) {
        current.close();
      }
    }
  }
}
