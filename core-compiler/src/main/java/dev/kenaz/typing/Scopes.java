package dev.kenaz.typing;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Replaces the sizes in a type when the names in them go out of scope. */
record Scopes(Inference inference) {
  /**
   * @param sizes fresh names for sizes that went out of scope; they are bound in the scope around
   */
  record Exit(SType type, List<VName> sizes) {
    /** Returns the expression, which has this type, with the new sizes bound. */
    TypedExp bind(TypedExp e) {
      return sizes.isEmpty() ? e : new TypedExp.BindSizes(sizes, e);
    }
  }

  private record Renamed(Size from, VName to) {}

  /** Replaces sizes that mention names deeper than the current scope. */
  Exit exit(SType type) {
    if (!deep(type, Set.of())) {
      return new Exit(type, List.of());
    }
    List<Renamed> renamed = new ArrayList<>();
    names(type, renamed, Set.of());
    var t = rename(type, renamed, Set.of());
    return new Exit(t, renamed.stream().map(r -> inference.bindHere(r.to())).toList());
  }

  /**
   * Returns the result type of a function whose scope has been left: sizes that mention names of
   * that scope become existential.
   *
   * @param params the names that may stay, since the function's type binds them
   */
  ReturnType close(SType type, Set<VName> params) {
    if (!deep(type, params)) {
      return ReturnType.of(type);
    }
    List<Renamed> renamed = new ArrayList<>();
    names(type, renamed, params);
    var t = rename(type, renamed, params);
    return new ReturnType(renamed.stream().map(Renamed::to).toList(), t);
  }

  /** Whether a type mentions deeper names. This also brings its unknowns to the current level. */
  private boolean deep(SType type, Set<VName> keep) {
    boolean[] found = {false};
    int level = inference.level();
    Types.each(
        type,
        leaf -> {
          if (leaf instanceof SType.Meta m) {
            m.level = Math.min(m.level, level);
          }
        },
        s -> found[0] |= isDeep(s, keep));
    return found[0];
  }

  boolean isDeep(Size s, Set<VName> keep) {
    boolean[] found = {false};
    int level = inference.level();
    SizeExps.eachName(
        s,
        v -> found[0] |= inference.levelOf(v) > level && !keep.contains(v),
        m -> m.level = Math.min(m.level, level));
    return found[0];
  }

  /**
   * Renames sizes that are plain names. This is done first, so that expressions over them can stay
   * expressions.
   */
  private void names(SType type, List<Renamed> renamed, Set<VName> keep) {
    switch (Types.resolve(type)) {
      case SType.Array a -> {
        if (Types.resolve(a.size()) instanceof Size.Var v) {
          size(v, renamed, keep);
        }
        names(a.element(), renamed, keep);
      }
      case SType.Record r -> r.fields().values().forEach(t -> names(t, renamed, keep));
      case SType.Unique u -> names(u.type(), renamed, keep);
      case SType _ -> {}
    }
  }

  private SType rename(SType type, List<Renamed> renamed, Set<VName> keep) {
    return switch (Types.resolve(type)) {
      case SType.Array a ->
          Types.array(size(a.size(), renamed, keep), rename(a.element(), renamed, keep));
      case SType.Record r -> Types.mapFields(r, t -> rename(t, renamed, keep));
      case SType.Sum s -> Types.mapPayloads(s, t -> rename(t, renamed, keep));
      case SType.Unique u -> Types.unique(rename(u.type(), renamed, keep));
      case SType.Named n ->
          new SType.Named(
              n.name(),
              Types.mapList(
                  n.args(),
                  a ->
                      switch (a) {
                        case TypeArg.OfSize s -> new TypeArg.OfSize(size(s.size(), renamed, keep));
                        case TypeArg.OfType t ->
                            new TypeArg.OfType(rename(t.type(), renamed, keep));
                      }));
      case SType.Arrow f -> arrow(f, renamed, keep);
      case SType t -> t;
    };
  }

  /**
   * Leaves a scope with a function type. Sizes can't be read off a function, so those that go out
   * of scope are hidden in its result.
   */
  private SType arrow(SType.Arrow f, List<Renamed> renamed, Set<VName> keep) {
    Set<VName> inner = new HashSet<>(keep);
    f.name().ifPresent(inner::add);
    inner.addAll(f.result().sizes());
    List<Renamed> own = new ArrayList<>();
    var result = rename(f.result().type(), own, inner);
    List<VName> sizes = new ArrayList<>(f.result().sizes());
    own.forEach(r -> sizes.add(r.to()));
    return new SType.Arrow(
        f.name(), rename(f.param(), renamed, keep), new ReturnType(sizes, result));
  }

  private Size size(Size s, List<Renamed> renamed, Set<VName> keep) {
    var size = Types.resolve(s);
    if (!isDeep(size, keep)) {
      return size;
    }
    for (var r : renamed) {
      if (same(r.from(), size)) {
        return new Size.Var(r.to());
      }
    }
    if (size instanceof Size.Of o) {
      var known = SizeExps.asSize(SizeExps.replace(o.exp(), e -> renamed(e, renamed)));
      if (known != null && !deepBesides(known, renamed, keep)) {
        return known;
      }
    }
    var name = inference.fresh(size instanceof Size.Var v ? v.name().base() : "n");
    renamed.add(new Renamed(size, name));
    return new Size.Var(name);
  }

  private static TypedExp renamed(TypedExp e, List<Renamed> renamed) {
    var size = SizeExps.asSize(e);
    for (var r : renamed) {
      if (size != null && same(r.from(), size)) {
        return SizeExps.value(new Size.Var(r.to()), e.span());
      }
    }
    return null;
  }

  private boolean deepBesides(Size s, List<Renamed> renamed, Set<VName> keep) {
    Set<VName> all = new HashSet<>(keep);
    renamed.forEach(r -> all.add(r.to()));
    return isDeep(s, all);
  }

  static boolean same(Size a, Size b) {
    var x = Types.resolve(a);
    var y = Types.resolve(b);
    return switch (x) {
      case Size.Var v -> y instanceof Size.Var w && v.name().equals(w.name());
      case Size.Const c -> y instanceof Size.Const d && c.value() == d.value();
      case Size.Of o -> y instanceof Size.Of p && SizeExps.same(o.exp(), p.exp(), Scopes::same);
      case Size.Meta _, Size.Any _ -> x == y;
    };
  }
}
