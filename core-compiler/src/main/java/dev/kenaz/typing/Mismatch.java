package dev.kenaz.typing;

import java.util.List;
import java.util.function.Function;

/**
 * Two types that can't be made equal. It is caught where the span is known, and carries no stack.
 */
final class Mismatch extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Whether the shapes agree and only sizes differ. */
  final boolean ofSizes;

  /** What may help, besides. */
  final transient List<String> hints;

  private final transient Function<TypePrinter, String> detail;

  Mismatch(boolean ofSizes, String detail, String... hints) {
    super(detail, null, false, false);
    this.ofSizes = ofSizes;
    this.hints = List.of(hints);
    this.detail = _ -> detail;
  }

  /**
   * @param detail what is wrong, with the types in it printed
   */
  Mismatch(boolean ofSizes, Function<TypePrinter, String> detail) {
    super(detail.apply(new TypePrinter()), null, false, false);
    this.ofSizes = ofSizes;
    this.hints = List.of();
    this.detail = detail;
  }

  /** What is wrong, as this printer writes types. */
  String message(TypePrinter printer) {
    return detail.apply(printer);
  }
}
