package dev.kenaz.arrow;

import java.io.Serializable;
import java.nio.file.Path;

/**
 * These are rows of one file, in a form in which one process can name them to another.
 *
 * @param file the path of the file
 * @param from the first row
 * @param to the row after the last one
 */
public record RowRange(String file, long from, long to) implements Serializable {
  /** Returns the same rows, with a path of the file that holds in every folder. */
  public RowRange absolute() {
    return new RowRange(Path.of(file).toAbsolutePath().normalize().toString(), from, to);
  }

  public long rows() {
    return to - from;
  }
}
