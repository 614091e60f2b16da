package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K2110;

import dev.kenaz.source.Attribute;
import dev.kenaz.source.Exp;
import java.util.List;
import java.util.Set;

/** Checks what attributes say. They have no influence on types. */
record Attributes(Session s) {
  private static final Set<String> KNOWN =
      Set.of(
          "blank",
          "bound",
          "break",
          "checkpoints",
          "cpu_function",
          "do_not_split",
          "flattening",
          "incremental_flattening",
          "inline",
          "invertible",
          "noinline",
          "opaque",
          "param",
          "scratch",
          "sequential",
          "sequential_inner",
          "sequential_outer",
          "stripmine",
          "trace",
          "true_dep",
          "unroll",
          "unsafe",
          "warn");

  private static final Set<String> OF_LOOPS =
      Set.of("bound", "checkpoints", "stripmine", "true_dep");

  /** Warns of attributes that Kenaz doesn't know; the variables that they name must be in scope. */
  void check(List<Attribute> attributes, Env env) {
    attributes.forEach(a -> check(a, env));
  }

  void check(Attribute a, Env env) {
    variables(a, env);
    if (!KNOWN.contains(a.name()) && !a.name().startsWith("$")) {
      s.warn(K2110, a.span(), "Nothing knows the attribute \"" + a.name() + "\"; it has no effect");
    }
  }

  /** Warns of attributes for loops that stand before something else. */
  void check(Attribute a, Exp exp) {
    if (a.name().equals("true_dep") && !isLoop(exp)) {
      misplaced(a);
    }
  }

  /** Does the same as {@link #check(Attribute, Exp)}, before a pattern. */
  void checkOfPattern(Attribute a) {
    if (OF_LOOPS.contains(a.name())) {
      misplaced(a);
    }
  }

  private void misplaced(Attribute a) {
    s.warn(
        K2110,
        a.span(),
        "The attribute \"" + a.name() + "\" has no effect here: it belongs in front of loop");
  }

  private static boolean isLoop(Exp exp) {
    return switch (exp) {
      case Exp.Loop _ -> true;
      case Exp.Attributed a -> isLoop(a.exp());
      case Exp.Ascribe a -> isLoop(a.exp());
      case Exp.Coerce c -> isLoop(c.exp());
      default -> false;
    };
  }

  private void variables(Attribute a, Env env) {
    if (a.name().startsWith("$")) {
      s.names.variable(a.name().substring(1), a.span(), env);
    }
    a.arguments().forEach(x -> variables(x, env));
  }
}
