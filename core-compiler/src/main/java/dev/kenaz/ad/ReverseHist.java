package dev.kenaz.ad;

import dev.kenaz.analysis.Operators;
import dev.kenaz.error.Limitation;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import dev.kenaz.simplify.Components;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Differentiates histograms, that is {@code y = reduce_by_index h ⊙ e k v} (001 §5.1.2, 003 §4).
 * The map in front and the single histograms are first taken apart. For addition the return sweep
 * reads {@code v̄_i += ȳ[k_i]} (003 §4.2.1). Histograms with other operators are brought into a
 * form with one index and scalar elements ({@link HistForms}) and apart from their old contents,
 * {@code y = map2 ⊙ h (reduce_by_index (replicate w e) ⊙ e k v)}; the rules for those are in {@link
 * ReverseHistExtremum}, {@link ReverseHistProduct}, {@link ReverseHistInvertible} and {@link
 * ReverseHistGeneral}.
 */
final class ReverseHist {
  private ReverseHist() {}

  static Reverse.Return forward(Reverse r, Builder b, Stm stm, Stm primal) {
    var e = (Hist) stm.exp();
    List<Var> outs =
        e.map().body().results().stream()
            .map(x -> Names.fresh("h", x.type().under(e.width())))
            .toList();
    var map = new Screma(e.width(), e.inputs(), List.of(), List.of(), e.map());
    var returns = new ArrayList<Reverse.Return>();
    returns.add(r.forward(b, List.of(stm.with(outs, map))));
    var ops = ((Hist) primal.exp()).ops();
    int index = 0;
    int at = 0;
    int values = e.ops().stream().mapToInt(o -> o.shape().size()).sum();
    for (int k = 0; k < ops.size(); k++) {
      int width = ops.get(k).dests().size();
      int rank = ops.get(k).shape().size();
      var results = stm.pattern().subList(at, at + width);
      var indices = outs.subList(index, index + rank);
      var operands = outs.subList(values + at, values + at + width);
      for (var part : ReverseScrema.parts(r, ops.get(k).op())) {
        var op = part(e.ops().get(k), part);
        var own = part.of(operands);
        var protect = part(ops.get(k), part);
        var one = new OneHist(e.width(), part.of(results), indices, own, op, protect);
        returns.add(one(r, b, one));
      }
      index += rank;
      at += width;
    }
    return s -> returns.reversed().forEach(x -> x.emit(s));
  }

  private static HistOp part(HistOp op, Components.Part part) {
    return new HistOp(op.shape(), part.of(op.dests()), part.of(op.neutral()), part.op());
  }

  /**
   * This is one histogram of the operation.
   *
   * @param op the operator as the program has it
   * @param primal the same on protected copies of its destinations
   */
  record OneHist(
      Atom width,
      List<Var> results,
      List<Var> indices,
      List<Var> values,
      HistOp op,
      HistOp primal) {}

  private static Reverse.Return one(Reverse r, Builder b, OneHist h) {
    if (h.results().stream().noneMatch(r.activity::active)) {
      emit(b, h);
      return Reverse.Return.NOTHING;
    }
    if (!r.options.generalOnly() && h.results().size() == 1 && Operators.isSum(h.op().op())) {
      emit(b, h);
      return s -> sum(s, h);
    }
    if (h.indices().size() > 1) {
      return r.forward(b, HistForms.flat(b, h));
    }
    var row = Operators.ofRows(h.op().op());
    if (row.isPresent() && !isRowExtremum(r, h)) {
      var neutral = byElements(r, h, row.get());
      return r.forward(
          b,
          neutral.isEmpty()
              ? HistForms.interchanged(r, b, h, row.get())
              : HistForms.elements(b, h, row.get(), neutral));
    }
    if (!r.options.generalOnly() && startsNeutral(r, h)) {
      return alone(r, b, h);
    }
    return decoupled(r, b, h);
  }

  /** Whether {@link ReverseHistRowExtremum} is the rule for it. */
  private static boolean isRowExtremum(Reverse r, OneHist h) {
    return !r.options.manyThreads()
        && !r.options.twice()
        && h.values().getFirst().type().dims().size() == 2
        && Operators.ofRows(h.op().op())
            .flatMap(op -> withRule(r, op))
            .filter(op -> op != BinaryOp.MUL)
            .isPresent();
  }

  /**
   * Returns the neutral elements of an operator on the elements of rows, if they are known and it
   * is faster to go through all elements at once: where they aren't sorted, on few threads.
   */
  private static List<Atom> byElements(Reverse r, OneHist h, Lambda row) {
    boolean sorted =
        r.options.generalOnly() || withRule(r, row).isEmpty() && Invertible.of(r, row).isEmpty();
    boolean scalars = h.values().stream().allMatch(v -> v.type().dims().size() == 2);
    if (r.options.manyThreads() || sorted || !scalars) {
      return List.of();
    }
    var uniform = r.forms().uniform();
    var neutral = h.op().neutral().stream().map(uniform::constant).toList();
    return neutral.stream().allMatch(Optional::isPresent)
        ? neutral.stream().map(x -> (Atom) x.get()).toList()
        : List.of();
  }

  /**
   * Returns the operator on scalars if it has a rule of its own, which is an extremum or product.
   */
  private static Optional<BinaryOp> withRule(Reverse r, Lambda op) {
    return Operators.scalar(op)
        .filter(_ -> !r.options.generalOnly())
        .filter(
            known ->
                switch (known) {
                  case MIN, MAX -> true;
                  case MUL -> !r.options.twice() && ReverseReduce.isProduct(op); // see there
                  default -> false;
                });
  }

  /** Whether the bins hold neutral elements before. */
  static boolean startsNeutral(Reverse r, OneHist h) {
    var dests = h.op().dests();
    for (int k = 0; k < dests.size(); k++) {
      var uniform = r.forms().uniform();
      var before = uniform.constant(dests.get(k));
      if (before.isEmpty() || !before.equals(uniform.constant(h.op().neutral().get(k)))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Emits the histogram of the values alone, and after it the combination with what was there
   * before (003 §4), which is a map.
   */
  private static Reverse.Return decoupled(Reverse r, Builder b, OneHist h) {
    var w = h.op().shape();
    var hist = h.results().stream().map(Names::like).toList();
    hist.forEach(r.activity::mark);
    var alone = neutral(r, b, h, hist);
    var code = b.inner();
    var both = Lists.concat(h.op().dests(), hist);
    var op = new Renaming().lambda(Operators.inOrder(h.op().op()));
    code.bindAll(h.results(), new Screma(w.getFirst(), both, List.of(), List.of(), op));
    var combined = r.forward(b, code.stms());
    return s -> {
      combined.emit(s);
      alone.emit(s);
    };
  }

  /** Emits the histogram that starts with neutral elements. */
  private static Reverse.Return neutral(Reverse r, Builder b, OneHist h, List<Var> results) {
    return alone(
        r,
        b,
        new OneHist(h.width(), results, h.indices(), h.values(), h.op(), starting(b, h.op())));
  }

  private static Reverse.Return alone(Reverse r, Builder b, OneHist h) {
    if (isRowExtremum(r, h)) {
      return ReverseHistRowExtremum.forward(b, h);
    }
    var known = withRule(r, h.op().op());
    if (known.isPresent()) {
      return known.get() == BinaryOp.MUL
          ? ReverseHistProduct.forward(b, h)
          : ReverseHistExtremum.forward(r, b, h, known.get());
    }
    if (r.activity.anyActive(h.op().neutral())) {
      throw new Limitation(
          b.span(),
          "the derivative of a histogram with a neutral element that depends on what is"
              + " differentiated",
          "take the operator's neutral element itself, such as -f64.inf for the larger of two");
    }
    emit(b, h);
    var inverse = Invertible.of(r, h.op().op());
    if (inverse.isPresent() && Invertible.isChecked(r)) {
      check(b, h, h.results(), inverse.get());
    }
    return !r.options.generalOnly() && inverse.isPresent()
        ? s -> ReverseHistInvertible.emit(r, s, h, inverse.get())
        : s -> ReverseHistGeneral.emit(r, s, h);
  }

  private static void check(Builder b, OneHist h, List<Var> results, Invertible inverse) {
    var shape = h.op().shape();
    List<Var> totals =
        results.stream()
            .map(y -> ReverseScatter.gather(b, h.width(), y, shape, h.indices()))
            .toList();
    var inside =
        b.map(h.width(), h.indices(), (in, p) -> List.of(ReverseScatter.inside(in, p, shape)));
    inverse.check(b, h.width(), h.values(), totals, inside.getFirst());
  }

  private static HistOp starting(Builder b, HistOp op) {
    var dests = new ArrayList<Var>();
    op.neutral().forEach(e -> dests.add(b.replicate(op.shape(), e)));
    return new HistOp(op.shape(), dests, op.neutral(), new Renaming().lambda(op.op()));
  }

  static void emit(Builder b, OneHist h) {
    var inputs = Lists.concat(h.indices(), h.values());
    var identity = b.identity(inputs);
    b.bindAll(h.results(), new Hist(h.width(), inputs, List.of(h.primal()), identity));
  }

  private static void sum(Sweep s, OneHist h) {
    var y = h.results().getFirst();
    if (s.isZero(y)) {
      return;
    }
    var value = h.values().getFirst();
    if (s.activity.active(value)) {
      var adjoint = (Var) s.value(y);
      s.add(
          value, ReverseScatter.gather(s.b, h.width(), adjoint, h.op().shape(), h.indices()), true);
    }
    s.add(h.op().dests().getFirst(), s.take(y));
  }
}
