package dev.kenaz.source;

import dev.kenaz.error.Span;
import java.util.List;

/** This is a pattern, to which a value is bound or against which it is matched. */
public sealed interface Pattern {
  Span span();

  record Name(String name, Span span) implements Pattern {}

  record Wildcard(Span span) implements Pattern {}

  /** A literal, or minus a numeric literal. */
  record Constant(boolean negative, Literal literal, Span span) implements Pattern {}

  /** A tuple. The empty one is unit; there is none of length 1. */
  record Tuple(List<Pattern> elements, Span span) implements Pattern {
    public Tuple {
      elements = List.copyOf(elements);
    }
  }

  /**
   * A record with its fields in the order in which they are written; <code>{x}</code> is <code>
   * {x = x}</code>.
   */
  record Record(List<Field> fields, Span span) implements Pattern {
    public Record {
      fields = List.copyOf(fields);
    }
  }

  /** A constructor with its payload, {@code #name payload}. The name has no {@code #}. */
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
