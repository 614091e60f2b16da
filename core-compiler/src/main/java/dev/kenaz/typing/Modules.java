package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K1010;
import static dev.kenaz.error.ErrorCode.K1024;

import dev.kenaz.error.Span;
import dev.kenaz.source.Declaration;
import dev.kenaz.source.ModuleExp;
import dev.kenaz.source.ModuleParam;
import dev.kenaz.source.ModuleTypeExp;
import dev.kenaz.source.SourceFile;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks module expressions. A parametric module is checked where it is defined, with an abstract
 * argument; each application checks its body again, with the argument's own types, and only then do
 * its definitions become part of the program.
 */
final class Modules {
  private final Session s;
  private final Signatures signatures;
  private final Matching matching;
  private final Declarations declarations;
  private final ImportResolver imports;
  private final Env top;
  private final Map<String, Env> imported = new HashMap<>();
  private final Set<String> importing = new LinkedHashSet<>();

  /**
   * @param top the names that every file sees
   */
  Modules(Session session, ImportResolver imports, Env top) {
    this.s = session;
    this.imports = imports;
    this.top = top;
    this.signatures = new Signatures(session);
    this.matching = new Matching(session, signatures);
    this.declarations = new Declarations(session, this);
  }

  /** Checks the root file. */
  Env root(SourceFile file, Output out) {
    importing.add(file.name());
    return declarations.check(
        file.declarations(), top, new Declarations.Place(file.name(), true, false), out);
  }

  /** Checks a file of the prelude. */
  Env prelude(SourceFile file, Env scope, Output out) {
    return declarations.check(
        file.declarations(), scope, new Declarations.Place(file.name(), false, false), out);
  }

  Signature signature(ModuleTypeExp type, Env scope) {
    var functor = signatures.functor(type, scope);
    if (functor.isPresent()) {
      var param = parameter(Optional.empty(), functor.get().type(), functor.get().scope());
      signature(functor.get().type().result(), param);
      return new Signature(new Env(null), List.of());
    }
    return signatures.signature(type, scope);
  }

  /** Returns the scope of a functor type's result, which has an abstract parameter. */
  private Env parameter(Optional<Env.Module> actual, ModuleTypeExp.Function f, Env scope) {
    var inner = scope.child();
    f.name().ifPresent(n -> inner.add(n, actual.orElseGet(() -> abstractModule(f.param(), scope))));
    return inner;
  }

  private Env.Module abstractModule(ModuleTypeExp type, Env scope) {
    var functor = signatures.functor(type, scope);
    return functor.isPresent()
        ? functor.get()
        : new Env.Struct(signatures.signature(type, scope).env());
  }

  Env.Module declared(Declaration.Module m, Env scope, Declarations.Place place, Output out) {
    if (m.params().isEmpty()) {
      var body = module(m.body(), scope, inside(place), out);
      return m.ascription().map(t -> seal(body, t, scope, m.span())).orElse(body);
    }
    var functor = curried(m.params(), m.ascription(), m.body(), scope.copy(), m.span());
    checkAbstractly(functor, inside(place), out);
    return functor;
  }

  private static Declarations.Place inside(Declarations.Place place) {
    return new Declarations.Place(place.file(), false, true);
  }

  private static Env.Functor curried(
      List<ModuleParam> params,
      Optional<ModuleTypeExp> ascription,
      ModuleExp body,
      Env scope,
      Span span) {
    var rest = params.subList(1, params.size());
    if (rest.isEmpty()) {
      return new Env.Functor(scope, params.getFirst(), ascription, body);
    }
    for (int i = rest.size() - 1; i >= 0; i--) {
      body = new ModuleExp.Lambda(rest.get(i), ascription, body, span);
      ascription = Optional.empty();
    }
    return new Env.Functor(scope, params.getFirst(), Optional.empty(), body);
  }

  private void checkAbstractly(Env.Functor f, Declarations.Place place, Output out) {
    var param = abstractModule(f.param().type(), f.scope());
    var inner = f.scope().child().add(f.param().name(), param);
    var body = module(f.body(), inner, place, out.discarding());
    f.ascription().ifPresent(t -> seal(body, t, inner, f.body().span()));
  }

  Env.Module module(ModuleExp m, Env scope, Declarations.Place place, Output out) {
    return switch (m) {
      case ModuleExp.Name n -> s.names.module(n.name(), n.span(), scope);
      case ModuleExp.Block b ->
          new Env.Struct(declarations.check(b.declarations(), scope, inside(place), out));
      case ModuleExp.Import i -> new Env.Struct(imported(i, place, out));
      case ModuleExp.Seal x ->
          seal(module(x.module(), scope, place, out), x.type(), scope, x.span());
      case ModuleExp.Lambda l -> {
        var functor = new Env.Functor(scope.copy(), l.param(), l.ascription(), l.body());
        checkAbstractly(functor, inside(place), out);
        yield functor;
      }
      case ModuleExp.Apply a -> {
        var f = module(a.function(), scope, place, out);
        yield apply(f, module(a.argument(), scope, place, out), a.span(), inside(place), out);
      }
    };
  }

  private Env.Module apply(
      Env.Module f, Env.Module argument, Span span, Declarations.Place place, Output out) {
    return switch (f) {
      case Env.Functor x -> {
        var param = argument(argument, x.param().type(), x.scope(), span);
        var inner = x.scope().child().add(x.param().name(), param);
        var body = module(x.body(), inner, place, out);
        yield x.ascription().map(t -> seal(body, t, inner, span)).orElse(body);
      }
      case Env.SealedFunctor x -> {
        var param = argument(argument, x.type().param(), x.scope(), span);
        var body = apply(x.implementation(), param, span, place, out);
        yield seal(
            body, x.type().result(), parameter(Optional.of(param), x.type(), x.scope()), span);
      }
      case Env.AbstractFunctor x -> {
        var param = argument(argument, x.type().param(), x.scope(), span);
        yield abstractModule(x.type().result(), parameter(Optional.of(param), x.type(), x.scope()));
      }
      case Env.Struct _ ->
          throw Session.error(K1024, span, "This module is not parametric: it takes no argument");
      case Env.Lazy l -> apply(l.module().get(), argument, span, place, out);
      case Env.BrokenModule _ -> throw new Poisoned();
    };
  }

  private Env.Module argument(Env.Module m, ModuleTypeExp type, Env scope, Span span) {
    var functor = signatures.functor(type, scope);
    return functor.isPresent()
        ? sealFunctor(m, functor.get(), span)
        : matching.transparent(m, signatures.signature(type, scope), span);
  }

  private Env.Module seal(Env.Module m, ModuleTypeExp type, Env scope, Span span) {
    var functor = signatures.functor(type, scope);
    return functor.isPresent()
        ? sealFunctor(m, functor.get(), span)
        : matching.opaque(m, signatures.signature(type, scope), span);
  }

  private static Env.Module sealFunctor(Env.Module m, Env.AbstractFunctor type, Span span) {
    if (m instanceof Env.Struct) {
      throw Session.error(
          K1024,
          span,
          "A parametric module is needed here",
          "give the module a parameter: `module m (p: t) = ...`");
    }
    return new Env.SealedFunctor(m, type.scope(), type.type());
  }

  private Env imported(ModuleExp.Import i, Declarations.Place place, Output out) {
    if (i.path().startsWith("/prelude/")) {
      return top;
    }
    var file = imports.resolve(place.file(), i.path(), i.span());
    var known = imported.get(file.name());
    if (known != null) {
      return known;
    }
    if (!importing.add(file.name())) {
      throw Session.error(
          K1010,
          i.span(),
          "The files import each other: " + String.join(" → ", importing) + " → " + file.name());
    }
    int level = s.inference.level();
    s.inference.setLevel(0);
    var env =
        declarations.check(
            file.declarations(), top, new Declarations.Place(file.name(), false, false), out);
    s.inference.setLevel(level);
    importing.remove(file.name());
    imported.put(file.name(), env);
    return env;
  }
}
