package dev.kenaz.typing;

import dev.kenaz.source.Attribute;
import java.util.List;
import java.util.Set;

/** What attributes may say. They mean nothing to types. */
final class Attributes {
  private static final Set<String> KNOWN =
      Set.of(
          "blank",
          "break",
          "cpu_function",
          "do_not_split",
          "flattening",
          "incremental_flattening",
          "inline",
          "noinline",
          "opaque",
          "param",
          "scratch",
          "sequential",
          "sequential_inner",
          "sequential_outer",
          "trace",
          "unroll",
          "unsafe",
          "warn");

  private final Session s;

  Attributes(Session session) {
    this.s = session;
  }

  /** Warns of those that nothing knows; variables that they name must be in scope. */
  void check(List<Attribute> attributes, Env env) {
    attributes.forEach(a -> check(a, env));
  }

  void check(Attribute a, Env env) {
    variables(a, env);
    if (!KNOWN.contains(a.name()) && !a.name().startsWith("$")) {
      s.warn("K2110", a.span(), "nothing knows the attribute `" + a.name() + "`; it has no effect");
    }
  }

  private void variables(Attribute a, Env env) {
    if (a.name().startsWith("$")) {
      s.names.variable(a.name().substring(1), a.span(), env);
    }
    a.arguments().forEach(x -> variables(x, env));
  }
}
