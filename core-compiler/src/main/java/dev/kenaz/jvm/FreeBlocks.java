package dev.kenaz.jvm;

import java.util.concurrent.atomic.AtomicReference;

/**
 * The addresses of free blocks of one size, for all threads: the last one that came goes first, as
 * its pages are the likeliest to be in a cache. This is Treiber's stack ("Systems programming:
 * coping with parallelism", 1986). A node is never pushed a second time, so that a head that a
 * thread has seen is the same stack when it replaces it.
 */
final class FreeBlocks {
  /** What no block has as its address. */
  static final long NONE = 0;

  private record Node(long address, Node next) {}

  private final AtomicReference<Node> head = new AtomicReference<>();

  void push(long address) {
    while (true) {
      var old = head.get();
      if (head.compareAndSet(old, new Node(address, old))) {
        return;
      }
    }
  }

  /** Returns the address of a block that is no longer free, or {@link #NONE}. */
  long pop() {
    while (true) {
      var first = head.get();
      if (first == null) {
        return NONE;
      }
      if (head.compareAndSet(first, first.next)) {
        return first.address;
      }
    }
  }
}
