package dev.kenaz.jvm;

import java.util.Arrays;

/**
 * The memory for copies of panels of {@code b}, which {@link MatrixProduct} multiplies blocks of
 * {@code a} with. If there are several blocks, the copies are kept for the next one.
 */
final class PackedPanels {
  /**
   * So much is kept at most. Copies needn't fit the second-level cache, as they are read in their
   * order.
   */
  private static final int MOST_BYTES = 2 << 20;

  private final long address;
  private final long panelBytes;
  private final boolean[] made;

  /**
   * Takes the memory for panels.
   *
   * @param count how many are kept; a single one is made anew for each block
   */
  PackedPanels(long address, long panelBytes, int count) {
    this.address = address;
    this.panelBytes = panelBytes;
    this.made = new boolean[count];
  }

  /** Returns how many of so many panels are kept at a time. */
  static int count(long panels, long panelBytes) {
    return (int) Math.min(panels, Math.max(MOST_BYTES / panelBytes, 1));
  }

  /** Forgets the copies. */
  void clear() {
    Arrays.fill(made, false);
  }

  /** Whether there is a copy of that panel. */
  boolean has(long panel) {
    return made.length > 1 && made[(int) panel];
  }

  /**
   * Returns the place of the copy of a panel.
   *
   * @param whole whether it serves all blocks, as it has all rows of the panel
   */
  long place(long panel, boolean whole) {
    int slot = made.length > 1 ? (int) panel : 0;
    made[slot] = whole;
    return address + slot * panelBytes;
  }
}
