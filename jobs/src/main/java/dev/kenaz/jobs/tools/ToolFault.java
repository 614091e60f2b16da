package dev.kenaz.jobs.tools;

import static dev.kenaz.error.ErrorCode.K6201;
import static dev.kenaz.error.ErrorCode.K6202;
import static dev.kenaz.error.ErrorCode.K6203;
import static dev.kenaz.error.ErrorCode.K6204;

import dev.kenaz.error.UserError;

/** Makes the errors for wrong uses of a tool: K6201 to K6204. */
public final class ToolFault {
  private ToolFault() {}

  /** Returns K6201: the command makes no sense. */
  public static UserError command(String message) {
    return new UserError(K6201, message);
  }

  /**
   * Returns K6202: there is no such variable, type, field or constructor, or there is one too many.
   */
  public static UserError name(String message, String... hints) {
    return new UserError(K6202, message, hints);
  }

  /** Returns K6203: a value has another type or shape than is needed. */
  public static UserError type(String message) {
    return new UserError(K6203, message);
  }

  /** Returns K6204: an index is outside of an array. */
  public static UserError bounds(String message) {
    return new UserError(K6204, message);
  }
}
