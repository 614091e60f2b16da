package dev.kenaz.typing;

import java.util.List;

/**
 * {@code ?[n][m].type}: a type, and the sizes in it that only the value decides.
 *
 * @param sizes bound in the type
 */
public record ReturnType(List<VName> sizes, SType type) {
  public ReturnType {
    sizes = List.copyOf(sizes);
  }

  public static ReturnType of(SType type) {
    return new ReturnType(List.of(), type);
  }
}
