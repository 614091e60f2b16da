package dev.kenaz.dataset;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/** Does independent pieces of work on several threads. */
final class Parallel {
  private Parallel() {}

  /**
   * Calls an action with all numbers below a limit. If it fails for some of them, the others that
   * weren't begun are left, and the failure of the least number is thrown.
   *
   * @param threads how many threads there are at most
   */
  static void each(int limit, int threads, IntConsumer action) {
    if (limit <= 1 || threads <= 1) {
      for (int i = 0; i < limit; i++) {
        action.accept(i);
      }
      return;
    }
    var next = new AtomicInteger();
    var failures = new Throwable[limit];
    var workers = new Thread[Math.min(limit, threads)];
    for (int w = 0; w < workers.length; w++) {
      workers[w] =
          Thread.ofPlatform()
              .name("kenaz-dataset-" + w)
              .daemon()
              .start(() -> work(limit, next, failures, action));
    }
    for (var w : workers) {
      join(w);
    }
    for (var f : failures) {
      switch (f) {
        case null -> {}
        case Error e -> throw e;
        case RuntimeException e -> throw e;
        default -> throw new IllegalStateException(f);
      }
    }
  }

  private static void work(
      int limit, AtomicInteger next, Throwable[] failures, IntConsumer action) {
    for (int i = next.getAndIncrement(); i < limit; i = next.getAndIncrement()) {
      try {
        action.accept(i);
      } catch (RuntimeException | Error e) {
        failures[i] = e;
        next.set(limit);
      }
    }
  }

  private static void join(Thread worker) {
    boolean interrupted = false;
    while (worker.isAlive()) {
      try {
        worker.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
