package dev.kenaz.interpret;

import java.util.function.Supplier;

/**
 * Limits how much work an interpreted call may do. A step is a body that is run, a statement in it,
 * or an array element that is read or written; some million take a second.
 */
public final class WorkLimit {
  // A call may run on another thread with a large stack, which inherits the limit.
  private static final ThreadLocal<Long> STEPS = new InheritableThreadLocal<>();

  private WorkLimit() {}

  /** Says that a call would do more work than it may. */
  public static final class Exceeded extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Exceeded() {
      super("the interpreter would do more work than it may", null, false, false);
    }
  }

  /**
   * Runs a task in which each interpreted call may do so many steps.
   *
   * @throws Exceeded if a call would do more
   */
  public static <T> T within(long steps, Supplier<T> task) {
    var before = STEPS.get();
    STEPS.set(steps);
    try {
      return task.get();
    } finally {
      STEPS.set(before);
    }
  }

  /** Returns how many steps a call that begins now may do. */
  static long steps() {
    var steps = STEPS.get();
    return steps == null ? Long.MAX_VALUE : steps;
  }
}
