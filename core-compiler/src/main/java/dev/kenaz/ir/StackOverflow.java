package dev.kenaz.ir;

import static dev.kenaz.error.ErrorCode.K5008;

import dev.kenaz.error.UserError;

/** Makes the error for a program that calls itself more deeply than there is stack for. */
public final class StackOverflow {
  private StackOverflow() {}

  public static UserError in(String function) {
    return new UserError(
        K5008,
        "stack overflow: a function called by " + function + " calls itself too deeply",
        "see that it ends, or write it as a loop");
  }
}
