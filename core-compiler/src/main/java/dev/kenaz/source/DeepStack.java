package dev.kenaz.source;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Runs what recurses over a surface tree. The parser bounds how deep a tree gets, but not so low
 * that any thread's stack would do for all the recursion of later stages.
 */
public final class DeepStack {
  /** The system commits only what is used of the stack. */
  private static final long BYTES = 512L << 20;

  private DeepStack() {}

  private static final class DeepThread extends Thread {
    DeepThread(Runnable task) {
      super(null, task, "deep", BYTES);
    }
  }

  /**
   * Runs a task on a thread with a large stack, at once if this is one, and returns or throws here
   * what it returns or throws there.
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
        // What runs there does not wait for anything; whoever interrupted us hears of it after.
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
