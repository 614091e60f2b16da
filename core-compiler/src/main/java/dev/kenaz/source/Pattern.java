package dev.kenaz.source;

import dev.kenaz.error.Span;
import java.util.List;

/** What a value is bound to or matched against. */
public sealed interface Pattern {
  Span span();

  record Name(String name, Span span) implements Pattern {}

  record Wildcard(Span span) implements Pattern {}

  /** A literal, or minus a numeric literal. */
  record Constant(boolean negative, Literal literal, Span span) implements Pattern {}

  /** Unit when empty, never of length 1. */
  record Tuple(List<Pattern> elements, Span span) implements Pattern {
    public Tuple {
      elements = List.copyOf(elements);
    }
  }

  /** A record with its fields in the order written; <code>{x}</code> is <code>{x = x}</code>. */
  record Record(List<Field> fields, Span span) implements Pattern {
    public Record {
      fields = List.copyOf(fields);
    }
  }

  /** {@code #name payload}; the name has no {@code #}. */
  record Construct(String name, List<Pattern> payload, Span span) implements Pattern {
    public Construct {
      payload = List.copyOf(payload);
    }
  }

  /** {@code pattern : type}. */
  record Ascribe(Pattern pattern, TypeExp type, Span span) implements Pattern {}

  /** {@code #[attribute] pattern}. */
  record Attributed(Attribute attribute, Pattern pattern, Span span) implements Pattern {}

  record Field(String name, Pattern pattern, Span span) {}
}
