package dev.kenaz.typing;

import dev.kenaz.error.Span;
import dev.kenaz.source.Literal;
import dev.kenaz.value.Prim;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Treats expressions as sizes: it tells which of them may be sizes and which two are the same, and
 * replaces names in them.
 */
final class SizeExps {
  private SizeExps() {}

  /** Returns the size that an expression stands for; null if no type may mention it. */
  static Size asSize(TypedExp e) {
    return switch (e) {
      case TypedExp.Constant c when c.prim() == Prim.I64 -> new Size.Const(c.bits());
      case TypedExp.Pending p -> pending(p);
      case TypedExp.Var v when v.instantiation().isEmpty() -> new Size.Var(v.name());
      case TypedExp.SizeValue s -> s.size();
      case TypedExp.Attributed a -> asSize(a.exp());
      case TypedExp.Assert a -> asSize(a.value());
      case TypedExp x -> allowed(x) ? new Size.Of(x) : null;
    };
  }

  /**
   * Returns the size with what is known of it by now: a literal may have turned out to be an i64.
   */
  static Size settled(Size size) {
    return switch (Types.resolve(size)) {
      case Size.Of(TypedExp.Pending p) -> pending(p);
      case Size s -> s;
    };
  }

  private static Size pending(TypedExp.Pending p) {
    if (p.literal() instanceof Literal.Int i
        && Types.resolve(p.type()) instanceof SType.Scalar(var prim)
        && prim == Prim.I64) {
      long bits = i.value().longValue();
      return new Size.Const(p.negative() ? -bits : bits);
    }
    return new Size.Of(p);
  }

  /** Whether an expression is built from names, constants, calls and projections only. */
  static boolean allowed(TypedExp e) {
    return switch (e) {
      case TypedExp.Constant _,
          TypedExp.Pending _,
          TypedExp.Var _,
          TypedExp.Intrinsic _,
          TypedExp.SizeValue _ ->
          true;
      case TypedExp.Apply a ->
          !consumes(a)
              && allowed(a.function())
              && a.arguments().stream().allMatch(SizeExps::allowed);
      case TypedExp.Project p -> allowed(p.record());
      case TypedExp.Record r -> r.fields().values().stream().allMatch(SizeExps::allowed);
      case TypedExp.Array a -> a.elements().stream().allMatch(SizeExps::allowed);
      case TypedExp.Attributed a -> allowed(a.exp());
      case TypedExp.Index i ->
          allowed(i.array())
              && i.slices().stream().allMatch(s -> s instanceof TypedSlice.At(var x) && allowed(x));
      default -> false;
    };
  }

  /**
   * Whether a call consumes an argument. A size may be computed any number of times, so such a call
   * can't be one.
   */
  private static boolean consumes(TypedExp.Apply a) {
    var type = Types.resolve(a.function().type());
    for (var _ : a.arguments()) {
      if (!(type instanceof SType.Arrow f)) {
        return false;
      }
      if (Types.hasUnique(f.param())) {
        return true;
      }
      type = Types.stripTop(f.result().type());
    }
    return false;
  }

  /** Returns the size's value as an expression. */
  static TypedExp value(Size s, Span span) {
    return switch (Types.resolve(s)) {
      case Size.Const c -> new TypedExp.Constant(Prim.I64, c.value(), span);
      case Size.Var v -> new TypedExp.Var(v.name(), List.of(), Types.I64, span);
      case Size.Of o -> o.exp();
      case Size other -> new TypedExp.SizeValue(other, span);
    };
  }

  static Size subst(Size size, Map<VName, TypeArg> by) {
    return switch (Types.resolve(size)) {
      case Size.Var v when by.get(v.name()) instanceof TypeArg.OfSize s -> s.size();
      case Size.Of o -> {
        var e = substExp(o.exp(), by);
        yield e == o.exp() ? o : asSizeOf(e);
      }
      case Size s -> s;
    };
  }

  private static Size asSizeOf(TypedExp e) {
    var s = asSize(e);
    return s == null ? Size.ANY : s;
  }

  private static TypedExp substExp(TypedExp e, Map<VName, TypeArg> by) {
    return mapExp(
        e,
        leaf ->
            switch (leaf) {
              case TypedExp.Var v when by.get(v.name()) instanceof TypeArg.OfSize s ->
                  value(s.size(), v.span());
              case TypedExp.SizeValue s -> {
                var size = subst(s.size(), by);
                yield size == s.size() ? s : value(size, s.span());
              }
              default -> leaf;
            },
        t -> Types.subst(t, by),
        a -> Types.substArg(a, by));
  }

  /**
   * Replaces the outermost parts for which the function returns something; for other parts it
   * returns null.
   */
  static TypedExp replace(TypedExp e, Function<TypedExp, TypedExp> by) {
    var whole = by.apply(e);
    if (whole != null) {
      return whole;
    }
    UnaryOperator<TypedExp> sub = x -> replace(x, by);
    return switch (e) {
      case TypedExp.Apply a ->
          new TypedExp.Apply(a.function(), Types.mapList(a.arguments(), sub), a.type(), a.span());
      case TypedExp.Project p ->
          new TypedExp.Project(sub.apply(p.record()), p.field(), p.type(), p.span());
      case TypedExp.Attributed a ->
          new TypedExp.Attributed(a.attribute(), sub.apply(a.exp()), a.span());
      default -> e;
    };
  }

  /** Rewrites the names and types of an allowed expression. */
  static TypedExp mapExp(
      TypedExp e,
      UnaryOperator<TypedExp> onLeaf,
      UnaryOperator<SType> onType,
      UnaryOperator<TypeArg> onArg) {
    UnaryOperator<TypedExp> sub = x -> mapExp(x, onLeaf, onType, onArg);
    return switch (e) {
      case TypedExp.Constant c -> c;
      case TypedExp.Pending p -> onLeaf.apply(p);
      case TypedExp.SizeValue s -> onLeaf.apply(s);
      case TypedExp.Var v -> {
        var leaf = onLeaf.apply(v);
        yield leaf instanceof TypedExp.Var w && !w.instantiation().isEmpty()
            ? new TypedExp.Var(
                w.name(), Types.mapList(w.instantiation(), onArg), onType.apply(w.type()), w.span())
            : leaf;
      }
      case TypedExp.Intrinsic i ->
          new TypedExp.Intrinsic(
              i.name(), Types.mapList(i.instantiation(), onArg), onType.apply(i.type()), i.span());
      case TypedExp.Apply a -> {
        var f = sub.apply(a.function());
        var args = Types.mapList(a.arguments(), sub);
        yield f == a.function() && args == a.arguments()
            ? a
            : new TypedExp.Apply(f, args, onType.apply(a.type()), a.span());
      }
      case TypedExp.Project p -> {
        var r = sub.apply(p.record());
        yield r == p.record()
            ? p
            : new TypedExp.Project(r, p.field(), onType.apply(p.type()), p.span());
      }
      case TypedExp.Record r -> {
        var fields = new LinkedHashMap<String, TypedExp>();
        r.fields().forEach((k, v) -> fields.put(k, sub.apply(v)));
        yield new TypedExp.Record(fields, onType.apply(r.type()), r.span());
      }
      case TypedExp.Array a ->
          new TypedExp.Array(Types.mapList(a.elements(), sub), onType.apply(a.type()), a.span());
      case TypedExp.Attributed a ->
          new TypedExp.Attributed(a.attribute(), sub.apply(a.exp()), a.span());
      case TypedExp.Index i ->
          new TypedExp.Index(
              sub.apply(i.array()),
              Types.mapList(
                  i.slices(),
                  s -> s instanceof TypedSlice.At(var x) ? new TypedSlice.At(sub.apply(x)) : s),
              onType.apply(i.type()),
              i.span());
      default -> e;
    };
  }

  /** Calls back for each variable and each unsolved size in a size. */
  static void eachName(Size size, Consumer<VName> onName, Consumer<Size.Meta> onMeta) {
    switch (Types.resolve(size)) {
      case Size.Var v -> onName.accept(v.name());
      case Size.Meta m -> onMeta.accept(m);
      case Size.Of o -> eachNameIn(o.exp(), onName, onMeta);
      case Size.Const _, Size.Any _ -> {}
    }
  }

  private static void eachNameIn(TypedExp e, Consumer<VName> onName, Consumer<Size.Meta> onMeta) {
    switch (e) {
      case TypedExp.Var v -> onName.accept(v.name());
      case TypedExp.SizeValue s -> eachName(s.size(), onName, onMeta);
      case TypedExp.Apply a -> {
        eachNameIn(a.function(), onName, onMeta);
        a.arguments().forEach(x -> eachNameIn(x, onName, onMeta));
      }
      case TypedExp.Project p -> eachNameIn(p.record(), onName, onMeta);
      case TypedExp.Record r -> r.fields().values().forEach(x -> eachNameIn(x, onName, onMeta));
      case TypedExp.Array a -> a.elements().forEach(x -> eachNameIn(x, onName, onMeta));
      case TypedExp.Attributed a -> eachNameIn(a.exp(), onName, onMeta);
      case TypedExp.Index i -> {
        eachNameIn(i.array(), onName, onMeta);
        for (var s : i.slices()) {
          if (s instanceof TypedSlice.At(var x)) {
            eachNameIn(x, onName, onMeta);
          }
        }
      }
      default -> {}
    }
  }

  /** Whether an unknown size is in an allowed expression, or in the type of something in it. */
  static boolean depends(TypedExp e, Size.Meta m) {
    return switch (e) {
      case TypedExp.Var v -> depends(v.type(), m);
      case TypedExp.SizeValue s -> depends(s.size(), m);
      default -> Children.of(e).stream().anyMatch(x -> depends(x, m));
    };
  }

  private static boolean depends(Size s, Size.Meta m) {
    return switch (Types.resolve(s)) {
      case Size.Meta n -> n == m;
      case Size.Of o -> depends(o.exp(), m);
      case Size.Var _, Size.Const _, Size.Any _ -> false;
    };
  }

  private static boolean depends(SType t, Size.Meta m) {
    boolean[] found = {false};
    Types.each(t, _ -> {}, s -> found[0] |= depends(s, m));
    return found[0];
  }

  /**
   * Whether two allowed expressions are the same but for spans.
   *
   * @param sameSize decides where at least one of two sizes is only a name, or unsolved
   */
  static boolean same(TypedExp a, TypedExp b, BiPredicate<Size, Size> sameSize) {
    if (isSizeLeaf(a) || isSizeLeaf(b)) {
      var x = asSize(a);
      var y = asSize(b);
      return x != null && y != null && sameSize.test(x, y);
    }
    return switch (a) {
      case TypedExp.Attributed x -> same(x.exp(), b, sameSize);
      case TypedExp x when b instanceof TypedExp.Attributed y -> same(x, y.exp(), sameSize);
      case TypedExp.Constant x ->
          b instanceof TypedExp.Constant y && x.prim() == y.prim() && x.bits() == y.bits();
      case TypedExp.Pending x ->
          b instanceof TypedExp.Pending y
              && x.literal().equals(y.literal())
              && x.negative() == y.negative();
      case TypedExp.Var x -> b instanceof TypedExp.Var y && x.name().equals(y.name());
      case TypedExp.Intrinsic x ->
          b instanceof TypedExp.Intrinsic y && Operators.same(x.name(), y.name());
      case TypedExp.Apply x ->
          b instanceof TypedExp.Apply y
              && same(x.function(), y.function(), sameSize)
              && sameAll(x.arguments(), y.arguments(), sameSize);
      case TypedExp.Project x ->
          b instanceof TypedExp.Project y
              && x.field().equals(y.field())
              && same(x.record(), y.record(), sameSize);
      case TypedExp.Record x ->
          b instanceof TypedExp.Record y
              && x.fields().keySet().equals(y.fields().keySet())
              && x.fields().keySet().stream()
                  .allMatch(f -> same(x.fields().get(f), y.fields().get(f), sameSize));
      case TypedExp.Array x ->
          b instanceof TypedExp.Array y && sameAll(x.elements(), y.elements(), sameSize);
      case TypedExp.Index x ->
          b instanceof TypedExp.Index y
              && same(x.array(), y.array(), sameSize)
              && sameAll(positions(x), positions(y), sameSize);
      default -> false;
    };
  }

  private static boolean isSizeLeaf(TypedExp e) {
    return e instanceof TypedExp.SizeValue
        || e instanceof TypedExp.Constant c && c.prim() == Prim.I64
        || e instanceof TypedExp.Pending p && pending(p) instanceof Size.Const
        || e instanceof TypedExp.Var v
            && v.instantiation().isEmpty()
            && Types.resolve(v.type()) instanceof SType.Scalar(var p)
            && p == Prim.I64;
  }

  private static List<TypedExp> positions(TypedExp.Index i) {
    return i.slices().stream().map(s -> s instanceof TypedSlice.At(var x) ? x : null).toList();
  }

  private static boolean sameAll(
      List<TypedExp> a, List<TypedExp> b, BiPredicate<Size, Size> sameSize) {
    if (a.size() != b.size()) {
      return false;
    }
    for (int i = 0; i < a.size(); i++) {
      if (!same(a.get(i), b.get(i), sameSize)) {
        return false;
      }
    }
    return true;
  }
}
