package dev.kenaz.typing;

import java.util.List;

/**
 * What a type's name stands for.
 *
 * @param result the type, with the sizes that it hides
 */
public record TypeDef(List<TypeParam> params, ReturnType result) {
  public TypeDef {
    params = List.copyOf(params);
  }
}
