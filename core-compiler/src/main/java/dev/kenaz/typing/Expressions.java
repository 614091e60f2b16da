package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K1005;
import static dev.kenaz.error.ErrorCode.K1006;
import static dev.kenaz.error.ErrorCode.K1007;
import static dev.kenaz.error.ErrorCode.K2002;
import static dev.kenaz.error.ErrorCode.K2022;

import dev.kenaz.error.NearestName;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.source.Exp;
import dev.kenaz.source.Literal;
import dev.kenaz.source.PrettyPrinter;
import dev.kenaz.value.Prim;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Stream;

/** Checks expressions: one method for each construct that has no class of its own. */
record Expressions(Session s, Scopes scopes) {
  TypedExp check(Exp exp, Env env) {
    return switch (exp) {
      case Exp.Constant c -> literal(c.literal(), false, c.span());
      case Exp.Text t -> text(t);
      case Exp.Var v -> s.names.value(v.name(), v.span(), env);
      case Exp.Hole h -> new TypedExp.Hole(s.inference.newType(), h.span());
      case Exp.Array a -> array(a, env);
      case Exp.Tuple t -> tuple(t, env);
      case Exp.Record r -> record(r, env);
      case Exp.Construct c -> construct(c, env);
      case Exp.Project p -> project(check(p.record(), env), p.field(), p.span());
      case Exp.Index i -> s.slices.index(check(i.array(), env), i.slices(), i.span(), env);
      case Exp.Update u -> s.slices.update(u, env);
      case Exp.Range r -> s.slices.range(r, env);
      case Exp.LocalOpen o -> {
        if (!(s.names.module(o.module(), o.span(), env) instanceof Env.Struct(var module))) {
          throw Session.error(
              K1007, o.span(), "This is a parametric module: it has no members to open");
        }
        yield check(o.body(), env.child().open(module));
      }
      case Exp.Apply a -> s.applications.apply(a, env);
      case Exp.Binary b -> s.applications.binary(b, env);
      case Exp.Negate n -> negate(n, env);
      case Exp.Not n -> s.applications.not(n, env);
      case Exp.LeftSection l -> s.applications.leftSection(l, env);
      case Exp.RightSection r -> s.applications.rightSection(r, env);
      case Exp.AccessSection a -> accessSection(a, env);
      case Exp.Lambda l -> s.functions.lambda(l, null, env);
      case Exp.Let l -> let(l, env);
      case Exp.LetFunction l -> s.functions.letFunction(l, env);
      case Exp.If i -> conditional(i, env);
      case Exp.Match m -> s.matches.match(m, env);
      case Exp.Loop l -> s.loops.loop(l, env);
      case Exp.Ascribe a -> {
        var e = check(a.exp(), env);
        s.expect(s.types.inferring(a.type(), env), e.type(), a.span(), "This expression");
        yield e;
      }
      case Exp.Coerce c -> coerce(c, env);
      case Exp.Assert a -> {
        var condition = check(a.condition(), env);
        s.expect(Types.BOOL, condition.type(), a.condition().span(), "The condition");
        var text = PrettyPrinter.print(a.condition()).strip();
        yield new TypedExp.Assert(condition, check(a.value(), env), text, a.span());
      }
      case Exp.Attributed a -> {
        s.attributes.check(a.attribute(), env);
        s.attributes.check(a.attribute(), a.exp());
        yield new TypedExp.Attributed(a.attribute(), check(a.exp(), env), a.span());
      }
    };
  }

  /** Returns the type of a literal, as far as the literal tells it. */
  SType literalType(Literal l, Span span) {
    return switch (l) {
      case Literal.Bool _ -> Types.BOOL;
      case Literal.Int i when i.suffix().isPresent() -> suffix(i.suffix().get(), span);
      case Literal.Float f when f.suffix().isPresent() -> suffix(f.suffix().get(), span);
      case Literal.Int _ -> s.inference.newType(Inference.NUMERIC);
      case Literal.Float _ ->
          s.inference.newType(new Constraint.OneOf(EnumSet.of(Prim.F16, Prim.F32, Prim.F64)));
      case Literal.Char c -> {
        var t = s.inference.newType(Inference.oneOf(Prim::isInteger));
        if (c.codePoint() < 256) {
          s.characters.add(t);
        }
        yield t;
      }
    };
  }

  private static SType suffix(String text, Span span) {
    return Prim.named(text)
        .<SType>map(SType.Scalar::new)
        .orElseThrow(() -> Session.error(K2002, span, "\"" + text + "\" is no type of numbers"));
  }

  private TypedExp literal(Literal l, boolean negative, Span span) {
    if (l instanceof Literal.Bool b) {
      return new TypedExp.Constant(Prim.BOOL, b.value() ? 1 : 0, span);
    }
    return new TypedExp.Pending(l, negative, literalType(l, span), span);
  }

  private TypedExp text(Exp.Text t) {
    int bytes = t.text().getBytes(StandardCharsets.UTF_8).length;
    return new TypedExp.Text(t.text(), Types.array(new Size.Const(bytes), Types.U8), t.span());
  }

  private TypedExp array(Exp.Array a, Env env) {
    SType element = s.inference.newElement();
    List<TypedExp> elements = new ArrayList<>();
    for (var x : a.elements()) {
      var e = check(x, env);
      s.expect(element, e.type(), x.span(), "This element");
      elements.add(e);
    }
    var type = Types.array(new Size.Const(elements.size()), element);
    return new TypedExp.Array(elements, type, a.span());
  }

  private TypedExp tuple(Exp.Tuple t, Env env) {
    var fields = Fields.tuple(t.elements().stream().map(e -> check(e, env)).toList());
    return recordOf(fields, t.span());
  }

  private TypedExp record(Exp.Record r, Env env) {
    var fields = new LinkedHashMap<String, TypedExp>();
    for (var f : r.fields()) {
      if (fields.put(f.name(), check(f.value(), env)) != null) {
        throw Session.error(K1005, f.span(), "Duplicate field \"" + f.name() + "\"");
      }
    }
    return recordOf(fields, r.span());
  }

  private TypedExp recordOf(SequencedMap<String, TypedExp> fields, Span span) {
    SortedMap<String, SType> types = Fields.empty();
    fields.forEach((name, e) -> types.put(name, e.type()));
    var type = new SType.Record(types);
    s.bounded(type, span);
    return new TypedExp.Record(fields, type, span);
  }

  private TypedExp construct(Exp.Construct c, Env env) {
    var payload = c.payload().stream().map(e -> check(e, env)).toList();
    SortedMap<String, List<SType>> constructors = Fields.empty();
    constructors.put(c.name(), payload.stream().map(TypedExp::type).toList());
    s.bounded(new SType.Sum(constructors), c.span());
    var type = s.inference.newType(new Constraint.HasConstructors(constructors));
    return new TypedExp.Construct(c.name(), payload, type, c.span());
  }

  TypedExp project(TypedExp record, String field, Span span) {
    if (Types.resolve(record.type()) instanceof SType.Record r) {
      var t = r.fields().get(field);
      if (t == null) {
        throw noField(field, r, span);
      }
      return new TypedExp.Project(record, field, t, span);
    }
    SortedMap<String, SType> fields = Fields.empty();
    var t = s.inference.newType();
    fields.put(field, t);
    s.expect(
        s.inference.newType(new Constraint.HasFields(fields)),
        record.type(),
        span,
        "What \"." + field + "\" is taken from");
    return new TypedExp.Project(record, field, t, span);
  }

  UserError noField(String field, SType.Record r, Span span) {
    return Session.error(
        K2022,
        span,
        "The record has no field \"" + field + "\"",
        Stream.concat(
                Stream.of("its type is \"" + s.printer.type(r) + "\""),
                Stream.of(NearestName.hint(field, r.fields().keySet())))
            .toArray(String[]::new));
  }

  private TypedExp negate(Exp.Negate n, Env env) {
    if (n.operand() instanceof Exp.Constant c && !(c.literal() instanceof Literal.Bool)) {
      return literal(c.literal(), true, n.span());
    }
    return s.applications.negate(n, env);
  }

  private TypedExp accessSection(Exp.AccessSection a, Env env) {
    var type = s.inference.newType();
    var v = s.inference.fresh("x");
    TypedExp e = new TypedExp.Var(v, List.of(), type, a.span());
    s.inference.enter();
    for (var step : a.path()) {
      e =
          switch (step) {
            case Exp.Step.Field f -> project(e, f.name(), f.span());
            case Exp.Step.Index i -> s.slices.index(e, i.slices(), i.span(), env);
          };
    }
    s.inference.leave();
    var param = new TypedPattern.Name(v, type, a.span());
    var result = scopes.close(e.type(), Set.of());
    var arrow = new SType.Arrow(Optional.empty(), type, result);
    return new TypedExp.Lambda(List.of(param), result, e, arrow, a.span());
  }

  private TypedExp let(Exp.Let l, Env env) {
    var value = check(l.value(), env);
    s.inference.enter();
    var inner = env.child();
    var sizes = sizeBinders(l.sizes(), inner);
    var pattern = boundPattern(l, sizes, value, inner);
    var body = check(l.body(), inner);
    s.inference.leave();
    var exit = scopes.exit(unfolded(pattern, value, body.type()));
    return exit.bind(new TypedExp.Let(sizes, pattern, value, body, exit.type(), l.span()));
  }

  /** Replaces sizes: outside of {@code let n = e in body}, the size {@code n} is {@code e}. */
  private static SType unfolded(TypedPattern pattern, TypedExp value, SType type) {
    if (!(pattern instanceof TypedPattern.Name n)
        || !(Types.resolve(value.type()) instanceof SType.Scalar(var prim) && prim == Prim.I64)
        || !Types.mentions(type, n.name())) {
      return type;
    }
    var size = SizeExps.asSize(value);
    return size == null ? type : Types.subst(type, Map.of(n.name(), new TypeArg.OfSize(size)));
  }

  /** Declares the sizes in front of a pattern. */
  List<VName> sizeBinders(List<Exp.SizeBinder> sizes, Env env) {
    List<VName> out = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (var size : sizes) {
      if (!seen.add(size.name())) {
        throw Session.error(K1006, size.span(), "Name \"" + size.name() + "\" is bound twice here");
      }
      var v = s.inference.freshSize(size.name());
      env.add(size.name(), new Env.Local(v, Types.I64));
      out.add(v);
    }
    return out;
  }

  /**
   * Checks a pattern with names of sizes in front, which stand for whatever sizes the value has.
   */
  private TypedPattern boundPattern(Exp.Let l, List<VName> sizes, TypedExp value, Env inner) {
    if (sizes.isEmpty()) {
      return s.patterns.check(l.pattern(), value.type(), inner);
    }
    var expected = s.inference.newType();
    var bound = new Patterns.Bound(l.sizes().stream().map(Exp.SizeBinder::name));
    var pattern = s.patterns.check(l.pattern(), expected, inner, bound);
    s.functions.readable(sizes, pattern.type(), l.pattern().span());
    var found = s.loops.flexible(pattern.type(), new HashSet<>(sizes));
    s.expect(found, value.type(), l.value().span(), "The value");
    return pattern;
  }

  private TypedExp conditional(Exp.If i, Env env) {
    var condition = check(i.condition(), env);
    s.expect(Types.BOOL, condition.type(), i.condition().span(), "The condition");
    s.inference.enter();
    var then = check(i.then(), env);
    var otherwise = check(i.otherwise(), env);
    s.inference.leave();
    var joined =
        s.matches.join(
            then.type(), otherwise.type(), i.otherwise().span(), "Branches have different types");
    s.noFunctions(
        joined.type(), i.span(), "The result of a conditional can't be or hold a function");
    return joined.bind(new TypedExp.If(condition, then, otherwise, joined.type(), i.span()));
  }

  /**
   * Checks a coercion. The sizes of its type are checked when the program runs; a size that the
   * type leaves out is the expression's.
   */
  private TypedExp coerce(Exp.Coerce c, Env env) {
    var e = check(c.exp(), env);
    var type = Types.strip(s.types.inferring(c.type(), env));
    var blurred = s.loops.blurred(type);
    s.expect(blurred, e.type(), c.span(), "This expression");
    s.loops.fillIn(type, e.type());
    return new TypedExp.Coerce(e, type, c.span());
  }
}
