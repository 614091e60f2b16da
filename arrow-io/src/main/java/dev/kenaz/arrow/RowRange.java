package dev.kenaz.arrow;

import java.io.Serializable;

/**
 * Rows of one file, in a form in which one process can name them to another.
 *
 * @param file the path of the file
 * @param from the first row
 * @param to the row after the last one
 */
public record RowRange(String file, long from, long to) implements Serializable {
  public long rows() {
    return to - from;
  }
}
