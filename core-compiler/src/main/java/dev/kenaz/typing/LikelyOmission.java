package dev.kenaz.typing;

import dev.kenaz.source.Exp;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Guesses what the program's author forgot where a type is not the one that it should be. */
final class LikelyOmission {
  private LikelyOmission() {}

  /** Returns hints for a type that is not the expected one. */
  static List<String> hints(SType expected, SType actual, Mismatch m) {
    List<String> out = new ArrayList<>();
    arguments(expected, actual).ifPresent(out::add);
    if (m.ofSizes && transposed(expected, actual)) {
      out.add("did you forget `transpose`?");
    }
    return out;
  }

  /** Names the arguments that a function still lacks to become what is expected. */
  static Optional<String> arguments(SType expected, SType actual) {
    var wanted = Types.stripTop(expected);
    int more = arity(actual) - arity(wanted);
    if (more <= 0
        || wanted instanceof SType.Meta m
            && m.constraint instanceof Constraint.Any(var a)
            && a == Constraint.Ability.ANY) {
      return Optional.empty();
    }
    List<String> types = new ArrayList<>();
    var rest = Types.stripTop(actual);
    for (int i = 0; i < more && rest instanceof SType.Arrow f; i++) {
      types.add("\"" + new TypePrinter().type(f.param()) + "\"");
      rest = Types.stripTop(f.result().type());
    }
    if (!alike(wanted, rest)) {
      return Optional.empty();
    }
    return Optional.of(
        more == 1
            ? "did you forget an argument? This function takes one more, of type "
                + types.getFirst()
            : "did you forget arguments? This function takes %s more, of types %s"
                .formatted(more, String.join(", ", types)));
  }

  /** Says that an argument fits the next parameter, where the call has too few arguments. */
  static Optional<String> argument(SType function, List<TypedExp> args, int at, String ordinal) {
    List<SType> params = new ArrayList<>();
    var rest = Types.stripTop(function);
    while (rest instanceof SType.Arrow f) {
      params.add(f.param());
      rest = Types.stripTop(f.result().type());
    }
    if (args.size() >= params.size()) {
      return Optional.empty();
    }
    for (int i = at; i < args.size(); i++) {
      if (!alike(Types.stripTop(params.get(i + 1)), Types.stripTop(args.get(i).type()))) {
        return Optional.empty();
      }
    }
    return alike(Types.stripTop(params.get(at)), Types.stripTop(args.get(at).type()))
        ? Optional.empty()
        : Optional.of("did you forget " + ordinal + "? What is given fits the one after it");
  }

  private static int arity(SType type) {
    int n = 0;
    for (var t = Types.stripTop(type); t instanceof SType.Arrow f; n++) {
      t = Types.stripTop(f.result().type());
    }
    return n;
  }

  /** Whether two types have heads of one kind, and as many dimensions as far as that is known. */
  private static boolean alike(SType a, SType b) {
    return switch (a) {
      case SType.Meta m -> !(m.constraint instanceof Constraint.OneOf) || b instanceof SType.Scalar;
      case SType x when b instanceof SType.Meta -> true;
      case SType.Scalar x -> b instanceof SType.Scalar y && x.prim() == y.prim();
      case SType.Array x ->
          b instanceof SType.Array y
              && alike(Types.stripTop(x.element()), Types.stripTop(y.element()));
      case SType.Named x -> b instanceof SType.Named y && x.name().equals(y.name());
      case SType x -> x.getClass() == b.getClass();
    };
  }

  /** Whether exchanging the outer two dimensions makes the sizes agree. */
  private static boolean transposed(SType expected, SType actual) {
    return dimensions(expected) instanceof List<Size> a
        && dimensions(actual) instanceof List<Size> b
        && a.size() > 1
        && a.size() == b.size()
        && same(a.get(0), b.get(1))
        && same(a.get(1), b.get(0))
        && IntStream.range(2, a.size()).allMatch(i -> same(a.get(i), b.get(i)));
  }

  /**
   * Names a matrix in scope that has the two sizes that do not match: its rows were probably taken
   * for its columns.
   */
  static Optional<String> transpose(SType expected, SType actual, Env env) {
    var a = dimensions(expected);
    var b = dimensions(actual);
    if (a.isEmpty() || a.size() != b.size()) {
      return Optional.empty();
    }
    int at = 0;
    while (at < a.size() - 1 && same(a.get(at), b.get(at))) {
      at++;
    }
    var x = a.get(at);
    var y = b.get(at);
    return env.firstLocal(
            t -> {
              var dims = dimensions(t);
              return dims.size() > 1
                  && (same(dims.get(0), x) && same(dims.get(1), y)
                      || same(dims.get(0), y) && same(dims.get(1), x));
            })
        .map(name -> "did you forget `transpose`, as of \"" + name + "\"?");
  }

  private static List<Size> dimensions(SType type) {
    List<Size> out = new ArrayList<>();
    for (var t = Types.stripTop(type); t instanceof SType.Array a; ) {
      out.add(Types.resolve(a.size()));
      t = Types.stripTop(a.element());
    }
    return out;
  }

  private static boolean same(Size a, Size b) {
    return Scopes.same(a, b);
  }

  /** Suggests a binder for a size that is only mentioned. */
  static Optional<String> binder(Exp size, Env env) {
    return size instanceof Exp.Var v
            && v.name().quals().isEmpty()
            && env.value(v.name().base()) == null
            && env.module(v.name().base()) == null
        ? Optional.of(
            ("did you forget `[%s]`? A size is bound in front of the parameters, as in "
                    + "`def f [%s] (xs: [%s]i32)`")
                .replace("%s", v.name().base()))
        : Optional.empty();
  }
}
