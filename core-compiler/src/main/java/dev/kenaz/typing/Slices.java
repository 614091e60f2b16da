package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K2022;
import static dev.kenaz.error.ErrorCode.K2023;
import static dev.kenaz.error.ErrorCode.K2030;

import dev.kenaz.error.Span;
import dev.kenaz.source.Exp;
import dev.kenaz.source.Exp.RangeKind;
import dev.kenaz.source.Literal;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** Checks indexing, slicing, updates and ranges. */
record Slices(Session s) {
  private static final Constraint INDEX = Inference.oneOf(Prim::isInteger);

  TypedExp index(TypedExp array, List<Exp.Slice> slices, Span span, Env env) {
    List<VName> sizes = new ArrayList<>();
    List<TypedSlice> typed = new ArrayList<>();
    var type = sliced(array.type(), slices, span, env, typed, sizes);
    return new Scopes.Exit(type, sizes).bind(new TypedExp.Index(array, typed, type, span));
  }

  /**
   * Checks slices, and returns the type of what they select.
   *
   * @param sizes gets names for sizes that only the slice decides; if null, those are left open, to
   *     be checked when the program runs
   */
  private SType sliced(
      SType array,
      List<Exp.Slice> slices,
      Span span,
      Env env,
      List<TypedSlice> typed,
      List<VName> sizes) {
    List<Size> kept = new ArrayList<>();
    var t = array;
    for (var slice : slices) {
      var dim = dimension(t, span);
      t = dim.element();
      switch (slice) {
        case Exp.Slice.At at -> typed.add(new TypedSlice.At(position(at.index(), env)));
        case Exp.Slice.Part part -> {
          var p =
              new TypedSlice.Part(
                  part.start().map(e -> bound(e, env)),
                  part.end().map(e -> bound(e, env)),
                  part.stride().map(e -> bound(e, env)));
          typed.add(p);
          kept.add(partSize(p, dim.size(), sizes, span));
        }
      }
    }
    for (int i = kept.size() - 1; i >= 0; i--) {
      t = Types.array(kept.get(i), t);
    }
    return t;
  }

  private SType.Array dimension(SType t, Span span) {
    if (Types.stripTop(t) instanceof SType.Array a) {
      return a;
    }
    var a = new SType.Array(s.inference.newSize("n"), s.inference.newElement());
    if (!(Types.stripTop(t) instanceof SType.Meta)) {
      throw Session.error(
          K2030,
          span,
          "Too many indices: \"" + s.printer.type(t) + "\" is not an array",
          LikelyOmission.arguments(a, t).stream().toArray(String[]::new));
    }
    s.expect(a, t, span, "What is indexed");
    return a;
  }

  private TypedExp position(Exp e, Env env) {
    var typed = s.expressions.check(e, env);
    if (typed instanceof TypedExp.Pending p
        && p.literal() instanceof Literal.Int
        && Types.resolve(p.type()) instanceof SType.Meta) {
      s.expect(Types.I64, p.type(), e.span(), "An index");
    } else {
      s.expect(s.inference.newType(INDEX), typed.type(), e.span(), "An index");
    }
    return typed;
  }

  /** Checks a part of a slice, which is an i64; an index may be any integer. */
  private TypedExp bound(Exp e, Env env) {
    var typed = s.expressions.check(e, env);
    s.expect(Types.I64, typed.type(), e.span(), "A part of a slice");
    return typed;
  }

  private Size partSize(TypedSlice.Part p, Size dim, List<VName> sizes, Span span) {
    boolean whole = p.start().isEmpty() && p.end().isEmpty();
    if (whole && (p.stride().isEmpty() || isLiteral(p.stride().get(), 1, true))) {
      return dim;
    }
    if (sizes == null) {
      return s.inference.anySize();
    }
    if (p.stride().isEmpty() || isLiteral(p.stride().get(), 1, false)) {
      var start = p.start().filter(e -> !isLiteral(e, 0, false));
      var from = start.map(Slices::i64Size).orElse(null);
      // An end that is no size, or whose type isn't known yet, leaves the size unknown.
      var to = p.end().isPresent() ? i64Size(p.end().get()) : dim;
      if (to != null && start.isEmpty()) {
        return to;
      }
      if (to != null && from != null) {
        return minus(to, from, span);
      }
    }
    var v = s.inference.freshSize("n");
    sizes.add(v);
    return new Size.Var(v);
  }

  private static Size i64Size(TypedExp e) {
    return Types.resolve(e.type()) instanceof SType.Scalar(var p) && p == Prim.I64
        ? SizeExps.asSize(e)
        : null;
  }

  private static Size minus(Size a, Size b, Span span) {
    if (SizeExps.settled(a) instanceof Size.Const x
        && SizeExps.settled(b) instanceof Size.Const y) {
      return new Size.Const(Math.max(0, x.value() - y.value()));
    }
    var type = Types.arrows(List.of(Types.I64, Types.I64), Types.I64);
    var op = new TypedExp.Intrinsic("-", List.of(new TypeArg.OfType(Types.I64)), type, span);
    return new Size.Of(
        new TypedExp.Apply(
            op, List.of(SizeExps.value(a, span), SizeExps.value(b, span)), Types.I64, span));
  }

  private static boolean isLiteral(TypedExp e, long value, boolean orNegative) {
    return e instanceof TypedExp.Pending p
        && p.literal() instanceof Literal.Int i
        && i.value().bitLength() < 63
        && i.value().longValue() == value
        && (orNegative || !p.negative() || value == 0);
  }

  TypedExp update(Exp.Update u, Env env) {
    var target = s.expressions.check(u.target(), env);
    var value = s.expressions.check(u.value(), env);
    if (u.path().size() == 1 || target instanceof TypedExp.Var) {
      return update(target, u.path(), value, u, env);
    }
    // For a path of several steps the target is used more than once, so it gets a name.
    var x = new TypedPattern.Name(s.inference.fresh("target"), target.type(), target.span());
    var variable = new TypedExp.Var(x.name(), List.of(), target.type(), target.span());
    var updated = update(variable, u.path(), value, u, env);
    return new TypedExp.Let(List.of(), x, target, updated, updated.type(), u.span());
  }

  /**
   * Checks an update with a path: {@code r with a[i].b = v} is {@code r with a = (r.a with [i] =
   * (copy r.a[i] with b = v))}, and {@code a with [i][j] = v} is {@code a with [i, j] = v}.
   */
  private TypedExp update(
      TypedExp target, List<Exp.Step> path, TypedExp value, Exp.Update u, Env env) {
    if (path.isEmpty()) {
      return value;
    }
    if (path.getFirst() instanceof Exp.Step.Index i) {
      var rest = path.subList(1, path.size());
      if (rest.isEmpty()) {
        return updateIndex(target, i, value, u, env);
      }
      if (rest.getFirst() instanceof Exp.Step.Index next && isPosition(i)) {
        var both = new Exp.Step.Index(joined(i.slices(), next.slices()), i.span());
        return update(target, joined(List.of(both), rest.subList(1, rest.size())), value, u, env);
      }
      var part = copy(index(target, i.slices(), i.span(), env), u.span());
      return updateIndex(target, i, update(part, rest, value, u, env), u, env);
    }
    List<String> fields = new ArrayList<>();
    var part = target;
    int steps = 0;
    while (steps < path.size() && path.get(steps) instanceof Exp.Step.Field f) {
      fields.add(f.name());
      steps++;
      if (steps < path.size()) {
        part = s.expressions.project(part, f.name(), f.span());
      }
    }
    var rest = path.subList(steps, path.size());
    var inner = rest.isEmpty() ? value : update(part, rest, value, u, env);
    var type = withField(target.type(), fields, inner.type(), u);
    return new TypedExp.UpdateField(target, fields, inner, type, u.span());
  }

  private static boolean isPosition(Exp.Step.Index i) {
    return i.slices().stream().allMatch(x -> x instanceof Exp.Slice.At);
  }

  private static <T> List<T> joined(List<? extends T> first, List<? extends T> second) {
    List<T> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }

  /**
   * Returns a copy. What the inner update consumes must not be a part of the target, which the
   * outer update consumes.
   */
  private static TypedExp copy(TypedExp e, Span span) {
    var type = Types.arrow(e.type(), Types.unique(e.type()));
    var f = new TypedExp.Intrinsic("copy", List.of(new TypeArg.OfType(e.type())), type, span);
    return new TypedExp.Apply(f, List.of(e), e.type(), span);
  }

  private TypedExp updateIndex(
      TypedExp target, Exp.Step.Index step, TypedExp value, Exp.Update u, Env env) {
    List<TypedSlice> typed = new ArrayList<>();
    var part = sliced(target.type(), step.slices(), step.span(), env, typed, null);
    s.expect(part, value.type(), u.value().span(), "The new value");
    return new TypedExp.UpdateIndex(target, typed, value, target.type(), u.span());
  }

  private SType withField(SType t, List<String> path, SType value, Exp.Update u) {
    if (path.isEmpty()) {
      // Sizes may change, and nothing else.
      s.expect(s.loops.blurred(Types.strip(t)), value, u.value().span(), "The new value");
      return value;
    }
    var name = path.getFirst();
    if (!(Types.resolve(t) instanceof SType.Record r)) {
      if (Types.resolve(t) instanceof SType.Meta) {
        throw Session.error(
            K2023,
            u.target().span(),
            "Full type of "
                + (u.target() instanceof Exp.Var v
                    ? "\"" + v.name() + "\""
                    : "the record that is updated")
                + " is not known at this point",
            "write it where the record is bound, as in `\\(r: {x: i32}) -> r with x = 0`");
      }
      throw Session.error(
          K2022, u.target().span(), "\"" + s.printer.type(t) + "\" has no field \"" + name + "\"");
    }
    if (!r.fields().containsKey(name)) {
      throw s.expressions.noField(name, r, u.span());
    }
    SortedMap<String, SType> fields = Fields.empty();
    fields.putAll(r.fields());
    fields.put(name, withField(r.fields().get(name), path.subList(1, path.size()), value, u));
    return new SType.Record(fields);
  }

  TypedExp range(Exp.Range r, Env env) {
    SType element = s.inference.newType(Inference.oneOf(Prim::isInteger));
    var first = part(r.first(), element, env);
    var second = r.second().map(e -> part(e, element, env));
    var end = part(r.end(), element, env);
    List<VName> sizes = new ArrayList<>();
    var size = rangeSize(first, second, r.kind(), end, element);
    if (size == null) {
      var v = s.inference.freshSize("n");
      sizes.add(v);
      size = new Size.Var(v);
    }
    var type = Types.array(size, element);
    return new Scopes.Exit(type, sizes)
        .bind(new TypedExp.Range(first, second, r.kind(), end, type, r.span()));
  }

  private TypedExp part(Exp e, SType element, Env env) {
    var typed = s.expressions.check(e, env);
    s.expect(element, typed.type(), e.span(), "This part of the range");
    return typed;
  }

  /**
   * Returns the size of a range whose size is a simple one: {@code n} from 0 below {@code n} and
   * from 1 up to {@code n}, {@code n - 1} from 1 below {@code n}; else null.
   */
  private static Size rangeSize(
      TypedExp first, Optional<TypedExp> second, RangeKind kind, TypedExp end, SType element) {
    int from = isLiteral(first, 0, false) ? 0 : isLiteral(first, 1, false) ? 1 : -1;
    boolean plain = kind == RangeKind.BELOW ? from >= 0 : kind == RangeKind.INCLUSIVE && from == 1;
    if (!plain
        || second.isPresent() && !isLiteral(second.get(), from + 1, false)
        || Types.resolve(element) instanceof SType.Meta) {
      return null;
    }
    var to = i64Size(end);
    return to == null || kind == RangeKind.INCLUSIVE || from == 0
        ? to
        : minus(to, new Size.Const(1), first.span());
  }
}
