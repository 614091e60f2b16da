package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K1007;
import static dev.kenaz.error.ErrorCode.K1008;
import static dev.kenaz.error.ErrorCode.K2050;
import static dev.kenaz.error.ErrorCode.K2061;
import static dev.kenaz.error.ErrorCode.K3010;
import static dev.kenaz.error.ErrorCode.K3011;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.source.Declaration;
import dev.kenaz.source.Exp;
import dev.kenaz.source.Liftedness;
import dev.kenaz.source.ModuleExp;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Checks the declarations of a file or a module, one after the other; an error in one does not stop
 * the rest.
 */
final class Declarations {
  private final Session s;
  private final Modules modules;
  private final Zonker zonker;
  private final Entries entries;

  Declarations(Session session, Modules modules) {
    this.s = session;
    this.modules = modules;
    this.zonker = new Zonker(session);
    this.entries = new Entries(session);
  }

  /**
   * Says where declarations stand: in which file, whether that is the program's root, and whether
   * in a module.
   */
  record Place(String file, boolean root, boolean nested) {}

  /** The names of a module while it is being checked. */
  private record Tables(Env scope, Env exports) {
    Env[] both(boolean local) {
      return local ? new Env[] {scope} : new Env[] {scope, exports};
    }
  }

  /**
   * @param outside the scope around the declarations
   * @return the names that they export
   */
  Env check(List<Declaration> declarations, Env outside, Place place, Output out) {
    var tables = new Tables(outside.child(), new Env(null));
    Set<String> seen = new HashSet<>();
    int level = s.inference.level();
    for (var d : declarations) {
      try {
        duplicate(d, seen);
        declaration(d, tables, place, out);
      } catch (UserError e) {
        s.inference.setLevel(level);
        out.error(e);
        broken(d, tables, out);
      } catch (Poisoned e) {
        s.inference.setLevel(level);
        broken(d, tables, out);
      }
    }
    return tables.exports();
  }

  private void duplicate(Declaration d, Set<String> seen) {
    var key =
        switch (d) {
          case Declaration.Value v -> "value " + v.name();
          case Declaration.Type t -> "type " + t.name();
          case Declaration.Module m -> "value " + m.name();
          case Declaration.ModuleType m -> "module type " + m.name();
          case Declaration.Open _, Declaration.Import _ -> null;
        };
    if (key != null && !seen.add(key)) {
      throw Session.error(
          K1008,
          nameSpan(d),
          "Duplicate definition of "
              + (d instanceof Declaration.Module m
                  ? "name \"" + m.name() + "\""
                  : key.replaceFirst(" (\\S+)$", " \"$1\"")),
          "values and modules share their names");
    }
  }

  private static Span nameSpan(Declaration d) {
    return d instanceof Declaration.Value v ? v.nameSpan() : d.span();
  }

  /**
   * Declares names whose definition had an error, so that their use is not reported as one more
   * error.
   */
  private void broken(Declaration d, Tables tables, Output out) {
    for (var env : tables.both(d.modifiers().local())) {
      switch (d) {
        case Declaration.Value v -> env.add(v.name(), new Env.Broken());
        case Declaration.Type t ->
            env.add(t.name(), new Env.TypeBinding(List.of(), Liftedness.UNLIFTED, null));
        case Declaration.Module m -> env.add(m.name(), new Env.BrokenModule());
        case Declaration.ModuleType _, Declaration.Open _, Declaration.Import _ ->
            out.throwErrors();
      }
    }
  }

  private void declaration(Declaration d, Tables tables, Place place, Output out) {
    boolean local = d.modifiers().local();
    switch (d) {
      case Declaration.Value v -> {
        var binding = value(v, tables.scope(), place, out);
        for (var env : tables.both(local)) {
          env.add(v.name(), binding);
        }
      }
      case Declaration.Type t -> {
        var binding = type(t, tables.scope());
        for (var env : tables.both(local)) {
          env.add(t.name(), binding);
        }
      }
      case Declaration.Module m -> {
        var module = modules.declared(m, tables.scope(), place, out);
        for (var env : tables.both(local)) {
          env.add(m.name(), module);
        }
      }
      case Declaration.ModuleType m -> {
        // It is elaborated here once, so that its errors are found.
        modules.signature(m.body(), tables.scope());
        var type = new Env.ModuleType(tables.scope().copy(), m.body());
        for (var env : tables.both(local)) {
          env.add(m.name(), type);
        }
      }
      case Declaration.Open o ->
          open(modules.module(o.module(), tables.scope(), place, out), o.span(), tables, local);
      // The names that a file imports are not seen by those that import the file: `open import` is
      // for that.
      case Declaration.Import i ->
          open(
              modules.module(new ModuleExp.Import(i.path(), i.span()), tables.scope(), place, out),
              i.span(),
              tables,
              true);
    }
  }

  private void open(Env.Module module, Span span, Tables tables, boolean local) {
    if (!(module instanceof Env.Struct(var env))) {
      throw Session.error(K1007, span, "This is a parametric module: it has no members to open");
    }
    for (var e : tables.both(local)) {
      e.open(env);
    }
  }

  private Env.Value value(Declaration.Value v, Env scope, Place place, Output out) {
    if (v.entry() && place.nested()) {
      throw Session.error(
          K2061,
          v.nameSpan(),
          "Entry points may not be declared inside modules",
          "declare it with `def` here, and `entry %s = m.%s` at top level"
              .formatted(v.name(), v.name()));
    }
    s.attributes.check(v.modifiers().attributes(), scope);
    s.localFunctions.reset();
    if (place.file().startsWith("<prelude>")) {
      var alias = alias(v, scope);
      if (alias.isPresent()) {
        return alias.get();
      }
    }
    var defined = define(v, scope);
    s.localFunctions.check();
    var finished = zonker.def(defined.def());
    if (s.recursive.contains(finished.name())) {
      Recursion.check(finished);
    }
    Causality.check(finished, s.inference);
    var result = s.uniqueness.check(finished, v.returnType().isPresent());
    var def = finished.withResult(result);
    if (place.root() && (v.entry() || v.name().equals("main"))) {
      def = entries.expanded(def);
    }
    if (def.params().isEmpty()) {
      def.result().sizes().forEach(s.inference::bindHere);
    }
    out.defs.add(def);
    if (place.root() && (v.entry() || v.name().equals("main"))) {
      var entry = entries.entry(v, def);
      var around = EntrySizes.around(def, s.inference);
      around.ifPresent(out.defs::add);
      out.entries.add(around.isPresent() ? entries.entry(v, around.get()) : entry);
    } else if (v.entry()) {
      entries.entry(v, def);
    }
    var b = defined.binding();
    return new Env.Def(b.name(), b.params(), s.functions.type(def), b.args());
  }

  /**
   * Checks a definition. A name that means something outside keeps that meaning in its own
   * definition, as in {@code def (+) a b = (a.0 + b.0, a.1 + b.1)}; if the outer meaning has the
   * wrong type, the function calls itself.
   */
  private Functions.Defined define(Declaration.Value v, Env scope) {
    var outside = scope.value(v.name());
    if (v.params().isEmpty() || outside == null || outside instanceof Env.Broken) {
      return s.functions.define(source(v, !v.params().isEmpty()), scope);
    }
    int level = s.inference.level();
    int warnings = s.warnings.size();
    try {
      return s.functions.define(source(v, false), scope);
    } catch (UserError e) {
      s.inference.setLevel(level);
      s.localFunctions.reset();
      s.warnings.subList(warnings, s.warnings.size()).clear();
      try {
        return s.functions.define(source(v, true), scope);
      } catch (UserError _) {
        throw e;
      }
    }
  }

  private static Functions.Source source(Declaration.Value v, boolean mayRecurse) {
    return new Functions.Source(
        v.name(),
        v.typeParams(),
        v.params(),
        v.returnType(),
        v.body(),
        v.modifiers().attributes(),
        mayRecurse,
        v.nameSpan());
  }

  /** {@code def f = intrinsics.g} needs no definition of its own. */
  private Optional<Env.Value> alias(Declaration.Value v, Env scope) {
    if (v.params().isEmpty()
        && v.returnType().isEmpty()
        && v.body() instanceof Exp.Var x
        && s.names.binding(x.name(), scope) instanceof Env.IntrinsicDef d) {
      return Optional.of(d);
    }
    return Optional.empty();
  }

  private Env.TypeBinding type(Declaration.Type t, Env scope) {
    s.inference.enter();
    var inner = scope.child();
    var params = s.functions.typeParams(t.params(), inner);
    var result = s.types.existential(t.definition(), inner);
    s.inference.leave();
    s.bounded(result.type(), t.span());
    s.types.constructive(result, t.span(), true);
    for (var p : params) {
      if (p instanceof TypeParam.OfSize && !Types.mentions(result.type(), p.name())) {
        throw Session.error(
            K3011,
            t.span(),
            "Size parameter \"%s\" unused: the type \"%s\" has it nowhere"
                .formatted(p.name().base(), t.name()));
      }
    }
    if (t.liftedness() == Liftedness.UNLIFTED && !result.sizes().isEmpty()) {
      throw Session.error(
          K3010,
          t.span(),
          "The type \"" + t.name() + "\" hides a size",
          "give it a size parameter, or write `type~ " + t.name() + "`");
    }
    if (t.liftedness() != Liftedness.LIFTED) {
      try {
        s.unifier.require(
            result.type(),
            t.liftedness() == Liftedness.UNLIFTED
                ? Constraint.Ability.ELEMENT
                : Constraint.Ability.SIZE_LIFTED);
      } catch (Mismatch m) {
        throw Session.error(
            K2050,
            t.span(),
            "The type \"" + t.name() + "\" is made of more than it says: " + m.getMessage(),
            "write `type^ " + t.name() + "` or `type~ " + t.name() + "`");
      }
    }
    // The numbers in its sizes may still have to be inferred.
    return new Env.TypeBinding(params, t.liftedness(), zonker.result(result));
  }
}
