package dev.kenaz.typing;

import java.util.List;

/**
 * A type, and the sizes in it that only the value decides. It is written {@code ?[n][m].type}.
 *
 * @param sizes the sizes that are bound in the type
 */
public record ReturnType(List<VName> sizes, SType type) {
  public ReturnType {
    sizes = List.copyOf(sizes);
  }

  public static ReturnType of(SType type) {
    return new ReturnType(List.of(), type);
  }
}
