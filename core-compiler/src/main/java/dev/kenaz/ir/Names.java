package dev.kenaz.ir;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes fresh tags. There is one source for the whole process: uniqueness then survives joining
 * programs.
 */
public final class Names {
  private static final AtomicInteger NEXT = new AtomicInteger(1);

  private Names() {}

  public static Var fresh(String name, Type type) {
    return new Var(name, NEXT.getAndIncrement(), type);
  }

  /** Returns a new variable of the same name and type. */
  public static Var like(Var v) {
    return fresh(v.name(), v.type());
  }

  /** Returns a token that no other accumulator has. */
  public static int freshToken() {
    return NEXT.getAndIncrement();
  }
}
