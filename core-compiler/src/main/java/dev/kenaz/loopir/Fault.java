package dev.kenaz.loopir;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import java.io.Serializable;

/**
 * This is a run-time error that a program can end with.
 *
 * @param code as in {@link dev.kenaz.error.Diagnostic}
 * @param message each {@code {}} stands for the next argument's value
 */
public record Fault(ErrorCode code, Span span, String message) implements Serializable {}
