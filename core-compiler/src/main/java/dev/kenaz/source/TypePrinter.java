package dev.kenaz.source;

import java.util.List;
import java.util.stream.Collectors;

/** Prints types and patterns as text that is read back as the same tree. */
final class TypePrinter {
  private TypePrinter() {}

  /** The levels of a type, which decide whether it needs parentheses. */
  private enum Level {
    ANY,
    /** The type stands to the left of an arrow. */
    TERM,
    /** The type is an argument. */
    ATOM
  }

  static String type(TypeExp type) {
    return type(type, Level.ANY);
  }

  /** Prints a type before an arrow that belongs to something else. */
  static String typeBeforeArrow(TypeExp type) {
    return type(type, Level.TERM);
  }

  private static String type(TypeExp type, Level level) {
    return switch (type) {
      case TypeExp.Name(var name, _) -> name.toString();
      case TypeExp.Tuple(var elements, _) ->
          elements.stream().map(TypePrinter::type).collect(Collectors.joining(", ", "(", ")"));
      case TypeExp.Record(var fields, _) ->
          fields.stream()
              .map(f -> f.name() + ": " + type(f.type()))
              .collect(Collectors.joining(", ", "{", "}"));
      case TypeExp.Apply(var head, var arguments, _) ->
          within(level != Level.ATOM, type(head, Level.ATOM) + arguments(arguments));
      case TypeExp.Array(var size, var element, _) ->
          within(level != Level.ATOM, size(size) + type(element, Level.TERM));
      case TypeExp.Unique(var inner, _) -> {
        var text = type(inner, Level.TERM);
        yield within(level != Level.ATOM, (text.startsWith("*") ? "* " : "*") + text);
      }
      case TypeExp.Sum(var constructors, _) ->
          within(
              level == Level.ANY,
              constructors.stream()
                  .map(TypePrinter::constructor)
                  .collect(Collectors.joining(" | ")));
      case TypeExp.Function(var name, var param, var result, _) -> {
        var left =
            name.map(n -> "(" + n + ": " + type(param) + ")")
                .orElseGet(() -> type(param, Level.TERM));
        yield within(level == Level.ANY, left + " -> " + type(result));
      }
      case TypeExp.Existential(var sizes, var inner, _) ->
          within(
              level == Level.ANY,
              sizes.stream().map(s -> "[" + s + "]").collect(Collectors.joining("", "?", "."))
                  + type(inner));
    };
  }

  private static String within(boolean allowed, String text) {
    return allowed ? text : "(" + text + ")";
  }

  private static String arguments(List<TypeExp.Argument> arguments) {
    return arguments.stream()
        .map(
            argument ->
                switch (argument) {
                  case TypeExp.Argument.Size(var size, _) -> " " + size(size);
                  case TypeExp.Argument.Type(var type, _) -> " " + type(type, Level.ATOM);
                })
        .collect(Collectors.joining());
  }

  private static String constructor(TypeExp.Constructor constructor) {
    return constructor.payload().stream()
        .map(t -> " " + type(t, Level.ATOM))
        .collect(Collectors.joining("", "#" + constructor.name(), ""));
  }

  private static String size(SizeExp size) {
    return switch (size) {
      case SizeExp.Any _ -> "[]";
      case SizeExp.Of(var exp, _) -> "[" + ExpPrinter.inline(exp) + "]";
    };
  }

  /** Prints type parameters, each with a space before it. */
  static String typeParams(List<TypeParam> params) {
    return params.stream()
        .map(
            param ->
                switch (param) {
                  case TypeParam.Size(var name, _) -> " [" + name + "]";
                  case TypeParam.Type(var liftedness, var name, _) ->
                      " '" + liftedness.mark() + name;
                })
        .collect(Collectors.joining());
  }

  static String pattern(Pattern pattern) {
    return switch (pattern) {
      case Pattern.Name(var name, _) -> InfixOperators.isSymbol(name) ? "(" + name + ")" : name;
      case Pattern.Wildcard _ -> "_";
      case Pattern.Constant(boolean negative, var literal, _) ->
          (negative ? "-" : "") + Literals.show(literal);
      case Pattern.Tuple(var elements, _) ->
          elements.stream().map(TypePrinter::pattern).collect(Collectors.joining(", ", "(", ")"));
      case Pattern.Record(var fields, _) ->
          fields.stream().map(TypePrinter::field).collect(Collectors.joining(", ", "{", "}"));
      case Pattern.Construct(var name, var payload, _) -> "#" + name + patterns(payload);
      case Pattern.Ascribe(Pattern.Attributed inner, var type, _) ->
          patternAtom(inner) + ": " + type(type);
      case Pattern.Ascribe(var inner, var type, _) -> pattern(inner) + ": " + type(type);
      case Pattern.Attributed(var attribute, var inner, _) ->
          attribute(attribute) + " " + pattern(inner);
    };
  }

  private static String field(Pattern.Field field) {
    boolean pun = field.pattern() instanceof Pattern.Name(var name, _) && name.equals(field.name());
    return pun ? field.name() : field.name() + " = " + pattern(field.pattern());
  }

  /** Prints patterns as atoms, each with a space before it. */
  static String patterns(List<Pattern> patterns) {
    return patterns.stream().map(p -> " " + patternAtom(p)).collect(Collectors.joining());
  }

  /** Prints a pattern, with parentheses if it needs them as a parameter. */
  static String patternAtom(Pattern pattern) {
    boolean open =
        switch (pattern) {
          case Pattern.Ascribe _, Pattern.Attributed _ -> true;
          case Pattern.Construct(_, var payload, _) -> !payload.isEmpty();
          case Pattern.Constant(boolean negative, _, _) -> negative;
          case Pattern.Name _, Pattern.Wildcard _, Pattern.Tuple _, Pattern.Record _ -> false;
        };
    return within(!open, pattern(pattern));
  }

  /** Prints the pattern of a case, where the type of an ascription must not take in the arrow. */
  static String casePattern(Pattern pattern) {
    return switch (pattern) {
      case Pattern.Ascribe _, Pattern.Attributed _ -> patternAtom(pattern);
      default -> pattern(pattern);
    };
  }

  static String attribute(Attribute attribute) {
    return "#[" + attributeBody(attribute) + "]";
  }

  private static String attributeBody(Attribute attribute) {
    if (attribute.arguments().isEmpty()) {
      return attribute.name();
    }
    return attribute.arguments().stream()
        .map(TypePrinter::attributeBody)
        .collect(Collectors.joining(", ", attribute.name() + "(", ")"));
  }
}
