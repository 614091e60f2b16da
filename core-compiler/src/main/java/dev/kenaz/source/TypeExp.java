package dev.kenaz.source;

import dev.kenaz.error.Span;
import java.util.List;
import java.util.Optional;

/** A type as written. */
public sealed interface TypeExp {
  Span span();

  /** A primitive type, an abbreviation or a type parameter. */
  record Name(QualName name, Span span) implements TypeExp {}

  /** {@code head arguments}; the head is a name in any program that type-checks. */
  record Apply(TypeExp head, List<Argument> arguments, Span span) implements TypeExp {
    public Apply {
      arguments = List.copyOf(arguments);
    }
  }

  /** {@code [size]element}: one dimension. */
  record Array(SizeExp size, TypeExp element, Span span) implements TypeExp {}

  /** {@code (a, b)}; unit when empty, never of length 1. */
  record Tuple(List<TypeExp> elements, Span span) implements TypeExp {
    public Tuple {
      elements = List.copyOf(elements);
    }
  }

  /** <code>{a: t, b: u}</code>, in the order written. */
  record Record(List<Field> fields, Span span) implements TypeExp {
    public Record {
      fields = List.copyOf(fields);
    }
  }

  /** {@code #a t u | #b}, in the order written. */
  record Sum(List<Constructor> constructors, Span span) implements TypeExp {
    public Sum {
      constructors = List.copyOf(constructors);
    }
  }

  /**
   * {@code param -> result}, or {@code (name: param) -> result} where sizes may mention the name.
   */
  record Function(Optional<String> name, TypeExp param, TypeExp result, Span span)
      implements TypeExp {}

  /** {@code *type}: no other value shares its memory. */
  record Unique(TypeExp type, Span span) implements TypeExp {}

  /** {@code ?[n][m].type}: sizes that are known only once the value is. */
  record Existential(List<String> sizes, TypeExp type, Span span) implements TypeExp {
    public Existential {
      sizes = List.copyOf(sizes);
    }
  }

  /** A field of a record type; the name of a tuple's field is its number, from 0. */
  record Field(String name, TypeExp type, Span span) {}

  /** One case of a sum type; the name has no {@code #}. */
  record Constructor(String name, List<TypeExp> payload, Span span) {
    public Constructor {
      payload = List.copyOf(payload);
    }
  }

  /** What a type constructor is applied to. */
  sealed interface Argument {
    Span span();

    record Size(SizeExp size, Span span) implements Argument {}

    record Type(TypeExp type, Span span) implements Argument {}
  }
}
