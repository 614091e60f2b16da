package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K2003;
import static dev.kenaz.error.ErrorCode.K2004;
import static dev.kenaz.error.ErrorCode.K3009;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.source.Exp;
import dev.kenaz.source.QualName;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Checks calls, operators and sections. */
record Applications(Session s) {
  TypedExp apply(Exp.Apply a, Env env) {
    return apply(s.expressions.check(a.function(), env), a.arguments(), List.of(), a.span(), env);
  }

  /**
   * Checks arguments and makes the call. Anonymous functions are checked last, when the types that
   * they are applied to are known.
   *
   * @param more the arguments that follow, which are checked already
   */
  private TypedExp apply(TypedExp f, List<Exp> written, List<TypedExp> more, Span span, Env env) {
    var args = new TypedExp[written.size() + more.size()];
    for (int i = 0; i < more.size(); i++) {
      args[written.size() + i] = more.get(i);
    }
    for (int i = 0; i < written.size(); i++) {
      if (!(written.get(i) instanceof Exp.Lambda)) {
        args[i] = s.expressions.check(written.get(i), env);
      }
    }
    List<SType> params = new ArrayList<>();
    var type = Types.stripTop(f.type());
    for (int i = 0; i < args.length && type instanceof SType.Arrow arrow; i++) {
      params.add(arrow.param());
      type = Types.stripTop(preview(arrow, args[i]));
    }
    List<List<VName>> early = new ArrayList<>(Collections.nCopies(args.length, null));
    if (written.stream().anyMatch(x -> x instanceof Exp.Lambda)) {
      for (int i = 0; i < params.size(); i++) {
        if (args[i] != null) {
          int before = s.inference.released().size();
          if (tryArgument(params.get(i), args[i].type()) != null) {
            break;
          }
          // A function's own sizes are new in each comparison, so it is compared only once.
          if (Types.resolve(args[i].type()) instanceof SType.Arrow) {
            early.set(i, releasedSince(before));
          }
        }
      }
    }
    for (int i = 0; i < written.size(); i++) {
      if (written.get(i) instanceof Exp.Lambda l) {
        args[i] = s.functions.lambda(l, i < params.size() ? params.get(i) : null, env);
      }
    }
    return call(f, List.of(args), early, span, env);
  }

  private List<VName> releasedSince(int before) {
    var all = s.inference.released();
    return List.copyOf(all.subList(Math.min(before, all.size()), all.size()));
  }

  /** Returns the type of the function after an argument, which may not be checked yet. */
  private SType preview(SType.Arrow f, TypedExp arg) {
    var type = f.result().type();
    if (f.name().isEmpty()) {
      return type;
    }
    var size = arg == null ? null : SizeExps.asSize(arg);
    Map<VName, TypeArg> by = new HashMap<>();
    by.put(f.name().get(), new TypeArg.OfSize(size == null ? s.inference.anySize() : size));
    return Types.subst(type, by);
  }

  /** Makes a call whose parts are checked already. */
  private TypedExp call(TypedExp f, List<TypedExp> args, Span span, Env env) {
    return call(f, args, Collections.nCopies(args.size(), null), span, env);
  }

  /**
   * @param early for each argument whose type has been compared with the parameter's already, the
   *     sizes that this released; null for the others
   */
  private TypedExp call(
      TypedExp f, List<TypedExp> args, List<List<VName>> early, Span span, Env env) {
    List<VName> sizes = new ArrayList<>();
    Set<VName> released = new HashSet<>();
    var type = f.type();
    for (int i = 0; i < args.size(); i++) {
      var arrow = function(type, f, i);
      var arg = args.get(i);
      if (early.get(i) == null) {
        int before = s.inference.released().size();
        var mismatch = tryArgument(arrow.param(), arg.type());
        if (mismatch != null) {
          throw argument(arrow.param(), args, i, f, mismatch, env);
        }
        released.addAll(releasedSince(before));
      } else {
        released.addAll(early.get(i));
      }
      type = result(released.isEmpty() ? arrow : ownSizes(arrow, released), arg, sizes);
      knowable(type, released, arg.span());
    }
    s.bounded(type, span);
    // A size that was released from a function's type is now a part of this result, or is hidden in
    // a function in it.
    s.inference.takeReleased().forEach(s.inference::unbind);
    var t = Types.strip(type);
    sizes.removeIf(v -> !Types.mentions(t, v));
    var exit = s.scopes.exit(t);
    sizes.addAll(exit.sizes());
    return new Scopes.Exit(exit.type(), sizes).bind(new TypedExp.Apply(f, args, exit.type(), span));
  }

  private SType.Arrow ownSizes(SType.Arrow f, Set<VName> released) {
    var type = new OwnSizes(s.inference, released).of(f.result().type());
    return new SType.Arrow(f.name(), f.param(), new ReturnType(f.result().sizes(), type));
  }

  /** A size that differs from call to call can't be one of a parameter that is still to come. */
  private void knowable(SType type, Set<VName> released, Span span) {
    for (var v : released) {
      var rest = Types.stripTop(type);
      while (rest instanceof SType.Arrow f) {
        if (Types.mentions(f.param(), v)) {
          throw Session.error(
              K3009,
              span,
              "Existential size would appear in function parameter of return type: \""
                  + v.base()
                  + "\" is known only after each call",
              "apply the functions one after the other, with `|>`");
        }
        rest = Types.stripTop(f.result().type());
      }
    }
  }

  private Mismatch tryArgument(SType param, SType arg) {
    try {
      s.unifier.unify(param, arg);
      return null;
    } catch (Mismatch m) {
      return m;
    }
  }

  private UserError argument(
      SType param, List<TypedExp> args, int i, TypedExp f, Mismatch mismatch, Env env) {
    var arg = args.get(i);
    List<String> hints = new ArrayList<>();
    var forgotten = LikelyOmission.argument(f.type(), args, i, ordinal(i));
    forgotten.ifPresent(hints::add);
    if (forgotten.isEmpty() && surplus(param, arg.type()) > 0) {
      hints.add("there are no implicit maps: write `map (+ 1) xs`, or `map2 (+) xs ys`");
    }
    if (mismatch.ofSizes && LikelyOmission.hints(param, arg.type(), mismatch).isEmpty()) {
      LikelyOmission.transpose(param, arg.type(), env).ifPresent(hints::add);
    }
    return s.mismatch(
        param,
        arg.type(),
        arg.span(),
        "Cannot apply " + describe(f) + " to " + ordinal(i) + " (invalid type)",
        mismatch,
        hints.toArray(String[]::new));
  }

  /**
   * Returns how many dimensions the argument has more than the parameter; 0 where that is not
   * known.
   */
  private static int surplus(SType param, SType arg) {
    int wanted = 0;
    var p = Types.stripTop(param);
    while (p instanceof SType.Array a) {
      wanted++;
      p = Types.stripTop(a.element());
    }
    boolean open = p instanceof SType.Meta m && !(m.constraint instanceof Constraint.OneOf);
    return open ? 0 : Math.max(0, Types.rank(arg) - wanted);
  }

  private static String ordinal(int i) {
    return switch (i) {
      case 0 -> "its first argument";
      case 1 -> "its second argument";
      case 2 -> "its third argument";
      default -> "argument #" + (i + 1);
    };
  }

  private static String describe(TypedExp f) {
    return switch (f) {
      case TypedExp.Var v -> "\"" + v.name().base() + "\"";
      case TypedExp.Intrinsic i when i.name().indexOf('_') < 0 -> "\"" + i.name() + "\"";
      default -> "this function";
    };
  }

  private SType.Arrow function(SType type, TypedExp f, int given) {
    var t = Types.stripTop(type);
    if (t instanceof SType.Arrow a) {
      return a;
    }
    if (t instanceof SType.Meta) {
      var a =
          new SType.Arrow(
              Optional.empty(), s.inference.newType(), ReturnType.of(s.inference.newType()));
      s.expect(a, t, f.span(), "What is applied");
      return a;
    }
    throw given == 0
        ? Session.error(
            K2003,
            f.span(),
            "Cannot apply " + describe(f) + " as function, as it has type " + s.printer.type(t))
        : Session.error(
            K2004,
            f.span(),
            "Cannot apply %s to more than %s%s"
                .formatted(describe(f), given, given == 1 ? " argument" : " arguments"),
            "its type is \"" + s.printer.type(f.type()) + "\"");
  }

  /**
   * Returns the result's type for one argument, where sizes that only the value decides get names.
   */
  private SType result(SType.Arrow f, TypedExp arg, List<VName> sizes) {
    var r = f.result();
    Map<VName, TypeArg> by = new HashMap<>();
    var own = r.sizes().isEmpty() ? Set.<VName>of() : Types.constructive(r.type());
    for (var v : r.sizes()) {
      if (!own.contains(v)) {
        // If the result is a function, the sizes that its written type leaves open are read off its
        // arguments.
        by.put(v, new TypeArg.OfSize(s.inference.anySize(v.base())));
        continue;
      }
      var fresh = s.inference.freshSize(v.base());
      sizes.add(fresh);
      by.put(v, new TypeArg.OfSize(new Size.Var(fresh)));
    }
    var type = r.type();
    if (f.name().isPresent() && Types.mentions(type, f.name().get())) {
      var size = SizeExps.asSize(arg);
      if (size == null) {
        type = hide(type, f.name().get(), sizes);
      } else {
        by.put(f.name().get(), new TypeArg.OfSize(size));
      }
    }
    return Types.subst(type, by);
  }

  /** Replaces sizes that mention a name by names of their own. */
  private SType hide(SType type, VName name, List<VName> sizes) {
    return Types.map(
        type,
        leaf -> leaf,
        size -> {
          boolean[] found = {false};
          SizeExps.eachName(size, v -> found[0] |= v.equals(name), _ -> {});
          if (!found[0]) {
            return size;
          }
          var fresh = s.inference.freshSize(name.base());
          sizes.add(fresh);
          return new Size.Var(fresh);
        });
  }

  TypedExp binary(Exp.Binary b, Env env) {
    var syntax = syntax(b.operator(), env);
    if (syntax != null) {
      return switch (syntax) {
        case "&&", "||" -> shortCircuit(syntax, b, env);
        case "|>" -> {
          var x = s.expressions.check(b.left(), env);
          // The function on the right of a pipe is checked with all its arguments, since that gives
          // better messages.
          yield b.right() instanceof Exp.Apply a
              ? apply(
                  s.expressions.check(a.function(), env), a.arguments(), List.of(x), b.span(), env)
              : apply(s.expressions.check(b.right(), env), List.of(), List.of(x), b.span(), env);
        }
        default -> {
          var f = s.expressions.check(b.left(), env);
          yield apply(f, List.of(b.right()), List.of(), b.span(), env);
        }
      };
    }
    var op = s.names.value(b.operator(), b.operatorSpan(), env);
    var left = s.expressions.check(b.left(), env);
    var right = s.expressions.check(b.right(), env);
    return call(op, List.of(left, right), b.span(), env);
  }

  /** Returns the operator's symbol if it is syntax and no function; else null. */
  private String syntax(QualName operator, Env env) {
    return switch (s.names.binding(operator, env)) {
      case Env.Syntax(var symbol) -> symbol;
      case Env.Def d when d.name().tag() < s.firstTag && isPipe(d.name().base()) -> d.name().base();
      case null, default -> null;
    };
  }

  private static boolean isPipe(String name) {
    return name.equals("|>") || name.equals("<|");
  }

  private TypedExp shortCircuit(String symbol, Exp.Binary b, Env env) {
    var left = s.expressions.check(b.left(), env);
    var right = s.expressions.check(b.right(), env);
    s.expect(Types.BOOL, left.type(), b.left().span(), "The left operand of \"" + symbol + "\"");
    s.expect(Types.BOOL, right.type(), b.right().span(), "The right operand of \"" + symbol + "\"");
    boolean and = symbol.equals("&&");
    var constant = new TypedExp.Constant(Prim.BOOL, and ? 0 : 1, b.operatorSpan());
    return and
        ? new TypedExp.If(left, right, constant, Types.BOOL, b.span())
        : new TypedExp.If(left, constant, right, Types.BOOL, b.span());
  }

  /** Returns a function for an operator that is syntax where it is applied. */
  TypedExp asFunction(String symbol, Span span) {
    var boolean2 = Types.arrows(List.of(Types.BOOL, Types.BOOL), Types.BOOL);
    return switch (symbol) {
      case "&&" -> new TypedExp.Intrinsic("and_bool", List.of(), boolean2, span);
      case "||" -> new TypedExp.Intrinsic("or_bool", List.of(), boolean2, span);
      default -> {
        var a = s.inference.newType();
        var b = s.inference.newType();
        var f = Types.arrow(a, b);
        var x = new TypedPattern.Name(s.inference.fresh("x"), a, span);
        var g = new TypedPattern.Name(s.inference.fresh("f"), f, span);
        var call = new TypedExp.Apply(variable(g), List.of(variable(x)), b, span);
        var params =
            symbol.equals("|>") ? List.<TypedPattern>of(x, g) : List.<TypedPattern>of(g, x);
        var type = Types.arrows(params.stream().map(TypedPattern::type).toList(), b);
        yield new TypedExp.Lambda(params, ReturnType.of(b), call, type, span);
      }
    };
  }

  private static TypedExp variable(TypedPattern.Name p) {
    return new TypedExp.Var(p.name(), List.of(), p.type(), p.span());
  }

  TypedExp negate(Exp.Negate n, Env env) {
    return unary("neg", Inference.NUMERIC, s.expressions.check(n.operand(), env), n.span(), env);
  }

  TypedExp not(Exp.Not n, Env env) {
    var bits = Inference.oneOf(p -> p.isInteger(), p -> p == Prim.BOOL);
    return unary("!", bits, s.expressions.check(n.operand(), env), n.span(), env);
  }

  private TypedExp unary(String op, Constraint operands, TypedExp x, Span span, Env env) {
    var t = s.inference.newType(operands);
    var f = new TypedExp.Intrinsic(op, List.of(new TypeArg.OfType(t)), Types.arrow(t, t), span);
    return call(f, List.of(x), span, env);
  }

  TypedExp leftSection(Exp.LeftSection l, Env env) {
    var op = operator(l.operator(), l.operatorSpan(), env);
    return call(op, List.of(s.expressions.check(l.operand(), env)), l.span(), env);
  }

  private TypedExp operator(QualName name, Span span, Env env) {
    return s.names.value(name, span, env);
  }

  /** Checks a section like {@code (+ e)}. Its operand is evaluated once, outside the function. */
  TypedExp rightSection(Exp.RightSection r, Env env) {
    var op = operator(r.operator(), r.operatorSpan(), env);
    var right = s.expressions.check(r.operand(), env);
    s.inference.enter();
    var x =
        new TypedPattern.Name(
            s.inference.bindHere(s.inference.fresh("x")), s.inference.newType(), r.span());
    boolean simple = right instanceof TypedExp.Pending || right instanceof TypedExp.Var;
    var y = new TypedPattern.Name(s.inference.fresh("y"), right.type(), r.operand().span());
    var body = call(op, List.of(variable(x), simple ? right : variable(y)), r.span(), env);
    s.inference.leave();
    var result = s.scopes.close(body.type(), Set.of(x.name()));
    var name =
        Types.mentions(result.type(), x.name()) ? Optional.of(x.name()) : Optional.<VName>empty();
    var type = new SType.Arrow(name, x.type(), result);
    TypedExp lambda = new TypedExp.Lambda(List.of(x), result, body, type, r.span());
    return simple ? lambda : new TypedExp.Let(List.of(), y, right, lambda, lambda.type(), r.span());
  }
}
