package dev.kenaz.kernels;

import dev.kenaz.analysis.ArrayParts;
import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.UpdateAcc;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.kernels.Collapse.Collapsed;
import dev.kenaz.loops.Scope;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp.Dim;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.segir.SegOp.SegRed;
import dev.kenaz.segir.SegOp.SegSpace;
import dev.kenaz.segir.SegStm;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Finds maps that do no more than add to accumulators, at indices that are the map's own: each
 * place gets a reduction along the other dimensions of the map, and threads needn't meet. If these
 * are several, they become one ({@link Collapse}).
 *
 * @param sums the reduction, with a segment for each place
 * @param totals its results
 * @param accs what they are to be added to
 */
record Additions(SegRed sums, List<Var> totals, List<Var> accs) {

  /** Finds what a map's body adds. */
  private static final class Finder {
    private final List<Var> indices;
    private final ArrayParts parts;
    private final Map<Var, Var> roots = new HashMap<>();
    private final Map<Var, UpdateAcc> updates = new HashMap<>();
    private final List<SegStm> kept = new ArrayList<>();

    Finder(SegMap m, Predicate<Var> counts) {
      parts = new ArrayParts(counts);
      indices = m.space().dims().stream().map(Dim::index).toList();
    }

    private Var root(Var acc) {
      return roots.getOrDefault(acc, acc);
    }

    /** Whether the statement is one that such a map may have. */
    boolean takes(SegStm stm) {
      if (!(stm.exp() instanceof SegExp.Plain(var exp)) || stm.pattern().isEmpty()) {
        return false;
      }
      var v = stm.pattern().getFirst();
      switch (exp) {
        case UpdateAcc u -> {
          roots.put(v, root(u.acc()));
          return u.values().size() == 1
              && indices.containsAll(places(u))
              && updates.put(root(u.acc()), u) == null;
        }
        case Alias(Var from) when from.type() instanceof Type.Acc -> {
          roots.put(v, root(from));
          return true;
        }
        case Index x -> parts.note(v, x);
        default -> {}
      }
      kept.add(stm);
      return stm.pattern().stream().noneMatch(p -> p.type() instanceof Type.Acc);
    }

    List<Atom> places(UpdateAcc u) {
      return u.indices().stream().map(parts::index).toList();
    }
  }

  /**
   * Finds the additions of a map.
   *
   * @param counts whether an array is 0, 1, 2, ...
   */
  static Optional<Additions> find(Scope scope, SegMap m, Predicate<Var> counts) {
    if (m.space().dims().size() < 2
        || m.returns().isEmpty()
        || !m.returns().stream().allMatch(t -> t instanceof Type.Acc)) {
      return Optional.empty();
    }
    var f = new Finder(m, counts);
    if (!m.body().stms().stream().allMatch(f::takes) || f.updates.size() != m.returns().size()) {
      return Optional.empty();
    }
    var accs = m.body().results().stream().map(r -> f.root((Var) r)).toList();
    if (!f.updates.keySet().equals(new HashSet<>(accs))) {
      return Optional.empty();
    }
    var places = f.places(f.updates.get(accs.getFirst()));
    var dims = new ArrayList<Dim>();
    for (var p : places) {
      m.space().dims().stream().filter(d -> d.index().equals(p)).forEach(dims::add);
    }
    var summed = m.space().dims().stream().filter(d -> !dims.contains(d)).toList();
    boolean fits =
        new HashSet<>(places).size() == places.size()
            && !summed.isEmpty()
            && accs.stream()
                .allMatch(a -> f.places(f.updates.get(a)).equals(places) && adds(scope, a, dims));
    if (!fits) {
      return Optional.empty();
    }
    if (summed.size() == 1) {
      return Optional.of(of(scope, f, accs, dims, new Collapsed(summed.getFirst(), f.kept)));
    }
    var values = accs.stream().map(a -> f.updates.get(a).values().getFirst()).toList();
    return Collapse.of(scope, f.parts, f.kept, values, summed)
        .map(c -> of(scope, f, accs, dims, c));
  }

  /** Whether the variable is an accumulator of scalars at all points of the space. */
  private static boolean adds(Scope scope, Var v, List<Dim> dims) {
    if (!scope.bound(v)) {
      return false;
    }
    var acc = scope.acc(v);
    return acc.combine().flatMap(c -> Operators.elementwise(c.op())).isPresent()
        && acc.range().isEmpty()
        && acc.arrays().size() == 1
        && acc.arrays().getFirst().dims().size() == dims.size()
        && acc.space().equals(scope.scalars(dims.stream().map(Dim::width).toList()));
  }

  private static Additions of(
      Scope scope, Finder f, List<Var> accs, List<Dim> dims, Collapsed summed) {
    var reduces = new ArrayList<Reduce>();
    var values = new ArrayList<Atom>();
    var returns = new ArrayList<Type>();
    var totals = new ArrayList<Var>();
    var widths = dims.stream().map(Dim::width).toList();
    for (var a : accs) {
      var combine = scope.acc(a).combine().orElseThrow();
      var value = f.updates.get(a).values().getFirst();
      reduces.add(new Reduce(combine.op(), combine.neutral(), true));
      values.add(value);
      returns.add(value.type());
      totals.add(Names.fresh("total", Type.of(value.type().elemPrim(), widths)));
    }
    var space = Lists.with(dims, summed.dim());
    var body = new SegBody(summed.stms(), values);
    return new Additions(new SegRed(new SegSpace(space), reduces, body, returns), totals, accs);
  }
}
