package dev.kenaz.ir;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Makes fresh tags. There is one source for the whole process: uniqueness then survives joining
 * programs. What is computed {@link #again} elsewhere has a source of its own meanwhile.
 */
public final class Names {
  private static final AtomicInteger NEXT = new AtomicInteger(1);

  private static final ScopedValue<AtomicInteger> OWN = ScopedValue.newInstance();

  private Names() {}

  public static Var fresh(String name, Type type) {
    return new Var(name, next(), type);
  }

  /** Returns a new variable of the same name and type. */
  public static Var like(Var v) {
    return fresh(v.name(), v.type());
  }

  /** Returns a tag that no variable has, for an accumulator or a register of code. */
  public static int freshTag() {
    return next();
  }

  private static int next() {
    return (OWN.isBound() ? OWN.get() : NEXT).getAndIncrement();
  }

  /**
   * Returns a program, given one with other tags, such that another process makes the same one of
   * the same: passes go through sets of variables, whose order is that of their tags. What is added
   * to the program later has tags that it doesn't have.
   *
   * @param passes must not join the program with another one
   */
  public static <T> T again(CoreProgram program, Function<CoreProgram, T> passes) {
    if (OWN.isBound()) {
      return passes.apply(program);
    }
    var own = new AtomicInteger(1);
    try {
      return ScopedValue.where(OWN, own).call(() -> passes.apply(new Renaming().program(program)));
    } finally {
      NEXT.accumulateAndGet(own.get(), Math::max);
    }
  }
}
