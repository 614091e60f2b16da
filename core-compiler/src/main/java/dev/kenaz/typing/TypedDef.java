package dev.kenaz.typing;

import dev.kenaz.error.Span;
import dev.kenaz.source.Attribute;
import java.util.List;

/**
 * A definition, at top level or local. It may only use what was defined before it.
 *
 * @param typeParams the size and type parameters, in the order of {@link
 *     TypedExp.Var#instantiation}; those that the checker inferred come after those that were
 *     written
 * @param params the parameters; a constant has none, and a function with several is curried. Their
 *     types may be {@link SType.Unique}, and may mention {@code typeParams} and the variables of
 *     the parameters before
 * @param result the type of the body, which may mention the parameters
 */
public record TypedDef(
    VName name,
    List<TypeParam> typeParams,
    List<TypedPattern> params,
    ReturnType result,
    TypedExp body,
    List<Attribute> attributes,
    Span span) {
  public TypedDef {
    typeParams = List.copyOf(typeParams);
    params = List.copyOf(params);
    attributes = List.copyOf(attributes);
  }

  /** Returns the same definition with another result type. */
  TypedDef withResult(ReturnType r) {
    return r == result ? this : new TypedDef(name, typeParams, params, r, body, attributes, span);
  }
}
