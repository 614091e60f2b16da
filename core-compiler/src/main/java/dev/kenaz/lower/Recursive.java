package dev.kenaz.lower;

import dev.kenaz.error.Limitation;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.typing.SType;
import dev.kenaz.typing.TypeParam;
import dev.kenaz.typing.TypedDef;
import dev.kenaz.typing.VName;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Lowers definitions that call themselves to core functions with real calls. All sizes are
 * parameters, so that one version serves every call from inside. The variables that a function
 * among the arguments has captured become further parameters, in front of the others: they are
 * known once the body is lowered.
 */
final class Recursive {
  private final Evaluator evaluator;
  private final List<FunDef> functions;

  /** The versions that are being lowered, the innermost first. */
  private final ArrayDeque<Version> open = new ArrayDeque<>();

  private final Map<Key, Version> known = new HashMap<>();

  /**
   * @param functions the list to which finished functions are added
   */
  Recursive(Evaluator evaluator, List<FunDef> functions) {
    this.evaluator = evaluator;
    this.functions = functions;
  }

  /** The types that a definition is used at, if there are no functions among the arguments. */
  private record Key(VName name, List<Env.Meaning> types) {}

  /**
   * The parameters and results of a function.
   *
   * @param types the types of the definition's parameters, whose sizes are among {@code params}
   * @param params all parameters, sizes included, except what was captured
   * @param returnSizes a name for each result
   */
  private record Signature(
      List<Types.Open> types, List<Var> params, Types.Open result, List<Var> returnSizes) {
    List<Type> returns() {
      var returns = new ArrayList<Type>();
      result.open().keySet().forEach(v -> returns.add(v.type()));
      returns.addAll(result.type().leaves());
      return returns;
    }
  }

  private static final class Version {
    private final VName of;
    private final String name;
    private Signature signature;

    /** The captured variables; empty until the function is finished. */
    private List<Var> captured = List.of();

    Version(VName of, String name) {
      this.of = of;
      this.name = name;
    }
  }

  /**
   * @param instantiation the meanings of all type parameters
   */
  Static call(
      TypedDef def,
      Env outside,
      List<? extends Env.Meaning> instantiation,
      List<Static> arguments,
      Scope scope) {
    return apply(
        version(def, outside, instantiation, arguments), def, instantiation, arguments, scope);
  }

  private Version version(
      TypedDef def,
      Env outside,
      List<? extends Env.Meaning> instantiation,
      List<Static> arguments) {
    for (var v : open) {
      if (v.of.equals(def.name())) {
        if (v != open.peek()) {
          throw new Limitation(
              def.span(),
              "the recursive function `%s` called by another recursive function that it calls"
                  .formatted(def.name().base()));
        }
        return v;
      }
    }
    var types = new ArrayList<Env.Meaning>();
    for (var m : instantiation) {
      if (m instanceof Env.OfType) {
        types.add(m);
      }
    }
    var key = new Key(def.name(), types);
    var version = known.get(key);
    if (version == null) {
      version =
          new Version(def.name(), def.name().base() + "_rec" + (functions.size() + open.size()));
      open.push(version);
      define(version, def, outside, instantiation, arguments);
      open.pop();
      if (arguments.stream().noneMatch(SharedFunctions::hasFunction)) {
        known.put(key, version);
      }
    }
    return version;
  }

  // Calls

  private static Static apply(
      Version version,
      TypedDef def,
      List<? extends Env.Meaning> instantiation,
      List<Static> arguments,
      Scope scope) {
    var signature = version.signature;
    var atoms = new ArrayList<Atom>();
    for (var m : instantiation) {
      if (m instanceof Env.OfValue(var size)) {
        atoms.add(size.atom());
      }
    }
    for (int i = 0; i < arguments.size(); i++) {
      Map<Var, Atom> sofar = new HashMap<>();
      for (int k = 0; k < atoms.size(); k++) {
        sofar.put(signature.params.get(k), atoms.get(k));
      }
      var rename = new Substitution(sofar);
      var type = signature.types.get(i);
      var here = new Types.Open(type.type().map(rename::atom), type.open());
      for (var atom : Control.fit(here, arguments.get(i), scope)) {
        atoms.add(scope.isBorrowed(atom) ? scope.own(atom) : atom);
      }
    }
    Map<Var, Atom> renamed = new HashMap<>();
    for (int i = 0; i < atoms.size(); i++) {
      renamed.put(signature.params.get(i), atoms.get(i));
    }
    var pattern = new ArrayList<Var>();
    var returns = signature.returns();
    for (int i = 0; i < returns.size(); i++) {
      var v = Names.fresh("r", new Substitution(renamed).type(returns.get(i)));
      renamed.put(signature.returnSizes.get(i), v);
      pattern.add(v);
    }
    List<Atom> all = Lists.concat(version.captured, atoms);
    scope.builder().bindAll(pattern, new Exp.Apply(version.name, all));
    int sizes = signature.result.open().size();
    for (int i = 0; i < sizes; i++) {
      scope.markSize(pattern.get(i));
    }
    return Static.of(signature.result.type(), pattern.subList(sizes, pattern.size()));
  }

  // Definitions

  private void define(
      Version version,
      TypedDef def,
      Env outside,
      List<? extends Env.Meaning> instantiation,
      List<Static> arguments) {
    var scope = Scope.outermost(def.span());
    var env = outside.inner();
    var params = new ArrayList<Var>();
    for (int i = 0; i < def.typeParams().size(); i++) {
      switch (def.typeParams().get(i)) {
        case TypeParam.OfSize(var name) -> {
          var v = Names.fresh(name.base(), Type.I64);
          params.add(v);
          scope.markSize(v);
          env.put(name, Static.core(v));
        }
        case TypeParam.OfType p ->
            evaluator.types.bind(List.of(p), List.of(instantiation.get(i)), env);
      }
    }
    var types = new ArrayList<Types.Open>();
    for (int i = 0; i < def.params().size(); i++) {
      var pattern = def.params().get(i);
      var type = abstracted(pattern.type(), env, params, def.span());
      types.add(type);
      type.open().keySet().forEach(scope::markSize);
      params.addAll(type.open().keySet());
      var leaves = new ArrayList<Var>();
      type.type().leaves().forEach(t -> leaves.add(Names.fresh("x", plain(t, def))));
      params.addAll(leaves);
      evaluator.patterns().bind(pattern, arguments.get(i).with(leaves), env, scope);
    }
    var result = abstracted(def.result().type(), env, params, def.span());
    var returnSizes = new ArrayList<>(result.open().keySet());
    result.type().leaves().forEach(t -> returnSizes.add(Names.fresh("r", plain(t, def))));
    version.signature = new Signature(types, List.copyOf(params), result, returnSizes);

    var value = evaluator.eval(def.body(), env, scope);
    List<Atom> results =
        Control.fit(result, value, scope).stream()
            .map(r -> scope.isBorrowed(r) ? scope.own(r) : r)
            .toList();
    finish(version, def, scope.body(results));
  }

  private static Type plain(Type type, TypedDef def) {
    if (type instanceof Type.Acc) {
      throw accumulator(def);
    }
    return type;
  }

  private static Limitation accumulator(TypedDef def) {
    return new Limitation(
        def.span(), "an accumulator in the recursive function `" + def.name().base() + "`");
  }

  /**
   * Returns a type whose sizes are constants, these parameters, atoms from around the function, or
   * open.
   */
  private Types.Open abstracted(SType type, Env env, List<Var> params, Span span) {
    var probe = Scope.outermost(span);
    var found = evaluator.types.resolveOpen(type, env, probe);
    var computed = Stm.bound(probe.builder().stms());
    Map<Var, VName> open = new LinkedHashMap<>(found.open());
    Map<Atom, Atom> fresh = new HashMap<>();
    var ty =
        found
            .type()
            .map(
                size -> {
                  if (size instanceof Const || params.contains(size) || !computed.contains(size)) {
                    return size;
                  }
                  return fresh.computeIfAbsent(
                      size,
                      _ -> {
                        var v = Names.fresh("n", Type.I64);
                        open.put(v, null);
                        return v;
                      });
                });
    return new Types.Open(ty, open);
  }

  /** Finishes a version. The variables that the body has captured become parameters. */
  private void finish(Version version, TypedDef def, Body body) {
    var signature = version.signature;
    var free = new ArrayList<Var>();
    for (var v : FreeVars.of(body)) {
      if (!signature.params.contains(v)) {
        // Sizes come before the arrays that have them.
        free.add(v.type().isScalar() ? 0 : free.size(), v);
      }
    }
    for (var p : signature.params) {
      for (var v : FreeVars.of(p.type())) {
        if (!signature.params.contains(v) && !free.contains(v)) {
          free.addFirst(v);
        }
      }
    }
    if (free.stream().anyMatch(v -> v.type() instanceof Type.Acc)) {
      throw accumulator(def);
    }
    Map<Var, Atom> renamed = new HashMap<>();
    var inside = new ArrayList<Var>();
    for (var v : free) {
      var own = Names.fresh(v.name(), new Substitution(renamed).type(v.type()));
      renamed.put(v, own);
      inside.add(own);
    }
    var rename = new Substitution(renamed);
    var params = new ArrayList<>(inside);
    signature.params.forEach(p -> params.add(p.withType(rename.type(p.type()))));
    var passing = new PassOn(version.name, inside).body(rename.body(body));
    var returns = signature.returns().stream().map(rename::type).toList();
    var returnSizes =
        signature.returnSizes.stream().map(v -> v.withType(rename.type(v.type()))).toList();
    functions.add(new FunDef(version.name, params, returns, returnSizes, passing));
    version.captured = List.copyOf(free);
  }

  /** Adds the captured variables to each call of the function by itself. */
  private record PassOn(String name, List<Var> captured) implements CodeRewriter {
    @Override
    public List<Stm> stm(Stm stm) {
      if (stm.exp() instanceof Exp.Apply(var callee, var arguments) && callee.equals(name)) {
        List<Atom> all = Lists.concat(captured, arguments);
        return List.of(stm.with(new Exp.Apply(callee, all)));
      }
      return CodeRewriter.super.stm(stm);
    }
  }
}
