package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K1006;
import static dev.kenaz.error.ErrorCode.K3009;
import static dev.kenaz.error.ErrorCode.K3012;
import static dev.kenaz.error.ErrorCode.K3013;

import dev.kenaz.error.Span;
import dev.kenaz.source.Attribute;
import dev.kenaz.source.Exp;
import dev.kenaz.source.Liftedness;
import dev.kenaz.source.Pattern;
import dev.kenaz.source.TypeExp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Checks functions (anonymous ones, local ones and those at top level), and generalises their
 * types.
 */
record Functions(Session s, Scopes scopes) {
  /** A definition in the source, at top level or local. */
  record Source(
      String name,
      List<dev.kenaz.source.TypeParam> typeParams,
      List<Pattern> params,
      Optional<TypeExp> returnType,
      Exp body,
      List<Attribute> attributes,
      boolean mayRecurse,
      Span span) {}

  /** A checked definition, and what its name means from now on. */
  record Defined(TypedDef def, Env.Def binding) {}

  /**
   * @param expected what its use tells about its type, or null
   */
  TypedExp lambda(Exp.Lambda l, SType expected, Env env) {
    s.inference.enter();
    var inner = env.child();
    List<TypedPattern> params = new ArrayList<>();
    var bound = new Patterns.Bound();
    var type = expected == null ? null : Types.stripTop(expected);
    for (var p : l.params()) {
      if (type instanceof SType.Arrow f) {
        params.add(s.patterns.check(p, Types.strip(f.param()), inner, bound));
        type = Types.stripTop(f.result().type());
      } else {
        params.add(parameter(p, inner, bound));
      }
    }
    var declared = l.returnType().map(t -> s.types.existential(t, inner));
    var body = body(l.body(), inner);
    var written = declared.map(r -> matchReturn(r, l.returnType().get(), body));
    s.inference.leave();
    accessible(params, declared);
    var result = close(written, body.type(), paramNames(params), l.span());
    return new TypedExp.Lambda(params, result, body, arrows(params, result), l.span());
  }

  /**
   * Checks a function's body in a scope of its own: no parameter has a size that the body decides.
   */
  private TypedExp body(Exp body, Env env) {
    s.inference.enter();
    var typed = s.expressions.check(body, env);
    s.inference.leave();
    return typed;
  }

  private TypedPattern parameter(Pattern p, Env env, Patterns.Bound bound) {
    return s.patterns.check(p, s.inference.newType(), env, bound);
  }

  /**
   * Returns the result's type as it is written, but with the body's sizes where the written type
   * leaves an array's size out, so that two arrays of one size still have one size. A size that is
   * named, {@code ?[n]}, hides that of the body.
   */
  private ReturnType matchReturn(ReturnType declared, TypeExp written, TypedExp body) {
    int named = written instanceof TypeExp.Existential e ? e.sizes().size() : 0;
    Set<VName> open = new HashSet<>(Types.constructive(declared.type()));
    declared.sizes().subList(0, named).forEach(open::remove);
    open.retainAll(declared.sizes());
    Map<VName, TypeArg> by = new HashMap<>();
    open.forEach(v -> by.put(v, new TypeArg.OfSize(s.inference.anySize(v.base()))));
    var type = Types.subst(declared.type(), by);
    var hidden = new ArrayList<>(declared.sizes().stream().filter(v -> !open.contains(v)).toList());
    s.expect(s.loops.flexible(type, new HashSet<>(hidden)), body.type(), body.span(), "The result");
    hideOpen(declared.type(), by, hidden);
    return new ReturnType(hidden, type);
  }

  /**
   * Hides the sizes of constructors that the body never makes. Nothing determines such a size, so
   * the value is said to decide it.
   */
  private static void hideOpen(SType declared, Map<VName, TypeArg> by, List<VName> hidden) {
    for (var v : inSums(declared)) {
      if (by.get(v) instanceof TypeArg.OfSize(var size)
          && Types.resolve(size) instanceof Size.Meta m) {
        m.link = new Size.Var(v);
        hidden.add(v);
      }
    }
  }

  private static Set<VName> inSums(SType t) {
    Set<VName> out = new LinkedHashSet<>();
    switch (Types.stripTop(t)) {
      case SType.Sum sum -> out.addAll(Types.constructive(sum));
      case SType.Array a -> out.addAll(inSums(a.element()));
      case SType.Record r -> r.fields().values().forEach(f -> out.addAll(inSums(f)));
      case SType _ -> {}
    }
    return out;
  }

  /**
   * Checks that each size that {@code let} or {@code loop} binds is a size of the value itself. It
   * can't be read off a function, nor off an array of size {@code n + 1}.
   */
  void readable(List<VName> sizes, SType pattern, Span span) {
    used(sizes, List.of(pattern), span);
    var seen = Types.constructive(pattern);
    for (var v : sizes) {
      if (!seen.contains(v)) {
        throw Session.error(
            K3012,
            span,
            "Size \"" + v.base() + "\" unused in pattern: it is not itself the size of an array",
            "bind an array of that size, `[" + v.base() + "]t`, besides");
      }
    }
  }

  /** Checks that each size that is bound is the size of something. */
  void used(List<VName> sizes, List<SType> types, Span span) {
    for (var v : sizes) {
      if (types.stream().noneMatch(t -> Types.mentions(t, v))) {
        throw Session.error(
            K3012,
            span,
            "Size \"" + v.base() + "\" unused in pattern: it is not the size of anything",
            "make it an ordinary parameter, `(" + v.base() + ": i64)`");
      }
    }
  }

  private void used(
      List<TypeParam> typeParams, List<TypedPattern> params, SType result, Span span) {
    List<SType> types = new ArrayList<>(params.stream().map(TypedPattern::type).toList());
    types.add(result);
    var sizes = typeParams.stream().filter(p -> p instanceof TypeParam.OfSize);
    used(sizes.map(TypeParam::name).toList(), types, span);
  }

  /**
   * Checks that a function's type names parameters only as a whole: sizes of later parameters, and
   * of a result that is written, must not mention parts of one.
   */
  private void accessible(List<TypedPattern> params, Optional<ReturnType> declared) {
    Set<VName> parts = new HashSet<>();
    for (var p : params) {
      inaccessible(
          p.type(),
          parts,
          p.span(),
          "Parameter" + nameOf(p).map(v -> " \"" + v.base() + "\"").orElse(""));
      if (nameOf(p).isEmpty()) {
        names(p, parts);
      }
    }
    if (declared.isPresent() && !parts.isEmpty()) {
      inaccessible(declared.get().type(), parts, params.getLast().span(), "The type of the result");
    }
  }

  private void inaccessible(SType type, Set<VName> parts, Span span, String what) {
    for (var v : parts) {
      if (Types.mentions(type, v)) {
        throw Session.error(
            K3013,
            span,
            what
                + " refers to size \""
                + v.base()
                + "\" which will not be accessible to the caller: it is only part of a parameter",
            "make `" + v.base() + "` a parameter of its own, or coerce with `:>` in the body");
      }
    }
  }

  private static void names(TypedPattern p, Set<VName> out) {
    switch (p) {
      case TypedPattern.Name n -> out.add(n.name());
      case TypedPattern.Record r -> r.fields().values().forEach(x -> names(x, out));
      case TypedPattern.Construct c -> c.payload().forEach(x -> names(x, out));
      case TypedPattern.Attributed a -> names(a.pattern(), out);
      case TypedPattern.Wildcard _, TypedPattern.Constant _, TypedPattern.Pending _ -> {}
    }
  }

  private ReturnType close(
      Optional<ReturnType> declared, SType inferred, Set<VName> params, Span span) {
    if (declared.isEmpty()) {
      var r = scopes.close(inferred, params);
      var seen = Types.constructive(r.type());
      for (var v : r.sizes()) {
        if (!seen.contains(v) && Types.mentions(r.type(), v)) {
          throw Session.error(
              K3009,
              span,
              "Unknown size \""
                  + v.base()
                  + "\" in parameter of the function that is the result: no caller can know it",
              "leave the size open, `[]`, and coerce the parameter with `:>` inside");
        }
      }
      return r;
    }
    var r = declared.get();
    Set<VName> keep = new HashSet<>(params);
    keep.addAll(r.sizes());
    var closed = scopes.close(r.type(), keep);
    List<VName> sizes = new ArrayList<>(r.sizes());
    sizes.addAll(closed.sizes());
    return new ReturnType(sizes, closed.type());
  }

  /**
   * Returns the names that a function's type can bind: those of parameters whose pattern is only a
   * name.
   */
  private static Set<VName> paramNames(List<TypedPattern> params) {
    Set<VName> names = new HashSet<>();
    params.forEach(p -> nameOf(p).ifPresent(names::add));
    return names;
  }

  private static Optional<VName> nameOf(TypedPattern p) {
    return switch (p) {
      case TypedPattern.Name n -> Optional.of(n.name());
      case TypedPattern.Attributed a -> nameOf(a.pattern());
      case TypedPattern.Wildcard _,
          TypedPattern.Constant _,
          TypedPattern.Pending _,
          TypedPattern.Record _,
          TypedPattern.Construct _ ->
          Optional.empty();
    };
  }

  private static SType arrows(List<TypedPattern> params, ReturnType result) {
    for (int i = params.size() - 1; i >= 0; i--) {
      var type = result.type();
      var name = nameOf(params.get(i)).filter(v -> Types.mentions(type, v));
      result = ReturnType.of(new SType.Arrow(name, params.get(i).type(), result));
    }
    return result.type();
  }

  /** Returns a definition's type as its uses see it. */
  SType type(TypedDef def) {
    return arrows(def.params(), def.result());
  }

  TypedExp letFunction(Exp.LetFunction l, Env env) {
    var defined =
        define(
            new Source(
                l.name(),
                l.typeParams(),
                l.params(),
                l.returnType(),
                l.value(),
                List.of(),
                false,
                l.span()),
            env);
    s.localFunctions.declare(defined.def(), l.typeParams().size());
    s.inference.enter();
    var body = s.expressions.check(l.body(), env.child().add(l.name(), defined.binding()));
    s.inference.leave();
    var exit = scopes.exit(body.type());
    return exit.bind(new TypedExp.LetFunction(defined.def(), body, exit.type(), l.span()));
  }

  /** Checks a definition and makes its type as general as it can be. */
  Defined define(Source d, Env env) {
    s.inference.enter();
    var around = env.child();
    var inner = around.child();
    var name = s.inference.fresh(d.name());
    List<TypeParam> typeParams = new ArrayList<>(typeParams(d.typeParams(), inner));
    List<TypedPattern> params = new ArrayList<>();
    var bound =
        new Patterns.Bound(
            d.typeParams().stream()
                .filter(p -> p instanceof dev.kenaz.source.TypeParam.Size)
                .map(dev.kenaz.source.TypeParam::name));
    d.params().forEach(p -> params.add(parameter(p, inner, bound)));
    var declared = d.returnType().map(t -> s.types.existential(t, inner));
    if (declared.isPresent()) {
      used(typeParams, params, declared.get().type(), d.span());
    }
    var self = declared.orElseGet(() -> ReturnType.of(s.inference.newType()));
    if (d.mayRecurse()) {
      around.add(d.name(), Recursion.self(name, typeParams, arrows(params, self)));
      s.defining.add(name);
    }
    var body = body(d.body(), inner);
    if (declared.isEmpty()) {
      used(typeParams, params, body.type(), d.span());
    }
    s.defining.remove(name);
    var matched = declared.map(r -> matchReturn(r, d.returnType().get(), body));
    if (s.recursive.contains(name) && declared.isEmpty()) {
      s.expect(self.type(), body.type(), d.body().span(), "The result");
    }
    s.inference.leave();
    var resultType = matched.map(ReturnType::type).orElse(body.type());
    generalise(params, resultType, typeParams);
    if (declared.isPresent()) {
      generaliseOwn(body.type(), s.inference.level(), typeParams);
    }
    accessible(params, declared);
    Set<VName> keep = paramNames(params);
    typeParams.forEach(p -> keep.add(p.name()));
    var result = close(matched, resultType, keep, d.span());
    s.inference.bindHere(name);
    s.places.put(name, d.span());
    var def = new TypedDef(name, typeParams, params, result, body, d.attributes(), d.span());
    var type = arrows(params, result);
    return new Defined(def, new Env.Def(name, typeParams, type, Optional.empty()));
  }

  /** Declares parameters in the current scope. */
  List<TypeParam> typeParams(List<dev.kenaz.source.TypeParam> params, Env env) {
    List<TypeParam> out = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (var p : params) {
      if (!seen.add(p.name())) {
        throw Session.error(
            K1006,
            p.span(),
            "Name \"" + p.name() + "\" is bound twice here: there are two such parameters");
      }
      var v = s.inference.bindHere(s.inference.fresh(p.name()));
      switch (p) {
        case dev.kenaz.source.TypeParam.Size _ -> {
          env.add(p.name(), new Env.Local(v, Types.I64));
          out.add(new TypeParam.OfSize(v));
        }
        case dev.kenaz.source.TypeParam.Type t -> {
          s.unifier.declare(v, t.liftedness());
          env.add(
              p.name(),
              new Env.TypeBinding(List.of(), t.liftedness(), ReturnType.of(new SType.Var(v))));
          out.add(new TypeParam.OfType(v, t.liftedness()));
        }
      }
    }
    return out;
  }

  private void generalise(List<TypedPattern> params, SType result, List<TypeParam> typeParams) {
    int level = s.inference.level();
    params.forEach(p -> keepOpen(p.type(), level));
    keepOpen(result, level);
    params.forEach(p -> generaliseParam(p.type(), level, typeParams));
    var rest = Types.stripTop(result);
    while (rest instanceof SType.Arrow f) {
      generaliseParam(f.param(), level, typeParams);
      rest = Types.stripTop(f.result().type());
    }
    generaliseParam(rest, level, typeParams);
  }

  /**
   * Keeps types open that are known only in part, such as that of {@code r} in {@code r.x}: they
   * are not made general.
   */
  private static void keepOpen(SType type, int level) {
    Types.each(type, leaf -> keepOpenInside(leaf, level), _ -> {});
  }

  private static void keepOpenInside(SType leaf, int level) {
    if (!(leaf instanceof SType.Meta m) || m.level <= level) {
      return;
    }
    switch (m.constraint) {
      case Constraint.HasFields(var fields) -> {
        m.level = level;
        fields.values().forEach(t -> lower(t, level));
      }
      case Constraint.HasConstructors(var cs) -> {
        m.level = level;
        cs.values().forEach(ts -> ts.forEach(t -> lower(t, level)));
      }
      case Constraint.Any _, Constraint.OneOf _ -> {}
    }
  }

  private static void lower(SType type, int level) {
    keepOpen(type, level);
    Types.each(
        type,
        leaf -> {
          if (leaf instanceof SType.Meta m) {
            m.level = Math.min(m.level, level);
          }
        },
        size -> SizeExps.eachName(size, _ -> {}, m -> m.level = Math.min(m.level, level)));
  }

  private void generaliseParam(SType type, int level, List<TypeParam> typeParams) {
    Types.each(
        type,
        leaf -> generaliseType(leaf, level, typeParams),
        size -> generaliseSize(size, level, v -> typeParams.add(new TypeParam.OfSize(v))));
  }

  /**
   * Generalises what a declared type leaves open. The caller chooses the sizes of values; the sizes
   * in a function's type are read off that function's arguments.
   */
  private void generaliseOwn(SType type, int level, List<TypeParam> typeParams) {
    switch (Types.resolve(type)) {
      case SType.Arrow f ->
          Types.each(
              f,
              _ -> {},
              size -> SizeExps.eachName(size, _ -> {}, m -> m.level = Integer.MAX_VALUE));
      case SType.Record r -> r.fields().values().forEach(t -> generaliseOwn(t, level, typeParams));
      case SType t -> generaliseParam(t, level, typeParams);
    }
  }

  private void generaliseSize(Size size, int level, Consumer<VName> onNew) {
    SizeExps.eachName(
        size,
        _ -> {},
        m -> {
          if (m.level > level && m.link == null) {
            var v = s.inference.fresh(m.hint.isEmpty() ? "n" : m.hint);
            m.link = new Size.Var(v);
            onNew.accept(v);
          }
        });
  }

  private void generaliseType(SType leaf, int level, List<TypeParam> typeParams) {
    if (leaf instanceof SType.Meta m
        && m.link == null
        && m.level > level
        && m.constraint instanceof Constraint.Any(var ability)
        && ability != Constraint.Ability.EQUALITY) {
      var v = s.inference.fresh("t" + typeParams.size());
      var l =
          switch (ability) {
            case ANY -> Liftedness.LIFTED;
            case SIZE_LIFTED -> Liftedness.SIZE_LIFTED;
            case ELEMENT, EQUALITY -> Liftedness.UNLIFTED;
          };
      s.unifier.declare(v, l);
      m.link = new SType.Var(v);
      typeParams.add(new TypeParam.OfType(v, l));
    }
  }
}
