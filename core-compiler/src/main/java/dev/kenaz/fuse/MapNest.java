package dev.kenaz.fuse;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A perfect nest of maps ({@code map2^n} of 002 §4.2): the widths of its levels, what its innermost
 * body reads, and that body. Only arrays from outside are read, each indexed by some of the levels;
 * so another nest over other views of the arrays can run the same body.
 */
record MapNest(List<Atom> widths, List<Leaf> leaves, Body body) {

  /**
   * A variable of the innermost body that is part of an array.
   *
   * @param levels the levels that index the array's outer dimensions, in order
   */
  record Leaf(Var param, Var array, List<Integer> levels) {}

  /** The outermost {@code depth} levels; empty if there are fewer, or they do more than map. */
  static Optional<MapNest> of(Screma outermost, int depth) {
    var widths = new ArrayList<Atom>();
    var paths = new HashMap<Var, Leaf>();
    var inside = new HashSet<Var>();
    var s = outermost;
    while (true) {
      if (!s.isMap()
          || inside.contains(s.width())
          || s.inputs().stream().anyMatch(in -> in.type() instanceof Type.Acc)) {
        return Optional.empty();
      }
      enter(s, widths.size(), paths);
      widths.add(s.width());
      inside.addAll(s.map().params());
      var body = s.map().body();
      if (widths.size() == depth) {
        return nest(widths, paths, body);
      }
      if (body.onlyStm().isEmpty() || !(body.onlyStm().get().exp() instanceof Screma inner)) {
        return Optional.empty();
      }
      s = inner;
    }
  }

  private static void enter(Screma s, int level, Map<Var, Leaf> paths) {
    for (int k = 0; k < s.inputs().size(); k++) {
      var in = s.inputs().get(k);
      var param = s.map().params().get(k);
      var outer = paths.get(in);
      var levels = Lists.with(outer == null ? List.<Integer>of() : outer.levels, level);
      paths.put(param, new Leaf(param, outer == null ? in : outer.array, levels));
    }
  }

  private static Optional<MapNest> nest(List<Atom> widths, Map<Var, Leaf> paths, Body body) {
    var used = FreeVars.of(body);
    var leaves = used.stream().filter(paths::containsKey).map(paths::get).toList();
    boolean regular =
        leaves.stream().noneMatch(l -> l.param.type().dims().stream().anyMatch(paths::containsKey));
    return regular ? Optional.of(new MapNest(widths, leaves, body)) : Optional.empty();
  }

  /**
   * Builds the nest with the same body under other levels.
   *
   * @param newLeaves for each leaf, in order, the array to read and the new levels that index it
   */
  List<Var> build(Builder b, List<Atom> newWidths, List<Leaf> newLeaves) {
    var now = new ArrayList<Var>();
    newLeaves.forEach(l -> now.add(l.array));
    return level(b, 0, newWidths, newLeaves, now);
  }

  private List<Var> level(
      Builder b, int at, List<Atom> newWidths, List<Leaf> newLeaves, List<Var> now) {
    List<Integer> here =
        IntStream.range(0, newLeaves.size())
            .filter(k -> newLeaves.get(k).levels.contains(at))
            .boxed()
            .toList();
    var inputs = here.stream().map(now::get).toList();
    return b.map(
        newWidths.get(at),
        inputs,
        (c, params) -> {
          var next = new ArrayList<>(now);
          for (int i = 0; i < here.size(); i++) {
            next.set(here.get(i), params.get(i));
          }
          if (at + 1 < newWidths.size()) {
            return level(c, at + 1, newWidths, newLeaves, next);
          }
          var names = new HashMap<Var, Atom>();
          for (int k = 0; k < leaves.size(); k++) {
            names.put(leaves.get(k).param, next.get(k));
          }
          return c.inline(new Renaming(names).body(body));
        });
  }
}
