package dev.kenaz.kernels;

import dev.kenaz.analysis.ArrayParts;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Rearrange;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.segir.SegOp.SegRed;
import dev.kenaz.segir.SegStm;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finds maps over a plane of points each of which reduces over elements of arrays, where some
 * depend on the point's first coordinate alone and some on its second alone: matrix products and
 * what is like them, however the arrays lie; and reductions of segments that are the same, where
 * something else around had to be parallel. See {@link TiledKernel}.
 */
final class GpuTiling {

  /**
   * An element of an array from outside, which the reduction reads.
   *
   * @param indices those in the array; the reduction's index is one of them
   * @param onRow whether it depends on the plane's first coordinate
   * @param onColumn whether it depends on the second
   */
  record Input(Var array, List<Atom> indices, boolean onRow, boolean onColumn) {}

  /**
   * A map or reduction that can be tiled.
   *
   * @param map the function from elements, one for each input, to operands
   * @param k the reduction's index in the inputs' indices
   * @param rest the body's other statements, which don't influence the reduction
   */
  record Found(
      Atom width,
      List<Reduce> reduces,
      Lambda map,
      List<Var> results,
      List<Input> inputs,
      Var k,
      SegBody rest) {}

  /** The dimensions of the plane's points. */
  private final List<SegOp.Dim> dims;

  private final Var k;
  private final Set<Var> made = new HashSet<>();
  private final ArrayParts parts;

  private final List<Input> inputs = new ArrayList<>();
  private final List<Var> params = new ArrayList<>();

  private GpuTiling(List<SegOp.Dim> dims, Var k, Predicate<Var> counts) {
    this.dims = dims;
    this.k = k;
    parts = new ArrayParts(counts);
  }

  /** Whether it is one of the plane's coordinates, or the reduction's index. */
  private boolean isCoordinate(Atom atom) {
    var index = parts.index(atom);
    return index.equals(k) || dims.stream().anyMatch(d -> d.index().equals(index));
  }

  /**
   * Finds a map over a plane.
   *
   * @param counts whether an array is 0, 1, 2, ...
   */
  static Optional<Found> find(SegMap m, Predicate<Var> counts) {
    return m.space().dims().size() < 2 || m.returns().stream().anyMatch(t -> !t.isScalar())
        ? Optional.empty()
        : new GpuTiling(m.space().dims(), Names.fresh("k", Type.I64), counts).find(m);
  }

  /**
   * Returns a reduction of segments that form a plane.
   *
   * @param outer the segments' space, in an order that has the plane last
   */
  static Optional<Found> find(List<SegOp.Dim> outer, SegRed r, Predicate<Var> counts) {
    int operands = r.reduces().stream().mapToInt(x -> x.neutral().size()).sum();
    boolean plane =
        outer.size() > 1
            && operands == r.returns().size()
            && r.returns().stream().allMatch(Type::isScalar)
            && onScalars(r.reduces());
    return plane
        ? new GpuTiling(outer, r.space().innermost().index(), counts).segments(r)
        : Optional.empty();
  }

  private Optional<Found> segments(SegRed r) {
    var kept = new ArrayList<Stm>();
    for (var stm : r.body().stms()) {
      if (!(stm.exp() instanceof SegExp.Plain(var exp))) {
        return Optional.empty();
      }
      boolean read = part(stm.pattern(), exp);
      if (read) {
        element(stm.pattern().getFirst());
      } else {
        kept.add(new Stm(stm.pattern(), exp, stm.attrs(), stm.span()));
      }
      made.addAll(stm.pattern());
    }
    var lambda = new Lambda(params, new Body(kept, r.body().results()), r.returns());
    var own = new HashSet<Var>(FreeVars.of(lambda));
    own.addAll(FreeVars.of(new Body(List.of(), List.of(r.space().innermost().width()))));
    if (!shares() || own.stream().anyMatch(v -> made.contains(v) || isCoordinate(v))) {
      return Optional.empty();
    }
    var results = r.returns().stream().map(t -> Names.fresh("sum", t)).toList();
    return Optional.of(
        new Found(
            r.space().innermost().width(),
            r.reduces(),
            lambda,
            results,
            inputs,
            k,
            new SegBody(List.of(), List.copyOf(results))));
  }

  private Optional<Found> find(SegMap map) {
    map.body().stms().forEach(s -> made.addAll(s.pattern()));
    var rest = new ArrayList<SegStm>();
    SegStm reduction = null;
    for (var stm : map.body().stms()) {
      if (stm.exp() instanceof SegExp.Plain(Screma s)) {
        if (reduction != null || !isReduction(s)) {
          return Optional.empty();
        }
        reduction = stm;
      } else {
        if (stm.exp() instanceof SegExp.Plain(var exp)) {
          part(stm.pattern(), exp);
        }
        rest.add(stm);
      }
    }
    if (reduction == null) {
      return Optional.empty();
    }
    var s = (Screma) ((SegExp.Plain) reduction.exp()).exp();
    var results = reduction.pattern();
    return elements(s)
        .filter(l -> shares() && alone(s, l))
        .map(
            l ->
                new Found(
                    s.width(),
                    s.reduces(),
                    l,
                    results,
                    inputs,
                    k,
                    new SegBody(rest, map.body().results())));
  }

  /**
   * Notes what is bound, if that is a coordinate, or an array from outside, a part of one, or one
   * with its dimensions in another order; tells whether it is.
   */
  private boolean part(List<Var> pattern, Exp exp) {
    boolean reads = exp instanceof Index x && !x.checked() || exp instanceof Rearrange;
    if (!reads) {
      return false;
    }
    var v = pattern.getFirst();
    parts.note(v, exp);
    var part = parts.of(v);
    boolean outside = !made.contains(part.array()) && part.at().stream().noneMatch(made::contains);
    if (!outside && !isCoordinate(v)) {
      parts.forget(v);
      return false;
    }
    return true;
  }

  /** The reduction's function on elements: what it reads at its index becomes a parameter. */
  private Optional<Lambda> elements(Screma s) {
    for (int i = 0; i < s.inputs().size(); i++) {
      var param = s.map().params().get(i);
      var in = s.inputs().get(i);
      var read = new Index(in, List.of(k), false);
      if (!(in.type() instanceof Type.Array) || !part(List.of(param), read)) {
        return Optional.empty();
      }
      element(param);
    }
    s.map().params().forEach(made::add);
    s.map().body().stms().forEach(t -> made.addAll(t.pattern()));
    var kept = new ArrayList<Stm>();
    for (var stm : s.map().body().stms()) {
      if (part(stm.pattern(), stm.exp())) {
        element(stm.var());
      } else {
        kept.add(stm);
      }
    }
    var body = new Body(kept, s.map().body().results());
    var lambda = new Lambda(params, body, s.map().returns());
    var free = FreeVars.of(lambda);
    boolean onElements = free.stream().noneMatch(v -> made.contains(v) || isCoordinate(v));
    return onElements ? Optional.of(lambda) : Optional.empty();
  }

  private void element(Var v) {
    if (v.type().isScalar() && parts.knows(v) && !isCoordinate(v)) {
      var at = parts.of(v).at();
      var row = dims.get(dims.size() - 2).index();
      var column = dims.getLast().index();
      inputs.add(new Input(parts.of(v).array(), at, at.contains(row), at.contains(column)));
      params.add(v);
    }
  }

  /**
   * Whether there is something to share, and nothing that is another element at each step of each
   * point: to read that takes as long as everything without tiles.
   */
  private boolean shares() {
    return inputs.stream().noneMatch(i -> i.indices.contains(k) && i.onRow && i.onColumn)
        && inputs.stream().anyMatch(i -> i.indices.contains(k) && i.onRow && !i.onColumn)
        && inputs.stream().anyMatch(i -> i.indices.contains(k) && i.onColumn && !i.onRow);
  }

  /** Whether the reduction depends on the body's other statements only by what it reads. */
  private boolean alone(Screma s, Lambda l) {
    var own = new HashSet<Var>(FreeVars.of(new Body(List.of(), List.of(s.width()))));
    own.addAll(FreeVars.of(l));
    return own.stream().noneMatch(v -> made.contains(v) || isCoordinate(v));
  }

  /** Whether it reduces to scalars, and does nothing else. */
  private static boolean isReduction(Screma s) {
    return s.scans().isEmpty()
        && !s.reduces().isEmpty()
        && s.reduceWidth() == s.map().returns().size()
        && s.map().returns().stream().allMatch(Type::isScalar)
        && onScalars(s.reduces());
  }

  private static boolean onScalars(List<Reduce> reduces) {
    return reduces.stream()
        .allMatch(r -> FreeVars.of(r.op()).stream().allMatch(v -> v.type().isScalar()));
  }
}
