package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K2070;
import static dev.kenaz.error.ErrorCode.K2071;
import static dev.kenaz.error.ErrorCode.K2072;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks functions that call themselves. Such a call has all arguments, and the same type arguments
 * as the definition; only sizes that the definition names may differ. Functions that it takes must
 * be passed on as they are, so that they are known when the program is compiled. It can't return a
 * function.
 */
final class Recursion {
  private Recursion() {}

  /** Returns what a function's name means in its own body. */
  static Env.Def self(VName name, List<TypeParam> written, SType type) {
    List<TypeParam> sizes = new ArrayList<>();
    List<TypeArg> args = new ArrayList<>();
    for (var p : written) {
      if (p instanceof TypeParam.OfSize) {
        sizes.add(p);
      }
      args.add(same(p));
    }
    return new Env.Def(name, sizes, type, Optional.of(args));
  }

  private static TypeArg same(TypeParam p) {
    return switch (p) {
      case TypeParam.OfSize s -> new TypeArg.OfSize(new Size.Var(s.name()));
      case TypeParam.OfType t -> new TypeArg.OfType(new SType.Var(t.name()));
    };
  }

  /**
   * Returns the arguments for all type parameters. Those for inferred parameters are the same as in
   * the definition.
   */
  static List<TypeArg> complete(List<TypeArg> given, List<TypeParam> all) {
    var out = new ArrayList<>(given);
    all.subList(given.size(), all.size()).forEach(p -> out.add(same(p)));
    return out;
  }

  /**
   * @param def a definition that calls itself, and whose types are all known
   */
  static void check(TypedDef def) {
    if (Types.hasArrow(def.result().type())) {
      throw Session.error(
          K2070,
          def.span(),
          "The function \"" + def.name().base() + "\" calls itself, so it can't return a function",
          "give it more parameters instead");
    }
    if (def.params().stream().anyMatch(p -> Types.hasArrow(p.type()))) {
      passedOn(def.body(), def);
    }
    saturated(def.body(), 0, def);
  }

  /**
   * Demands that each call of the function in its own body has all arguments.
   *
   * @param given how many arguments the expression is applied to
   */
  private static void saturated(TypedExp e, int given, TypedDef def) {
    switch (e) {
      case TypedExp.Apply a -> {
        a.arguments().forEach(x -> saturated(x, 0, def));
        saturated(a.function(), given + a.arguments().size(), def);
      }
      case TypedExp.Attributed a -> saturated(a.exp(), given, def);
      case TypedExp.BindSizes b -> saturated(b.exp(), given, def);
      case TypedExp.Var v when isSelf(v, def) && given < def.params().size() -> {
        int n = def.params().size();
        throw Session.error(
            K2072,
            e.span(),
            "\"%s\" calls itself, but with %d of its %d argument%s: a recursive call must have all"
                .formatted(def.name().base(), given, n, n == 1 ? "" : "s"),
            "write a function around the call, `\\x -> " + def.name().base() + " ... x`");
      }
      default -> Children.of(e).forEach(x -> saturated(x, 0, def));
    }
  }

  private static void passedOn(TypedExp e, TypedDef def) {
    switch (e) {
      case TypedExp.Apply a when isSelf(a.function(), def) -> {
        for (int i = 0; i < def.params().size(); i++) {
          if (Types.hasArrow(def.params().get(i).type())
              && (i >= a.arguments().size() || !same(def.params().get(i), a.arguments().get(i)))) {
            throw notPassedOn(e, def);
          }
        }
        a.arguments().forEach(x -> passedOn(x, def));
      }
      case TypedExp.Var v when isSelf(v, def) -> throw notPassedOn(e, def);
      default -> Children.of(e).forEach(x -> passedOn(x, def));
    }
  }

  private static RuntimeException notPassedOn(TypedExp e, TypedDef def) {
    return Session.error(
        K2071,
        e.span(),
        "\"%s\" calls itself, but not with the very functions that it was given"
            .formatted(def.name().base()),
        "pass parameters that are functions on as they are");
  }

  private static boolean isSelf(TypedExp e, TypedDef def) {
    return e instanceof TypedExp.Var v && v.name().equals(def.name());
  }

  private static boolean same(TypedPattern param, TypedExp arg) {
    return switch (param) {
      case TypedPattern.Name n -> arg instanceof TypedExp.Var v && v.name().equals(n.name());
      case TypedPattern.Attributed a -> same(a.pattern(), arg);
      case TypedPattern.Record r ->
          arg instanceof TypedExp.Record x
              && r.fields().entrySet().stream()
                  .allMatch(e -> same(e.getValue(), x.fields().get(e.getKey())));
      case TypedPattern.Wildcard _,
          TypedPattern.Constant _,
          TypedPattern.Pending _,
          TypedPattern.Construct _ ->
          false;
    };
  }
}
