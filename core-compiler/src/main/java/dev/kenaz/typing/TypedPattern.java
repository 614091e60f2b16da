package dev.kenaz.typing;

import dev.kenaz.error.Span;
import dev.kenaz.source.Attribute;
import dev.kenaz.source.Literal;
import dev.kenaz.value.Prim;
import java.util.List;
import java.util.SortedMap;

/** A pattern. In parameters, types may be {@link SType.Unique}. */
public sealed interface TypedPattern {
  SType type();

  Span span();

  record Name(VName name, SType type, Span span) implements TypedPattern {}

  record Wildcard(SType type, Span span) implements TypedPattern {}

  /** A constant, which matches this value only; see {@link TypedExp.Constant}. */
  record Constant(Prim prim, long bits, Span span) implements TypedPattern {
    @Override
    public SType type() {
      return new SType.Scalar(prim);
    }
  }

  /** A number whose type is to be inferred; there is none in a finished tree. */
  record Pending(Literal literal, boolean negative, SType type, Span span)
      implements TypedPattern {}

  /** A pattern for a record, a tuple or unit. Every field of the type has its pattern. */
  record Record(SortedMap<String, TypedPattern> fields, SType type, Span span)
      implements TypedPattern {}

  /** A pattern for one constructor. Its type is the whole {@link SType.Sum}. */
  record Construct(String name, List<TypedPattern> payload, SType type, Span span)
      implements TypedPattern {
    public Construct {
      payload = List.copyOf(payload);
    }
  }

  record Attributed(Attribute attribute, TypedPattern pattern, Span span) implements TypedPattern {
    @Override
    public SType type() {
      return pattern.type();
    }
  }
}
