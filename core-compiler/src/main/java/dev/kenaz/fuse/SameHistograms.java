package dev.kenaz.fuse;

import dev.kenaz.analysis.Operators;
import dev.kenaz.analysis.UniformArrays;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp.Copy;
import dev.kenaz.ir.Exp.Hist;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Removes a histogram that another one in the same statement makes too, from bins that hold the
 * same. The derivative of a map computes the map's body again, so it makes the histograms of the
 * rows again, and fusion puts both into one statement. A histogram of extrema is also a part of one
 * of extrema with their indices.
 */
final class SameHistograms {
  private final Stm stm;
  private final Hist h;
  private final UniformArrays uniform;

  private SameHistograms(Stm stm, Hist h, UniformArrays uniform) {
    this.stm = stm;
    this.h = h;
    this.uniform = uniform;
  }

  /** What one destination gets, independently of the others. */
  private record Component(
      List<Atom> shape, BinaryOp op, Atom neutral, Atom before, List<Atom> bins, Atom value) {}

  /**
   * A destination.
   *
   * @param op which of the histograms it belongs to
   * @param result which of the results it is
   */
  private record Place(int op, int result, Component component) {}

  /**
   * Returns the statement without one of its histograms, and its result as a copy of another; or
   * the statement as it is.
   *
   * @param uniform what is known of the destinations
   */
  static List<Stm> merged(Stm stm, Hist h, UniformArrays uniform) {
    return new SameHistograms(stm, h, uniform).merged();
  }

  private List<Stm> merged() {
    var places = places();
    for (var dropped : places) {
      for (var kept : places) {
        if (h.ops().get(dropped.op).dests().size() == 1
            && kept.op != dropped.op
            && kept.component.equals(dropped.component)) {
          return without(dropped, kept);
        }
      }
    }
    return List.of(stm);
  }

  private List<Place> places() {
    var places = new ArrayList<Place>();
    var results = h.map().body().results();
    int bin = 0;
    int at = 0;
    for (int o = 0; o < h.ops().size(); o++) {
      var op = h.ops().get(o);
      var bins = results.subList(bin, bin + op.shape().size()).stream().map(this::input).toList();
      for (int k = 0; k < op.dests().size(); k++, at++) {
        component(o, k, bins, input(results.get(values() + at)), at).ifPresent(places::add);
      }
      bin += op.shape().size();
    }
    return places;
  }

  /** Returns the input of which the atom is an element: several parameters may be of the same. */
  private Atom input(Atom atom) {
    int param = h.map().params().indexOf(atom);
    return param < 0 ? atom : h.inputs().get(param);
  }

  private Optional<Place> component(int o, int k, List<Atom> bins, Atom value, int result) {
    var hist = h.ops().get(o);
    var op = Operators.scalar(hist.op(), k);
    var before = uniform.element(hist.dests().get(k));
    return op.isPresent() && before.isPresent()
        ? Optional.of(
            new Place(
                o,
                result,
                new Component(
                    hist.shape(), op.get(), hist.neutral().get(k), before.get(), bins, value)))
        : Optional.empty();
  }

  /** How many results of the function are bins; the values come after them. */
  private int values() {
    return h.ops().stream().mapToInt(o -> o.shape().size()).sum();
  }

  private List<Stm> without(Place dropped, Place kept) {
    var pattern = new ArrayList<>(stm.pattern());
    var same = pattern.remove(dropped.result);
    var ops = new ArrayList<>(h.ops());
    int first = ops.subList(0, dropped.op).stream().mapToInt(o -> o.shape().size()).sum();
    int end = first + ops.remove(dropped.op).shape().size();
    var map = h.map();
    int all = map.returns().size();
    var left =
        IntStream.range(0, all)
            .filter(i -> (i < first || i >= end) && i != values() + dropped.result)
            .boxed()
            .toList();
    var results = left.stream().map(map.body().results()::get).toList();
    var returns = left.stream().map(map.returns()::get).toList();
    var fewer = new Lambda(map.params(), new Body(map.body().stms(), results), returns);
    var hist = new Hist(h.width(), h.inputs(), ops, fewer);
    var source = stm.pattern().get(kept.result);
    return List.of(stm.with(pattern, hist), new Stm(List.of(same), new Copy(source), stm.span()));
  }
}
