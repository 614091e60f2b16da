package dev.kenaz.typing;

import dev.kenaz.source.InfixOperators;
import dev.kenaz.source.Liftedness;
import dev.kenaz.source.ModuleExp;
import dev.kenaz.source.ModuleParam;
import dev.kenaz.source.ModuleTypeExp;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Tells what names mean: it has a table for each of the four name spaces, and the scope around it.
 * A module's own table has no scope around it. Once filled in, it does not change.
 */
final class Env {
  /** What a value's name means. */
  sealed interface Value {}

  /** A parameter, or a name that a pattern binds. It has one type. */
  record Local(VName name, SType type) implements Value {}

  /**
   * A definition; its type may have parameters.
   *
   * @param params the parameters of its type as it is seen here
   * @param args for the definition's own parameters, in terms of {@code params}, where a module
   *     type made them differ
   */
  record Def(VName name, List<TypeParam> params, SType type, Optional<List<TypeArg>> args)
      implements Value {}

  /** An intrinsic, which the compiler provides; see {@link Def}. */
  record IntrinsicDef(String name, List<TypeParam> params, SType type, Optional<List<TypeArg>> args)
      implements Value {}

  record Overloaded(Operators.Operator operator) implements Value {}

  /** {@code &&}, {@code ||} or a pipe, which are no functions where they are applied. */
  record Syntax(String symbol) implements Value {}

  /** A definition that had an error; using it is no new one. */
  record Broken() implements Value {}

  /** What a type's name means; the result is null if its definition had an error. */
  record TypeBinding(List<TypeParam> params, Liftedness liftedness, ReturnType result) {}

  /** What a module's name means. */
  sealed interface Module {}

  record Struct(Env env) implements Module {}

  /** A parametric module, with the scope that it was defined in. */
  record Functor(Env scope, ModuleParam param, Optional<ModuleTypeExp> ascription, ModuleExp body)
      implements Module {}

  /** A module parameter that is a parametric module itself: only its type is known. */
  record AbstractFunctor(Env scope, ModuleTypeExp.Function type) implements Module {}

  /** A parametric module seen through a module type. */
  record SealedFunctor(Module implementation, Env scope, ModuleTypeExp.Function type)
      implements Module {}

  /** A module of the prelude that is checked when it is first used. */
  record Lazy(Supplier<Struct> module) implements Module {}

  /** A module whose definition had an error. */
  record BrokenModule() implements Module {}

  /** A module type, with the scope that it was defined in. It is elaborated anew at each use. */
  record ModuleType(Env scope, ModuleTypeExp body) {}

  private final Env parent;
  private Map<String, Value> values = Map.of();
  private Map<String, TypeBinding> types = Map.of();
  private Map<String, Module> modules = Map.of();
  private Map<String, ModuleType> moduleTypes = Map.of();

  Env(Env parent) {
    this.parent = parent;
  }

  Env child() {
    return new Env(this);
  }

  /** Returns a copy of this scope, to which later additions make no difference. */
  Env copy() {
    return new Env(parent).open(this);
  }

  Env add(String name, Value v) {
    values = put(values, name, v);
    return this;
  }

  Env add(String name, TypeBinding t) {
    types = put(types, name, t);
    return this;
  }

  Env add(String name, Module m) {
    modules = put(modules, name, m);
    return this;
  }

  Env add(String name, ModuleType m) {
    moduleTypes = put(moduleTypes, name, m);
    return this;
  }

  /** Takes over everything of a module's own table. */
  Env open(Env module) {
    module.values.forEach(this::add);
    module.types.forEach(this::add);
    module.modules.forEach(this::add);
    module.moduleTypes.forEach(this::add);
    return this;
  }

  private static <T> Map<String, T> put(Map<String, T> map, String name, T x) {
    if (map.isEmpty()) {
      map = new LinkedHashMap<>(4);
    }
    map.put(name, x);
    return map;
  }

  private <T> T find(String name, Function<Env, Map<String, T>> table) {
    for (var e = this; e != null; e = e.parent) {
      var x = table.apply(e).get(name);
      if (x != null) {
        return x;
      }
    }
    return null;
  }

  /**
   * Returns what a value's name means; null if there is no such name. The methods for the other
   * name spaces do the same.
   */
  Value value(String name) {
    for (var e = this; e != null; e = e.parent) {
      var x = e.values.get(name);
      if (x != null) {
        return x;
      }
    }
    return null;
  }

  /** Whether a name is a value's here, even if a scope further out has a module of that name. */
  boolean isValue(String name) {
    for (var e = this; e != null; e = e.parent) {
      if (e.modules.containsKey(name)) {
        return false;
      }
      if (e.values.containsKey(name)) {
        return true;
      }
    }
    return false;
  }

  /** The name of the innermost local value whose type is such. */
  Optional<String> firstLocal(Predicate<SType> such) {
    for (var e = this; e != null; e = e.parent) {
      for (var entry : e.values.entrySet()) {
        if (entry.getValue() instanceof Local l && such.test(l.type())) {
          return Optional.of(entry.getKey());
        }
      }
    }
    return Optional.empty();
  }

  TypeBinding type(String name) {
    return find(name, e -> e.types);
  }

  Module module(String name) {
    var found = find(name, e -> e.modules);
    return found instanceof Lazy(var module) ? module.get() : found;
  }

  ModuleType moduleType(String name) {
    return find(name, e -> e.moduleTypes);
  }

  Map<String, Value> ownValues() {
    return values;
  }

  Map<String, TypeBinding> ownTypes() {
    return types;
  }

  Map<String, Module> ownModules() {
    return modules;
  }

  Map<String, ModuleType> ownModuleTypes() {
    return moduleTypes;
  }

  /**
   * Returns the name in scope that is most like a name that is not in scope, for a hint; null if
   * there is none.
   */
  String nearest(String name, Function<Env, Map<String, ?>> table) {
    String best = null;
    int bestDistance = Math.min(name.length(), Math.max(1, name.length() / 3) + 1);
    Map<String, Boolean> seen = new HashMap<>();
    for (var e = this; e != null; e = e.parent) {
      for (var other : table.apply(e).keySet()) {
        if (InfixOperators.isSymbol(other) == InfixOperators.isSymbol(name)
            && !other.equals(name)
            && seen.put(other, true) == null) {
          int d = distance(name, other);
          if (d < bestDistance) {
            best = other;
            bestDistance = d;
          }
        }
      }
    }
    return best;
  }

  private static int distance(String a, String b) {
    if (Math.abs(a.length() - b.length()) > 3) {
      return Integer.MAX_VALUE;
    }
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int same = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        int next = Math.min(Math.min(row[j], row[j - 1]) + 1, diagonal + same);
        diagonal = row[j];
        row[j] = next;
      }
    }
    return row[b.length()];
  }
}
