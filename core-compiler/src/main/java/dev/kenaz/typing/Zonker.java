package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K2005;
import static dev.kenaz.error.ErrorCode.K2100;
import static dev.kenaz.error.ErrorCode.K2101;
import static dev.kenaz.error.ErrorCode.K3008;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.source.Literal;
import dev.kenaz.value.Prim;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * Finishes a definition: it puts the inferred types into the tree, gives those that stayed open
 * their default (i32, f64, u8 for characters, unit), and makes operators and literals those of
 * their type. The literature calls this zonking.
 */
final class Zonker {
  private final Session s;
  private final Exhaustiveness exhaustiveness;

  /** The type parameters of each function that calls itself, once they are known. */
  private final Map<VName, List<TypeParam>> selves = new HashMap<>();

  /** Whether a size that nothing decides is an error. */
  private final boolean strict;

  Zonker(Session session) {
    this(session, true);
  }

  Zonker(Session session, boolean strict) {
    this.strict = strict;
    this.s = session;
    this.exhaustiveness = new Exhaustiveness(session);
  }

  TypedDef def(TypedDef d) {
    for (var t : s.characters) {
      if (Types.resolve(t) instanceof SType.Meta m) {
        m.link = Types.U8;
      }
    }
    s.characters.clear();
    try {
      return function(d);
    } catch (UserError error) {
      throw placed(error, d.span());
    }
  }

  private TypedDef function(TypedDef d) {
    if (s.recursive.contains(d.name())) {
      selves.put(d.name(), d.typeParams());
    }
    return new TypedDef(
        d.name(),
        d.typeParams(),
        Types.mapList(d.params(), this::irrefutable),
        result(d.result()),
        exp(d.body()),
        d.attributes(),
        d.span());
  }

  ReturnType result(ReturnType r) {
    var t = type(r.type());
    return t == r.type() ? r : new ReturnType(r.sizes(), t);
  }

  SType type(SType t) {
    return Types.map(t, this::leaf, this::size);
  }

  private SType leaf(SType t) {
    if (!(t instanceof SType.Meta m)) {
      return t;
    }
    m.link =
        switch (m.constraint) {
          case Constraint.OneOf(var prims) ->
              new SType.Scalar(
                  prims.contains(Prim.I32)
                      ? Prim.I32
                      : prims.contains(Prim.F64) ? Prim.F64 : prims.iterator().next());
          case Constraint.Any(var ability) when ability != Constraint.Ability.EQUALITY ->
              Types.UNIT;
          case Constraint c ->
              throw Session.error(
                  K2005,
                  Span.NONE,
                  "Type is ambiguous: all that can be said is that it is " + s.unifier.describe(c),
                  "write the type of a parameter, or of the expression");
        };
    return type(m.link);
  }

  Size size(Size size) {
    return switch (Types.resolve(size)) {
      case Size.Of o -> {
        var e = exp(o.exp());
        var found = e == o.exp() ? o : SizeExps.asSize(e);
        yield found == null ? Size.ANY : found;
      }
      case Size.Meta m when !strict || m.level == Integer.MAX_VALUE -> Size.ANY;
      case Size.Meta m -> {
        m.link = Size.ANY;
        throw Session.error(
            K3008,
            Span.NONE,
            "Ambiguous size%s: nothing says what it is"
                .formatted(m.hint.isEmpty() ? "" : " \"" + m.hint + "\""),
            "write the type with its sizes, as in `[] : [0][2]i32`");
      }
      case Size s -> s;
    };
  }

  TypeArg arg(TypeArg a) {
    return Types.mapArg(a, this::type, this::size);
  }

  TypedExp exp(TypedExp e) {
    try {
      return rebuild(e);
    } catch (UserError error) {
      throw placed(error, e.span());
    }
  }

  /** Gives an error without a place the place of the innermost expression whose type is unknown. */
  private static RuntimeException placed(UserError error, Span span) {
    var d = error.diagnostics().getFirst();
    return d.span().known()
        ? error
        : new UserError(List.of(new Diagnostic(d.code(), span, d.message(), d.hints())));
  }

  private TypedExp rebuild(TypedExp e) {
    return switch (e) {
      case TypedExp.Constant c -> c;
      case TypedExp.Pending p -> number(p);
      case TypedExp.Var v -> variable(v);
      case TypedExp.Intrinsic i -> intrinsic(i);
      case TypedExp.Hole h -> new TypedExp.Hole(type(h.type()), h.span());
      case TypedExp.Array a ->
          new TypedExp.Array(
              Types.mapList(a.elements(), this::exp),
              data(a.type(), a.span(), "An array can't hold functions"),
              a.span());
      case TypedExp.Text t -> t;
      case TypedExp.Record r -> {
        var fields = new LinkedHashMap<String, TypedExp>();
        r.fields().forEach((name, x) -> fields.put(name, exp(x)));
        yield new TypedExp.Record(fields, type(r.type()), r.span());
      }
      case TypedExp.Construct c ->
          new TypedExp.Construct(
              c.name(), Types.mapList(c.payload(), this::exp), type(c.type()), c.span());
      case TypedExp.Project p ->
          new TypedExp.Project(exp(p.record()), p.field(), type(p.type()), p.span());
      case TypedExp.Index i ->
          new TypedExp.Index(
              exp(i.array()), Types.mapList(i.slices(), this::slice), type(i.type()), i.span());
      case TypedExp.UpdateIndex u ->
          new TypedExp.UpdateIndex(
              exp(u.target()),
              Types.mapList(u.slices(), this::slice),
              exp(u.value()),
              type(u.type()),
              u.span());
      case TypedExp.UpdateField u ->
          new TypedExp.UpdateField(
              exp(u.target()), u.path(), exp(u.value()), type(u.type()), u.span());
      case TypedExp.Range r ->
          new TypedExp.Range(
              exp(r.first()),
              r.second().map(this::exp),
              r.kind(),
              exp(r.end()),
              type(r.type()),
              r.span());
      case TypedExp.Apply a -> Causality.ordered(call(a), s.inference);
      case TypedExp.Lambda l -> lambda(l);
      case TypedExp.Let l ->
          new TypedExp.Let(
              l.sizes(),
              irrefutable(l.pattern()),
              exp(l.value()),
              exp(l.body()),
              type(l.type()),
              l.span());
      case TypedExp.LetFunction l ->
          new TypedExp.LetFunction(function(l.function()), exp(l.body()), type(l.type()), l.span());
      case TypedExp.If i ->
          new TypedExp.If(
              exp(i.condition()),
              exp(i.then()),
              exp(i.otherwise()),
              data(i.type(), i.span(), "The result of a conditional can't be or hold a function"),
              i.span());
      case TypedExp.Match m -> match(m);
      case TypedExp.Loop l -> loop(l);
      case TypedExp.Coerce c -> new TypedExp.Coerce(exp(c.exp()), type(c.type()), c.span());
      case TypedExp.Assert a ->
          new TypedExp.Assert(exp(a.condition()), exp(a.value()), a.text(), a.span());
      case TypedExp.Attributed a -> new TypedExp.Attributed(a.attribute(), exp(a.exp()), a.span());
      case TypedExp.SizeValue v -> SizeExps.value(size(v.size()), v.span());
      case TypedExp.BindSizes b -> new TypedExp.BindSizes(b.sizes(), exp(b.exp()));
    };
  }

  private TypedExp.Var variable(TypedExp.Var v) {
    var given = Types.mapList(v.instantiation(), this::arg);
    var all = selves.get(v.name());
    var complete = all == null ? given : Recursion.complete(given, all);
    return new TypedExp.Var(v.name(), complete, type(v.type()), v.span());
  }

  private TypedExp.Apply call(TypedExp.Apply a) {
    var function = exp(a.function());
    var arguments = Types.mapList(a.arguments(), this::exp);
    return new TypedExp.Apply(function, arguments, type(a.type()), a.span());
  }

  /**
   * Finishes a type, and demands that it holds no functions, even in fields of which nothing was
   * known before.
   */
  private SType data(SType t, Span span, String message) {
    var known = type(t);
    s.noFunctions(known, span, message);
    return known;
  }

  private TypedExp match(TypedExp.Match m) {
    var cases =
        Types.mapList(
            m.cases(), c -> new TypedExp.Case(pattern(c.pattern()), exp(c.body()), c.span()));
    var type = data(m.type(), m.span(), "The result of a match can't be or hold a function");
    var typed = new TypedExp.Match(exp(m.subject()), cases, type, m.span());
    exhaustiveness.check(typed);
    return typed;
  }

  private TypedExp lambda(TypedExp.Lambda l) {
    return new TypedExp.Lambda(
        Types.mapList(l.params(), this::irrefutable),
        result(l.result()),
        exp(l.body()),
        type(l.type()),
        l.span());
  }

  private TypedExp loop(TypedExp.Loop l) {
    return new TypedExp.Loop(
        l.sizes(),
        irrefutable(l.pattern()),
        exp(l.initial()),
        form(l.form()),
        exp(l.body()),
        data(l.type(), l.span(), "A loop's value can't be or hold a function"),
        l.span());
  }

  private TypedExp.LoopForm form(TypedExp.LoopForm f) {
    return switch (f) {
      case TypedExp.LoopForm.For x ->
          new TypedExp.LoopForm.For(x.name(), prim(x.bound().type()), exp(x.bound()));
      case TypedExp.LoopForm.ForIn x ->
          new TypedExp.LoopForm.ForIn(irrefutable(x.pattern()), exp(x.array()));
      case TypedExp.LoopForm.While x -> new TypedExp.LoopForm.While(exp(x.condition()));
    };
  }

  private TypedSlice slice(TypedSlice x) {
    return switch (x) {
      case TypedSlice.At at -> new TypedSlice.At(position(at.index()));
      case TypedSlice.Part p ->
          new TypedSlice.Part(
              p.start().map(this::position),
              p.end().map(this::position),
              p.stride().map(this::position));
    };
  }

  /** Finishes an index; one of another integer type is converted to i64. */
  private TypedExp position(TypedExp e) {
    var typed = exp(e);
    if (!(typed.type() instanceof SType.Scalar(var p)) || p == Prim.I64) {
      return typed;
    }
    if (typed instanceof TypedExp.Constant c) {
      return new TypedExp.Constant(Prim.I64, c.bits(), c.span());
    }
    var f =
        new TypedExp.Intrinsic(
            "conv_" + p + "_i64", List.of(), Types.arrow(typed.type(), Types.I64), e.span());
    return new TypedExp.Apply(f, List.of(typed), Types.I64, e.span());
  }

  private TypedExp intrinsic(TypedExp.Intrinsic i) {
    var type = type(i.type());
    var args = Types.mapList(i.instantiation(), this::arg);
    var operand = args.size() == 1 && args.getFirst() instanceof TypeArg.OfType(var t) ? t : null;
    if (operand instanceof SType.Scalar(var p)) {
      if (i.name().equals("neg")) {
        return new TypedExp.Intrinsic("neg_" + p, List.of(), type, i.span());
      }
      if (i.name().equals("!")) {
        return new TypedExp.Intrinsic("not_" + p, List.of(), type, i.span());
      }
      var op = Operators.of(i.name());
      if (op != null) {
        return switch (op.intrinsic()) {
          case "gt" -> flipped("lt_" + p, i.span(), type, operand);
          case "ge" -> flipped("le_" + p, i.span(), type, operand);
          case "ne" -> negated("eq_" + p, List.of(), i.span(), type, operand);
          default -> new TypedExp.Intrinsic(op.intrinsic() + "_" + p, List.of(), type, i.span());
        };
      }
    }
    if (i.name().equals("==")) {
      return new TypedExp.Intrinsic("equal", args, type, i.span());
    }
    if (i.name().equals("!=")) {
      return negated("equal", args, i.span(), type, operand);
    }
    return new TypedExp.Intrinsic(i.name(), args, type, i.span());
  }

  /** Makes {@code \x y -> f y x}. */
  private TypedExp flipped(String name, Span span, SType type, SType operand) {
    var f = new TypedExp.Intrinsic(name, List.of(), type, span);
    var x = new TypedPattern.Name(s.inference.fresh("x"), operand, span);
    var y = new TypedPattern.Name(s.inference.fresh("y"), operand, span);
    var call = new TypedExp.Apply(f, List.of(variable(y), variable(x)), Types.BOOL, span);
    return new TypedExp.Lambda(List.of(x, y), ReturnType.of(Types.BOOL), call, type, span);
  }

  /** Makes {@code \x y -> !(f x y)}. */
  private TypedExp negated(String name, List<TypeArg> args, Span span, SType type, SType operand) {
    var f = new TypedExp.Intrinsic(name, args, type, span);
    var x = new TypedPattern.Name(s.inference.fresh("x"), operand, span);
    var y = new TypedPattern.Name(s.inference.fresh("y"), operand, span);
    var call = new TypedExp.Apply(f, List.of(variable(x), variable(y)), Types.BOOL, span);
    var not =
        new TypedExp.Intrinsic("not_bool", List.of(), Types.arrow(Types.BOOL, Types.BOOL), span);
    var body = new TypedExp.Apply(not, List.of(call), Types.BOOL, span);
    return new TypedExp.Lambda(List.of(x, y), ReturnType.of(Types.BOOL), body, type, span);
  }

  private static TypedExp variable(TypedPattern.Name p) {
    return new TypedExp.Var(p.name(), List.of(), p.type(), p.span());
  }

  private TypedPattern irrefutable(TypedPattern p) {
    var typed = pattern(p);
    exhaustiveness.checkIrrefutable(typed);
    return typed;
  }

  private TypedPattern pattern(TypedPattern p) {
    return switch (p) {
      case TypedPattern.Name n -> new TypedPattern.Name(n.name(), type(n.type()), n.span());
      case TypedPattern.Wildcard w -> new TypedPattern.Wildcard(type(w.type()), w.span());
      case TypedPattern.Constant c -> c;
      case TypedPattern.Pending q -> {
        var prim = prim(q.type());
        yield new TypedPattern.Constant(
            prim, bits(q.literal(), q.negative(), prim, q.span()), q.span());
      }
      case TypedPattern.Record r -> {
        SortedMap<String, TypedPattern> fields = Fields.empty();
        r.fields().forEach((name, x) -> fields.put(name, pattern(x)));
        yield new TypedPattern.Record(fields, type(r.type()), r.span());
      }
      case TypedPattern.Construct c ->
          new TypedPattern.Construct(
              c.name(), Types.mapList(c.payload(), this::pattern), type(c.type()), c.span());
      case TypedPattern.Attributed a ->
          new TypedPattern.Attributed(a.attribute(), pattern(a.pattern()), a.span());
    };
  }

  private Prim prim(SType t) {
    return ((SType.Scalar) Types.stripTop(type(t))).prim();
  }

  private TypedExp number(TypedExp.Pending p) {
    var prim = prim(p.type());
    return new TypedExp.Constant(prim, bits(p.literal(), p.negative(), prim, p.span()), p.span());
  }

  private long bits(Literal literal, boolean negative, Prim prim, Span span) {
    return switch (literal) {
      case Literal.Bool b -> b.value() ? 1 : 0;
      case Literal.Char c -> {
        var value = BigInteger.valueOf(negative ? -c.codePoint() : c.codePoint());
        checkRange(false, value, prim, span);
        yield prim.normalise(value.longValue());
      }
      case Literal.Int i -> {
        var value = negative ? i.value().negate() : i.value();
        if (prim.isFloat()) {
          yield floatBits(new BigDecimal(value), negative, i.suffix().isPresent(), prim, span);
        }
        checkRange(i.suffix().isPresent(), value, prim, span);
        yield prim.normalise(value.longValue());
      }
      case Literal.Float f ->
          floatBits(
              negative ? f.value().negate() : f.value(),
              negative,
              f.suffix().isPresent(),
              prim,
              span);
    };
  }

  private long floatBits(BigDecimal value, boolean negative, boolean suffix, Prim prim, Span span) {
    if (negative && value.signum() == 0) {
      return prim.fromDouble(-0.0);
    }
    long bits =
        prim == Prim.F32
            ? Float.floatToRawIntBits(value.floatValue()) & 0xFFFF_FFFFL
            : prim.fromDouble(value.doubleValue());
    if (Double.isInfinite(prim.toDouble(bits))) {
      var text = value.precision() > 12 ? value.round(new MathContext(6)) : value;
      if (!suffix) {
        throw Session.error(
            K2101,
            span,
            "Literal out of bounds: " + text + " does not fit the inferred type " + prim,
            prim == Prim.F64
                ? "an infinite number is written `f64.inf`"
                : "write a type that it fits, or `" + prim + ".inf` for an infinite number");
      }
      s.warn(K2100, span, text + " does not fit " + prim + " and becomes infinite");
    }
    return bits;
  }

  private void checkRange(boolean suffix, BigInteger value, Prim prim, Span span) {
    int bits = 8 * prim.byteSize();
    boolean fits =
        prim.isSigned()
            ? value.bitLength() < bits
            : value.signum() >= 0 && value.bitLength() <= bits;
    if (fits) {
      return;
    }
    if (!suffix) {
      throw Session.error(
          K2101,
          span,
          "Literal out of bounds: " + value + " does not fit the inferred type " + prim,
          "write a type that it fits: `" + value + "i64`");
    }
    s.warn(K2100, span, value + " does not fit " + prim + " and wraps around");
  }
}
