package dev.kenaz.lower;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.typing.Fields;
import dev.kenaz.typing.ReturnType;
import dev.kenaz.typing.SType;
import dev.kenaz.typing.Size;
import dev.kenaz.typing.TypeArg;
import dev.kenaz.typing.TypeDef;
import dev.kenaz.typing.TypeParam;
import dev.kenaz.typing.TypedDef;
import dev.kenaz.typing.TypedExp;
import dev.kenaz.typing.VName;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Turns the checker's types into types over atoms, and finds the sizes in types from values. */
record Types(Map<VName, TypeDef> representations, Evaluator evaluator) {
  /**
   * Stands for a size that the use does not know, since an abstract type hides it; the arguments
   * tell it.
   */
  static final Env.Meaning UNKNOWN = new Env.OfValue(Static.core(Atom.i64(-1)));

  /**
   * A type in which some sizes are still open.
   *
   * @param open a variable for each such size, with the size's name if it has one
   */
  record Open(Ty type, Map<Var, VName> open) {
    /**
     * Makes variables for the open sizes, then for the leaves of a value such as the example.
     *
     * @param names of the leaves
     */
    List<Var> pattern(List<String> names, Static example) {
      var vars = new ArrayList<>(open.keySet());
      var leaves = example.leaves();
      var types = type.leaves();
      for (int i = 0; i < types.size(); i++) {
        // Only a value tells which accumulator it is.
        var type = types.get(i) instanceof Type.Acc ? leaves.get(i).type() : types.get(i);
        vars.add(Names.fresh(names.get(i), type));
      }
      return vars;
    }
  }

  /**
   * Returns the type with all sizes known. Those that aren't known are zero, as no value can have
   * them.
   */
  Ty resolve(SType type, Env env, Scope scope) {
    var open = resolveOpen(type, env, scope);
    return open.type().map(size -> open.open().containsKey(size) ? Atom.i64(0) : size);
  }

  Open resolveOpen(SType type, Env env, Scope scope) {
    var resolver = new Resolver(scope, new HashMap<>(), new LinkedHashMap<>());
    var ty = resolver.type(type, env);
    return new Open(ty, resolver.open);
  }

  /** Returns the meanings of type parameters and size parameters at one use. */
  List<Env.Meaning> resolve(List<TypeArg> args, Env env, Scope scope) {
    var meanings = new ArrayList<Env.Meaning>();
    for (var arg : args) {
      meanings.add(
          switch (arg) {
            case TypeArg.OfSize(Size.Any _) -> UNKNOWN;
            case TypeArg.OfSize(var size) -> new Env.OfValue(Static.core(size(size, env, scope)));
            case TypeArg.OfType(var type) -> new Env.OfType(marked(resolveOpen(type, env, scope)));
          });
    }
    return meanings;
  }

  /**
   * Returns a type that a type parameter stands for, with negative numbers as marks for its open
   * sizes: each value of the type has sizes of its own there.
   */
  private static Ty marked(Open open) {
    var marks = new HashMap<Atom, Atom>();
    open.open().keySet().forEach(v -> marks.put(v, Atom.i64(-1 - marks.size())));
    return marks.isEmpty() ? open.type() : open.type().map(a -> marks.getOrDefault(a, a));
  }

  static boolean isMark(Atom size) {
    return size instanceof Const(var n) && n.bits() < 0;
  }

  Atom size(Size size, Env env, Scope scope) {
    return new Resolver(scope, new HashMap<>(), new LinkedHashMap<>()).size(size, env);
  }

  void bind(List<TypeParam> params, List<? extends Env.Meaning> meanings, Env env) {
    for (int i = 0; i < params.size(); i++) {
      switch (meanings.get(i)) {
        case Env.OfValue(var value) -> env.put(params.get(i).name(), value);
        case Env.OfType(var type) -> env.put(params.get(i).name(), type);
        case Env.OfDef _ -> throw new CompilerBug("lower", "a definition as a type argument");
      }
    }
  }

  /** Returns the meanings, where those that the use did not know are read off the arguments. */
  List<? extends Env.Meaning> complete(
      TypedDef def,
      List<? extends Env.Meaning> meanings,
      List<Static> arguments,
      Env outside,
      Scope scope) {
    if (!meanings.contains(UNKNOWN)) {
      return meanings;
    }
    var env = outside.inner();
    var unknown = new ArrayList<VName>();
    for (int i = 0; i < meanings.size(); i++) {
      var param = def.typeParams().get(i);
      if (meanings.get(i) == UNKNOWN) {
        unknown.add(param.name());
      } else {
        bind(List.of(param), List.of(meanings.get(i)), env);
      }
    }
    for (int i = 0; i < def.params().size(); i++) {
      var open = resolveOpen(def.params().get(i).type(), env, scope);
      var found = match(open, arguments.get(i));
      open.open()
          .forEach(
              (v, name) -> {
                if (name != null && unknown.contains(name)) {
                  env.put(name, Static.core(found.get(v)));
                }
              });
    }
    var complete = new ArrayList<Env.Meaning>();
    for (int i = 0; i < meanings.size(); i++) {
      var found = env.find(def.typeParams().get(i).name());
      complete.add(found == null ? new Env.OfValue(Static.core(Atom.i64(0))) : found);
    }
    return complete;
  }

  private final class Resolver {
    private final Scope scope;
    private final Map<VName, Var> named;
    private final Map<Var, VName> open;

    /** The size for each mark in a type parameter's type, at each of the parameter's places. */
    private final Map<List<Object>, Atom> unmarked = new HashMap<>();

    /**
     * For each type parameter, how many places there were so far. Each constructor begins to count
     * where its sum does.
     */
    private Map<VName, Integer> places = new HashMap<>();

    Resolver(Scope scope, Map<VName, Var> named, Map<Var, VName> open) {
      this.scope = scope;
      this.named = named;
      this.open = open;
    }

    Ty type(SType type, Env env) {
      return switch (type) {
        case SType.Scalar(var prim) -> new Ty.Scalar(prim);
        case SType.Array(var size, var elem) -> new Ty.Array(size(size, env), type(elem, env));
        // It has a component, so that an array of such records has a size.
        case SType.Record(var fields) when fields.isEmpty() -> new Ty.Scalar(Prim.BOOL);
        case SType.Record(var fields) -> {
          var resolved = Fields.<Ty>empty();
          fields.forEach((name, t) -> resolved.put(name, type(t, env)));
          yield new Ty.Rec(resolved);
        }
        case SType.Sum(var constructors) -> sum(constructors, env);
        case SType.Arrow _ -> new Ty.Fun();
        case SType.Named(var name, var args) -> named(name, args, env);
        case SType.Var(var name) -> {
          if (env.find(name) instanceof Env.OfType(var ty)) {
            int place = places.merge(name, 1, Integer::sum);
            yield ty.map(a -> isMark(a) ? unmarked(name, place, a) : a);
          }
          throw new CompilerBug("lower", "no type for the type parameter " + name);
        }
        case SType.Unique(var t) -> type(t, env);
        case SType.Meta _ -> throw new CompilerBug("lower", "a type that was not inferred");
      };
    }

    /**
     * Resolves a sum type. A value has one of the constructors, so what a type parameter leaves
     * open is one size in all of them.
     */
    private Ty sum(Map<String, List<SType>> constructors, Env env) {
      var before = places;
      var after = new HashMap<>(before);
      var resolved = new TreeMap<String, List<Ty>>();
      constructors.forEach(
          (name, payload) -> {
            places = new HashMap<>(before);
            resolved.put(name, payload.stream().map(t -> type(t, env)).toList());
            places.forEach((parameter, n) -> after.merge(parameter, n, Math::max));
          });
      places = after;
      return new Ty.Sum(resolved);
    }

    private Atom unmarked(VName parameter, int place, Atom mark) {
      return unmarked.computeIfAbsent(List.of(parameter, place, mark), _ -> open(null));
    }

    private Ty named(VName name, List<TypeArg> args, Env env) {
      var def = representations.get(name);
      if (def == null) {
        if (name.base().equals("acc") && args.getFirst() instanceof TypeArg.OfType(var array)) {
          return new Ty.Acc(type(array, env));
        }
        throw new CompilerBug("lower", "nothing is known of the type " + name);
      }
      var inside = env.inner();
      var meanings = new ArrayList<Env.Meaning>();
      for (var arg : args) {
        meanings.add(
            switch (arg) {
              case TypeArg.OfSize(var size) -> new Env.OfValue(Static.core(size(size, env)));
              case TypeArg.OfType(var t) -> new Env.OfType(type(t, env));
            });
      }
      bind(def.params(), meanings, inside);
      return new Resolver(scope, new HashMap<>(), open).type(def.result().type(), inside);
    }

    Atom size(Size size, Env env) {
      return switch (size) {
        case Size.Const(var n) -> Atom.i64(n);
        case Size.Var(var name) ->
            env.find(name) instanceof Env.OfValue(var value)
                ? value.atom()
                : definedSize(name, env);
        case Size.Of(var exp) ->
            isClosed(exp, env, open.keySet()) ? evaluator.eval(exp, env, scope).atom() : open(null);
        case Size.Any _ -> open(null);
        case Size.Meta _ -> throw new CompilerBug("lower", "a size that was not inferred");
      };
    }

    private Atom definedSize(VName name, Env env) {
      return env.find(name) instanceof Env.OfDef d
          ? evaluator.definition(d, List.of(), scope).atom()
          : named.computeIfAbsent(name, this::open);
    }

    private Var open(VName name) {
      var v = Names.fresh(name == null ? "n" : name.base(), Type.I64);
      open.put(v, name);
      return v;
    }
  }

  /** Whether everything that the size expression mentions has a value. */
  private static boolean isClosed(TypedExp exp, Env env, Set<Var> open) {
    return switch (exp) {
      case TypedExp.Var v -> isKnown(v.name(), env, open);
      case TypedExp.SizeValue s -> isClosed(s.size(), env, open);
      case TypedExp.Apply a ->
          isClosed(a.function(), env, open)
              && a.arguments().stream().allMatch(x -> isClosed(x, env, open));
      case TypedExp.Project p -> isClosed(p.record(), env, open);
      case TypedExp.Coerce c -> isClosed(c.exp(), env, open);
      case TypedExp.Attributed a -> isClosed(a.exp(), env, open);
      case TypedExp.Record r -> r.fields().values().stream().allMatch(x -> isClosed(x, env, open));
      default -> true;
    };
  }

  private static boolean isClosed(Size size, Env env, Set<Var> open) {
    return switch (size) {
      case Size.Const _ -> true;
      case Size.Var(var name) -> isKnown(name, env, open);
      case Size.Of(var exp) -> isClosed(exp, env, open);
      case Size.Any _, Size.Meta _ -> false;
    };
  }

  private static boolean isKnown(VName name, Env env, Set<Var> open) {
    return switch (env.find(name)) {
      case null -> false;
      case Env.OfValue(Static.Core(Var v)) -> !open.contains(v);
      case Env.Meaning _ -> true;
    };
  }

  // From values to sizes

  /** Binds these names to the sizes that the value has where the type mentions the names. */
  void bindSizes(Collection<VName> sizes, SType type, Static value, Env env, Scope scope) {
    if (sizes.isEmpty()) {
      return;
    }
    var open = resolveOpen(type, env, scope);
    var found = match(open, value);
    open.open()
        .forEach(
            (v, name) -> {
              if (name != null && sizes.contains(name)) {
                env.put(name, Static.core(found.get(v)));
              }
            });
    for (var name : sizes) {
      if (env.find(name) == null) {
        // Only an array without elements has a size that nothing tells.
        env.put(name, Static.core(Atom.i64(0)));
      }
    }
  }

  /** Binds sizes in the same way, for what a function returns. */
  void bindSizes(ReturnType result, Static value, Env env, Scope scope) {
    bindSizes(result.sizes(), result.type(), value, env, scope);
  }

  /** Returns the value's size for each open size of the type. */
  static Map<Var, Atom> match(Open open, Static value) {
    var found = new HashMap<Var, Atom>();
    match(open.type(), value.leaves().iterator(), new ArrayList<>(), open.open().keySet(), found);
    open.open().keySet().forEach(v -> found.putIfAbsent(v, Atom.i64(0)));
    return found;
  }

  private static void match(
      Ty ty, Iterator<Atom> leaves, List<Atom> outer, Set<Var> open, Map<Var, Atom> found) {
    switch (ty) {
      case Ty.Scalar _ -> matchDims(outer, leaves.next().type().dims(), open, found);
      case Ty.Array(var size, var elem) -> {
        outer.add(size);
        match(elem, leaves, outer, open, found);
        outer.removeLast();
      }
      case Ty.Rec(var fields) -> fields.values().forEach(f -> match(f, leaves, outer, open, found));
      case Ty.Sum s -> {
        matchDims(outer, leaves.next().type().dims(), open, found);
        for (var slot : SumLayout.of(s).types()) {
          matchDims(slot.under(outer).dims(), leaves.next().type().dims(), open, found);
        }
      }
      case Ty.Acc(var array) -> {
        if (array instanceof Ty.Array(var size, _)) {
          matchDims(List.of(size), leaves.next().type().dims(), open, found);
        }
      }
      case Ty.Fun _ -> {}
    }
  }

  private static void matchDims(
      List<Atom> wanted, List<Atom> actual, Set<Var> open, Map<Var, Atom> found) {
    for (int i = 0; i < wanted.size() && i < actual.size(); i++) {
      if (wanted.get(i) instanceof Var v && open.contains(v)) {
        found.putIfAbsent(v, actual.get(i));
      }
    }
  }
}
