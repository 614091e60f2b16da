package dev.kenaz.value;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Chooses where in a page large blocks of memory begin: each at another line of the cache than the
 * blocks before it.
 *
 * <p>Arrays of tuples are one array for each component. A loop over 25 of them reads all at the
 * same index. If all began at the same place in a page, these 25 places would be in one set of the
 * first-level cache, which holds eight lines, and a load would seem to be of the same address as a
 * store before it, for which it then waits.
 */
public final class Stagger {
  /** The least size of a page in bytes; in most first-level caches it is also that of a way. */
  public static final long PAGE = 4096;

  private static final long LINE = 64;

  /**
   * The lines from a block to the next. The number is odd, so all lines are used before one is used
   * again; and it is near the golden section of a page, so that the lines of few blocks are far
   * apart: those of 25 blocks are not even neighbours.
   */
  private static final long STEP = 41;

  private static final AtomicLong BLOCKS = new AtomicLong();

  private Stagger() {}

  /** Returns how many bytes after the begin of a page the next block begins. */
  public static long next() {
    return BLOCKS.getAndIncrement() * STEP * LINE % PAGE;
  }
}
