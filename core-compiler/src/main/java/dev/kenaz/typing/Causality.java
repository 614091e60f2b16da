package dev.kenaz.typing;

import java.util.HashSet;
import java.util.Set;

/**
 * Whether each size that only a value decides is decided before something needs it. Arguments are
 * evaluated before what is applied to them, in order, but functions among them last.
 */
final class Causality {
  private final Set<VName> later = new HashSet<>();
  private final Inference inference;

  private Causality(Inference inference) {
    this.inference = inference;
  }

  /**
   * @param def finished
   */
  static void check(TypedDef def, Inference inference) {
    var c = new Causality(inference);
    c.collect(def.body());
    c.exp(def.body());
  }

  /** Sizes that differ from call to call, of what a function takes: in it, nothing tells them. */
  private Set<VName> unknown(TypedExp.Lambda l) {
    Set<VName> out = new HashSet<>();
    for (var p : l.params()) {
      Types.each(
          p.type(),
          _ -> {},
          s ->
              SizeExps.eachName(
                  s,
                  v -> {
                    if (inference.wasReleased(v) && !later.contains(v)) {
                      out.add(v);
                    }
                  },
                  _ -> {}));
    }
    return out;
  }

  private void collect(TypedExp e) {
    if (e instanceof TypedExp.BindSizes b) {
      later.addAll(b.sizes());
    }
    Children.of(e).forEach(this::collect);
  }

  private void exp(TypedExp e) {
    switch (e) {
      case TypedExp.Var v -> v.instantiation().forEach(a -> needs(a, e));
      case TypedExp.Intrinsic i -> i.instantiation().forEach(a -> needs(a, e));
      case TypedExp.Hole h -> needs(h.type(), e);
      case TypedExp.Apply a -> {
        a.arguments().stream().filter(x -> !isFunction(x)).forEach(this::exp);
        a.arguments().stream().filter(Causality::isFunction).forEach(this::exp);
        exp(a.function());
      }
      case TypedExp.Lambda l -> {
        var unknown = unknown(l);
        later.addAll(unknown);
        exp(l.body());
        later.removeAll(unknown);
      }
      default -> Children.of(e).forEach(this::exp);
    }
    if (e instanceof TypedExp.BindSizes b) {
      b.sizes().forEach(later::remove);
    }
  }

  private static boolean isFunction(TypedExp e) {
    return Types.resolve(e.type()) instanceof SType.Arrow;
  }

  private void needs(TypeArg a, TypedExp e) {
    switch (a) {
      case TypeArg.OfSize s -> SizeExps.eachName(s.size(), v -> needs(v, e), _ -> {});
      case TypeArg.OfType t -> needs(t.type(), e);
    }
  }

  private void needs(SType t, TypedExp e) {
    Types.each(t, _ -> {}, s -> SizeExps.eachName(s, v -> needs(v, e), _ -> {}));
  }

  private void needs(VName v, TypedExp e) {
    if (later.contains(v)) {
      throw Session.error(
          "K3007",
          e.span(),
          "Causality check: the size \""
              + v.base()
              + "\" is needed here, but is decided only later",
          "bind the value that decides it with `let` before this");
    }
  }
}
