package dev.kenaz.lower;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.typing.TypedDef;
import dev.kenaz.typing.TypedProgram;
import dev.kenaz.typing.VName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Lowers definitions once for all calls with arguments of the same types, as functions of the core
 * program. That is done only in a program that would get too large otherwise, because later passes
 * don't optimise across calls.
 */
final class SharedFunctions {
  private final TypedProgram program;
  private final List<FunDef> functions;
  private final Map<Key, Optional<Shared>> known = new HashMap<>();

  /** Makes an environment of all definitions. */
  private final Supplier<Env> roots;

  SharedFunctions(TypedProgram program, Supplier<Env> roots, List<FunDef> functions) {
    this.program = program;
    this.roots = roots;
    this.functions = functions;
  }

  /** Distinguishes one version of a definition from another. Sizes in it are numbered. */
  private record Key(VName name, List<Object> types) {}

  /**
   * A definition as a core function.
   *
   * @param result the result, which is made of the function's results that come after its sizes
   */
  private record Shared(FunDef function, Static result, Set<Integer> borrowed) {}

  /**
   * Returns the result of a call; nothing if the definition takes or returns functions, so that it
   * must be inlined.
   */
  Optional<Static> call(
      TypedDef def,
      List<? extends Env.Meaning> instantiation,
      List<Static> arguments,
      Scope scope) {
    var abstraction = new Abstraction();
    var types = new ArrayList<Object>();
    for (var m : instantiation) {
      switch (m) {
        case Env.OfValue(var size) -> types.add(abstraction.size(size.atom()));
        case Env.OfType(var ty) -> types.add(abstraction.type(ty));
        case Env.OfDef _ -> types.add(m);
      }
    }
    for (var a : arguments) {
      if (hasFunction(a)) {
        return Optional.empty();
      }
      a.types().forEach(t -> types.add(abstraction.type(t)));
    }
    var key = new Key(def.name(), types);
    var shared = known.get(key);
    if (shared == null) {
      shared = define(def, instantiation, arguments, abstraction);
      known.put(key, shared);
    }
    return shared.map(s -> apply(s, abstraction, arguments, scope));
  }

  static boolean hasFunction(Static value) {
    return !value.functions().isEmpty();
  }

  private static Static apply(
      Shared shared, Abstraction abstraction, List<Static> arguments, Scope scope) {
    var atoms = new ArrayList<Atom>(abstraction.sizes.keySet());
    arguments.forEach(a -> a.leaves().forEach(leaf -> atoms.add(ownIfBorrowed(leaf, scope))));
    var f = shared.function();
    Map<Var, Atom> renamed = new HashMap<>();
    for (int i = 0; i < atoms.size(); i++) {
      renamed.put(f.params().get(i), atoms.get(i));
    }
    var pattern = new ArrayList<Var>();
    for (int i = 0; i < f.returns().size(); i++) {
      var v = Names.fresh("r", new Substitution(renamed).type(f.returns().get(i)));
      renamed.put(f.returnSizes().get(i), v);
      pattern.add(v);
      if (shared.borrowed().contains(i)) {
        scope.markBorrowed(v);
      }
    }
    scope.builder().bindAll(pattern, new Exp.Apply(f.name(), atoms));
    int sizes = pattern.size() - shared.result().leaves().size();
    return shared.result().with(pattern.subList(sizes, pattern.size()));
  }

  private static Atom ownIfBorrowed(Atom atom, Scope scope) {
    return scope.isBorrowed(atom) ? scope.own(atom) : atom;
  }

  private Optional<Shared> define(
      TypedDef def,
      List<? extends Env.Meaning> instantiation,
      List<Static> arguments,
      Abstraction abstraction) {
    var outermost = Scope.outermost(def.span());
    var scope = outermost.inner();
    var params = new ArrayList<>(abstraction.params());
    params.forEach(scope::markSize);
    var rename = new Substitution(Map.copyOf(abstraction.sizes));
    var inside =
        instantiation.stream()
            .map(
                m ->
                    switch (m) {
                      case Env.OfValue(var size) ->
                          new Env.OfValue(Static.core(rename.atom(size.atom())));
                      case Env.OfType(var ty) -> new Env.OfType(ty.map(rename::atom));
                      case Env.OfDef d -> d;
                    })
            .toList();
    var values = new ArrayList<Static>();
    for (var a : arguments) {
      var vars = a.types().stream().map(t -> Names.fresh("x", rename.type(t))).toList();
      params.addAll(vars);
      values.add(a.with(vars));
    }
    var evaluator = new Evaluator(program, outermost, Optional.of(this), functions);
    var result = evaluator.inlined(def, roots.get(), inside, values, scope);
    if (hasFunction(result)) {
      return Optional.empty();
    }
    var name = def.name().base() + "_" + functions.size();
    var function = LoweredFunction.function(name, params, result.leaves(), outermost, scope);
    functions.add(function.function());
    var borrowed = new LinkedHashSet<Integer>();
    var results = function.function().body().results();
    for (int i = 0; i < results.size(); i++) {
      if (scope.isBorrowed(results.get(i))) {
        borrowed.add(i);
      }
    }
    return Optional.of(new Shared(function.function(), result, borrowed));
  }

  /** The sizes in some types, each with a parameter that stands for it. */
  private static final class Abstraction {
    private final LinkedHashMap<Var, Var> sizes = new LinkedHashMap<>();

    List<Var> params() {
      return List.copyOf(sizes.values());
    }

    /** Returns a number for each size that isn't constant. */
    Object size(Atom atom) {
      if (!(atom instanceof Var v)) {
        return atom;
      }
      sizes.computeIfAbsent(v, Names::like);
      return new ArrayList<>(sizes.keySet()).indexOf(v);
    }

    /** Returns a value that is equal for types which differ only in the names of their sizes. */
    Object type(Type type) {
      return type instanceof Type.Acc
          ? type
          : List.of(type.elemPrim(), type.dims().stream().map(this::size).toList());
    }

    Object type(Ty ty) {
      return switch (ty) {
        case Ty.Scalar(var prim) -> prim;
        case Ty.Array(var size, var elem) -> List.of(size(size), type(elem));
        case Ty.Rec(var fields) -> {
          var all = new ArrayList<Object>();
          fields.forEach(
              (name, f) -> {
                all.add(name);
                all.add(type(f));
              });
          yield all;
        }
        case Ty.Sum(var constructors) -> {
          var all = new ArrayList<Object>();
          constructors.forEach(
              (name, payload) -> {
                all.add("#" + name);
                payload.forEach(p -> all.add(type(p)));
              });
          yield all;
        }
        case Ty.Acc(var array) -> List.of("acc", type(array));
        // It can't be shared, so it equals no other.
        case Ty.Fun _ -> new Object();
      };
    }
  }
}
