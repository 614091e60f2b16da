package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K1022;
import static dev.kenaz.error.ErrorCode.K1023;
import static dev.kenaz.error.ErrorCode.K1024;
import static dev.kenaz.error.ErrorCode.K1025;
import static dev.kenaz.error.ErrorCode.K1026;
import static dev.kenaz.error.ErrorCode.K1027;
import static dev.kenaz.error.ErrorCode.K3003;

import dev.kenaz.error.Span;
import dev.kenaz.source.Liftedness;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks whether a module is of a module type, and makes the module that is seen through that type.
 */
final class Matching {
  private final Session s;
  private final Signatures signatures;
  private final Zonker zonker;

  Matching(Session session, Signatures signatures) {
    this.s = session;
    this.signatures = signatures;
    this.zonker = new Zonker(session, false);
  }

  /** Returns a module with only what the type names, but with the module's own types. */
  Env.Module transparent(Env.Module m, Signature type, Span span) {
    var known = representations(m, type, span);
    var seen = type.expand(s.inference, known);
    return new Env.Struct(match(struct(m, span), seen.env(), seen.env(), "", Map.of(), span));
  }

  /**
   * Returns a module with only what the type names, where each abstract type is a new one, which
   * equals no other.
   */
  Env.Module opaque(Env.Module m, Signature type, Span span) {
    var known = representations(m, type, span);
    s.representations.putAll(known);
    var seen = type.expand(s.inference, known);
    return new Env.Struct(match(struct(m, span), seen.env(), type.env(), "", Map.of(), span));
  }

  private static Env struct(Env.Module m, Span span) {
    return switch (m) {
      case Env.Struct(var env) -> env;
      case Env.BrokenModule _ -> throw new Poisoned();
      case Env.Module _ ->
          throw Session.error(
              K1024, span, "This is a parametric module, which it should not be here");
    };
  }

  /** Returns the module's type for each abstract type. */
  private Map<VName, TypeDef> representations(Env.Module m, Signature type, Span span) {
    Map<VName, TypeDef> known = new HashMap<>();
    for (var a : type.abstracts()) {
      var env = struct(m, span);
      for (var module : a.path().subList(0, a.path().size() - 1)) {
        env =
            env.module(module) instanceof Env.Struct(var inner)
                ? inner
                : missing("module", module, span);
      }
      var name = a.path().getLast();
      var found = env.type(name);
      if (found == null) {
        missing("type", name, span);
      }
      if (found.result() == null) {
        throw new Poisoned();
      }
      if (!sameKinds(a.binding().params(), found.params())) {
        throw Session.error(
            K1022,
            span,
            "The type \"" + name + "\" does not take the arguments that it should",
            "declare its parameters as the module type does");
      }
      signatures.fits(a.binding().liftedness(), found.result(), name, span);
      notLifted(a.binding(), found, name, span);
      known.put(a.name(), new TypeDef(found.params(), found.result()));
    }
    return known;
  }

  /** Checks that a type doesn't hide more than the abstract type that it stands for. */
  private static void notLifted(
      Env.TypeBinding asked, Env.TypeBinding actual, String name, Span span) {
    if (actual.liftedness().compareTo(asked.liftedness()) > 0) {
      throw Session.error(
          K1023,
          span,
          "The type \"%s\" is %s in the module, but %s in its type"
              .formatted(name, describe(actual.liftedness()), describe(asked.liftedness())),
          "declare it alike in both");
    }
    paramsFit(asked.params(), actual.params(), name, span);
  }

  /** Whether a type takes all arguments that one with the parameters asked for takes. */
  static void paramsFit(List<TypeParam> asked, List<TypeParam> actual, String name, Span span) {
    for (int i = 0; i < asked.size(); i++) {
      if (asked.get(i) instanceof TypeParam.OfType p
          && actual.get(i) instanceof TypeParam.OfType q
          && p.liftedness().compareTo(q.liftedness()) > 0) {
        throw Session.error(
            K1023,
            span,
            "The parameter '%s of the type \"%s\" is %s in the module, but %s in its type"
                .formatted(
                    q.name().base(), name, describe(q.liftedness()), describe(p.liftedness())),
            "declare it alike in both");
      }
    }
  }

  private static String describe(Liftedness l) {
    return switch (l) {
      case UNLIFTED -> "not lifted";
      case SIZE_LIFTED -> "size-lifted";
      case LIFTED -> "lifted";
    };
  }

  private static boolean sameKinds(List<TypeParam> a, List<TypeParam> b) {
    if (a.size() != b.size()) {
      return false;
    }
    for (int i = 0; i < a.size(); i++) {
      if (a.get(i) instanceof TypeParam.OfSize != b.get(i) instanceof TypeParam.OfSize) {
        return false;
      }
    }
    return true;
  }

  private static <T> T missing(String what, String name, Span span) {
    throw Session.error(
        K1025, span, "Module does not define a " + what + " named \"" + name + "\"");
  }

  /**
   * @param known what the module type asks for, with abstract types replaced
   * @param shown the same, as it is to be seen from outside
   */
  private Env match(
      Env module, Env known, Env shown, String path, Map<VName, TypeArg> outer, Span span) {
    var out = new Env(null);
    var by = sizes(module, known, shown, outer);
    shown.ownTypes().forEach((name, t) -> out.add(name, subst(t, by)));
    shown.ownModuleTypes().forEach(out::add);
    known
        .ownTypes()
        .forEach((name, t) -> matchType(module.type(name), subst(t, by), path + name, span));
    known
        .ownValues()
        .forEach(
            (name, v) ->
                out.add(
                    name,
                    matchValue(
                        module.value(name),
                        subst((Env.Def) v, by),
                        subst((Env.Def) shown.ownValues().get(name), by),
                        path + name,
                        span)));
    known
        .ownModules()
        .forEach(
            (name, m) -> {
              var actual = module.module(name);
              if (actual == null) {
                missing("module", path + name, span);
              }
              out.add(
                  name,
                  switch (m) {
                    case Env.Struct(var inner) ->
                        new Env.Struct(
                            match(
                                struct(actual, span),
                                inner,
                                ((Env.Struct) shown.ownModules().get(name)).env(),
                                path + name + ".",
                                by,
                                span));
                    case Env.AbstractFunctor f ->
                        new Env.SealedFunctor(actual, f.scope(), f.type());
                    case Env.Module _ -> actual;
                  });
            });
    return out;
  }

  /**
   * Maps the values that a module type and its submodules ask for to the module's own values, for
   * the types in which such a value is a size.
   */
  private static Map<VName, TypeArg> sizes(
      Env module, Env known, Env shown, Map<VName, TypeArg> outer) {
    Map<VName, TypeArg> by = new HashMap<>(outer);
    known
        .ownValues()
        .forEach(
            (name, v) -> {
              if (v instanceof Env.Def asked && asked.params().isEmpty()) {
                inSizes(module.value(name))
                    .ifPresent(
                        size -> {
                          by.put(asked.name(), size);
                          by.put(((Env.Def) shown.ownValues().get(name)).name(), size);
                        });
              }
            });
    known
        .ownModules()
        .forEach(
            (name, m) -> {
              if (m instanceof Env.Struct(var asked)
                  && module.module(name) instanceof Env.Struct(var actual)
                  && shown.ownModules().get(name) instanceof Env.Struct(var seen)) {
                by.putAll(sizes(actual, asked, seen, Map.of()));
              }
            });
    return by;
  }

  /** Returns a value as it stands in sizes; nothing if its type has parameters. */
  private static Optional<TypeArg> inSizes(Env.Value v) {
    if (v instanceof Env.IntrinsicDef d && d.params().isEmpty()) {
      var args = d.args().orElse(List.of());
      var f = new TypedExp.Intrinsic(d.name(), args, d.type(), Span.NONE);
      return Optional.of(new TypeArg.OfSize(new Size.Of(f)));
    }
    if (!(v instanceof Env.Def d) || !d.params().isEmpty()) {
      return Optional.empty();
    }
    var args = d.args().orElse(List.of());
    boolean plain = args.isEmpty() && Types.resolve(d.type()) instanceof SType.Scalar;
    return Optional.of(
        new TypeArg.OfSize(
            plain
                ? new Size.Var(d.name())
                : new Size.Of(new TypedExp.Var(d.name(), args, d.type(), Span.NONE))));
  }

  private static Env.Def subst(Env.Def d, Map<VName, TypeArg> by) {
    return by.isEmpty()
        ? d
        : new Env.Def(d.name(), d.params(), Types.subst(d.type(), by), d.args());
  }

  private static Env.TypeBinding subst(Env.TypeBinding t, Map<VName, TypeArg> by) {
    return by.isEmpty() || t.result() == null
        ? t
        : new Env.TypeBinding(t.params(), t.liftedness(), Types.subst(t.result(), by));
  }

  private void matchType(Env.TypeBinding actual, Env.TypeBinding asked, String name, Span span) {
    if (actual == null) {
      missing("type", name, span);
    }
    if (actual.result() == null) {
      throw new Poisoned();
    }
    if (!sameKinds(asked.params(), actual.params())) {
      throw Session.error(
          K1022,
          span,
          "The type \"" + name + "\" does not take the arguments that it should",
          "declare its parameters as the module type does");
    }
    Map<VName, TypeArg> by = new HashMap<>();
    for (int i = 0; i < asked.params().size(); i++) {
      by.put(
          actual.params().get(i).name(),
          switch (asked.params().get(i)) {
            case TypeParam.OfSize p -> new TypeArg.OfSize(new Size.Var(p.name()));
            case TypeParam.OfType p -> new TypeArg.OfType(new SType.Var(p.name()));
          });
    }
    for (int i = 0;
        i < Math.min(actual.result().sizes().size(), asked.result().sizes().size());
        i++) {
      by.put(
          actual.result().sizes().get(i),
          new TypeArg.OfSize(new Size.Var(asked.result().sizes().get(i))));
    }
    try {
      s.unifier.unify(asked.result().type(), Types.subst(actual.result().type(), by));
    } catch (Mismatch m) {
      var printer = TypePrinter.ofTwo(asked.result().type(), actual.result().type());
      throw Session.error(
          K1026,
          span,
          "The type \"%s\" should be \"%s\", but the module has \"%s\""
              .formatted(name, printer.result(asked.result()), printer.result(actual.result())),
          m.message(printer));
    }
  }

  private Env.Value matchValue(
      Env.Value actual, Env.Def known, Env.Def shown, String name, Span span) {
    return switch (actual) {
      case null -> missing("value", name, span);
      case Env.Broken b -> b;
      case Env.Def d -> {
        var place = s.places.get(d.name());
        var args = args(d.params(), d.type(), known, shown, name, span, place);
        yield new Env.Def(
            d.name(),
            shown.params(),
            zonker.type(shown.type()),
            Optional.of(through(d.params(), d.args(), args)));
      }
      case Env.IntrinsicDef d -> {
        var args = args(d.params(), d.type(), known, shown, name, span, null);
        yield new Env.IntrinsicDef(
            d.name(),
            shown.params(),
            zonker.type(shown.type()),
            Optional.of(through(d.params(), d.args(), args)));
      }
      case Env.Local _, Env.Overloaded _, Env.Syntax _ -> missing("value", name, span);
    };
  }

  /**
   * Returns the definition's own arguments, which are not the given ones if the module has been
   * seen through a module type before.
   */
  private static List<TypeArg> through(
      List<TypeParam> params, Optional<List<TypeArg>> own, List<TypeArg> args) {
    return own.map(xs -> Types.mapList(xs, a -> Types.substArg(a, Types.bind(params, args))))
        .orElse(args);
  }

  /**
   * Returns a constant's type, where those sizes are open that the type seen from outside hides.
   */
  private SType opened(Env.Def asked, Env.Def shown) {
    if (Types.stripTop(asked.type()) instanceof SType.Arrow) {
      return asked.type();
    }
    Map<VName, TypeArg> by = new HashMap<>();
    for (var p : asked.params().subList(shown.params().size(), asked.params().size())) {
      by.put(p.name(), new TypeArg.OfSize(s.inference.anySize()));
    }
    return Types.subst(asked.type(), by);
  }

  /**
   * Returns what the definition's parameters are, in terms of those that the module type names.
   *
   * @param place the place of the definition, or null
   */
  private List<TypeArg> args(
      List<TypeParam> params,
      SType type,
      Env.Def asked,
      Env.Def shown,
      String name,
      Span span,
      Span place) {
    s.inference.enter();
    asked.params().forEach(p -> s.inference.bindHere(p.name()));
    var args = s.inference.instantiate(params);
    var actual = Types.subst(type, Types.bind(params, args));
    try {
      s.unifier.unify(opened(asked, shown), actual);
      if (!Types.returnsAsUnique(asked.type(), actual)) {
        throw new Mismatch(false, "its result is not unique");
      }
    } catch (Mismatch m) {
      var printer = TypePrinter.ofTwo(asked.type(), type);
      var why = m.message(printer);
      throw Session.error(
          m.ofSizes ? K3003 : K1027,
          span,
          "Value \"%s\" does not match the module type\nExpected: %s\nActual:   %s"
              .formatted(name, printer.type(asked.type()), printer.type(type)),
          place == null ? new String[] {why} : new String[] {why, "it is defined at " + place});
    } finally {
      s.inference.leave();
    }
    List<TypeArg> out = new ArrayList<>();
    // Only values tell the sizes that the types seen from outside hide.
    Map<VName, TypeArg> hidden = new HashMap<>();
    for (var p : asked.params().subList(shown.params().size(), asked.params().size())) {
      hidden.put(p.name(), new TypeArg.OfSize(Size.ANY));
    }
    args.forEach(a -> out.add(Types.substArg(zonker.arg(a), hidden)));
    return out;
  }
}
