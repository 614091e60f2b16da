package dev.kenaz.typing;

import dev.kenaz.error.Span;
import dev.kenaz.source.Exp;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;

/** Checks {@code match}, and finds the common type of branches. */
record Matches(Session s, Scopes scopes) {
  TypedExp match(Exp.Match m, Env env) {
    var subject = s.expressions.check(m.subject(), env);
    List<TypedExp.Case> cases = new ArrayList<>();
    SType type = null;
    List<VName> sizes = new ArrayList<>();
    for (var c : m.cases()) {
      s.inference.enter();
      var inner = env.child();
      var pattern = s.patterns.check(c.pattern(), subject.type(), inner);
      var body = s.expressions.check(c.body(), inner);
      s.inference.leave();
      cases.add(new TypedExp.Case(pattern, body, c.span()));
      var joined =
          type == null
              ? scopes.exit(body.type())
              : join(type, body.type(), c.body().span(), "Cases have different types");
      type = joined.type();
      sizes.addAll(joined.sizes());
    }
    s.noFunctions(type, m.span(), "The result of a match can't be or hold a function");
    return new Scopes.Exit(type, sizes).bind(new TypedExp.Match(subject, cases, type, m.span()));
  }

  /** The name of a size that is the first in one branch and the second in the other. */
  private record Joined(Size first, Size second, VName name) {}

  /**
   * Returns the type of a value that comes from one of two branches. Sizes that differ, or are
   * known in one branch only, get new names.
   */
  Scopes.Exit join(SType first, SType second, Span span, String what) {
    List<Joined> sizes = new ArrayList<>();
    try {
      var t = join(first, second, sizes);
      return new Scopes.Exit(t, sizes.stream().map(Joined::name).toList());
    } catch (Mismatch m) {
      throw s.mismatch(first, second, span, what, m);
    }
  }

  private SType join(SType first, SType second, List<Joined> sizes) {
    var a = Types.stripTop(first);
    var b = Types.stripTop(second);
    if (a == b && !(a instanceof SType.Array || a instanceof SType.Arrow)) {
      return exit(a, sizes);
    }
    return switch (a) {
      case SType.Array x when b instanceof SType.Array y -> {
        var element = join(x.element(), y.element(), sizes);
        yield Types.array(joinSize(x.size(), y.size(), sizes), element);
      }
      case SType.Record x
          when b instanceof SType.Record y && x.fields().keySet().equals(y.fields().keySet()) -> {
        SortedMap<String, SType> fields = Fields.empty();
        x.fields().forEach((f, t) -> fields.put(f, join(t, y.fields().get(f), sizes)));
        yield new SType.Record(fields);
      }
      case SType.Meta m when !(b instanceof SType.Meta) -> settle(m, b);
      case SType x when b instanceof SType.Meta n && !(x instanceof SType.Meta) -> settle(n, x);
      default -> {
        var t = exit(a, sizes);
        s.unifier.unify(t, exit(b, sizes));
        yield t;
      }
    };
  }

  /**
   * Gives what one branch leaves open the type that the other branch has. Sizes that only the other
   * branch knows are an error.
   */
  private SType settle(SType.Meta open, SType known) {
    var exit = scopes.exit(known);
    if (!exit.sizes().isEmpty()) {
      throw new Mismatch(
          true,
          "Causality check: the size \""
              + exit.sizes().getFirst().base()
              + "\" is known in one branch only; write the type of the other, as in `[] :"
              + " [0][5]i32`");
    }
    s.unifier.unify(open, known);
    return known;
  }

  private SType exit(SType t, List<Joined> sizes) {
    var exit = scopes.exit(t);
    exit.sizes().forEach(v -> sizes.add(new Joined(Size.ANY, Size.ANY, v)));
    return exit.type();
  }

  /**
   * Whether callers choose nothing in a size. What they choose is not made equal to another size
   * only because both are sizes of branches.
   */
  private static boolean known(Size s) {
    boolean[] known = {true};
    SizeExps.eachName(s, _ -> {}, m -> known[0] &= !m.callers);
    return known[0];
  }

  private Size joinSize(Size a, Size b, List<Joined> sizes) {
    var x = Types.resolve(a);
    var y = Types.resolve(b);
    boolean deep = scopes.isDeep(x, Set.of()) | scopes.isDeep(y, Set.of());
    if (!deep
        && (Scopes.same(x, y)
            || known(x) && known(y) && s.loops.joinable(x, y) && s.unifier.trySize(x, y))) {
      return x;
    }
    for (var j : sizes) {
      if (j.first() != Size.ANY && Scopes.same(j.first(), x) && Scopes.same(j.second(), y)) {
        return new Size.Var(j.name());
      }
    }
    var v = s.inference.freshSize(x instanceof Size.Var n ? n.name().base() : "n");
    sizes.add(new Joined(x, y, v));
    return new Size.Var(v);
  }
}
