package dev.kenaz.typing;

import dev.kenaz.source.Liftedness;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An elaborated module type. It has names with their types, and abstract types under names of their
 * own.
 *
 * @param env what a module of this type offers
 * @param abstracts the types that {@code env} leaves open, in order, each with its path
 */
record Signature(Env env, List<Abstract> abstracts) {
  /**
   * @param path the path of the type inside the module
   */
  record Abstract(List<String> path, VName name, Env.TypeBinding binding) {}

  /** Returns this module type with some abstract types known. */
  Signature expand(Inference inference, Map<VName, TypeDef> defs) {
    return new Signature(
        expand(env, new Expansion(inference, defs)),
        abstracts.stream().filter(a -> !defs.containsKey(a.name())).toList());
  }

  private static Env expand(Env env, Expansion by) {
    var out = new Env(null);
    env.ownValues().forEach((name, v) -> out.add(name, v instanceof Env.Def d ? by.def(d) : v));
    env.ownTypes().forEach((name, t) -> out.add(name, expand(t, by)));
    env.ownModules()
        .forEach(
            (name, m) ->
                out.add(
                    name,
                    m instanceof Env.Struct(var inner) ? new Env.Struct(expand(inner, by)) : m));
    env.ownModuleTypes().forEach(out::add);
    return out;
  }

  /** Expands a type. If it is now known to hide a size, it can't be an array's element any more. */
  private static Env.TypeBinding expand(Env.TypeBinding t, Expansion by) {
    var result = by.result(t.result());
    boolean hides = t.liftedness() == Liftedness.UNLIFTED && !result.sizes().isEmpty();
    return new Env.TypeBinding(t.params(), hides ? Liftedness.SIZE_LIFTED : t.liftedness(), result);
  }

  /** Returns the abstract types with paths that begin with a module's name. */
  List<Abstract> below(String module) {
    List<Abstract> out = new ArrayList<>();
    for (var a : abstracts) {
      List<String> path = new ArrayList<>();
      path.add(module);
      path.addAll(a.path());
      out.add(new Abstract(path, a.name(), a.binding()));
    }
    return out;
  }

  Optional<Abstract> find(List<String> path) {
    return abstracts.stream().filter(a -> a.path().equals(path)).findFirst();
  }

  static Map<VName, TypeDef> known(VName name, TypeDef def) {
    Map<VName, TypeDef> out = new HashMap<>();
    out.put(name, def);
    return out;
  }
}
