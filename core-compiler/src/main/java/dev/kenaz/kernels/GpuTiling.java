package dev.kenaz.kernels;

import dev.kenaz.flatten.SegBody;
import dev.kenaz.flatten.SegExp;
import dev.kenaz.flatten.SegOp.SegMap;
import dev.kenaz.flatten.SegStm;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds maps over a plane of points each of which reduces over rows, where some rows depend on the
 * point's first coordinate alone and some on its second alone: matrix products and what is like
 * them. See {@link TiledKernel}.
 */
final class GpuTiling {
  private GpuTiling() {}

  /**
   * A row of an array outside, read by the reduction.
   *
   * @param onRow whether it depends on the plane's first coordinate
   * @param onColumn whether it depends on the second
   */
  record Input(Var array, List<Atom> indices, boolean onRow, boolean onColumn) {}

  /**
   * @param inputs one a parameter of the reduction's map
   * @param rest the body's other statements, which don't influence the reduction
   */
  record Found(Screma reduction, List<Var> results, List<Input> inputs, SegBody rest) {
    List<Reduce> reduces() {
      return reduction.reduces();
    }
  }

  static Optional<Found> find(SegMap m) {
    var dims = m.space().dims();
    if (dims.size() < 2 || m.returns().stream().anyMatch(t -> !t.isScalar())) {
      return Optional.empty();
    }
    Map<Var, List<Atom>> rows = new HashMap<>();
    Map<Var, Var> roots = new HashMap<>();
    var rest = new ArrayList<SegStm>();
    SegStm reduction = null;
    for (var stm : m.body().stms()) {
      if (stm.exp() instanceof SegExp.Plain(Screma s)) {
        if (reduction != null || !isReduction(s)) {
          return Optional.empty();
        }
        reduction = stm;
      } else {
        if (stm.exp() instanceof SegExp.Plain(Index(var array, var indices, var checked))
            && !checked) {
          var v = stm.pattern().getFirst();
          var all = new ArrayList<>(rows.getOrDefault(array, List.of()));
          all.addAll(indices);
          rows.put(v, all);
          roots.put(v, roots.getOrDefault(array, array));
        }
        rest.add(stm);
      }
    }
    if (reduction == null) {
      return Optional.empty();
    }
    var s = (Screma) ((SegExp.Plain) reduction.exp()).exp();
    var made = new ArrayList<Var>();
    m.body().stms().forEach(stm -> made.addAll(stm.pattern()));
    var row = dims.get(dims.size() - 2).index();
    var column = dims.getLast().index();
    var inputs = new ArrayList<Input>();
    for (var v : s.inputs()) {
      var indices = rows.getOrDefault(v, List.of());
      var root = roots.getOrDefault(v, v);
      if (made.contains(root) || indices.stream().anyMatch(made::contains)) {
        return Optional.empty();
      }
      inputs.add(new Input(root, indices, indices.contains(row), indices.contains(column)));
    }
    var free = FreeVars.of(new dev.kenaz.ir.Body(List.of(), List.of(s.width())));
    var inside = FreeVars.of(s.map());
    boolean alone =
        free.stream().noneMatch(made::contains)
            && inside.stream().noneMatch(v -> made.contains(v) || isIndex(m, v));
    boolean shares =
        inputs.stream().anyMatch(i -> i.onRow && !i.onColumn)
            && inputs.stream().anyMatch(i -> i.onColumn && !i.onRow);
    return alone && shares && !isIndexOf(m, s)
        ? Optional.of(
            new Found(s, reduction.pattern(), inputs, new SegBody(rest, m.body().results())))
        : Optional.empty();
  }

  private static boolean isIndex(SegMap m, Var v) {
    return m.space().dims().stream().anyMatch(d -> d.index().equals(v));
  }

  private static boolean isIndexOf(SegMap m, Screma s) {
    return s.width() instanceof Var v && isIndex(m, v);
  }

  /** Of scalars to scalars, and nothing else. */
  private static boolean isReduction(Screma s) {
    return s.scans().isEmpty()
        && !s.reduces().isEmpty()
        && s.reduceWidth() == s.map().returns().size()
        && s.map().returns().stream().allMatch(t -> t.isScalar())
        && s.map().params().stream().allMatch(p -> p.type().isScalar())
        && s.reduces().stream()
            .allMatch(r -> FreeVars.of(r.op()).stream().allMatch(v -> v.type().isScalar()));
  }
}
