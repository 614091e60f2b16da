package dev.kenaz.fuse;

import dev.kenaz.analysis.ArrayParts;
import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A perfect nest of maps around one update of an accumulator, in its parts.
 *
 * @param owners for each dimension of the accumulator, the level that indexes it
 */
record Nest(List<Level> levels, Atom value, List<Integer> owners, Set<Var> counting) {
  /**
   * One map: its inputs and parameters without the accumulator, and the statements of its lambda
   * before the next map.
   */
  private record Level(Atom width, List<Var> inputs, List<Var> params, List<Stm> before) {}

  /**
   * Takes the nest apart.
   *
   * @param counting variables that are {@code iota n}
   * @return null if it isn't such a nest, or its own indices don't index one dimension each
   */
  static Nest of(WithAcc w, Set<Var> counting) {
    var levels = new ArrayList<Level>();
    var space = w.inputs().getFirst().space();
    return of(w.body(), w.body().params().getFirst(), levels, space, counting);
  }

  private static Nest of(
      Lambda lambda, Var acc, List<Level> levels, List<Atom> space, Set<Var> counting) {
    var stms = lambda.body().stms();
    if (stms.isEmpty() || !lambda.body().results().equals(List.copyOf(stms.getLast().pattern()))) {
      return null;
    }
    var before = stms.subList(0, stms.size() - 1);
    if (!before.stream().allMatch(Nest::movable) || levels.isEmpty() && !before.isEmpty()) {
      return null;
    }
    if (!levels.isEmpty()) {
      levels.getLast().before.addAll(before);
    }
    return switch (stms.getLast().exp()) {
      case UpdateAcc u when u.acc().equals(acc) -> {
        var owners = owners(levels, u, counting, space);
        yield owners == null ? null : new Nest(levels, u.values().getFirst(), owners, counting);
      }
      case Screma s when s.isMap() && s.inputs().contains(acc) ->
          of(s.map(), descend(s, acc, levels), levels, space, counting);
      default -> null;
    };
  }

  private static Var descend(Screma s, Var acc, List<Level> levels) {
    var inputs = new ArrayList<>(s.inputs());
    var params = new ArrayList<>(s.map().params());
    int at = inputs.indexOf(acc);
    inputs.remove(at);
    var inner = params.remove(at);
    levels.add(new Level(s.width(), inputs, params, new ArrayList<>()));
    return inner;
  }

  static boolean movable(Stm stm) {
    return stm.pattern().size() == 1
        && (Effects.safeScalar(stm.exp()) || stm.exp() instanceof Index x && !x.checked());
  }

  private static List<Integer> owners(
      List<Level> levels, UpdateAcc u, Set<Var> counting, List<Atom> space) {
    var owners = new ArrayList<Integer>();
    for (int d = 0; d < space.size(); d++) {
      int owner = -1;
      for (int l = 0; l < levels.size(); l++) {
        var level = levels.get(l);
        int at = level.params.indexOf(u.indices().get(d));
        if (at >= 0
            && counting.contains(level.inputs.get(at))
            && level.width.equals(space.get(d))) {
          owner = l;
        }
      }
      if (owner < 0 || owners.contains(owner)) {
        return null;
      }
      owners.add(owner);
    }
    return u.values().size() == 1 && boundOutside(levels) ? owners : null;
  }

  /** Whether the widths are known outside the nest, so that its levels may change places. */
  private static boolean boundOutside(List<Level> levels) {
    var inside = new HashSet<Atom>();
    for (var level : levels) {
      if (inside.contains(level.width)) {
        return false;
      }
      inside.addAll(level.params);
      level.before.forEach(s -> inside.addAll(s.pattern()));
    }
    return true;
  }

  boolean sumsOutermost() {
    return !owners.contains(0);
  }

  /** Adds the nest as maps over the accumulator's dimensions around reductions over the rest. */
  Var build(Builder b, Combine combine) {
    return (Var) maps(b, combine, 0, new HashMap<>());
  }

  private Atom maps(Builder b, Combine combine, int d, Map<Integer, Atom> indices) {
    if (d == owners.size()) {
      List<Integer> rest =
          IntStream.range(0, levels.size()).filter(l -> !owners.contains(l)).boxed().toList();
      return sums(b, combine, rest, indices);
    }
    int level = owners.get(d);
    var width = levels.get(level).width;
    return b.map(
            width,
            List.of(b.iota(width)),
            (c, i) -> {
              indices.put(level, i.getFirst());
              return List.of(maps(c, combine, d + 1, indices));
            })
        .getFirst();
  }

  private Atom sums(Builder b, Combine combine, List<Integer> rest, Map<Integer, Atom> indices) {
    if (rest.isEmpty()) {
      return new Innermost(b, indices).value();
    }
    int level = rest.getFirst();
    var width = levels.get(level).width;
    var map =
        b.lambda(
            List.of(Type.I64),
            (c, i) -> {
              indices.put(level, i.getFirst());
              return List.of(sums(c, combine, rest.subList(1, rest.size()), indices));
            });
    var op = new Renaming().lambda(combine.op());
    var reduce = new Reduce(op, combine.neutral(), true);
    return b.screma(width, List.of(b.iota(width)), List.of(), List.of(reduce), map).getFirst();
  }

  /** Computes the value at given indices of all levels: rows are read where they are needed. */
  private final class Innermost implements Rewriter {
    private final Builder b;
    private final Map<Integer, Atom> indices;
    private final ArrayParts parts = new ArrayParts(_ -> false);
    private final Map<Var, Atom> scalars = new HashMap<>();

    Innermost(Builder b, Map<Integer, Atom> indices) {
      this.b = b;
      this.indices = indices;
    }

    Atom value() {
      for (int l = 0; l < levels.size(); l++) {
        var level = levels.get(l);
        for (int k = 0; k < level.inputs.size(); k++) {
          var in = level.inputs.get(k);
          if (counting.contains(in)) {
            scalars.put(level.params.get(k), indices.get(l));
          } else {
            read(level.params.get(k), in, List.of(indices.get(l)));
          }
        }
        level.before.forEach(this::move);
      }
      return atom(value);
    }

    private void move(Stm stm) {
      if (stm.exp() instanceof Index(var array, var is, _)) {
        read(stm.var(), array, atoms(is));
      } else {
        var v = Names.fresh(stm.var().name(), stm.var().type());
        b.bindAll(List.of(v), exp(stm.exp()));
        scalars.put(stm.var(), v);
      }
    }

    private void read(Var v, Var array, List<Atom> is) {
      parts.note(v, new Index(array, is, false));
      if (v.type().isScalar()) {
        var element = parts.of(v);
        scalars.put(v, b.bind(v.name(), new Index(element.array(), element.at(), false)));
      }
    }

    @Override
    public Atom atom(Atom atom) {
      return atom instanceof Var v ? scalars.getOrDefault(v, v) : atom;
    }

    @Override
    public Lambda lambda(Lambda lambda) {
      throw new IllegalStateException("only scalar statements are moved");
    }
  }
}
