package dev.kenaz.arrow;

import java.io.Serializable;

/**
 * Rows of one file, to be named across processes.
 *
 * @param file its path
 * @param from the first row
 * @param to just past the last row
 */
public record RowRange(String file, long from, long to) implements Serializable {
  public long rows() {
    return to - from;
  }
}
