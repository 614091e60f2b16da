package dev.kenaz.jobs.tools;

import static dev.kenaz.error.ErrorCode.K6201;
import static dev.kenaz.error.ErrorCode.K6202;
import static dev.kenaz.error.ErrorCode.K6203;
import static dev.kenaz.error.ErrorCode.K6204;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;

/** Makes the faults of those who use a tool: K6201 to K6204. */
public final class ToolFault {
  private ToolFault() {}

  /** K6201: a command that makes no sense. */
  public static UserError command(String message) {
    return new UserError(K6201, Span.NONE, message);
  }

  /** K6202: no such variable, type, field or constructor, or one too many. */
  public static UserError name(String message, String... hints) {
    return new UserError(K6202, Span.NONE, message, hints);
  }

  /** K6203: a value of another type or shape than is needed. */
  public static UserError type(String message) {
    return new UserError(K6203, Span.NONE, message);
  }

  /** K6204: an index outside an array. */
  public static UserError bounds(String message) {
    return new UserError(K6204, Span.NONE, message);
  }
}
