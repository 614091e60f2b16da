package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K1001;
import static dev.kenaz.error.ErrorCode.K1005;
import static dev.kenaz.error.ErrorCode.K1006;
import static dev.kenaz.error.ErrorCode.K2010;
import static dev.kenaz.error.ErrorCode.K2011;
import static dev.kenaz.error.ErrorCode.K2012;
import static dev.kenaz.error.ErrorCode.K2013;
import static dev.kenaz.error.ErrorCode.K2103;
import static dev.kenaz.error.ErrorCode.K3005;
import static dev.kenaz.error.ErrorCode.K3014;

import dev.kenaz.error.Span;
import dev.kenaz.source.Exp;
import dev.kenaz.source.Liftedness;
import dev.kenaz.source.SizeExp;
import dev.kenaz.source.TypeExp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Turns types as written into types. */
final class TypeResolver {
  /** How many constructors a sum type may have, as they are numbered in eight bits. */
  private static final int MOST_CONSTRUCTORS = 256;

  private final Session s;

  /**
   * Names that are bound by the function types and quantifiers around the type that is being
   * resolved.
   */
  private final Set<String> bound = new HashSet<>();

  TypeResolver(Session session) {
    this.s = session;
  }

  /** Resolves a type in a parameter, pattern or ascription: a size left out is to be inferred. */
  SType inferring(TypeExp t, Env env) {
    return resolve(t, env, name -> s.inference.newSize(name));
  }

  /** Resolves a type in a pattern, which may be a parameter. */
  SType inPattern(TypeExp t, Env env) {
    return resolve(
        t,
        env,
        name -> {
          var m = s.inference.newSize(name);
          m.callers = true;
          return m;
        });
  }

  /**
   * Resolves a type in a result or a type's definition: a size left out is one that only the value
   * decides.
   */
  ReturnType existential(TypeExp t, Env env) {
    List<VName> sizes = new ArrayList<>();
    if (t instanceof TypeExp.Existential e) {
      var inner = bindSizes(e, env, sizes);
      var written = List.copyOf(sizes);
      var type = binding(e, () -> resolve(e.type(), inner, name -> hidden(name, sizes)));
      constructive(new ReturnType(written, type), t.span(), false);
      return new ReturnType(sizes, type);
    }
    var type = resolve(t, env, name -> hidden(name, sizes));
    return new ReturnType(sizes, type);
  }

  /**
   * Demands that sizes that only the value decides are sizes of the value itself, and not of a
   * function.
   */
  void constructive(ReturnType r, Span span, boolean anonymous) {
    var seen = r.sizes().isEmpty() ? Set.<VName>of() : Types.constructive(r.type());
    for (var v : r.sizes()) {
      if (!seen.contains(v)) {
        throw Session.error(
            K3014,
            span,
            anonymous
                ? "Type abbreviation contains an anonymous size not used constructively as an array"
                    + " size"
                : "Existential size \"" + v.base() + "\" not used as array size",
            "a function's parameter or result does not tell it; add an array `[%s]()`"
                .formatted(v.base()));
      }
    }
  }

  private Env bindSizes(TypeExp.Existential e, Env env, List<VName> sizes) {
    var inner = env.child();
    for (var name : e.sizes()) {
      var v = s.inference.fresh(name);
      sizes.add(v);
      inner.add(name, new Env.Local(v, Types.I64));
    }
    return inner;
  }

  private Size hidden(String name, List<VName> sizes) {
    var v = s.inference.fresh(name.isEmpty() ? "n" : name);
    sizes.add(v);
    return new Size.Var(v);
  }

  /**
   * @param anonymous makes the size for one that is left out, given a name for it
   */
  SType resolve(TypeExp t, Env env, Function<String, Size> anonymous) {
    return switch (t) {
      case TypeExp.Name n ->
          apply(n.name().toString(), s.names.type(n, env), List.of(), n.span(), env, anonymous);
      case TypeExp.Apply a -> {
        if (!(a.head() instanceof TypeExp.Name n)) {
          throw Session.error(K2010, a.head().span(), "only a named type takes arguments");
        }
        yield apply(
            n.name().toString(), s.names.type(n, env), a.arguments(), a.span(), env, anonymous);
      }
      case TypeExp.Array a -> {
        var size = size(a.size(), env, anonymous);
        var element = resolve(a.element(), env, anonymous);
        element(element, a.element(), env);
        yield Types.array(size, element);
      }
      case TypeExp.Tuple x ->
          Types.tuple(x.elements().stream().map(e -> resolve(e, env, anonymous)).toList());
      case TypeExp.Record r -> record(r, env, anonymous);
      case TypeExp.Sum x -> sum(x, env, anonymous);
      case TypeExp.Function f -> function(f, env, anonymous);
      case TypeExp.Unique u -> Types.unique(resolve(u.type(), env, anonymous));
      case TypeExp.Existential e -> {
        List<VName> sizes = new ArrayList<>();
        var inner = bindSizes(e, env, sizes);
        var type = binding(e, () -> resolve(e.type(), inner, anonymous));
        constructive(new ReturnType(sizes, type), e.span(), false);
        Map<VName, TypeArg> by = new HashMap<>();
        sizes.forEach(v -> by.put(v, new TypeArg.OfSize(anonymous.apply(v.base()))));
        yield Types.subst(type, by);
      }
    };
  }

  private <T> T binding(TypeExp.Existential e, Supplier<T> task) {
    return binding(e.sizes(), e.span(), task);
  }

  /**
   * Runs a task inside a type that binds these names. A name that is bound already can't be bound
   * again.
   */
  private <T> T binding(List<String> names, Span span, Supplier<T> task) {
    Set<String> mine = new HashSet<>();
    try {
      for (var name : names) {
        if (!bound.add(name)) {
          throw Session.error(K1006, span, "Name \"" + name + "\" is bound twice in this type");
        }
        mine.add(name);
      }
      return task.get();
    } finally {
      bound.removeAll(mine);
    }
  }

  /**
   * Whether a type is written with a name that is declared to hide sizes or functions. A name with
   * arguments is judged by what it stands for, as the arguments decide: `opt i32` holds no function
   * though `type^ opt '^a` may.
   */
  private boolean lifted(TypeExp t, Env env) {
    return switch (t) {
      case TypeExp.Name n -> s.names.type(n, env).liftedness() != Liftedness.UNLIFTED;
      case TypeExp.Apply a ->
          hidesSizes(a.head(), env)
              || a.arguments().stream()
                  .anyMatch(x -> x instanceof TypeExp.Argument.Type y && lifted(y.type(), env));
      case TypeExp.Tuple x -> x.elements().stream().anyMatch(e -> lifted(e, env));
      case TypeExp.Record r -> r.fields().stream().anyMatch(f -> lifted(f.type(), env));
      case TypeExp.Sum x ->
          x.constructors().stream()
              .anyMatch(c -> c.payload().stream().anyMatch(p -> lifted(p, env)));
      case TypeExp.Unique u -> lifted(u.type(), env);
      case TypeExp.Array a -> lifted(a.element(), env);
      case TypeExp.Function _, TypeExp.Existential _ -> false;
    };
  }

  private boolean hidesSizes(TypeExp head, Env env) {
    return head instanceof TypeExp.Name n && !s.names.type(n, env).result().sizes().isEmpty();
  }

  private void element(SType t, TypeExp written, Env env) {
    var span = written.span();
    try {
      if (lifted(written, env)) {
        throw new Mismatch(
            false,
            "its definition, with `type~` or `type^`, says that it hides sizes or functions");
      }
      s.unifier.require(t, Constraint.Ability.ELEMENT);
    } catch (Mismatch m) {
      throw Session.error(
          K2011,
          span,
          "\"" + s.printer.type(t) + "\" can't be the element of an array",
          m.getMessage());
    }
  }

  private SType record(TypeExp.Record r, Env env, Function<String, Size> anonymous) {
    SortedMap<String, SType> fields = Fields.empty();
    for (var f : r.fields()) {
      if (fields.put(f.name(), resolve(f.type(), env, anonymous)) != null) {
        throw Session.error(K1005, f.span(), "Duplicate field \"" + f.name() + "\"");
      }
    }
    return new SType.Record(fields);
  }

  private SType sum(TypeExp.Sum x, Env env, Function<String, Size> anonymous) {
    if (x.constructors().size() > MOST_CONSTRUCTORS) {
      throw Session.error(
          K2103,
          x.span(),
          "The sum type has " + x.constructors().size() + " constructors, but 256 are the most",
          "split it into several types, one the payload of another");
    }
    SortedMap<String, List<SType>> constructors = Fields.empty();
    for (var c : x.constructors()) {
      var payload = c.payload().stream().map(p -> resolve(p, env, anonymous)).toList();
      if (constructors.put(c.name(), payload) != null) {
        throw Session.error(K1005, c.span(), "Duplicate constructor #" + c.name());
      }
    }
    return new SType.Sum(constructors);
  }

  private SType function(TypeExp.Function f, Env env, Function<String, Size> anonymous) {
    var param = resolve(f.param(), env, anonymous);
    if (f.name().isEmpty() || f.name().get().equals("_")) {
      return new SType.Arrow(Optional.empty(), param, existential(f.result(), env));
    }
    var v = s.inference.fresh(f.name().get());
    Optional<VName> name = Optional.of(v);
    var inner = env.child().add(f.name().get(), new Env.Local(v, Types.strip(param)));
    var result = binding(List.of(f.name().get()), f.span(), () -> existential(f.result(), inner));
    if (name.isPresent() && !Types.mentions(result.type(), name.get())) {
      name = Optional.empty();
    }
    return new SType.Arrow(name, param, result);
  }

  private Size size(SizeExp size, Env env, Function<String, Size> anonymous) {
    return switch (size) {
      case SizeExp.Any _ -> anonymous.apply("");
      case SizeExp.Of of -> {
        var binder = LikelyOmission.binder(of.exp(), env);
        if (binder.isPresent()) {
          var name = ((Exp.Var) of.exp()).name().base();
          throw Session.error(
              K1001, of.exp().span(), "Unknown name \"" + name + "\"", binder.get());
        }
        var e = s.expressions.check(of.exp(), env);
        s.expect(Types.I64, e.type(), of.span(), "A size");
        var found = SizeExps.asSize(e);
        if (found == null) {
          throw Session.error(
              K3005,
              of.span(),
              "This expression can't be a size",
              "bind it to a name with `let` first, and use the name");
        }
        yield found;
      }
    };
  }

  private SType apply(
      String name,
      Env.TypeBinding binding,
      List<TypeExp.Argument> written,
      Span span,
      Env env,
      Function<String, Size> anonymous) {
    var params = binding.params();
    if (written.size() != params.size()) {
      throw Session.error(
          K2012,
          span,
          "The type \"%s\" takes %d argument%s, but is given %d"
              .formatted(name, params.size(), params.size() == 1 ? "" : "s", written.size()));
    }
    if (params.isEmpty() && binding.result().sizes().isEmpty()) {
      return binding.result().type();
    }
    List<TypeArg> args =
        IntStream.range(0, params.size())
            .mapToObj(i -> argument(params.get(i), written.get(i), env, anonymous))
            .toList();
    Map<VName, TypeArg> by = Types.bind(params, args);
    for (var hidden : binding.result().sizes()) {
      by.put(hidden, new TypeArg.OfSize(anonymous.apply(hidden.base())));
    }
    return Types.subst(binding.result().type(), by);
  }

  private TypeArg argument(
      TypeParam param, TypeExp.Argument arg, Env env, Function<String, Size> anonymous) {
    return switch (param) {
      case TypeParam.OfSize p -> {
        if (arg instanceof TypeExp.Argument.Size size) {
          yield new TypeArg.OfSize(size(size.size(), env, anonymous));
        }
        throw Session.error(
            K2013,
            arg.span(),
            "A size in brackets should stand here, for \"" + p.name().base() + "\"");
      }
      case TypeParam.OfType p -> {
        if (!(arg instanceof TypeExp.Argument.Type type)) {
          throw Session.error(
              K2013, arg.span(), "A type should stand here, for \"" + p.name().base() + "\"");
        }
        var t = resolve(type.type(), env, anonymous);
        if (p.liftedness() != Liftedness.LIFTED) {
          try {
            s.unifier.require(
                t,
                p.liftedness() == Liftedness.UNLIFTED
                    ? Constraint.Ability.ELEMENT
                    : Constraint.Ability.SIZE_LIFTED);
          } catch (Mismatch m) {
            throw Session.error(
                K2011,
                arg.span(),
                "\"" + s.printer.type(t) + "\" can't be an argument here",
                m.getMessage());
          }
        }
        yield new TypeArg.OfType(t);
      }
    };
  }
}
