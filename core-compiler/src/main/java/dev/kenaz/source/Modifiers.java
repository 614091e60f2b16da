package dev.kenaz.source;

import java.util.List;
import java.util.Optional;

/**
 * What may stand before any declaration or specification.
 *
 * @param doc the documentation comment, without its dashes
 * @param attributes in the order written
 * @param local whether {@code local} was written; never for a specification
 */
public record Modifiers(Optional<String> doc, List<Attribute> attributes, boolean local) {
  public static final Modifiers NONE = new Modifiers(Optional.empty(), List.of(), false);

  public Modifiers {
    attributes = List.copyOf(attributes);
  }
}
