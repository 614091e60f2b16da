package dev.kenaz.typing;

import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Builds, takes apart and rewrites types. A rewrite returns the same object for what does not
 * change.
 */
final class Types {
  static final SType BOOL = new SType.Scalar(Prim.BOOL);
  static final SType I32 = new SType.Scalar(Prim.I32);
  static final SType I64 = new SType.Scalar(Prim.I64);
  static final SType U8 = new SType.Scalar(Prim.U8);
  static final SType UNIT = new SType.Record(Fields.empty());

  private Types() {}

  /**
   * Returns what inference has found out about the head of a type, and shortens the chain of links
   * to it.
   */
  static SType resolve(SType t) {
    while (t instanceof SType.Meta m && m.link != null) {
      if (m.link instanceof SType.Meta n && n.link != null) {
        m.link = n.link;
      }
      t = m.link;
    }
    return t;
  }

  static Size resolve(Size s) {
    while (s instanceof Size.Meta m && m.link != null) {
      if (m.link instanceof Size.Meta n && n.link != null) {
        m.link = n.link;
      }
      s = m.link;
    }
    return s;
  }

  static SType tuple(List<SType> elements) {
    return new SType.Record(Fields.tuple(elements));
  }

  static SType arrow(SType param, SType result) {
    return new SType.Arrow(Optional.empty(), param, ReturnType.of(result));
  }

  /** Returns the type of a curried function. */
  static SType arrows(List<SType> params, SType result) {
    for (int i = params.size() - 1; i >= 0; i--) {
      result = arrow(params.get(i), result);
    }
    return result;
  }

  static SType array(Size size, SType element) {
    return new SType.Array(size, element);
  }

  /** Returns the number of leading dimensions that are known so far. */
  static int rank(SType t) {
    int rank = 0;
    for (t = stripTop(t); t instanceof SType.Array a; t = stripTop(a.element())) {
      rank++;
    }
    return rank;
  }

  /** Returns the head of a type, resolved and without a uniqueness mark. */
  static SType stripTop(SType t) {
    t = resolve(t);
    while (t instanceof SType.Unique u) {
      t = resolve(u.type());
    }
    return t;
  }

  /** Returns the type without uniqueness marks, except those inside functions. */
  static SType strip(SType t) {
    return switch (resolve(t)) {
      case SType.Unique u -> strip(u.type());
      case SType.Record r -> mapFields(r, Types::strip);
      case SType.Sum s -> mapPayloads(s, Types::strip);
      case SType.Array a -> {
        var e = strip(a.element());
        yield e == a.element() ? a : new SType.Array(a.size(), e);
      }
      case SType other -> other;
    };
  }

  /** Whether something in a parameter or result is marked unique; functions in it don't count. */
  static boolean hasUnique(SType t) {
    return switch (resolve(t)) {
      case SType.Unique _ -> true;
      case SType.Record r -> r.fields().values().stream().anyMatch(Types::hasUnique);
      case SType.Sum s ->
          s.constructors().values().stream().flatMap(List::stream).anyMatch(Types::hasUnique);
      case SType.Array a -> hasUnique(a.element());
      case SType _ -> false;
    };
  }

  /**
   * Returns how many parts a type has, but stops counting soon after {@code most}. A part that
   * occurs twice counts twice.
   */
  static int parts(SType t, int most) {
    if (most <= 0) {
      return 0;
    }
    return switch (resolve(t)) {
      case SType.Scalar _, SType.Var _, SType.Meta _ -> 1;
      case SType.Array a -> 1 + parts(a.element(), most - 1);
      case SType.Unique u -> 1 + parts(u.type(), most - 1);
      case SType.Record r -> parts(r.fields().values(), most);
      case SType.Sum s ->
          parts(s.constructors().values().stream().flatMap(List::stream).toList(), most);
      case SType.Arrow f -> parts(List.of(f.param(), f.result().type()), most);
      case SType.Named n ->
          parts(
              n.args().stream()
                  .filter(a -> a instanceof TypeArg.OfType)
                  .map(a -> ((TypeArg.OfType) a).type())
                  .toList(),
              most);
    };
  }

  private static int parts(Iterable<SType> types, int most) {
    int count = 1;
    for (var t : types) {
      count += parts(t, most - count);
    }
    return count;
  }

  /** Whether a value of the type is or holds a function. */
  static boolean hasArrow(SType t) {
    return switch (resolve(t)) {
      case SType.Arrow _ -> true;
      case SType.Record r -> r.fields().values().stream().anyMatch(Types::hasArrow);
      case SType.Sum s ->
          s.constructors().values().stream().flatMap(List::stream).anyMatch(Types::hasArrow);
      case SType.Unique u -> hasArrow(u.type());
      case SType _ -> false;
    };
  }

  /** Whether the second function's result is unique wherever the first function's result is. */
  static boolean returnsAsUnique(SType asked, SType actual) {
    var a = resolve(asked);
    var b = resolve(actual);
    while (a instanceof SType.Arrow f && b instanceof SType.Arrow g) {
      a = resolve(f.result().type());
      b = resolve(g.result().type());
    }
    return asUnique(a, b);
  }

  private static boolean asUnique(SType asked, SType actual) {
    var b = resolve(actual);
    if (b instanceof SType.Scalar || b instanceof SType.Unique) {
      return true;
    }
    return switch (resolve(asked)) {
      case SType.Unique _ ->
          b instanceof SType.Record r
              && r.fields().values().stream().allMatch(t -> asUnique(new SType.Unique(t), t));
      case SType.Record r ->
          !(b instanceof SType.Record s)
              || r.fields().entrySet().stream()
                  .allMatch(e -> asUnique(e.getValue(), s.fields().get(e.getKey())));
      case SType _ -> true;
    };
  }

  static SType mapFields(SType.Record r, UnaryOperator<SType> f) {
    SortedMap<String, SType> fields = null;
    for (var e : r.fields().entrySet()) {
      var t = f.apply(e.getValue());
      if (t != e.getValue()) {
        if (fields == null) {
          fields = Fields.empty();
          fields.putAll(r.fields());
        }
        fields.put(e.getKey(), t);
      }
    }
    return fields == null ? r : new SType.Record(fields);
  }

  static SType mapPayloads(SType.Sum s, UnaryOperator<SType> f) {
    SortedMap<String, List<SType>> constructors = null;
    for (var e : s.constructors().entrySet()) {
      var ts = mapList(e.getValue(), f);
      if (ts != e.getValue()) {
        if (constructors == null) {
          constructors = Fields.empty();
          constructors.putAll(s.constructors());
        }
        constructors.put(e.getKey(), ts);
      }
    }
    return constructors == null ? s : new SType.Sum(constructors);
  }

  /** Maps a list. The result is the same list if nothing changes. */
  static <T> List<T> mapList(List<T> xs, UnaryOperator<T> f) {
    List<T> out = null;
    for (int i = 0; i < xs.size(); i++) {
      var x = xs.get(i);
      var y = f.apply(x);
      if (y != x && out == null) {
        out = new ArrayList<>(xs);
      }
      if (out != null) {
        out.set(i, y);
      }
    }
    return out == null ? xs : out;
  }

  /** Rewrites sizes and leaves (type variables and unsolved types), resolving on the way. */
  static SType map(SType type, UnaryOperator<SType> onLeaf, UnaryOperator<Size> onSize) {
    return switch (resolve(type)) {
      case SType.Scalar s -> s;
      case SType.Array a -> {
        var size = onSize.apply(a.size());
        var e = map(a.element(), onLeaf, onSize);
        yield size == a.size() && e == a.element() ? a : new SType.Array(size, e);
      }
      case SType.Record r -> mapFields(r, t -> map(t, onLeaf, onSize));
      case SType.Sum s -> mapPayloads(s, t -> map(t, onLeaf, onSize));
      case SType.Arrow f -> {
        var p = map(f.param(), onLeaf, onSize);
        var r = map(f.result().type(), onLeaf, onSize);
        yield p == f.param() && r == f.result().type()
            ? f
            : new SType.Arrow(f.name(), p, new ReturnType(f.result().sizes(), r));
      }
      case SType.Named n -> {
        var args = mapList(n.args(), a -> mapArg(a, t -> map(t, onLeaf, onSize), onSize));
        yield args == n.args() ? n : new SType.Named(n.name(), args);
      }
      case SType.Unique u -> {
        var t = map(u.type(), onLeaf, onSize);
        yield t == u.type() ? u : unique(t);
      }
      case SType.Var v -> onLeaf.apply(v);
      case SType.Meta m -> onLeaf.apply(m);
    };
  }

  /** Marks a type as unique, unless it is marked already. */
  static SType unique(SType t) {
    return resolve(t) instanceof SType.Unique u ? u : new SType.Unique(t);
  }

  static TypeArg mapArg(TypeArg arg, UnaryOperator<SType> onType, UnaryOperator<Size> onSize) {
    return switch (arg) {
      case TypeArg.OfSize s -> {
        var size = onSize.apply(s.size());
        yield size == s.size() ? s : new TypeArg.OfSize(size);
      }
      case TypeArg.OfType t -> {
        var type = onType.apply(t.type());
        yield type == t.type() ? t : new TypeArg.OfType(type);
      }
    };
  }

  /** Replaces type variables and size variables. */
  static SType subst(SType type, Map<VName, TypeArg> by) {
    if (by.isEmpty()) {
      return type;
    }
    return map(
        type,
        leaf ->
            leaf instanceof SType.Var v && by.get(v.name()) instanceof TypeArg.OfType t
                ? t.type()
                : leaf,
        size -> SizeExps.subst(size, by));
  }

  static ReturnType subst(ReturnType r, Map<VName, TypeArg> by) {
    var t = subst(r.type(), by);
    return t == r.type() ? r : new ReturnType(r.sizes(), t);
  }

  static TypeArg substArg(TypeArg a, Map<VName, TypeArg> by) {
    return switch (a) {
      case TypeArg.OfSize s -> new TypeArg.OfSize(SizeExps.subst(s.size(), by));
      case TypeArg.OfType t -> new TypeArg.OfType(subst(t.type(), by));
    };
  }

  /** Calls back for each size and each leaf in a type, resolved. */
  static void each(SType type, Consumer<SType> onLeaf, Consumer<Size> onSize) {
    switch (resolve(type)) {
      case SType.Scalar _ -> {}
      case SType.Array a -> {
        onSize.accept(resolve(a.size()));
        each(a.element(), onLeaf, onSize);
      }
      case SType.Record r -> r.fields().values().forEach(t -> each(t, onLeaf, onSize));
      case SType.Sum s ->
          s.constructors().values().forEach(ts -> ts.forEach(t -> each(t, onLeaf, onSize)));
      case SType.Arrow f -> {
        each(f.param(), onLeaf, onSize);
        each(f.result().type(), onLeaf, onSize);
      }
      case SType.Named n -> {
        for (var arg : n.args()) {
          switch (arg) {
            case TypeArg.OfSize s -> onSize.accept(resolve(s.size()));
            case TypeArg.OfType t -> each(t.type(), onLeaf, onSize);
          }
        }
      }
      case SType.Unique u -> each(u.type(), onLeaf, onSize);
      case SType.Var v -> onLeaf.accept(v);
      case SType.Meta m -> onLeaf.accept(m);
    }
  }

  /** Whether a size variable occurs in a type, free or bound. */
  static boolean mentions(SType type, VName size) {
    boolean[] found = {false};
    each(
        type,
        _ -> {},
        s -> {
          if (!found[0]) {
            SizeExps.eachName(s, v -> found[0] |= v.equals(size), _ -> {});
          }
        });
    return found[0];
  }

  /** Returns the sizes that a value of the type has itself, so that they can be read off it. */
  static Set<VName> constructive(SType type) {
    Set<VName> out = new HashSet<>();
    constructive(type, out);
    return out;
  }

  private static void constructive(SType type, Set<VName> out) {
    switch (resolve(type)) {
      case SType.Array a -> {
        constructive(a.size(), out);
        constructive(a.element(), out);
      }
      case SType.Record r -> r.fields().values().forEach(t -> constructive(t, out));
      case SType.Sum s ->
          s.constructors().values().forEach(ts -> ts.forEach(t -> constructive(t, out)));
      case SType.Named n -> {
        for (var arg : n.args()) {
          switch (arg) {
            case TypeArg.OfSize(var size) -> constructive(size, out);
            case TypeArg.OfType(var t) -> constructive(t, out);
          }
        }
      }
      case SType.Unique u -> constructive(u.type(), out);
      case SType.Arrow _, SType.Scalar _, SType.Var _, SType.Meta _ -> {}
    }
  }

  private static void constructive(Size size, Set<VName> out) {
    if (resolve(size) instanceof Size.Var v) {
      out.add(v.name());
    }
  }

  /** Maps the parameters of an abbreviation to the arguments that it is applied to. */
  static Map<VName, TypeArg> bind(List<TypeParam> params, List<TypeArg> args) {
    Map<VName, TypeArg> by = new HashMap<>();
    for (int i = 0; i < params.size(); i++) {
      by.put(params.get(i).name(), args.get(i));
    }
    return by;
  }
}
