package dev.kenaz.source;

import dev.kenaz.error.Span;
import java.util.List;

/**
 * This is the inside of {@code #[...]}.
 *
 * @param name an identifier, a decimal number, or {@code $} and the name of a variable
 * @param arguments the arguments of {@code name(a, b)}; empty for a name alone
 */
public record Attribute(String name, List<Attribute> arguments, Span span) {
  public Attribute {
    arguments = List.copyOf(arguments);
  }
}
