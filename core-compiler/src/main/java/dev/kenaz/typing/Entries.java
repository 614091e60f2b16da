package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K2060;
import static dev.kenaz.error.ErrorCode.K2062;
import static dev.kenaz.error.ErrorCode.K2063;

import dev.kenaz.source.Declaration;
import dev.kenaz.source.Pattern;
import dev.kenaz.source.SizeExp;
import dev.kenaz.source.TypeExp;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks what may be an entry point, and finds the names that callers see for types. */
record Entries(Session s) {
  private static final String ENTRY = "Entry point functions may not be higher-order";

  TypedEntry entry(Declaration.Value v, TypedDef def) {
    for (var p : def.typeParams()) {
      if (p instanceof TypeParam.OfType t) {
        throw Session.error(
            K2060,
            v.nameSpan(),
            "Entry point functions may not be polymorphic, but \"%s\" is in the type '%s"
                .formatted(v.name(), t.name().base()));
      }
    }
    sizes(v, def);
    List<TypedEntry.Param> params = new ArrayList<>();
    for (int i = 0; i < def.params().size(); i++) {
      var type = def.params().get(i).type();
      s.noFunctions(type, v.nameSpan(), ENTRY);
      params.add(
          i < v.params().size()
              ? param(v.params().get(i), type)
              : new TypedEntry.Param("_", type, Optional.empty()));
    }
    s.noFunctions(def.result().type(), v.nameSpan(), ENTRY);
    var result = new TypedEntry.Result(def.result(), v.returnType().map(Entries::text));
    return new TypedEntry(v.name(), def.name(), params, result, v.nameSpan());
  }

  /** Checks that size parameters are sizes of arguments: nothing else tells a caller's sizes. */
  private static void sizes(Declaration.Value v, TypedDef def) {
    Set<VName> given = new HashSet<>();
    def.params().forEach(p -> given.addAll(Types.constructive(p.type())));
    for (var p : def.typeParams()) {
      if (p instanceof TypeParam.OfSize(var size) && !given.contains(size)) {
        boolean used = def.params().stream().anyMatch(x -> Types.mentions(x.type(), size));
        throw used
            ? Session.error(
                K2063,
                v.nameSpan(),
                "Entry point size parameter ["
                    + size.base()
                    + "] only used non-constructively: no argument has that size itself",
                "make it an ordinary parameter, `(" + size.base() + ": i64)`")
            : Session.error(
                K2062,
                v.nameSpan(),
                "Entry point functions must not be size-polymorphic in their return type, but \""
                    + size.base()
                    + "\" would be the caller's choice",
                "make it an ordinary parameter, `(" + size.base() + ": i64)`");
      }
    }
  }

  /**
   * Returns the definition with all its parameters: {@code entry f = g}, where {@code g} is a
   * function, takes that function's parameters.
   */
  TypedDef expanded(TypedDef def) {
    List<TypedPattern> params = new ArrayList<>(def.params());
    List<TypedExp> args = new ArrayList<>();
    var result = def.result();
    while (result.type() instanceof SType.Arrow f) {
      var x =
          new TypedPattern.Name(
              f.name().orElseGet(() -> s.inference.fresh("x")), f.param(), def.body().span());
      params.add(x);
      args.add(new TypedExp.Var(x.name(), List.of(), Types.strip(x.type()), x.span()));
      result = f.result();
    }
    if (args.isEmpty()) {
      return def;
    }
    TypedExp body =
        new TypedExp.Apply(def.body(), args, Types.strip(result.type()), def.body().span());
    if (!result.sizes().isEmpty()) {
      body = new TypedExp.BindSizes(result.sizes(), body);
    }
    return new TypedDef(
        def.name(), def.typeParams(), params, result, body, def.attributes(), def.span());
  }

  private static TypedEntry.Param param(Pattern p, SType type) {
    return switch (p) {
      case Pattern.Ascribe a -> {
        var inner = param(a.pattern(), type);
        yield new TypedEntry.Param(inner.name(), type, Optional.of(text(a.type())));
      }
      case Pattern.Attributed a -> param(a.pattern(), type);
      case Pattern.Name n -> new TypedEntry.Param(n.name(), type, Optional.empty());
      case Pattern.Wildcard _,
          Pattern.Constant _,
          Pattern.Tuple _,
          Pattern.Record _,
          Pattern.Construct _ ->
          new TypedEntry.Param("_", type, Optional.empty());
    };
  }

  /** Prints a type as it is written, with empty brackets for sizes and without uniqueness. */
  static String text(TypeExp t) {
    return switch (t) {
      case TypeExp.Name n -> n.name().toString();
      case TypeExp.Apply a ->
          text(a.head())
              + a.arguments().stream().map(x -> " " + argument(x)).collect(Collectors.joining());
      // A type that is applied to arguments needs no parentheses as an element.
      case TypeExp.Array(_, TypeExp.Apply a, _) -> "[]" + text(a);
      case TypeExp.Array a -> "[]" + closed(a.element());
      case TypeExp.Tuple x ->
          x.elements().stream().map(Entries::text).collect(Collectors.joining(", ", "(", ")"));
      case TypeExp.Record r ->
          r.fields().stream()
              .map(f -> f.name() + ": " + text(f.type()))
              .collect(Collectors.joining(", ", "{", "}"));
      case TypeExp.Sum x ->
          x.constructors().stream()
              .map(
                  c ->
                      "#"
                          + c.name()
                          + c.payload().stream()
                              .map(p -> " " + closed(p))
                              .collect(Collectors.joining()))
              .collect(Collectors.joining(" | "));
      case TypeExp.Function f -> closed(f.param()) + " -> " + text(f.result());
      case TypeExp.Unique u -> text(u.type());
      case TypeExp.Existential e -> text(e.type());
    };
  }

  private static String closed(TypeExp t) {
    return switch (t) {
      case TypeExp.Apply _, TypeExp.Sum _, TypeExp.Function _ -> "(" + text(t) + ")";
      case TypeExp.Unique u -> closed(u.type());
      case TypeExp.Existential e -> closed(e.type());
      case TypeExp x -> text(x);
    };
  }

  private static String argument(TypeExp.Argument a) {
    return switch (a) {
      case TypeExp.Argument.Type t -> closed(t.type());
      case TypeExp.Argument.Size size ->
          switch (size.size()) {
            case SizeExp.Any _, SizeExp.Of _ -> "[]";
          };
    };
  }
}
