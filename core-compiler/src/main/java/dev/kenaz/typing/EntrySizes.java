package dev.kenaz.typing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes entry points of functions whose parameters have computed sizes, such as {@code (xs: [n +
 * 1]i32)}. A caller may pass arrays of any size; a definition between the caller and the program's
 * own function takes them, and checks their sizes by coercions.
 */
final class EntrySizes {
  private final Inference inference;
  private final Map<VName, TypeArg> by = new HashMap<>();
  private final List<TypeParam> typeParams = new ArrayList<>();

  private EntrySizes(Inference inference) {
    this.inference = inference;
  }

  /** Returns the definition for calls from outside, if that has to be another one. */
  static Optional<TypedDef> around(TypedDef def, Inference inference) {
    boolean computed = def.params().stream().anyMatch(p -> isComputed(p.type()));
    return computed ? Optional.of(new EntrySizes(inference).wrap(def)) : Optional.empty();
  }

  private static boolean isComputed(SType type) {
    boolean[] found = {false};
    Types.each(type, _ -> {}, s -> found[0] |= s instanceof Size.Of);
    return found[0];
  }

  private TypedDef wrap(TypedDef def) {
    List<TypeArg> instantiation = new ArrayList<>();
    for (var p : def.typeParams()) {
      var size = new TypeArg.OfSize(new Size.Var(size(p.name().base())));
      by.put(p.name(), size);
      instantiation.add(size);
    }
    List<TypedPattern> params = new ArrayList<>();
    List<TypedExp> args = new ArrayList<>();
    for (var p : def.params()) {
      var type = Types.subst(p.type(), by);
      var v = inference.fresh(p instanceof TypedPattern.Name n ? n.name().base() : "x");
      if (p instanceof TypedPattern.Name n) {
        by.put(n.name(), new TypeArg.OfSize(new Size.Var(v)));
      }
      var open = isComputed(type) ? open(type) : type;
      params.add(new TypedPattern.Name(v, open, p.span()));
      var variable = new TypedExp.Var(v, List.of(), Types.strip(open), p.span());
      args.add(
          open == type ? variable : new TypedExp.Coerce(variable, Types.strip(type), p.span()));
    }
    List<VName> sizes = new ArrayList<>();
    for (var v : def.result().sizes()) {
      var fresh = inference.fresh(v.base());
      sizes.add(fresh);
      by.put(v, new TypeArg.OfSize(new Size.Var(fresh)));
    }
    var result = Types.subst(def.result().type(), by);
    var type =
        Types.arrows(def.params().stream().map(p -> Types.subst(p.type(), by)).toList(), result);
    var f = new TypedExp.Var(def.name(), instantiation, type, def.span());
    TypedExp body = new TypedExp.Apply(f, args, Types.strip(result), def.span());
    if (!sizes.isEmpty()) {
      body = new TypedExp.BindSizes(sizes, body);
    }
    return new TypedDef(
        inference.fresh(def.name().base()),
        typeParams,
        params,
        new ReturnType(sizes, result),
        body,
        List.of(),
        def.span());
  }

  private VName size(String base) {
    var v = inference.freshSize(base);
    typeParams.add(new TypeParam.OfSize(v));
    return v;
  }

  private SType open(SType type) {
    return Types.map(
        type, leaf -> leaf, s -> Types.resolve(s) instanceof Size.Of ? new Size.Var(size("n")) : s);
  }
}
