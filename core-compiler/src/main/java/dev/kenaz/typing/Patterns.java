package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K1005;
import static dev.kenaz.error.ErrorCode.K1006;
import static dev.kenaz.error.ErrorCode.K2020;
import static dev.kenaz.error.ErrorCode.K2021;

import dev.kenaz.error.NearestName;
import dev.kenaz.error.Span;
import dev.kenaz.source.Literal;
import dev.kenaz.source.Pattern;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Checks patterns: finds their types, and binds their names in the current scope. */
record Patterns(Session s) {
  /** The names that one pattern, or all parameters of a function, have bound so far. */
  static final class Bound {
    private final Set<String> names = new HashSet<>();

    Bound() {}

    /** Starts with the names of sizes that are bound in front. */
    Bound(Stream<String> sizes) {
      sizes.forEach(names::add);
    }
  }

  TypedPattern check(Pattern p, SType expected, Env env) {
    return check(p, expected, env, new Bound());
  }

  /**
   * @param expected the type of the value, which may have uniqueness marks
   * @param env gets the names
   */
  TypedPattern check(Pattern p, SType expected, Env env, Bound bound) {
    return switch (p) {
      case Pattern.Name n -> name(n, expected, env, bound);
      case Pattern.Wildcard w -> new TypedPattern.Wildcard(expected, w.span());
      case Pattern.Constant c -> constant(c, expected);
      case Pattern.Tuple t -> {
        SortedMap<String, Pattern> parts = Fields.tuple(t.elements());
        yield record(parts, expected, t.span(), env, bound);
      }
      case Pattern.Record r -> {
        SortedMap<String, Pattern> parts = Fields.empty();
        for (var f : r.fields()) {
          if (parts.put(f.name(), f.pattern()) != null) {
            throw Session.error(K1005, f.span(), "Duplicate field \"" + f.name() + "\"");
          }
        }
        yield record(parts, expected, r.span(), env, bound);
      }
      case Pattern.Construct c -> construct(c, expected, env, bound);
      case Pattern.Ascribe a -> {
        var type = s.types.inPattern(a.type(), env);
        s.expect(type, expected, a.span(), "This pattern");
        yield check(a.pattern(), type, env, bound);
      }
      case Pattern.Attributed a -> {
        s.attributes.check(a.attribute(), env);
        s.attributes.checkOfPattern(a.attribute());
        yield new TypedPattern.Attributed(
            a.attribute(), check(a.pattern(), expected, env, bound), a.span());
      }
    };
  }

  private TypedPattern name(Pattern.Name n, SType expected, Env env, Bound bound) {
    if (n.name().equals("_")) {
      return new TypedPattern.Wildcard(expected, n.span());
    }
    if (!bound.names.add(n.name())) {
      throw Session.error(K1006, n.span(), "Name \"" + n.name() + "\" is bound twice here");
    }
    var v = s.inference.bindHere(s.inference.fresh(n.name()));
    env.add(n.name(), new Env.Local(v, Types.strip(expected)));
    return new TypedPattern.Name(v, expected, n.span());
  }

  private TypedPattern constant(Pattern.Constant c, SType expected) {
    if (c.literal() instanceof Literal.Bool b) {
      s.expect(expected, Types.BOOL, c.span(), "This pattern");
      return new TypedPattern.Constant(Prim.BOOL, b.value() ? 1 : 0, c.span());
    }
    var type = s.expressions.literalType(c.literal(), c.span());
    s.expect(expected, type, c.span(), "This pattern");
    return new TypedPattern.Pending(c.literal(), c.negative(), type, c.span());
  }

  private TypedPattern record(
      SortedMap<String, Pattern> parts, SType expected, Span span, Env env, Bound bound) {
    SortedMap<String, SType> fields = Fields.empty();
    boolean unique = Types.resolve(expected) instanceof SType.Unique;
    if (Types.stripTop(expected) instanceof SType.Record r
        && r.fields().keySet().equals(parts.keySet())) {
      fields.putAll(r.fields());
    } else {
      parts.keySet().forEach(name -> fields.put(name, s.inference.newType()));
      s.expect(expected, new SType.Record(fields), span, "This pattern");
    }
    SortedMap<String, TypedPattern> typed = Fields.empty();
    parts.forEach(
        (name, part) -> {
          var t = fields.get(name);
          typed.put(name, check(part, unique ? Types.unique(t) : t, env, bound));
        });
    if (!unique && typed.values().stream().anyMatch(x -> Types.hasUnique(x.type()))) {
      SortedMap<String, SType> marked = Fields.empty();
      typed.forEach((name, x) -> marked.put(name, x.type()));
      return new TypedPattern.Record(typed, new SType.Record(marked), span);
    }
    return new TypedPattern.Record(typed, expected, span);
  }

  private TypedPattern construct(Pattern.Construct c, SType expected, Env env, Bound bound) {
    List<SType> payload;
    if (Types.stripTop(expected) instanceof SType.Sum sum) {
      payload = sum.constructors().get(c.name());
      if (payload == null) {
        throw Session.error(
            K2020,
            c.span(),
            "The type \"" + s.printer.type(sum) + "\" has no constructor #" + c.name(),
            NearestName.of(c.name(), sum.constructors().keySet()).stream()
                .map(k -> "did you mean \"#" + k + "\"?")
                .toArray(String[]::new));
      }
    } else {
      payload = new ArrayList<>();
      c.payload().forEach(_ -> payload.add(s.inference.newType()));
      SortedMap<String, List<SType>> constructors = Fields.empty();
      constructors.put(c.name(), payload);
      s.expect(
          expected,
          s.inference.newType(new Constraint.HasConstructors(constructors)),
          c.span(),
          "This pattern");
    }
    if (payload.size() != c.payload().size()) {
      throw Session.error(
          K2021,
          c.span(),
          "The constructor #%s takes %d values, but the pattern has %d"
              .formatted(c.name(), payload.size(), c.payload().size()));
    }
    List<TypedPattern> parts =
        IntStream.range(0, payload.size())
            .mapToObj(i -> check(c.payload().get(i), payload.get(i), env, bound))
            .toList();
    return new TypedPattern.Construct(c.name(), parts, Types.strip(expected), c.span());
  }
}
