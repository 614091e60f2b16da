package dev.kenaz.source;

import dev.kenaz.error.Span;
import java.util.List;

/**
 * The inside of {@code #[...]}.
 *
 * @param name an identifier or a decimal number
 * @param arguments of {@code name(a, b)}; empty for a bare name
 */
public record Attribute(String name, List<Attribute> arguments, Span span) {
  public Attribute {
    arguments = List.copyOf(arguments);
  }
}
