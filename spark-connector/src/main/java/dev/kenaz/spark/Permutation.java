package dev.kenaz.spark;

import dev.kenaz.distribute.Cuts;
import java.io.Serializable;
import java.util.stream.LongStream;

/**
 * An order of the numbers from 0 to n - 1 that depends on a key alone. Each place and each number
 * is computed by itself, so that nothing is as long as n.
 *
 * <p>It is a Feistel network over a power of two, of which those cycles are walked that lead out of
 * the numbers below n (Black and Rogaway, Ciphers with arbitrary finite domains, CT-RSA 2002).
 *
 * @param size n, which is at least 1
 * @param key chooses the order
 * @param mixes whether the numbers are in another order than their own
 */
public record Permutation(long size, long key, boolean mixes) implements Serializable {
  private static final int ROUNDS = 6;

  /** Fewer numbers are counted by one thread. */
  private static final long PARALLEL = 1 << 16;

  /** Fewer bits mix badly. */
  private static final int LEAST_BITS = 8;

  public Permutation {
    if (size < 1) {
      throw new IllegalArgumentException("an order of " + size + " numbers");
    }
  }

  /**
   * The order that a seed chooses for some purpose.
   *
   * @param purpose orders for different purposes have nothing to do with each other
   */
  public static Permutation of(long size, long seed, long purpose) {
    return new Permutation(size, mixed(mixed(seed) ^ purpose), true);
  }

  /** The order in which each number is at its own place. */
  public static Permutation none(long size) {
    return new Permutation(size, 0, false);
  }

  /** Returns the number at a place. */
  public long at(long place) {
    if (!mixes) {
      return place;
    }
    long x = place;
    do {
      x = forth(x);
    } while (x >= size);
    return x;
  }

  /** Returns the place of a number. */
  public long placeOf(long number) {
    if (!mixes) {
      return number;
    }
    long x = number;
    do {
      x = back(x);
    } while (x >= size);
    return x;
  }

  /**
   * Counts the numbers at some places.
   *
   * @param cuts where the numbers are divided
   * @return how many there are in each piece
   */
  public Cuts at(long from, long to, Cuts cuts) {
    var counts =
        (to - from < PARALLEL ? LongStream.range(from, to) : LongStream.range(from, to).parallel())
            .collect(
                () -> new long[cuts.pieces()],
                (all, place) -> all[cuts.pieceOf(at(place))]++,
                (all, more) -> {
                  for (int i = 0; i < all.length; i++) {
                    all[i] += more[i];
                  }
                });
    return Cuts.ofRows(counts);
  }

  private int lowBits() {
    int bits = Math.max(LEAST_BITS, Long.SIZE - Long.numberOfLeadingZeros(size - 1));
    return (bits + 1) / 2;
  }

  private int highBits() {
    int bits = Math.max(LEAST_BITS, Long.SIZE - Long.numberOfLeadingZeros(size - 1));
    return bits / 2;
  }

  private long forth(long x) {
    int bits = lowBits();
    long lowMask = (1L << bits) - 1;
    long highMask = (1L << highBits()) - 1;
    long low = x & lowMask;
    long high = x >>> bits;
    for (int i = 0; i < ROUNDS; i += 2) {
      high ^= mixed(low ^ (long) i << 56 ^ key) & highMask;
      low ^= mixed(high ^ (i + 1L) << 56 ^ key) & lowMask;
    }
    return high << bits | low;
  }

  private long back(long x) {
    int bits = lowBits();
    long lowMask = (1L << bits) - 1;
    long highMask = (1L << highBits()) - 1;
    long low = x & lowMask;
    long high = x >>> bits;
    for (int i = ROUNDS - 2; i >= 0; i -= 2) {
      low ^= mixed(high ^ (i + 1L) << 56 ^ key) & lowMask;
      high ^= mixed(low ^ (long) i << 56 ^ key) & highMask;
    }
    return high << bits | low;
  }

  /** The output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
  private static long mixed(long x) {
    long z = x + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
