package dev.kenaz.typing;

import dev.kenaz.error.Span;
import dev.kenaz.source.Attribute;
import dev.kenaz.source.Exp.RangeKind;
import dev.kenaz.source.Literal;
import dev.kenaz.value.Prim;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * An expression with its type. Operators and pipes are applications, sections are lambdas, and
 * {@code &&} and {@code ||} are conditionals. There are no ascriptions any more.
 */
public sealed interface TypedExp {
  SType type();

  Span span();

  /** A scalar; {@code bits} are in the normal form of {@link Prim}. */
  record Constant(Prim prim, long bits, Span span) implements TypedExp {
    @Override
    public SType type() {
      return new SType.Scalar(prim);
    }
  }

  /** A number whose type is to be inferred; there is none in a finished tree. */
  record Pending(Literal literal, boolean negative, SType type, Span span) implements TypedExp {}

  /**
   * A use of a variable or a definition.
   *
   * @param instantiation what each of the definition's {@link TypedDef#typeParams} is here; empty
   *     for variables
   */
  record Var(VName name, List<TypeArg> instantiation, SType type, Span span) implements TypedExp {
    public Var {
      instantiation = List.copyOf(instantiation);
    }
  }

  /**
   * A use of an intrinsic, which the compiler provides; see {@link Intrinsics}. It is instantiated
   * like a definition.
   */
  record Intrinsic(String name, List<TypeArg> instantiation, SType type, Span span)
      implements TypedExp {
    public Intrinsic {
      instantiation = List.copyOf(instantiation);
    }
  }

  /** A hole, {@code ???}, which fails when it is evaluated. */
  record Hole(SType type, Span span) implements TypedExp {}

  record Array(List<TypedExp> elements, SType type, Span span) implements TypedExp {
    public Array {
      elements = List.copyOf(elements);
    }
  }

  /** A string literal, which is an array of u8: its bytes in UTF-8. */
  record Text(String text, SType type, Span span) implements TypedExp {}

  /**
   * A record, a tuple or unit.
   *
   * @param fields the fields in the order in which they are written and evaluated
   */
  record Record(SequencedMap<String, TypedExp> fields, SType type, Span span) implements TypedExp {}

  /** A value of a sum type. Its type is the whole {@link SType.Sum}. */
  record Construct(String name, List<TypedExp> payload, SType type, Span span) implements TypedExp {
    public Construct {
      payload = List.copyOf(payload);
    }
  }

  record Project(TypedExp record, String field, SType type, Span span) implements TypedExp {}

  /** An indexing, with at most as many slices as leading dimensions. */
  record Index(TypedExp array, List<TypedSlice> slices, SType type, Span span) implements TypedExp {
    public Index {
      slices = List.copyOf(slices);
    }
  }

  /** An update, {@code target with [slices] = value}. It consumes the target. */
  record UpdateIndex(
      TypedExp target, List<TypedSlice> slices, TypedExp value, SType type, Span span)
      implements TypedExp {
    public UpdateIndex {
      slices = List.copyOf(slices);
    }
  }

  /** An update of a field, {@code target with a.b = value}. The field may change its type. */
  record UpdateField(TypedExp target, List<String> path, TypedExp value, SType type, Span span)
      implements TypedExp {
    public UpdateField {
      path = List.copyOf(path);
    }
  }

  /** A range, {@code first..second...end}. Its elements are integers. */
  record Range(
      TypedExp first,
      Optional<TypedExp> second,
      RangeKind kind,
      TypedExp end,
      SType type,
      Span span)
      implements TypedExp {}

  /** A call with as many arguments as were given in one go, at least one. */
  record Apply(TypedExp function, List<TypedExp> arguments, SType type, Span span)
      implements TypedExp {
    public Apply {
      arguments = List.copyOf(arguments);
    }
  }

  /** An anonymous function. Its type is the {@link SType.Arrow}. */
  record Lambda(List<TypedPattern> params, ReturnType result, TypedExp body, SType type, Span span)
      implements TypedExp {
    public Lambda {
      params = List.copyOf(params);
    }
  }

  /**
   * @param sizes the sizes that get their values from the value's dimensions, where the pattern's
   *     type has them
   */
  record Let(
      List<VName> sizes, TypedPattern pattern, TypedExp value, TypedExp body, SType type, Span span)
      implements TypedExp {
    public Let {
      sizes = List.copyOf(sizes);
    }
  }

  record LetFunction(TypedDef function, TypedExp body, SType type, Span span) implements TypedExp {}

  record If(TypedExp condition, TypedExp then, TypedExp otherwise, SType type, Span span)
      implements TypedExp {}

  /** A match, whose value is that of the first case that matches. One case always matches. */
  record Match(TypedExp subject, List<Case> cases, SType type, Span span) implements TypedExp {
    public Match {
      cases = List.copyOf(cases);
    }
  }

  record Case(TypedPattern pattern, TypedExp body, Span span) {}

  /**
   * A loop. Its pattern is bound to the initial value, then to each iteration's result.
   *
   * @param sizes the sizes that may differ from one iteration to the next; the pattern's type binds
   *     them, and they are read off the value each time
   * @param type the type of the result; the sizes that the loop decides are bound by a {@link
   *     BindSizes} around it
   */
  record Loop(
      List<VName> sizes,
      TypedPattern pattern,
      TypedExp initial,
      LoopForm form,
      TypedExp body,
      SType type,
      Span span)
      implements TypedExp {
    public Loop {
      sizes = List.copyOf(sizes);
    }
  }

  /** Says how long a loop goes on. */
  sealed interface LoopForm {
    /** The variable starts from 0; the bound is evaluated once, and has the variable's type. */
    record For(VName name, Prim prim, TypedExp bound) implements LoopForm {}

    record ForIn(TypedPattern pattern, TypedExp array) implements LoopForm {}

    record While(TypedExp condition) implements LoopForm {}
  }

  /** A coercion, {@code exp :> type}. The sizes are checked at run time. */
  record Coerce(TypedExp exp, SType type, Span span) implements TypedExp {}

  /**
   * @param text the condition as the program writes it
   */
  record Assert(TypedExp condition, TypedExp value, String text, Span span) implements TypedExp {
    @Override
    public SType type() {
      return value.type();
    }
  }

  record Attributed(Attribute attribute, TypedExp exp, Span span) implements TypedExp {
    @Override
    public SType type() {
      return exp.type();
    }
  }

  /** The value of a size, as an i64. Size expressions have other sizes in this form. */
  record SizeValue(Size size, Span span) implements TypedExp {
    @Override
    public SType type() {
      return new SType.Scalar(Prim.I64);
    }
  }

  /**
   * Gives names to sizes that only the value decides: a call's existential result sizes, branches
   * that differ, a slice. From here on types mention them; their values are the value's dimensions
   * where {@code exp.type()} has them.
   */
  record BindSizes(List<VName> sizes, TypedExp exp) implements TypedExp {
    public BindSizes {
      sizes = List.copyOf(sizes);
    }

    @Override
    public SType type() {
      return exp.type();
    }

    @Override
    public Span span() {
      return exp.span();
    }
  }
}
