package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K1008;
import static dev.kenaz.error.ErrorCode.K1020;
import static dev.kenaz.error.ErrorCode.K1021;
import static dev.kenaz.error.ErrorCode.K1022;
import static dev.kenaz.error.ErrorCode.K1023;
import static dev.kenaz.error.ErrorCode.K3016;
import static dev.kenaz.error.ErrorCode.K3017;

import dev.kenaz.error.Span;
import dev.kenaz.source.Liftedness;
import dev.kenaz.source.ModuleTypeExp;
import dev.kenaz.source.Spec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Turns module types as written into {@link Signature}s, each time with fresh abstract types. */
record Signatures(Session s) {
  Signature signature(ModuleTypeExp type, Env scope) {
    return switch (type) {
      case ModuleTypeExp.Name n -> {
        var found = s.names.moduleType(n.name(), n.span(), scope);
        yield signature(found.body(), found.scope());
      }
      case ModuleTypeExp.Specs specs -> specs(specs.specs(), scope);
      case ModuleTypeExp.With w -> with(w, scope);
      case ModuleTypeExp.Function f ->
          throw Session.error(K1020, f.span(), "The type of a parametric module can't stand here");
    };
  }

  /** Returns the type of a parametric module with its scope, if the module type is one. */
  Optional<Env.AbstractFunctor> functor(ModuleTypeExp type, Env scope) {
    return switch (type) {
      case ModuleTypeExp.Name n -> {
        var found = s.names.moduleType(n.name(), n.span(), scope);
        yield functor(found.body(), found.scope());
      }
      case ModuleTypeExp.Function f -> Optional.of(new Env.AbstractFunctor(scope, f));
      case ModuleTypeExp.Specs _, ModuleTypeExp.With _ -> Optional.empty();
    };
  }

  private Signature with(ModuleTypeExp.With w, Env scope) {
    var base = signature(w.base(), scope);
    List<String> path = new ArrayList<>(w.type().quals());
    path.add(w.type().base());
    var found =
        base.find(path)
            .orElseThrow(
                () ->
                    Session.error(
                        K1021,
                        w.span(),
                        "The module type has no abstract type \"" + w.type() + "\" to refine"));
    s.inference.enter();
    var inner = scope.child();
    var params = s.functions.typeParams(w.params(), inner);
    var result = s.types.existential(w.definition(), inner);
    s.inference.leave();
    s.types.constructive(result, w.span(), true);
    var expected = found.binding();
    if (params.size() != expected.params().size()) {
      throw Session.error(
          K1022,
          w.span(),
          "The type \"%s\" takes %d arguments, not %d"
              .formatted(w.type(), expected.params().size(), params.size()));
    }
    // From here on it is known what the type is made of, and which sizes it hides.
    fits(expected.liftedness(), ReturnType.of(result.type()), w.type().toString(), w.span());
    Matching.paramsFit(expected.params(), params, w.type().toString(), w.span());
    var def = new TypeDef(params, result);
    return base.expand(s.inference, Signature.known(found.name(), def));
  }

  /** Whether a type may stand for an abstract one of that liftedness. */
  void fits(Liftedness expected, ReturnType actual, String name, Span span) {
    try {
      if (expected == Liftedness.UNLIFTED && !actual.sizes().isEmpty()) {
        throw new Mismatch(true, "it hides a size");
      }
      if (expected != Liftedness.LIFTED) {
        s.unifier.require(
            actual.type(),
            expected == Liftedness.UNLIFTED
                ? Constraint.Ability.ELEMENT
                : Constraint.Ability.SIZE_LIFTED);
      }
    } catch (Mismatch m) {
      throw Session.error(
          K1023,
          span,
          "The type \"" + name + "\" may not be \"" + s.printer.result(actual) + "\" here",
          m.getMessage());
    }
  }

  private Signature specs(List<Spec> specs, Env scope) {
    var inner = scope.child();
    var env = new Env(null);
    List<Signature.Abstract> abstracts = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (var spec : specs) {
      switch (spec) {
        case Spec.Value v -> {
          once("value " + v.name(), v.span(), seen);
          var def = value(v, inner);
          env.add(v.name(), def);
          inner.add(v.name(), def);
        }
        case Spec.Type t -> {
          once("type " + t.name(), t.span(), seen);
          var binding = type(t, inner, abstracts);
          env.add(t.name(), binding);
          inner.add(t.name(), binding);
        }
        case Spec.Module m -> {
          once("value " + m.name(), m.span(), seen);
          var functor = functor(m.type(), inner.copy());
          if (functor.isPresent()) {
            env.add(m.name(), functor.get());
            inner.add(m.name(), functor.get());
          } else {
            var sub = signature(m.type(), inner);
            abstracts.addAll(sub.below(m.name()));
            env.add(m.name(), new Env.Struct(sub.env()));
            inner.add(m.name(), new Env.Struct(sub.env()));
          }
        }
        case Spec.Include i -> {
          var sub = signature(i.type(), inner);
          abstracts.addAll(sub.abstracts());
          env.open(sub.env());
          inner.open(sub.env());
        }
      }
    }
    return new Signature(env, abstracts);
  }

  private static void once(String what, Span span, Set<String> seen) {
    if (!seen.add(what)) {
      throw Session.error(
          K1008, span, "Duplicate specification of " + what.replaceFirst(" (\\S+)$", " \"$1\""));
    }
  }

  private Env.TypeBinding type(Spec.Type t, Env scope, List<Signature.Abstract> abstracts) {
    s.inference.enter();
    var inner = scope.child();
    var params = s.functions.typeParams(t.params(), inner);
    var definition = t.definition().map(d -> s.types.existential(d, inner));
    s.inference.leave();
    if (definition.isPresent()) {
      s.types.constructive(definition.get(), t.span(), true);
      fits(t.liftedness(), definition.get(), t.name(), t.span());
      return new Env.TypeBinding(params, t.liftedness(), definition.get());
    }
    var name = s.inference.fresh(t.name());
    s.inference.bindHere(name);
    s.unifier.declare(name, t.liftedness());
    List<TypeArg> args = new ArrayList<>();
    for (var p : params) {
      args.add(
          switch (p) {
            case TypeParam.OfSize size -> new TypeArg.OfSize(new Size.Var(size.name()));
            case TypeParam.OfType type -> new TypeArg.OfType(new SType.Var(type.name()));
          });
    }
    var binding =
        new Env.TypeBinding(params, t.liftedness(), ReturnType.of(new SType.Named(name, args)));
    abstracts.add(new Signature.Abstract(List.of(t.name()), name, binding));
    return binding;
  }

  /** Whether a value of this type has sizes that its type doesn't tell. */
  private boolean hidesSizes(SType t) {
    return switch (Types.stripTop(t)) {
      case SType.Named n -> s.unifier.liftednessOf(n.name()) == Liftedness.SIZE_LIFTED;
      case SType.Record r -> r.fields().values().stream().anyMatch(this::hidesSizes);
      case SType _ -> false;
    };
  }

  private static List<VName> sizes(List<TypeParam> params) {
    return params.stream().filter(p -> p instanceof TypeParam.OfSize).map(TypeParam::name).toList();
  }

  private Env.Def value(Spec.Value v, Env scope) {
    s.inference.enter();
    var inner = scope.child();
    List<TypeParam> params = new ArrayList<>(s.functions.typeParams(v.typeParams(), inner));
    var result = s.types.existential(v.type(), inner);
    s.functions.used(sizes(params), List.of(result.type()), v.span());
    SType type;
    if (result.type() instanceof SType.Arrow) {
      if (!result.sizes().isEmpty()) {
        throw Session.error(
            K3016,
            v.span(),
            "A parameter of \"" + v.name() + "\" has a size that is left out",
            "give it a name: `val " + v.name() + " [n] : [n]t -> t`");
      }
      type = result.type();
    } else {
      if (hidesSizes(result.type())) {
        throw Session.error(
            K3017,
            v.span(),
            "The value \"%s\" may not have the size-lifted type \"%s\" in a module type"
                .formatted(v.name(), s.printer.type(result.type())),
            "make it a function: `val " + v.name() + " : () -> t`");
      }
      result.sizes().forEach(s.inference::bindHere);
      type = result.type();
    }
    s.inference.leave();
    var name = s.inference.bindHere(s.inference.fresh(v.name()));
    return new Env.Def(name, params, type, Optional.empty());
  }
}
