package dev.kenaz.source;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Prints surface trees as text that parses to the same tree, spans aside. Comments other than
 * documentation are not in the tree, so they are lost; {@code kenaz fmt} has the formatter for
 * that.
 */
public final class PrettyPrinter {
  private static final String STEP = "  ";

  private PrettyPrinter() {}

  public static String print(SourceFile file) {
    return DeepStack.call(
        () -> {
          var doc = file.doc().map(d -> doc(d, "") + "\n").orElse("");
          return file.declarations().stream()
              .map(d -> declaration(d, ""))
              .collect(Collectors.joining("\n", doc, ""));
        });
  }

  public static String print(TypeExp type) {
    return DeepStack.call(() -> TypePrinter.type(type));
  }

  public static String print(Pattern pattern) {
    return DeepStack.call(() -> TypePrinter.pattern(pattern));
  }

  public static String print(Exp exp) {
    return DeepStack.call(() -> ExpPrinter.body(exp, ""));
  }

  private static String doc(String doc, String indent) {
    if (doc.isEmpty()) {
      return indent + "-- |\n";
    }
    return doc.lines()
        .map(line -> line.isEmpty() ? indent + "--\n" : indent + "-- " + line + "\n")
        .collect(Collectors.joining())
        .replaceFirst("--", "-- |");
  }

  private static String modifiers(Modifiers modifiers, String indent) {
    var attributes =
        modifiers.attributes().stream()
            .map(a -> TypePrinter.attribute(a) + " ")
            .collect(Collectors.joining());
    return modifiers.doc().map(d -> doc(d, indent)).orElse("")
        + indent
        + attributes
        + (modifiers.local() ? "local " : "");
  }

  private static String declaration(Declaration declaration, String indent) {
    return modifiers(declaration.modifiers(), indent)
        + switch (declaration) {
          case Declaration.Value value -> value(value, indent);
          case Declaration.Type(_, var liftedness, var name, var params, var definition, _) ->
              "type%s %s%s = %s"
                  .formatted(
                      liftedness.mark(),
                      name,
                      TypePrinter.typeParams(params),
                      TypePrinter.type(definition));
          case Declaration.Module(_, var name, var params, var ascription, var body, _) ->
              "module "
                  + name
                  + params.stream().map(p -> " " + param(p, indent)).collect(Collectors.joining())
                  + ascription.map(t -> ": " + moduleType(t, indent)).orElse("")
                  + " = "
                  + module(body, indent);
          case Declaration.ModuleType(_, var name, var body, _) ->
              "module type " + name + " = " + moduleType(body, indent);
          case Declaration.Open(_, var module, _) -> "open " + module(module, indent);
          case Declaration.Import(_, var path, _) -> "import " + path(path);
        }
        + "\n";
  }

  private static String value(Declaration.Value value, String indent) {
    var inner = indent + STEP;
    return (value.entry() ? "entry " : "def ")
        + ExpPrinter.name(value.name())
        + TypePrinter.typeParams(value.typeParams())
        + TypePrinter.patterns(value.params())
        + value.returnType().map(t -> ": " + TypePrinter.type(t)).orElse("")
        + " =\n"
        + inner
        + ExpPrinter.body(value.body(), inner);
  }

  private static String param(ModuleParam param, String indent) {
    return "(" + param.name() + ": " + moduleType(param.type(), indent) + ")";
  }

  private static String path(String path) {
    return "\"" + Escapes.encode(path) + "\"";
  }

  private static String module(ModuleExp module, String indent) {
    return switch (module) {
      case ModuleExp.Name(var name, _) -> name.toString();
      case ModuleExp.Apply(var function, var argument, _) -> {
        boolean simple =
            !(function instanceof ModuleExp.Lambda || function instanceof ModuleExp.Seal);
        yield (simple ? module(function, indent) : "(" + module(function, indent) + ")")
            + " "
            + moduleAtom(argument, indent);
      }
      case ModuleExp.Seal(var inner, var type, _) -> {
        var text = module(inner, indent);
        yield (inner instanceof ModuleExp.Lambda ? "(" + text + ")" : text)
            + ": "
            + moduleType(type, indent);
      }
      case ModuleExp.Lambda(var param, var ascription, var body, _) ->
          "\\"
              + param(param, indent)
              + ascription.map(t -> ": " + moduleTypeTerm(t, indent)).orElse("")
              + " -> "
              + module(body, indent);
      case ModuleExp.Block(var declarations, _) ->
          block(declarations.stream().map(d -> declaration(d, indent + STEP)).toList(), indent);
      case ModuleExp.Import(var path, _) -> "import " + path(path);
    };
  }

  private static String moduleAtom(ModuleExp module, String indent) {
    var text = module(module, indent);
    return switch (module) {
      case ModuleExp.Name _, ModuleExp.Block _ -> text;
      case ModuleExp.Apply _, ModuleExp.Seal _, ModuleExp.Lambda _, ModuleExp.Import _ ->
          "(" + text + ")";
    };
  }

  private static String block(List<String> content, String indent) {
    return content.isEmpty() ? "{ }" : "{\n" + String.join("", content) + indent + "}";
  }

  private static String moduleType(ModuleTypeExp type, String indent) {
    return switch (type) {
      case ModuleTypeExp.Name(var name, _) -> name.toString();
      case ModuleTypeExp.Specs(var specs, _) ->
          block(specs.stream().map(s -> spec(s, indent + STEP)).toList(), indent);
      case ModuleTypeExp.With(var base, var name, var params, var definition, _) ->
          moduleTypeTerm(base, indent)
              + " with "
              + name
              + TypePrinter.typeParams(params)
              + " = "
              + TypePrinter.typeBeforeArrow(definition);
      case ModuleTypeExp.Function(var name, var param, var result, _) ->
          named(name, param, indent) + " -> " + moduleType(result, indent);
    };
  }

  private static String named(Optional<String> name, ModuleTypeExp param, String indent) {
    return name.map(n -> "(" + n + ": " + moduleType(param, indent) + ")")
        .orElseGet(() -> moduleTypeTerm(param, indent));
  }

  private static String moduleTypeTerm(ModuleTypeExp type, String indent) {
    var text = moduleType(type, indent);
    return type instanceof ModuleTypeExp.Function ? "(" + text + ")" : text;
  }

  private static String spec(Spec spec, String indent) {
    return modifiers(spec.modifiers(), indent)
        + switch (spec) {
          case Spec.Value(_, var name, var typeParams, var type, _) ->
              "val "
                  + ExpPrinter.name(name)
                  + TypePrinter.typeParams(typeParams)
                  + ": "
                  + TypePrinter.type(type);
          case Spec.Type(_, var liftedness, var name, var params, var definition, _) ->
              "type"
                  + liftedness.mark()
                  + " "
                  + name
                  + TypePrinter.typeParams(params)
                  + definition.map(t -> " = " + TypePrinter.type(t)).orElse("");
          case Spec.Module(_, var name, var type, _) ->
              "module " + name + ": " + moduleType(type, indent);
          case Spec.Include(_, var type, _) -> "include " + moduleType(type, indent);
        }
        + "\n";
  }
}
