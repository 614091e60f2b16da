package dev.kenaz.typing;

import dev.kenaz.error.Span;
import dev.kenaz.source.Attribute;
import java.util.List;

/**
 * A definition, at top level or local. It may only use what was defined before it.
 *
 * @param typeParams in the order that {@link TypedExp.Var#instantiation} has; those that the
 *     checker inferred come after those that were written
 * @param params none for a constant; more than one makes a curried function. Their types may be
 *     {@link SType.Unique}, and mention {@code typeParams} and the variables of parameters before
 * @param result of the body, once all parameters are given; may mention the parameters
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

  /** The same with another result type. */
  TypedDef withResult(ReturnType r) {
    return r == result ? this : new TypedDef(name, typeParams, params, r, body, attributes, span);
  }
}
