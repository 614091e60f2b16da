package dev.kenaz.dataset;

/** Random numbers of rows, which depend on a seed and on the place of the row only. */
final class RowHash {
  private RowHash() {}

  /**
   * Returns 64 random bits.
   *
   * @param part the number of the part that the row is in
   * @param row its number in that part
   */
  static long bits(long seed, int part, long row) {
    return mix(mix(mix(seed) + part + 1) + row);
  }

  /** Returns a number that is uniform from 0 to 1, without 1. */
  static double uniform(long seed, int part, long row) {
    return (bits(seed, part, row) >>> 11) * 0x1p-53;
  }

  /** The finaliser of SplitMix64 (G. Steele, D. Lea, C. Flood, 2014). */
  private static long mix(long x) {
    long z = x + 0x9E37_79B9_7F4A_7C15L;
    z = (z ^ z >>> 30) * 0xBF58_476D_1CE4_E5B9L;
    z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
    return z ^ z >>> 31;
  }
}
