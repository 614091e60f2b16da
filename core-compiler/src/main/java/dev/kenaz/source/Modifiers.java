package dev.kenaz.source;

import java.util.List;
import java.util.Optional;

/**
 * These are the modifiers, which may stand before any declaration or specification.
 *
 * @param doc the documentation comment, without its dashes
 * @param attributes the attributes in the order in which they are written
 * @param local whether {@code local} is written, which a specification never has
 */
public record Modifiers(Optional<String> doc, List<Attribute> attributes, boolean local) {
  public static final Modifiers NONE = new Modifiers(Optional.empty(), List.of(), false);

  public Modifiers {
    attributes = List.copyOf(attributes);
  }
}
