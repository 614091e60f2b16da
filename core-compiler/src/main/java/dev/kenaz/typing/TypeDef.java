package dev.kenaz.typing;

import dev.kenaz.source.Liftedness;
import java.util.List;

/**
 * What a type's name stands for.
 *
 * @param result the type, with the sizes that it hides
 */
public record TypeDef(List<TypeParam> params, Liftedness liftedness, ReturnType result) {
  public TypeDef {
    params = List.copyOf(params);
  }
}
