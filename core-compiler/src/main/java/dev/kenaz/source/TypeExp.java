package dev.kenaz.source;

import dev.kenaz.error.Span;
import java.util.List;
import java.util.Optional;

/** This is a type as it is written. */
public sealed interface TypeExp {
  Span span();

  /** A primitive type, an abbreviation or a type parameter. */
  record Name(QualName name, Span span) implements TypeExp {}

  /**
   * An application, {@code head arguments}. The head is a name in every program that is accepted.
   */
  record Apply(TypeExp head, List<Argument> arguments, Span span) implements TypeExp {
    public Apply {
      arguments = List.copyOf(arguments);
    }
  }

  /** An array of one dimension, {@code [size]element}. */
  record Array(SizeExp size, TypeExp element, Span span) implements TypeExp {}

  /** A tuple, {@code (a, b)}. The empty one is unit; there is none of length 1. */
  record Tuple(List<TypeExp> elements, Span span) implements TypeExp {
    public Tuple {
      elements = List.copyOf(elements);
    }
  }

  /**
   * A record, <code>{a: t, b: u}</code>, with its fields in the order in which they are written.
   */
  record Record(List<Field> fields, Span span) implements TypeExp {
    public Record {
      fields = List.copyOf(fields);
    }
  }

  /** A sum, {@code #a t u | #b}, with its constructors in the order in which they are written. */
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

  /** A unique type, {@code *type}: no other value shares its memory. */
  record Unique(TypeExp type, Span span) implements TypeExp {}

  /** An existential type, {@code ?[n][m].type}. Its sizes are known only once the value is. */
  record Existential(List<String> sizes, TypeExp type, Span span) implements TypeExp {
    public Existential {
      sizes = List.copyOf(sizes);
    }
  }

  /** A field of a record type; the name of a tuple's field is its number, counted from 0. */
  record Field(String name, TypeExp type, Span span) {}

  /** One case of a sum type; the name has no {@code #}. */
  record Constructor(String name, List<TypeExp> payload, Span span) {
    public Constructor {
      payload = List.copyOf(payload);
    }
  }

  /** An argument to which a type constructor is applied. */
  sealed interface Argument {
    Span span();

    record Size(SizeExp size, Span span) implements Argument {}

    record Type(TypeExp type, Span span) implements Argument {}
  }
}
