package dev.kenaz.typing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Gives each value of an inferred type sizes of its own, where these differ from call to call. In
 * {@code (b, b)} both values may come from different calls of a function that was given, so they
 * have different sizes. In {@code #left b | #right b} there is only one value at a time, so both
 * have one size.
 */
final class OwnSizes {
  private final Inference inference;
  private final Set<VName> released;

  /**
   * For each inferred type, the types that stand at its first place, at its second one, and so on.
   */
  private final Map<SType.Meta, List<SType>> own = new HashMap<>();

  /**
   * For each inferred type, how many places there were so far. Each constructor begins to count
   * where its sum does.
   */
  private Map<SType.Meta, Integer> places = new HashMap<>();

  OwnSizes(Inference inference, Set<VName> released) {
    this.inference = inference;
    this.released = released;
  }

  SType of(SType type) {
    return switch (type) {
      case SType.Meta m when m.link != null -> found(m);
      case SType.Array a -> new SType.Array(a.size(), of(a.element()));
      case SType.Record r -> Types.mapFields(r, this::of);
      case SType.Sum sum -> sum(sum);
      case SType.Unique u -> Types.unique(of(u.type()));
      case SType.Arrow f ->
          new SType.Arrow(
              f.name(),
              f.param(),
              new ReturnType(
                  f.result().sizes(), new OwnSizes(inference, released).of(f.result().type())));
      case SType.Named n ->
          new SType.Named(
              n.name(), Types.mapList(n.args(), a -> Types.mapArg(a, this::of, size -> size)));
      case SType.Scalar _, SType.Var _, SType.Meta _ -> type;
    };
  }

  private SType sum(SType.Sum sum) {
    var before = places;
    Map<SType.Meta, Integer> after = new HashMap<>(before);
    var out = Fields.<List<SType>>empty();
    sum.constructors()
        .forEach(
            (name, payload) -> {
              places = new HashMap<>(before);
              out.put(name, Types.mapList(payload, this::of));
              places.forEach((m, n) -> after.merge(m, n, Math::max));
            });
    places = after;
    return new SType.Sum(out);
  }

  private SType found(SType.Meta m) {
    int place = places.merge(m, 1, Integer::sum) - 1;
    var mine = own.computeIfAbsent(m, _ -> new ArrayList<>());
    if (place == mine.size()) {
      mine.add(fresh(m));
    }
    return mine.get(place);
  }

  private SType fresh(SType.Meta m) {
    Map<VName, TypeArg> by = new HashMap<>();
    for (var v : released) {
      var own = inference.fresh(v.base());
      inference.release(own);
      by.put(v, new TypeArg.OfSize(new Size.Var(own)));
    }
    return Types.subst(m, by);
  }
}
