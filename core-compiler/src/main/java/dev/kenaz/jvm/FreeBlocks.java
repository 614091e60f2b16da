package dev.kenaz.jvm;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The addresses of free blocks of one size, for all threads. There are several stacks, and a thread
 * begins with one of its own, so that threads seldom wait for each other, and mostly get blocks
 * back that they had, whose contents are in their caches. Each is Treiber's stack ("Systems
 * programming: coping with parallelism", 1986). A node is never pushed a second time, so that a
 * head that a thread has seen is the same stack when it replaces it.
 */
final class FreeBlocks {
  /** What no block has as its address. */
  static final long NONE = 0;

  private static final int STACKS = 16;

  /** Heads are so far from each other that no two are in one line of a cache. */
  private static final int APART = 32;

  private record Node(long address, Node next) {}

  private final AtomicReferenceArray<Node> heads = new AtomicReferenceArray<>(STACKS * APART);

  private static int own() {
    return (int) (Thread.currentThread().threadId() % STACKS);
  }

  void push(long address) {
    int at = own() * APART;
    while (true) {
      var old = heads.get(at);
      if (heads.compareAndSet(at, old, new Node(address, old))) {
        return;
      }
    }
  }

  /** Returns the address of a block that is no longer free, or {@link #NONE}. */
  long pop() {
    int own = own();
    for (int i = 0; i < STACKS; i++) {
      long address = pop((own + i) % STACKS * APART);
      if (address != NONE) {
        return address;
      }
    }
    return NONE;
  }

  private long pop(int at) {
    while (true) {
      var first = heads.get(at);
      if (first == null) {
        return NONE;
      }
      if (heads.compareAndSet(at, first, first.next)) {
        return first.address;
      }
    }
  }
}
