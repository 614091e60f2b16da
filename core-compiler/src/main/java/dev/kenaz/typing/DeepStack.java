package dev.kenaz.typing;

import dev.kenaz.error.CompilerBug;
import java.util.function.Supplier;

/** Runs what recurses over a user's program where there is room for it. */
final class DeepStack {
  private DeepStack() {}

  static <T> T call(long stackBytes, Supplier<T> task) {
    var result = new Object[1];
    var failure = new Throwable[1];
    Runnable run =
        () -> {
          try {
            result[0] = task.get();
          } catch (RuntimeException | Error e) {
            failure[0] = e;
          }
        };
    var thread = new Thread(null, run, "kenaz-typing", stackBytes);
    thread.setDaemon(true);
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
      throw new CompilerBug("typing", "interrupted", e);
    }
    switch (failure[0]) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new CompilerBug("typing", "failed", e);
    }
    @SuppressWarnings("unchecked")
    var value = (T) result[0];
    return value;
  }
}
