package dev.kenaz.source;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Prints expressions as text that is read back as the same tree. */
record ExpPrinter(String indent) {
  /**
   * The levels of an expression, which decide whether it needs parentheses. They are the levels of
   * {@link ExpParser}, with the operators' precedences in between.
   */
  private static final int ANY = -2;

  private static final int RANGE = -1;
  private static final int INFIX = InfixOperators.BACKTICK;
  private static final int PREFIX = 100;
  private static final int ATOM = 101;

  /** Prints an expression on one line, for sizes in types and the like. */
  static String inline(Exp exp) {
    return new ExpPrinter("").print(exp, ANY);
  }

  /** Prints a whole body; all lines but the first get the given indentation. */
  static String body(Exp exp, String indent) {
    return new ExpPrinter(indent).print(exp, ANY);
  }

  private String print(Exp exp, int level) {
    var text = show(exp);
    return levelOf(exp) < level ? "(" + text + ")" : text;
  }

  private String any(Exp exp) {
    return print(exp, ANY);
  }

  private static int levelOf(Exp exp) {
    return switch (exp) {
      case Exp.Let _,
          Exp.LetFunction _,
          Exp.If _,
          Exp.Match _,
          Exp.Loop _,
          Exp.Lambda _,
          Exp.Assert _,
          Exp.Attributed _,
          Exp.Ascribe _,
          Exp.Coerce _,
          Exp.Update _ ->
          ANY;
      case Exp.Range _ -> RANGE;
      case Exp.Binary binary -> InfixOperators.precedence(binary.operator().base());
      case Exp.Negate _, Exp.Not _, Exp.Apply _ -> PREFIX;
      case Exp.Construct(_, var payload, _) -> payload.isEmpty() ? ATOM : PREFIX;
      case Exp.Constant _,
          Exp.Text _,
          Exp.Var _,
          Exp.Hole _,
          Exp.Array _,
          Exp.Tuple _,
          Exp.Record _,
          Exp.Project _,
          Exp.Index _,
          Exp.LocalOpen _,
          Exp.LeftSection _,
          Exp.RightSection _,
          Exp.AccessSection _ ->
          ATOM;
    };
  }

  private String show(Exp exp) {
    return switch (exp) {
      case Exp.Constant(var literal, _) -> Literals.show(literal);
      case Exp.Text(var text, _) -> "\"" + Escapes.encode(text) + "\"";
      case Exp.Var(var name, _) -> name.isSymbol() ? "(" + name + ")" : name.toString();
      case Exp.Hole _ -> "???";
      case Exp.Array(var elements, _) -> "[" + list(elements) + "]";
      case Exp.Tuple(var elements, _) -> "(" + list(elements) + ")";
      case Exp.Record(var fields, _) ->
          fields.stream().map(this::field).collect(Collectors.joining(", ", "{", "}"));
      case Exp.Construct(var name, var payload, _) -> "#" + name + arguments(payload);
      case Exp.Project(var record, var field, _) -> head(record, field) + "." + field;
      case Exp.Index(var array, var slices, _) -> head(array, "0") + slices(slices);
      case Exp.Update(var target, var path, var value, _) -> {
        var steps = steps(path);
        yield print(target, RANGE)
            + " with "
            + (steps.startsWith(".") ? steps.substring(1) : steps)
            + " = "
            + print(value, RANGE);
      }
      case Exp.Range(var first, var second, var kind, var end, _) ->
          print(first, INFIX)
              + second.map(s -> ".." + print(s, INFIX)).orElse("")
              + kind.symbol()
              + print(end, INFIX);
      case Exp.LocalOpen(var module, var body, _) -> module + ".(" + any(body) + ")";
      case Exp.Apply(var function, var arguments, _) -> function(function) + arguments(arguments);
      case Exp.Binary binary -> binary(binary);
      case Exp.Negate(var operand, _) -> prefix("-", operand);
      case Exp.Not(var operand, _) -> prefix("!", operand);
      case Exp.LeftSection(var operand, var operator, _, _) ->
          "(" + print(operand, RANGE) + " " + operator(operator) + ")";
      case Exp.RightSection(var operator, _, var operand, _) ->
          "(" + operator(operator) + " " + any(operand) + ")";
      case Exp.AccessSection(var path, _) -> {
        var steps = steps(path);
        yield "(" + (steps.startsWith(".") ? "" : ".") + steps + ")";
      }
      case Exp.Lambda(var params, var returnType, var body, _) ->
          "\\"
              + TypePrinter.patterns(params).substring(1)
              + returnType.map(t -> ": " + TypePrinter.typeBeforeArrow(t)).orElse("")
              + " -> "
              + any(body);
      case Exp.Let _, Exp.LetFunction _ -> lets(exp);
      case Exp.If conditional -> conditional(conditional);
      case Exp.Match(var subject, var cases, _) -> match(subject, cases);
      case Exp.Loop loop -> loop(loop);
      case Exp.Ascribe(var inner, var type, _) ->
          print(inner, RANGE) + ": " + TypePrinter.type(type);
      case Exp.Coerce(var inner, var type, _) ->
          print(inner, RANGE) + " :> " + TypePrinter.type(type);
      case Exp.Assert(var condition, var value, _) ->
          "assert " + print(condition, ATOM) + " " + any(value);
      case Exp.Attributed(var attribute, var inner, _) ->
          TypePrinter.attribute(attribute) + " " + any(inner);
    };
  }

  private String list(List<Exp> elements) {
    return elements.stream().map(this::any).collect(Collectors.joining(", "));
  }

  private String arguments(List<Exp> arguments) {
    return arguments.stream().map(a -> " " + print(a, ATOM)).collect(Collectors.joining());
  }

  private String field(Exp.Field field) {
    boolean pun =
        field.value() instanceof Exp.Var(var name, _) && name.equals(QualName.of(field.name()));
    return pun ? field.name() : field.name() + " = " + any(field.value());
  }

  /**
   * Prints the function of an application. A constructor there needs parentheses, or it would take
   * the arguments as its payload.
   */
  private String function(Exp function) {
    return function instanceof Exp.Construct ? "(" + show(function) + ")" : print(function, ATOM);
  }

  /**
   * Prints what a field is taken of. A name needs parentheses there, or it would be one qualified
   * name with the field.
   */
  private String head(Exp exp, String field) {
    boolean bare =
        switch (exp) {
          case Exp.Var(var name, _) -> name.isSymbol() || Character.isDigit(field.charAt(0));
          case Exp.Tuple _,
              Exp.Project _,
              Exp.Index _,
              Exp.LocalOpen _,
              Exp.LeftSection _,
              Exp.RightSection _,
              Exp.AccessSection _ ->
              true;
          default -> false;
        };
    return bare ? show(exp) : "(" + show(exp) + ")";
  }

  private String binary(Exp.Binary binary) {
    var name = binary.operator().base();
    int own = InfixOperators.precedence(name);
    boolean right = InfixOperators.associatesRight(name);
    return print(binary.left(), right ? own + 1 : own)
        + " "
        + operator(binary.operator())
        + " "
        + print(binary.right(), right ? own : own + 1);
  }

  private static String operator(QualName name) {
    return name.isSymbol() ? name.toString() : "`" + name + "`";
  }

  /** Prints a prefix operator, with a space where two operators would become one. */
  private String prefix(String operator, Exp operand) {
    var text = print(operand, PREFIX);
    return InfixOperators.isSymbol(text) ? operator + " " + text : operator + text;
  }

  private String steps(List<Exp.Step> path) {
    return path.stream()
        .map(
            step ->
                switch (step) {
                  case Exp.Step.Field(var name, _) -> "." + name;
                  case Exp.Step.Index(var slices, _) -> slices(slices);
                })
        .collect(Collectors.joining());
  }

  private String slices(List<Exp.Slice> slices) {
    return slices.stream().map(this::slice).collect(Collectors.joining(", ", "[", "]"));
  }

  private String slice(Exp.Slice slice) {
    return switch (slice) {
      case Exp.Slice.At(var index, _) -> print(index, RANGE);
      case Exp.Slice.Part(var start, var end, var stride, _) ->
          part(start) + ":" + part(end) + stride.map(s -> ":" + print(s, RANGE)).orElse("");
    };
  }

  private String part(Optional<Exp> part) {
    return part.map(p -> print(p, RANGE)).orElse("");
  }

  /** Returns a printer with deeper indentation. */
  private ExpPrinter deeper() {
    return new ExpPrinter(indent + "  ");
  }

  private String newLine() {
    return "\n" + indent;
  }

  private String lets(Exp first) {
    var out = new StringBuilder();
    var exp = first;
    while (true) {
      switch (exp) {
        case Exp.Let(var sizes, var pattern, var value, var body, _) -> {
          out.append("let ").append(sizes(sizes)).append(TypePrinter.pattern(pattern));
          out.append(" = ").append(deeper().any(value)).append(newLine());
          exp = body;
        }
        case Exp.LetFunction let -> {
          out.append("let ").append(name(let.name()));
          out.append(TypePrinter.typeParams(let.typeParams()));
          out.append(TypePrinter.patterns(let.params()));
          out.append(let.returnType().map(t -> ": " + TypePrinter.type(t)).orElse(""));
          out.append(" = ").append(deeper().any(let.value())).append(newLine());
          exp = let.body();
        }
        default -> {
          return out.append("in ").append(any(exp)).toString();
        }
      }
    }
  }

  /** Prints a name as it is bound; an operator is in parentheses. */
  static String name(String name) {
    return InfixOperators.isSymbol(name) ? "(" + name + ")" : name;
  }

  private static String sizes(List<Exp.SizeBinder> sizes) {
    return sizes.stream().map(s -> "[" + s.name() + "] ").collect(Collectors.joining());
  }

  private String conditional(Exp.If conditional) {
    var out = new StringBuilder();
    Exp exp = conditional;
    while (exp instanceof Exp.If(var condition, var then, var otherwise, _)) {
      out.append("if ").append(any(condition)).append(" then ").append(deeper().any(then));
      out.append(newLine()).append("else ");
      exp = otherwise;
    }
    return out.append(any(exp)).toString();
  }

  /**
   * Prints a match. Cases but the last must not end in an expression that would take the next case
   * for its own.
   */
  private String match(Exp subject, List<Exp.Case> cases) {
    var out = new StringBuilder("match ").append(print(subject, RANGE));
    for (var one : cases) {
      out.append(newLine()).append("case ").append(TypePrinter.casePattern(one.pattern()));
      out.append(" -> ");
      out.append(deeper().print(one.body(), one == cases.getLast() ? ANY : RANGE));
    }
    return out.toString();
  }

  private String loop(Exp.Loop loop) {
    var form =
        switch (loop.form()) {
          case Exp.LoopForm.For(var name, var bound, _) -> "for " + name + " < " + any(bound);
          case Exp.LoopForm.ForIn(var pattern, var array, _) ->
              "for " + TypePrinter.pattern(pattern) + " in " + any(array);
          case Exp.LoopForm.While(var condition, _) -> "while " + any(condition);
        };
    return "loop %s%s = %s %s do%s%s"
        .formatted(
            sizes(loop.sizes()),
            TypePrinter.pattern(loop.pattern()),
            any(loop.initial()),
            form,
            deeper().newLine(),
            deeper().any(loop.body()));
  }
}
