package dev.kenaz.typing;

import java.util.List;
import java.util.function.Function;

/**
 * Says that two types can't be made equal. It is caught where the span is known, and has no stack
 * trace.
 */
final class Mismatch extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Whether the shapes agree and only sizes differ. */
  final boolean ofSizes;

  /** Hints for the user. */
  final transient List<String> hints;

  private final transient Function<TypePrinter, String> detail;

  Mismatch(boolean ofSizes, String detail, String... hints) {
    super(detail, null, false, false);
    this.ofSizes = ofSizes;
    this.hints = List.of(hints);
    this.detail = _ -> detail;
  }

  /**
   * @param detail prints what is wrong, with the types in it
   */
  Mismatch(boolean ofSizes, Function<TypePrinter, String> detail) {
    super(detail.apply(new TypePrinter()), null, false, false);
    this.ofSizes = ofSizes;
    this.hints = List.of();
    this.detail = detail;
  }

  /** Says what is wrong; the printer writes the types. */
  String message(TypePrinter printer) {
    return detail.apply(printer);
  }
}
