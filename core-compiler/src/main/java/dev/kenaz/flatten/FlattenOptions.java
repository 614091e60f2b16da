package dev.kenaz.flatten;

/**
 * What a backend wants of flattening.
 *
 * @param nested whether parallelism inside parallel operators is used, by versions where that costs
 *     something; otherwise what is inside is sequential
 * @param products whether matrix products are cut out of maps that do more
 * @param smallWidth inner operators of at most this constant width stay sequential
 * @param fewPoints outer operators of at most this constant number of points are never all the
 *     parallelism of a version
 * @param workers on how many threads a call computes
 * @param longRow rows of so many elements are worth sharing among few threads one by one
 * @param blockBytes where a map is cut into several kernels, what they share of a block of its
 *     elements takes about so many bytes, if one thread computes it
 */
public record FlattenOptions(
    boolean nested,
    boolean products,
    long smallWidth,
    long fewPoints,
    int workers,
    long longRow,
    long blockBytes) {
  /**
   * This much fits what a core has of second- and third-level caches. Smaller blocks read
   * parameters and add to their derivatives more often, which costs more than a second-level cache
   * saves.
   */
  private static final long OF_A_CORE = 1536 << 10;

  private static final long LONG_ROW = 1 << 14;

  /** Each kernel over a block is shared by all threads, which has to be worth it. */
  private static final long SHARED = 16 << 20;

  /**
   * Options for a few fast cores, for which the outermost operators are enough.
   *
   * @param workers on how many threads a call computes
   */
  public static FlattenOptions jvm(int workers) {
    return new FlattenOptions(false, true, 0, 0, workers, LONG_ROW, OF_A_CORE);
  }

  /** Returns the same for code that one thread runs. */
  FlattenOptions alone() {
    return new FlattenOptions(nested, products, smallWidth, fewPoints, 1, longRow, blockBytes);
  }

  /** Returns how many bytes a block takes that all threads compute. */
  long sharedBlockBytes() {
    return workers == 1 ? blockBytes : SHARED;
  }

  /** Options for many thousand threads. */
  public static FlattenOptions gpu() {
    return new FlattenOptions(true, false, 16, 256, 1, LONG_ROW, OF_A_CORE);
  }
}
