package dev.kenaz.dataset;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/**
 * The memory of the batches that readers, transformations and writers hold. It is Arrow's, outside
 * of Java's heap, and so little that it doesn't count against the limit of arrays.
 */
public final class BatchMemory {
  private static final RootAllocator ROOT = new RootAllocator();

  private BatchMemory() {}

  static BufferAllocator root() {
    return ROOT;
  }

  /**
   * Returns an allocator for one owner, who closes it last. Closing it fails if something of it
   * wasn't closed.
   *
   * @param owner what errors call it, such as the name of the file that is read
   */
  public static BufferAllocator of(String owner) {
    return ROOT.newChildAllocator(owner, 0, Long.MAX_VALUE);
  }
}
