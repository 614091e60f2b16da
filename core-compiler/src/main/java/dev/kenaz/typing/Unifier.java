package dev.kenaz.typing;

import dev.kenaz.error.NearestName;
import dev.kenaz.source.Liftedness;
import dev.kenaz.typing.Constraint.Ability;
import dev.kenaz.value.Prim;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/**
 * Makes types equal by filling in what is unknown. Uniqueness marks are skipped, with one
 * exception: a function that consumes its argument never equals one that does not.
 */
final class Unifier {
  private final Inference inference;
  private final TypePrinter printer = new TypePrinter();

  /** The type parameters and abstract types that may hide something. */
  private final Map<VName, Liftedness> liftedness = new HashMap<>();

  /** The existential sizes of function types that are being compared. */
  private final Set<VName> existential = new HashSet<>();

  Unifier(Inference inference) {
    this.inference = inference;
  }

  /** Declares what a type variable or abstract type may hide. */
  void declare(VName v, Liftedness l) {
    if (l != Liftedness.UNLIFTED) {
      liftedness.put(v, l);
    }
  }

  Map<VName, Liftedness> allLiftedness() {
    return Map.copyOf(liftedness);
  }

  Liftedness liftednessOf(VName v) {
    return liftedness.getOrDefault(v, Liftedness.UNLIFTED);
  }

  /**
   * @throws Mismatch if they can't be equal; what was found out before that stays
   */
  void unify(SType expected, SType actual) {
    var a = Types.stripTop(expected);
    var b = Types.stripTop(actual);
    if (a == b) {
      return;
    }
    if (a instanceof SType.Meta m) {
      if (b instanceof SType.Meta n) {
        linkMetas(m, n);
      } else {
        link(m, b);
      }
      return;
    }
    if (b instanceof SType.Meta n) {
      link(n, a);
      return;
    }
    switch (a) {
      case SType.Scalar x when b instanceof SType.Scalar y && x.prim() == y.prim() -> {}
      case SType.Array x when b instanceof SType.Array y -> {
        unify(x.element(), y.element());
        unifySize(x.size(), y.size());
      }
      case SType.Record x when b instanceof SType.Record y -> unifyRecords(x, y);
      case SType.Sum x when b instanceof SType.Sum y -> unifySums(x, y);
      case SType.Arrow x when b instanceof SType.Arrow y -> unifyArrows(x, y);
      case SType.Named x when b instanceof SType.Named y && x.name().equals(y.name()) ->
          unifyArgs(x.args(), y.args());
      case SType.Var x when b instanceof SType.Var y && x.name().equals(y.name()) -> {}
      default ->
          throw new Mismatch(
              false, p -> "Types \"" + p.type(a) + "\" and \"" + p.type(b) + "\" do not match");
    }
  }

  private void unifyRecords(SType.Record x, SType.Record y) {
    if (!x.fields().keySet().equals(y.fields().keySet())) {
      if (x.isTuple() && y.isTuple()) {
        throw new Mismatch(
            false, "a tuple of " + x.fields().size() + " is not a tuple of " + y.fields().size());
      }
      throw new Mismatch(
          false,
          "the fields of " + printer.type(x) + " and " + printer.type(y) + " differ",
          meant(y.fields().keySet(), x.fields().keySet(), ""));
    }
    x.fields().forEach((name, t) -> unify(t, y.fields().get(name)));
  }

  private void unifySums(SType.Sum x, SType.Sum y) {
    if (!x.constructors().keySet().equals(y.constructors().keySet())) {
      throw new Mismatch(
          false,
          "the constructors of " + printer.type(x) + " and " + printer.type(y) + " differ",
          meant(y.constructors().keySet(), x.constructors().keySet(), "#"));
    }
    x.constructors().forEach((name, ts) -> unifyPayload(name, ts, y.constructors().get(name)));
  }

  /** Suggests known names in the place of unknown ones that may be misspelt. */
  static String[] meant(Set<String> given, Set<String> known, String mark) {
    List<String> free = known.stream().filter(k -> !given.contains(k)).toList();
    return given.stream()
        .filter(g -> !known.contains(g))
        .flatMap(
            g ->
                NearestName.of(g, free).stream()
                    .map(k -> "did you mean \"" + mark + k + "\" by \"" + mark + g + "\"?"))
        .toArray(String[]::new);
  }

  private void unifyPayload(String name, List<SType> xs, List<SType> ys) {
    if (xs.size() != ys.size()) {
      throw new Mismatch(false, "the constructor #" + name + " has two payloads");
    }
    for (int i = 0; i < xs.size(); i++) {
      unify(xs.get(i), ys.get(i));
    }
  }

  private void unifyArgs(List<TypeArg> xs, List<TypeArg> ys) {
    for (int i = 0; i < xs.size(); i++) {
      switch (xs.get(i)) {
        case TypeArg.OfSize s -> unifySize(s.size(), ((TypeArg.OfSize) ys.get(i)).size());
        case TypeArg.OfType t -> unify(t.type(), ((TypeArg.OfType) ys.get(i)).type());
      }
    }
  }

  private void unifyArrows(SType.Arrow x, SType.Arrow given) {
    // If the parameter has no name, the sizes that follow from its value are known only after each
    // call.
    var y = x.name().isEmpty() ? new Unnamed(inference).arrow(given) : given;
    if (!Types.hasUnique(x.param()) && Types.hasUnique(y.param())) {
      throw new Mismatch(
          false,
          "Parameter types \""
              + printer.type(x.param())
              + "\" and \""
              + printer.type(y.param())
              + "\" are incompatible regarding consuming their arguments");
    }
    unify(y.param(), x.param());
    Map<VName, TypeArg> by = new HashMap<>();
    Map<VName, TypeArg> byExpected = new HashMap<>();
    if (x.name().isPresent() || y.name().isPresent()) {
      // The name is bound in no scope, so that nothing outside can come to mention it.
      var name = inference.fresh(x.name().or(y::name).orElseThrow().base());
      x.name().ifPresent(v -> byExpected.put(v, new TypeArg.OfSize(new Size.Var(name))));
      y.name().ifPresent(v -> by.put(v, new TypeArg.OfSize(new Size.Var(name))));
    }
    for (var v : x.result().sizes()) {
      byExpected.put(v, new TypeArg.OfSize(inference.anySize(v.base())));
    }
    Set<VName> mine = new HashSet<>();
    for (var v : y.result().sizes()) {
      var fresh = inference.fresh(v.base());
      mine.add(fresh);
      by.put(v, new TypeArg.OfSize(new Size.Var(fresh)));
    }
    existential.addAll(mine);
    unify(Types.subst(x.result().type(), byExpected), Types.subst(y.result().type(), by));
    existential.removeAll(mine);
  }

  /** Links two unknowns: one of them gets what is known of both. */
  private void linkMetas(SType.Meta m, SType.Meta n) {
    n.level = Math.min(m.level, n.level);
    var c = combine(m.constraint, n.constraint);
    m.link = n;
    n.constraint = c;
  }

  private Constraint combine(Constraint a, Constraint b) {
    if (a instanceof Constraint.Any x && b instanceof Constraint.Any y) {
      return x.ability().compareTo(y.ability()) >= 0 ? x : y;
    }
    if (a instanceof Constraint.Any x) {
      return combineAbility(b, x.ability());
    }
    if (b instanceof Constraint.Any y) {
      return combineAbility(a, y.ability());
    }
    if (a instanceof Constraint.OneOf(var xs) && b instanceof Constraint.OneOf(var ys)) {
      var both = EnumSet.copyOf(xs);
      both.retainAll(ys);
      if (both.isEmpty()) {
        throw new Mismatch(false, oneOf(xs) + " is not " + oneOf(ys));
      }
      return new Constraint.OneOf(both);
    }
    if (a instanceof Constraint.HasFields(var xs) && b instanceof Constraint.HasFields(var ys)) {
      SortedMap<String, SType> all = Fields.empty();
      all.putAll(xs);
      ys.forEach((name, t) -> mergeField(all, name, t));
      return new Constraint.HasFields(all);
    }
    if (a instanceof Constraint.HasConstructors(var xs)
        && b instanceof Constraint.HasConstructors(var ys)) {
      SortedMap<String, List<SType>> all = Fields.empty();
      all.putAll(xs);
      ys.forEach(
          (name, ts) -> {
            var old = all.putIfAbsent(name, ts);
            if (old != null) {
              unifyPayload(name, old, ts);
            }
          });
      return new Constraint.HasConstructors(all);
    }
    throw new Mismatch(false, describe(a) + " is not " + describe(b));
  }

  private void mergeField(SortedMap<String, SType> all, String name, SType t) {
    var old = all.putIfAbsent(name, t);
    if (old != null) {
      unify(old, t);
    }
  }

  private Constraint combineAbility(Constraint c, Ability ability) {
    switch (c) {
      case Constraint.HasFields(var fields) -> fields.values().forEach(t -> require(t, ability));
      case Constraint.HasConstructors(var cs) ->
          cs.values().forEach(ts -> ts.forEach(t -> require(t, ability)));
      case Constraint.Any _, Constraint.OneOf _ -> {}
    }
    return c;
  }

  /** Describes, for messages, a type of which only this is known. */
  String describe(Constraint c) {
    return switch (c) {
      case Constraint.Any(var ability) ->
          switch (ability) {
            case ANY -> "any type";
            case SIZE_LIFTED -> "any type without functions";
            case ELEMENT -> "any type that arrays may have";
            case EQUALITY -> "any type that can be compared";
          };
      case Constraint.OneOf(var prims) -> oneOf(prims);
      case Constraint.HasFields(var fields) ->
          "a record with " + String.join(", ", fields.keySet().stream().map(f -> "." + f).toList());
      case Constraint.HasConstructors(var cs) ->
          "a sum type with " + String.join(", ", cs.keySet().stream().map(f -> "#" + f).toList());
    };
  }

  private static String oneOf(EnumSet<Prim> prims) {
    if (prims.size() > 4) {
      boolean floats = prims.stream().anyMatch(Prim::isFloat);
      boolean ints = prims.stream().anyMatch(Prim::isInteger);
      var bool = prims.contains(Prim.BOOL) ? " or bool" : "";
      return (floats && ints ? "a number" : floats ? "a float" : "an integer") + bool;
    }
    return String.join(" or ", prims.stream().map(Prim::text).toList());
  }

  private void link(SType.Meta m, SType marked) {
    var t = Types.strip(marked);
    switch (m.constraint) {
      case Constraint.Any(var ability) -> {
        scope(m, t, ability == Ability.ANY || ability == Ability.SIZE_LIFTED);
        require(t, ability);
        m.link = t;
      }
      case Constraint.OneOf(var prims) -> {
        if (!(t instanceof SType.Scalar(var p) && prims.contains(p))) {
          throw new Mismatch(false, printer.type(t) + " is not " + oneOf(prims));
        }
        m.link = t;
      }
      case Constraint.HasFields(var fields) -> {
        scope(m, t, true);
        if (!(t instanceof SType.Record r) || !r.fields().keySet().containsAll(fields.keySet())) {
          throw new Mismatch(
              false,
              printer.type(t) + " is not " + describe(m.constraint),
              t instanceof SType.Record r
                  ? meant(fields.keySet(), r.fields().keySet(), "")
                  : new String[0]);
        }
        linked(m, t, () -> fields.forEach((name, f) -> unify(f, r.fields().get(name))));
      }
      case Constraint.HasConstructors(var cs) -> {
        scope(m, t, true);
        if (!(t instanceof SType.Sum s) || !s.constructors().keySet().containsAll(cs.keySet())) {
          throw new Mismatch(
              false,
              printer.type(t) + " is not " + describe(m.constraint),
              t instanceof SType.Sum s
                  ? meant(cs.keySet(), s.constructors().keySet(), "#")
                  : new String[0]);
        }
        linked(m, t, () -> cs.forEach((n, ts) -> unifyPayload(n, ts, s.constructors().get(n))));
      }
    }
  }

  /**
   * Links an unknown to a type, then makes their parts equal. If they can't be equal, the link is
   * undone, so that the message can show both types.
   */
  private static void linked(SType.Meta m, SType t, Runnable parts) {
    m.link = t;
    try {
      parts.run();
    } catch (Mismatch e) {
      m.link = null;
      throw e;
    }
  }

  /** Demands that a type, and what is unknown in it, has an ability. */
  void require(SType type, Ability ability) {
    if (ability == Ability.ANY) {
      return;
    }
    switch (Types.stripTop(type)) {
      case SType.Scalar _ -> {}
      case SType.Array a -> require(a.element(), max(ability, Ability.ELEMENT));
      case SType.Record r -> r.fields().values().forEach(t -> require(t, ability));
      case SType.Sum s ->
          s.constructors().values().forEach(ts -> ts.forEach(t -> require(t, ability)));
      case SType.Arrow f ->
          throw new Mismatch(
              false, "the function type " + printer.type(f) + " is not allowed here");
      case SType.Named n -> requireName(n.name(), n, ability);
      case SType.Var v -> {
        if (ability == Ability.EQUALITY) {
          throw new Mismatch(
              false,
              "values of the type parameter "
                  + printer.type(v)
                  + " can't be compared: it may stand for what has no equality; take `==` as a"
                  + " parameter");
        }
        requireName(v.name(), v, ability);
      }
      case SType.Meta m -> m.constraint = combine(m.constraint, new Constraint.Any(ability));
      case SType.Unique u -> require(u.type(), ability);
    }
  }

  private static Ability max(Ability a, Ability b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  private void requireName(VName v, SType t, Ability ability) {
    var l = liftednessOf(v);
    if (l == Liftedness.LIFTED) {
      throw new Mismatch(false, printer.type(t) + " may be a function");
    }
    if (l == Liftedness.SIZE_LIFTED && ability != Ability.SIZE_LIFTED) {
      throw new Mismatch(false, printer.type(t) + " may hide arrays of different sizes");
    }
  }

  /**
   * Checks that an unknown may stand for a type, and brings what is in the type to the unknown's
   * level.
   */
  private void scope(SType.Meta m, SType t, boolean lifted) {
    Types.each(
        t,
        leaf -> {
          switch (leaf) {
            case SType.Meta n -> {
              if (n == m) {
                throw new Mismatch(false, "Occurs check: the type would contain itself");
              }
              n.level = Math.min(n.level, m.level);
            }
            case SType.Var v -> {
              if (inference.levelOf(v.name()) > m.level) {
                throw new Mismatch(
                    false,
                    "Scope violation: the type parameter '%s would leave its scope"
                        .formatted(v.name().base()));
              }
            }
            default -> {}
          }
        },
        s -> scopeSize(s, m.level, lifted, t));
  }

  private void scopeSize(Size s, int level, boolean lifted, SType whole) {
    SizeExps.eachName(
        s,
        v -> {
          if (inference.levelOf(v) <= level || boundIn(whole).contains(v)) {
            return;
          }
          if (existential.remove(v) && lifted) {
            inference.release(v);
          } else {
            throw escapes(v);
          }
        },
        n -> n.level = Math.min(n.level, level));
  }

  private Mismatch escapes(VName v) {
    return new Mismatch(
        true,
        existential.contains(v)
            ? "Causality check: the size \"" + v.base() + "\" differs from one call to the next"
            : "Causality check: the size \"" + v.base() + "\" would leave its scope");
  }

  /** Returns the names that function types in a type bind. */
  private static Set<VName> boundIn(SType t) {
    return switch (Types.resolve(t)) {
      case SType.Arrow f -> {
        Set<VName> out = new HashSet<>(f.result().sizes());
        f.name().ifPresent(out::add);
        out.addAll(boundIn(f.param()));
        out.addAll(boundIn(f.result().type()));
        yield out;
      }
      case SType.Record r -> {
        Set<VName> out = Set.of();
        for (var f : r.fields().values()) {
          var more = boundIn(f);
          if (!more.isEmpty()) {
            out = new HashSet<>(out);
            out.addAll(more);
          }
        }
        yield out;
      }
      case SType.Unique u -> boundIn(u.type());
      case SType _ -> Set.of();
    };
  }

  /** Makes two sizes equal, or throws how they differ. */
  void unifySize(Size expected, Size actual) {
    if (!trySize(expected, actual)) {
      throw new Mismatch(
          true,
          p -> {
            var x = p.size(expected);
            var y = p.size(actual);
            return "Sizes \""
                + x
                + "\" and \""
                + y
                + "\" do not match"
                + (printer.size(expected).equals(printer.size(actual))
                    ? ": two sizes have that name"
                    : "");
          });
    }
  }

  boolean trySize(Size expected, Size actual) {
    var a = SizeExps.settled(expected);
    var b = SizeExps.settled(actual);
    if (a == b || a instanceof Size.Any || b instanceof Size.Any) {
      return true;
    }
    if (a instanceof Size.Meta m) {
      linkSize(m, b);
      return true;
    }
    if (b instanceof Size.Meta n) {
      linkSize(n, a);
      return true;
    }
    return switch (a) {
      case Size.Const x when b instanceof Size.Const y -> x.value() == y.value();
      case Size.Var x when b instanceof Size.Var y -> x.name().equals(y.name());
      case Size.Of x when b instanceof Size.Of y -> SizeExps.same(x.exp(), y.exp(), this::trySize);
      default -> false;
    };
  }

  private void linkSize(Size.Meta m, Size s) {
    if (s instanceof Size.Of o && SizeExps.depends(o.exp(), m)) {
      throw new Mismatch(true, "Occurs check: the size would be computed from itself");
    }
    SizeExps.eachName(
        s,
        v -> {
          if (m.level != Integer.MAX_VALUE && inference.levelOf(v) > m.level) {
            throw escapes(v);
          }
        },
        n -> n.level = Math.min(n.level, m.level));
    m.link = s;
  }
}
