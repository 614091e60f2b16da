package dev.kenaz.source;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Runs code that recurses over a surface tree. The parser bounds how deep a tree gets, but the
 * bound is so high that an ordinary thread's stack is too small for the recursion of later passes.
 */
public final class DeepStack {
  /** The size of the stack. The system provides memory only for what is used of it. */
  private static final long BYTES = 512L << 20;

  private DeepStack() {}

  private static final class DeepThread extends Thread {
    DeepThread(Runnable task) {
      super(null, task, "deep", BYTES);
    }
  }

  /**
   * Runs a task on a thread with a large stack, or on this thread if it has one. This method
   * returns or throws what the task returns or throws.
   */
  public static <T> T call(Supplier<T> task) {
    if (Thread.currentThread() instanceof DeepThread) {
      return task.get();
    }
    var result = new AtomicReference<T>();
    var thrown = new AtomicReference<Throwable>();
    var thread =
        new DeepThread(
            () -> {
              try {
                result.set(task.get());
              } catch (Throwable t) {
                thrown.set(t);
              }
            });
    thread.start();
    join(thread);
    return switch (thrown.get()) {
      case null -> result.get();
      case RuntimeException exception -> throw exception;
      case Error error -> throw error;
      case Throwable other -> throw new IllegalStateException(other);
    };
  }

  private static void join(Thread thread) {
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        // The task doesn't wait for anything. The interrupt is set again after it.
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
