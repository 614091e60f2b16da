package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K1001;
import static dev.kenaz.error.ErrorCode.K1002;
import static dev.kenaz.error.ErrorCode.K1003;
import static dev.kenaz.error.ErrorCode.K1004;
import static dev.kenaz.error.ErrorCode.K1007;
import static dev.kenaz.error.ErrorCode.K1011;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.source.QualName;
import dev.kenaz.source.TypeExp;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Looks names up, through modules and record fields. */
record Names(Session s) {
  /**
   * Finds a variable, a field of one, or a value in a module: {@code a.b.c} may be any of these.
   */
  TypedExp value(QualName name, Span span, Env env) {
    if (name.quals().isEmpty()) {
      return reference(find(env, name.base(), span), name.base(), span);
    }
    var at = env;
    int i = 0;
    for (; i < name.quals().size(); i++) {
      var q = name.quals().get(i);
      boolean hidden = i == 0 && env.isValue(q) && mayHaveFields(env.value(q));
      if (!hidden && at.module(q) instanceof Env.BrokenModule) {
        throw new Poisoned();
      }
      if (hidden || !(at.module(q) instanceof Env.Struct(var inner))) {
        break;
      }
      at = inner;
    }
    if (i == name.quals().size()) {
      return reference(member(at, name, span), name.base(), span);
    }
    var head = name.quals().get(i);
    if (at.value(head) == null) {
      if (at.module(head) != null) {
        throw Session.error(
            K1007, span, "Module \"" + head + "\" is a parametric module: it has no members");
      }
      throw i == 0
          ? unknown(K1002, "module or record", head, span, at.nearest(head, Env::ownModules))
          : unknown(K1002, "module", head, span, at.nearest(head, Env::ownModules));
    }
    var e = reference(at.value(head), head, span);
    for (int j = i + 1; j < name.quals().size(); j++) {
      e = s.expressions.project(e, name.quals().get(j), span);
    }
    return s.expressions.project(e, name.base(), span);
  }

  /**
   * Whether a value may have fields. A function has none, so that a module of its name in an outer
   * scope can still be meant.
   */
  private static boolean mayHaveFields(Env.Value v) {
    return v instanceof Env.Local
        || v instanceof Env.Def d && !(Types.stripTop(d.type()) instanceof SType.Arrow);
  }

  /** Demands that a value of that name is in scope. */
  void variable(String name, Span span, Env env) {
    find(env, name, span);
  }

  /** Returns what a name is bound to; null if it is unbound. */
  Env.Value binding(QualName name, Env env) {
    var at = env;
    for (var q : name.quals()) {
      if (!(at.module(q) instanceof Env.Struct(var inner))) {
        return null;
      }
      at = inner;
    }
    return at.value(name.base());
  }

  private Env.Value find(Env env, String name, Span span) {
    var v = env.value(name);
    if (v == null) {
      throw unknown(K1001, "name", name, span, env.nearest(name, Env::ownValues));
    }
    return v;
  }

  private Env.Value member(Env module, QualName name, Span span) {
    var v = module.value(name.base());
    if (v == null) {
      throw unknown(
          K1001, "name", name.toString(), span, module.nearest(name.base(), Env::ownValues));
    }
    return v;
  }

  static UserError unknown(ErrorCode code, String what, String name, Span span, String nearest) {
    var message = "Unknown " + what + " \"" + name + "\"";
    return nearest == null
        ? Session.error(code, span, message)
        : Session.error(code, span, message, "did you mean \"" + nearest + "\"?");
  }

  private TypedExp reference(Env.Value v, String written, Span span) {
    if (written.startsWith("_")) {
      throw Session.error(
          K1011,
          span,
          "Use of \"" + written + "\": a name that begins with an underscore may not be used",
          "rename it where it is bound, `" + written.replaceFirst("^_+", "") + "`");
    }
    return switch (v) {
      case Env.Local l -> new TypedExp.Var(l.name(), List.of(), l.type(), span);
      case Env.Def d -> {
        if (s.defining.contains(d.name())) {
          s.recursive.add(d.name());
        }
        var args = s.inference.instantiate(d.params());
        Map<VName, TypeArg> by = Types.bind(d.params(), args);
        var own = d.args().map(xs -> Types.mapList(xs, a -> Types.substArg(a, by))).orElse(args);
        s.localFunctions.use(d.name(), args, span);
        yield new TypedExp.Var(d.name(), own, Types.subst(d.type(), by), span);
      }
      case Env.IntrinsicDef d -> {
        var args = s.inference.instantiate(d.params());
        Map<VName, TypeArg> by = Types.bind(d.params(), args);
        var own = d.args().map(xs -> Types.mapList(xs, a -> Types.substArg(a, by))).orElse(args);
        yield new TypedExp.Intrinsic(d.name(), own, Types.subst(d.type(), by), span);
      }
      case Env.Overloaded o -> {
        var operand = s.inference.newType(o.operator().operands());
        yield new TypedExp.Intrinsic(
            o.operator().symbol(),
            List.of(new TypeArg.OfType(operand)),
            Operators.type(o.operator(), operand),
            span);
      }
      case Env.Syntax x -> s.applications.asFunction(x.symbol(), span);
      case Env.Broken _ -> throw new Poisoned();
    };
  }

  Env.TypeBinding type(TypeExp.Name n, Env env) {
    var found = lookup(n.name(), n.span(), env, K1003, "type", Env::type, e -> e.ownTypes());
    if (found.result() == null) {
      throw new Poisoned();
    }
    return found;
  }

  Env.Module module(QualName name, Span span, Env env) {
    var found = lookup(name, span, env, K1002, "module", Env::module, e -> e.ownModules());
    if (found instanceof Env.BrokenModule) {
      throw new Poisoned();
    }
    return found;
  }

  Env.ModuleType moduleType(QualName name, Span span, Env env) {
    return lookup(name, span, env, K1004, "module type", Env::moduleType, e -> e.ownModuleTypes());
  }

  private <T> T lookup(
      QualName name,
      Span span,
      Env env,
      ErrorCode code,
      String what,
      BiFunction<Env, String, T> find,
      Function<Env, Map<String, ?>> table) {
    var at = env;
    for (var q : name.quals()) {
      at =
          switch (at.module(q)) {
            case Env.Struct(var inner) -> inner;
            case null -> throw unknown(K1002, "module", q, span, at.nearest(q, Env::ownModules));
            case Env.BrokenModule _ -> throw new Poisoned();
            case Env.Module _ ->
                throw Session.error(
                    K1007, span, "Module \"" + q + "\" is a parametric module: it has no members");
          };
    }
    var found = find.apply(at, name.base());
    if (found == null) {
      throw unknown(code, what, name.toString(), span, at.nearest(name.base(), table));
    }
    return found;
  }
}
