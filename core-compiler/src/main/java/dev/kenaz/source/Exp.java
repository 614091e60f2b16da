package dev.kenaz.source;

import dev.kenaz.error.Span;
import java.util.List;
import java.util.Optional;

/** This is an expression. */
public sealed interface Exp {
  Span span();

  record Constant(Literal literal, Span span) implements Exp {}

  /** A string, {@code "text"}, which is an array of {@code u8}: the text in UTF-8. */
  record Text(String text, Span span) implements Exp {}

  /**
   * A name, or an operator in parentheses. {@code a.b.c} is one name here, whether {@code a} turns
   * out to be a module or a record; see {@link QualName}.
   */
  record Var(QualName name, Span span) implements Exp {}

  /** A hole, {@code ???}, which the user has yet to fill in. */
  record Hole(Span span) implements Exp {}

  /** {@code [a, b]}. */
  record Array(List<Exp> elements, Span span) implements Exp {
    public Array {
      elements = List.copyOf(elements);
    }
  }

  /** A tuple, {@code (a, b)}. The empty one is unit; there is none of length 1. */
  record Tuple(List<Exp> elements, Span span) implements Exp {
    public Tuple {
      elements = List.copyOf(elements);
    }
  }

  /**
   * A record with its fields in the order in which they are written; <code>{x}</code> is <code>
   * {x = x}</code>.
   */
  record Record(List<Field> fields, Span span) implements Exp {
    public Record {
      fields = List.copyOf(fields);
    }
  }

  /** A constructor with its payload, {@code #name payload}. The name has no {@code #}. */
  record Construct(String name, List<Exp> payload, Span span) implements Exp {
    public Construct {
      payload = List.copyOf(payload);
    }
  }

  /**
   * A field, {@code record.field}, where the record is not a plain name or the field is a number.
   */
  record Project(Exp record, String field, Span span) implements Exp {}

  /** {@code array[index, slice]}. */
  record Index(Exp array, List<Slice> slices, Span span) implements Exp {
    public Index {
      slices = List.copyOf(slices);
    }
  }

  /**
   * An update, {@code target with a.b = value} or {@code target with [i, j] = value}; the path may
   * mix both.
   *
   * @param path the path, which has at least one step
   */
  record Update(Exp target, List<Step> path, Exp value, Span span) implements Exp {
    public Update {
      path = List.copyOf(path);
    }
  }

  /** {@code first...end}, {@code first..second..<end} and so on. */
  record Range(Exp first, Optional<Exp> second, RangeKind kind, Exp end, Span span)
      implements Exp {}

  /** {@code M.(body)}. */
  record LocalOpen(QualName module, Exp body, Span span) implements Exp {}

  /** An application, {@code function a b c}, to one or more arguments that are written in a row. */
  record Apply(Exp function, List<Exp> arguments, Span span) implements Exp {
    public Apply {
      arguments = List.copyOf(arguments);
    }
  }

  /**
   * An infix application, {@code left op right}. The operator is a symbol, or a name that stands in
   * backticks.
   */
  record Binary(Exp left, QualName operator, Span operatorSpan, Exp right, Span span)
      implements Exp {}

  /** {@code -operand}. */
  record Negate(Exp operand, Span span) implements Exp {}

  /** {@code !operand}. */
  record Not(Exp operand, Span span) implements Exp {}

  /** {@code (operand op)}. */
  record LeftSection(Exp operand, QualName operator, Span operatorSpan, Span span) implements Exp {}

  /** {@code (op operand)}. */
  record RightSection(QualName operator, Span operatorSpan, Exp operand, Span span)
      implements Exp {}

  /**
   * A section, {@code (.a.b)} or {@code (.[i, j])}, which is the function that follows the path.
   */
  record AccessSection(List<Step> path, Span span) implements Exp {
    public AccessSection {
      path = List.copyOf(path);
    }
  }

  /** {@code \params : returnType -> body}. */
  record Lambda(List<Pattern> params, Optional<TypeExp> returnType, Exp body, Span span)
      implements Exp {
    public Lambda {
      params = List.copyOf(params);
    }
  }

  /** {@code let [n] pattern = value in body}. */
  record Let(List<SizeBinder> sizes, Pattern pattern, Exp value, Exp body, Span span)
      implements Exp {
    public Let {
      sizes = List.copyOf(sizes);
    }
  }

  /**
   * {@code let name typeParams params : returnType = value in body}, with at least one parameter.
   */
  record LetFunction(
      String name,
      Span nameSpan,
      List<TypeParam> typeParams,
      List<Pattern> params,
      Optional<TypeExp> returnType,
      Exp value,
      Exp body,
      Span span)
      implements Exp {
    public LetFunction {
      typeParams = List.copyOf(typeParams);
      params = List.copyOf(params);
    }
  }

  record If(Exp condition, Exp then, Exp otherwise, Span span) implements Exp {}

  /** A match with at least one case. */
  record Match(Exp subject, List<Case> cases, Span span) implements Exp {
    public Match {
      cases = List.copyOf(cases);
    }
  }

  /**
   * {@code loop pattern = initial form do body}.
   *
   * @param sizes the sizes that are bound from the pattern's type, as in {@code let}
   * @param initial the initial value; where none is written, the pattern's own names
   */
  record Loop(
      List<SizeBinder> sizes, Pattern pattern, Exp initial, LoopForm form, Exp body, Span span)
      implements Exp {
    public Loop {
      sizes = List.copyOf(sizes);
    }
  }

  /** {@code exp : type}. */
  record Ascribe(Exp exp, TypeExp type, Span span) implements Exp {}

  /** A coercion, {@code exp :> type}. Its sizes are checked at run time. */
  record Coerce(Exp exp, TypeExp type, Span span) implements Exp {}

  /**
   * An assertion, {@code assert condition value}. The value reaches as far to the right as it can.
   */
  record Assert(Exp condition, Exp value, Span span) implements Exp {}

  /** {@code #[attribute] exp}. */
  record Attributed(Attribute attribute, Exp exp, Span span) implements Exp {}

  record Field(String name, Exp value, Span span) {}

  record Case(Pattern pattern, Exp body, Span span) {}

  /** {@code [name]} before the pattern of a {@code let}. */
  record SizeBinder(String name, Span span) {}

  /** How a range ends. */
  enum RangeKind {
    /** {@code ...}, which includes the end. */
    INCLUSIVE("..."),
    /** {@code ..<}, which ascends, without the end. */
    BELOW("..<"),
    /** {@code ..>}, which descends, without the end. */
    ABOVE("..>");

    private final String symbol;

    RangeKind(String symbol) {
      this.symbol = symbol;
    }

    public String symbol() {
      return symbol;
    }
  }

  /** One step into a value: a field, or an index. */
  sealed interface Step {
    Span span();

    record Field(String name, Span span) implements Step {}

    record Index(List<Slice> slices, Span span) implements Step {
      public Index {
        slices = List.copyOf(slices);
      }
    }
  }

  /** A slice says what one dimension is indexed with. */
  sealed interface Slice {
    Span span();

    /** A single position, so that the result doesn't have the dimension. */
    record At(Exp index, Span span) implements Slice {}

    /** A range of positions, {@code start:end:stride}. Each part is optional. */
    record Part(Optional<Exp> start, Optional<Exp> end, Optional<Exp> stride, Span span)
        implements Slice {}
  }

  /** A form says how long a loop goes on. */
  sealed interface LoopForm {
    Span span();

    /** {@code for name < bound}. */
    record For(String name, Exp bound, Span span) implements LoopForm {}

    /** {@code for pattern in array}. */
    record ForIn(Pattern pattern, Exp array, Span span) implements LoopForm {}

    /** {@code while condition}. */
    record While(Exp condition, Span span) implements LoopForm {}
  }
}
