package dev.kenaz.interpret;

/**
 * How much work a run did. Views (slices, rows, transpositions) are free; a row that an operator
 * returns counts as read and written once.
 */
public final class Counter {
  private long scalarOps;
  private long reads;
  private long writes;

  /** Arithmetic, comparisons and conversions of scalars. */
  public long scalarOps() {
    return scalarOps;
  }

  /** Array elements read. */
  public long reads() {
    return reads;
  }

  /** Array elements written. */
  public long writes() {
    return writes;
  }

  void op() {
    scalarOps++;
  }

  void read(long elements) {
    reads += elements;
  }

  void write(long elements) {
    writes += elements;
  }
}
