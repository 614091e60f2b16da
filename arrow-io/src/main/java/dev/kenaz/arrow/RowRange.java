package dev.kenaz.arrow;

import java.io.Serializable;

/**
 * These are rows of one file, or of one part of a table, in a form in which one process can name
 * them to another.
 *
 * @param file the absolute path of the file, or the name of the part
 * @param from the first row
 * @param to the row after the last one
 */
public record RowRange(String file, long from, long to) implements Serializable {
  public long rows() {
    return to - from;
  }
}
