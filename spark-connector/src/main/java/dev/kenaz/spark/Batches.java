package dev.kenaz.spark;

/**
 * Divides rows into batches, in each pass over them in another way. A batch depends on the rows'
 * numbers alone, and not on who has them.
 *
 * @param rows how many there are
 * @param size how many rows a batch has, but the last one may have less
 * @param windows whether the rows of a batch follow each other
 * @param seed chooses the ways
 */
public record Batches(long rows, long size, boolean windows, long seed) {
  /** The first purpose of the orders of passes. */
  private static final long PASSES = 1L << 32;

  /** Returns how many batches a pass has. */
  public long ofPass() {
    return Math.ceilDiv(rows, size);
  }

  /**
   * Returns the rows of a batch.
   *
   * @param number counted from 0, through all passes
   */
  public DrawnRows batch(long number) {
    long pass = PASSES + number / ofPass();
    long place = number % ofPass();
    if (windows) {
      return of(Permutation.none(rows), Permutation.of(ofPass(), seed, pass).at(place));
    }
    return of(Permutation.of(rows, seed, pass), place);
  }

  private DrawnRows of(Permutation order, long place) {
    return new DrawnRows(order, place * size, Math.min(rows, (place + 1) * size), false);
  }
}
