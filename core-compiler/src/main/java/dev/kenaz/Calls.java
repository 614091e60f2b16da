package dev.kenaz;

import java.util.Arrays;
import java.util.List;

/**
 * What can be called. The methods take single arguments rather than a list of variable length,
 * because Java would take a {@code double[][]} for such a list.
 */
public abstract sealed class Calls permits Entry, EntryInPieces {
  Calls() {}

  /** Calls the function with any number of arguments. */
  public abstract Value callAll(List<?> arguments);

  /** Calls a function without parameters; see {@link #callAll}. */
  public Value call() {
    return callAll(List.of());
  }

  /** Calls a function with one parameter; see {@link #callAll}. */
  public Value call(Object argument) {
    return callAll(Arrays.asList(argument));
  }

  /** Calls a function with two parameters; see {@link #callAll}. */
  public Value call(Object first, Object second) {
    return callAll(Arrays.asList(first, second));
  }

  /** Calls a function with three parameters; see {@link #callAll}. */
  public Value call(Object first, Object second, Object third) {
    return callAll(Arrays.asList(first, second, third));
  }

  /** Calls a function with four parameters; see {@link #callAll}. */
  public Value call(Object first, Object second, Object third, Object fourth) {
    return callAll(Arrays.asList(first, second, third, fourth));
  }

  /** Calls a function with five parameters; see {@link #callAll}. */
  public Value call(Object first, Object second, Object third, Object fourth, Object fifth) {
    return callAll(Arrays.asList(first, second, third, fourth, fifth));
  }

  /** Calls a function with six parameters; see {@link #callAll}. */
  public Value call(
      Object first, Object second, Object third, Object fourth, Object fifth, Object sixth) {
    return callAll(Arrays.asList(first, second, third, fourth, fifth, sixth));
  }
}
