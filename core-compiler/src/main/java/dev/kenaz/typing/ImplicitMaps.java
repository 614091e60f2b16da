package dev.kenaz.typing;

import dev.kenaz.error.Span;
import dev.kenaz.source.Attribute;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Calls whose arguments have more dimensions than the parameters, in definitions that ask for it by
 * {@code #[automap]}: {@code xs + 1} is {@code map (\x -> x + 1) xs}. It is no part of the language
 * of the reference, where such a call is a type error. How many more is known when the argument is
 * met, from what was inferred up to then. Arguments with fewer extra dimensions than others are
 * mapped over in the innermost maps, and are the same in the outer ones.
 */
final class ImplicitMaps {
  private final Session s;

  /** Whether the definition that is being checked asks for them. */
  private boolean allowed;

  ImplicitMaps(Session session) {
    this.s = session;
  }

  /** Whether definitions with these attributes may leave out maps. */
  void allow(List<Attribute> attributes) {
    allowed = attributes.stream().anyMatch(a -> a.name().equals("automap"));
  }

  boolean allowed() {
    return allowed;
  }

  /** How many dimensions an argument has too many; 0 where that is not known or not allowed. */
  int extra(SType param, SType arg) {
    return allowed ? surplus(param, arg) : 0;
  }

  /** How many dimensions an argument has too many; 0 where that is not known. */
  static int surplus(SType param, SType arg) {
    int wanted = 0;
    var p = Types.stripTop(param);
    while (p instanceof SType.Array a) {
      wanted++;
      p = Types.stripTop(a.element());
    }
    boolean open = p instanceof SType.Meta m && !(m.constraint instanceof Constraint.OneOf);
    return open ? 0 : Math.max(0, Types.rank(arg) - wanted);
  }

  /** Whether the number of a type's dimensions is known. */
  static boolean closed(SType type) {
    var t = Types.stripTop(type);
    while (t instanceof SType.Array a) {
      t = Types.stripTop(a.element());
    }
    return !(t instanceof SType.Meta m) || m.constraint instanceof Constraint.OneOf;
  }

  /** The type under some leading dimensions. */
  static SType inside(SType type, int dims) {
    var t = Types.stripTop(type);
    for (int i = 0; i < dims; i++) {
      t = Types.stripTop(((SType.Array) t).element());
    }
    return t;
  }

  /**
   * @param depths extra dimensions of each argument, not all 0
   */
  TypedExp call(TypedExp f, List<TypedExp> args, List<Integer> depths, Span span) {
    int depth = depths.stream().mapToInt(d -> d).max().orElse(0);
    if (depth == 0) {
      return s.applications.call(f, args, span);
    }
    List<TypedExp> inner = new ArrayList<>(args);
    List<Integer> innerDepths = new ArrayList<>(depths);
    List<TypedPattern> params = new ArrayList<>();
    List<TypedExp> arrays = new ArrayList<>();
    s.inference.enter();
    for (int i = 0; i < args.size(); i++) {
      if (depths.get(i) == depth) {
        var arg = args.get(i);
        var x =
            new TypedPattern.Name(
                s.inference.bindHere(s.inference.fresh("x")), inside(arg.type(), 1), arg.span());
        params.add(x);
        arrays.add(arg);
        inner.set(i, new TypedExp.Var(x.name(), List.of(), x.type(), arg.span()));
        innerDepths.set(i, depth - 1);
      }
    }
    var body = call(f, inner, innerDepths, span);
    s.inference.leave();
    return map(params, arrays, body, span);
  }

  private TypedExp map(List<TypedPattern> params, List<TypedExp> arrays, TypedExp body, Span span) {
    var result = s.scopes.close(body.type(), Set.of());
    var element = s.inference.newElement();
    s.expect(element, result.type(), span, "the result of each implicit call");
    if (!result.sizes().isEmpty()) {
      throw Session.error(
          "K3004",
          span,
          "the size of the result differs from one element to the next",
          "its type is `" + s.printer.result(result) + "`");
    }
    var pattern = params.getLast();
    var array = arrays.getLast();
    for (int i = params.size() - 2; i >= 0; i--) {
      array = zip(arrays.get(i), array, span);
      pattern =
          new TypedPattern.Record(
              Fields.tuple(List.of(params.get(i), pattern)),
              Types.tuple(List.of(params.get(i).type(), pattern.type())),
              span);
    }
    var type = new SType.Arrow(Optional.empty(), pattern.type(), result);
    var lambda = new TypedExp.Lambda(List.of(pattern), result, body, type, span);
    return s.applications.call(intrinsic("map", span), List.of(lambda, array), span);
  }

  private TypedExp zip(TypedExp a, TypedExp b, Span span) {
    return s.applications.call(intrinsic("zip", span), List.of(a, b), span);
  }

  /** {@code map} or {@code zip}, which every program has, whatever it calls its own functions. */
  private TypedExp intrinsic(String name, Span span) {
    var a = s.inference.newElement();
    var b = s.inference.newElement();
    var n = s.inference.newSize("n");
    List<TypeArg> args =
        List.of(new TypeArg.OfType(a), new TypeArg.OfType(b), new TypeArg.OfSize(n));
    var type =
        name.equals("map")
            ? Types.arrows(
                List.of(Types.arrow(a, b), Types.array(n, a)), Types.unique(Types.array(n, b)))
            : Types.arrows(
                List.of(Types.array(n, a), Types.array(n, b)),
                Types.unique(Types.array(n, Types.tuple(List.of(a, b)))));
    return new TypedExp.Intrinsic(name, args, type, span);
  }
}
