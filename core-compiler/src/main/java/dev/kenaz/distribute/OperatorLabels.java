package dev.kenaz.distribute;

import dev.kenaz.analysis.Operators;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/** Labels the results of parallel operators and accumulators. */
final class OperatorLabels {
  private final Labeller labeller;
  private final Spaces spaces;
  private final Stm stm;
  private final Span span;
  private final LinearLabels linear;

  OperatorLabels(Labeller labeller, Stm stm, LinearLabels linear) {
    this.labeller = labeller;
    this.spaces = labeller.spaces();
    this.stm = stm;
    this.span = stm.span();
    this.linear = linear;
  }

  private Limitation fault(String what, String hint) {
    return Undistributable.at(span, what, hint);
  }

  List<Label> screma(Screma s) {
    return spaces.has(s.width()) ? overRows(s) : overOther(s);
  }

  /** Checks that a piece's rows of the inputs suffice to compute its rows of the results. */
  void checkRowWise(Atom width, List<Var> inputs, Lambda map) {
    checkFree(map, "every row needs all rows of ", width);
    for (var in : inputs) {
      switch (labeller.of(in)) {
        case Label.Sharded(var dim) when dim == 0 -> {}
        case Label.Collecting _ -> {}
        case Label.Sharded _, Label.Replicated _, Label.Partial _, Label.Whole _ ->
            throw fault(
                "rows of " + labeller.words().of(in) + " against its columns",
                "transpose it first");
      }
    }
  }

  /** Checks that the operator is the same in every piece, and for every number of rows. */
  void checkOperator(Lambda op, List<Atom> neutral) {
    checkFree(op, "the combining operator needs all rows of ", Atom.i64(0));
    labeller.everywhere(span, "a neutral element", neutral);
  }

  private void checkFree(Lambda lambda, String what, Atom width) {
    for (var free : FreeVars.of(lambda)) {
      switch (labeller.of(free)) {
        case Label.Replicated _ -> {}
        case Label.Sharded _ when spaces.stretches(free, width) -> {}
        case Label.Sharded _ ->
            throw fault(
                what + labeller.words().of(free),
                "a computation on all pairs of rows can't be split by rows");
        case Label.Partial _, Label.Collecting _, Label.Whole _ -> throw linear.combinedFirst();
      }
    }
    if (spaces.asSize(lambda)) {
      throw fault(
          "for one row, something as long as the dataset is computed",
          "work on all rows with one operator, outside; inside, use sizes that aren't the"
              + " dataset's");
    }
  }

  /**
   * Labels the results of an operator that goes over the rows. Inside its function, everything is
   * one piece's own.
   */
  private List<Label> overRows(Screma s) {
    checkRowWise(s.width(), s.inputs(), s.map());
    if (!s.scans().isEmpty()) {
      throw fault("a scan over the rows inside a branch, loop or operator", "move it outside");
    }
    var result = new ArrayList<Label>();
    for (var r : s.reduces()) {
      checkOperator(r.op(), r.neutral());
      boolean commutative = Operators.commutes(r);
      var group = new Label.Group(r.op(), commutative, "reduce");
      for (int i = 0; i < r.neutral().size(); i++) {
        result.add(new Label.Partial(group, i));
      }
    }
    for (int i = s.reduceWidth(); i < s.map().returns().size(); i++) {
      result.add(
          s.map().returns().get(i) instanceof Type.Acc
              ? labeller.of(s.inputs().get(accumulator(s, i - s.reduceWidth())))
              : new Label.Sharded(0));
    }
    return result;
  }

  /** Returns the number of the input that the k-th mapped result, an accumulator, continues. */
  private static int accumulator(Screma s, int k) {
    var token = ((Type.Acc) s.map().returns().get(s.reduceWidth() + k)).token();
    for (int i = 0; i < s.inputs().size(); i++) {
      if (s.inputs().get(i).type() instanceof Type.Acc a && a.token() == token) {
        return i;
      }
    }
    throw new IllegalStateException("an accumulator that no input is");
  }

  /** Labels the results of an operator that goes along another dimension. */
  private List<Label> overOther(Screma s) {
    labeller.everywhere(span, "the width of an operator", List.of(s.width()));
    var lambda = s.map();
    labelParams(s);
    var inner = labeller.scope(span, lambda.params(), lambda.body());
    var groups = new HashMap<Label.Group, Label.Group>();
    var result = new ArrayList<Label>();
    int at = 0;
    for (var scan : s.scans()) {
      int n = scan.neutral().size();
      var operands = inner.subList(at, at + n);
      if (operands.stream().anyMatch(l -> l instanceof Label.Partial)) {
        throw linear.combinedFirst();
      }
      folded(scan.op(), scan.neutral(), operands)
          .forEach(l -> result.add(linear.deeper(l, s.width())));
      at += n;
    }
    for (var r : s.reduces()) {
      int n = r.neutral().size();
      result.addAll(folded(r.op(), r.neutral(), inner.subList(at, at + n)));
      at += n;
    }
    for (var label : inner.subList(at, inner.size())) {
      result.add(
          switch (label) {
            case Label.Partial(var group, var position) ->
                new Label.Partial(groups.computeIfAbsent(group, g -> g.over(s.width())), position);
            case Label.Replicated _, Label.Sharded _, Label.Collecting _, Label.Whole _ ->
                linear.deeper(label, s.width());
          });
    }
    return result;
  }

  /** Labels what the function of an operator along another dimension is applied to. */
  void labelParams(Screma s) {
    for (int i = 0; i < s.inputs().size(); i++) {
      var param = s.map().params().get(i);
      labeller.label(span, param, rowOf(s.inputs().get(i), param.type()));
    }
  }

  private Label rowOf(Var input, Type row) {
    return switch (labeller.of(input)) {
      case Label.Replicated r -> r;
      case Label.Sharded(var dim) when dim > 0 -> new Label.Sharded(dim - 1);
      case Label.Sharded _ ->
          throw fault("rows of " + labeller.words().of(input), "map over them directly");
      case Label.Partial p when p.group().isPlus() -> linear.plusOf(row);
      case Label.Partial _, Label.Whole _ -> throw linear.combinedFirst();
      case Label.Collecting c -> c;
    };
  }

  /**
   * Returns the labels of what an operator along another dimension makes of operands with these
   * labels.
   */
  private List<Label> folded(Lambda op, List<Atom> neutral, List<Label> operands) {
    if (operands.stream().allMatch(linear::isSum)) {
      boolean sums = Operators.isSum(op) && neutral.stream().allMatch(this::isZero);
      if (!sums) {
        throw linear.combinedFirst();
      }
      return operands;
    }
    if (operands.stream().anyMatch(l -> l instanceof Label.Partial || l instanceof Label.Collecting)
        || !neutral.stream().map(labeller::of).toList().equals(operands)) {
      throw linear.combinedFirst();
    }
    int n = operands.size();
    for (int i = 0; i < n; i++) {
      labeller.label(span, op.params().get(i), operands.get(i));
      labeller.label(span, op.params().get(n + i), operands.get(i));
    }
    if (!labeller.scope(span, op.params(), op.body()).equals(operands)) {
      throw linear.combinedFirst();
    }
    return operands;
  }

  private boolean isZero(Atom neutral) {
    return labeller.fill(neutral).filter(x -> x.isConst(0)).isPresent();
  }

  List<Label> hist(Hist h) {
    if (!spaces.has(h.width())) {
      throw fault("a histogram of values that are spread over the pieces", "sum them first");
    }
    checkRowWise(h.width(), h.inputs(), h.map());
    var result = new ArrayList<Label>();
    for (var op : h.ops()) {
      if (spaces.hasAny(op.shape())) {
        throw fault(
            "a histogram with as many bins as the dataset has rows", "give it bins of its own");
      }
      checkOperator(op.op(), op.neutral());
      labeller.everywhere(span, "a number of bins", op.shape());
      labeller.everywhere(span, "a histogram's start", op.dests());
      if (!labeller.startsNeutral(op.dests(), op.neutral())) {
        throw fault(
            "a histogram inside a parallel operator that adds to given values",
            "start it from neutral elements and combine afterwards");
      }
      var group = new Label.Group(op.op(), true, "reduce_by_index").over(op.shape());
      for (int i = 0; i < op.dests().size(); i++) {
        result.add(new Label.Partial(group, i));
      }
    }
    return result;
  }

  List<Label> withAcc(WithAcc w) {
    var result = new ArrayList<Label>();
    for (int k = 0; k < w.inputs().size(); k++) {
      var in = w.inputs().get(k);
      if (in.combine().isEmpty() || spaces.hasAny(in.space())) {
        throw fault(
            "accumulation into the rows of the dataset",
            "add to rows by numbers that need nothing of what is accumulated, in maps, branches and"
                + " counted loops");
      }
      var combine = in.combine().get();
      checkOperator(combine.op(), combine.neutral());
      labeller.everywhere(span, "a size", in.space());
      labeller.everywhere(span, "an accumulator's start", in.arrays());
      if (!labeller.startsNeutral(in.arrays(), combine.neutral())) {
        throw fault("an accumulator that adds to given values", "start from zeros");
      }
      var element = new Label.Group(combine.op(), true, "accumulate");
      var group = element.over(in.space());
      for (int i = 0; i < in.arrays().size(); i++) {
        result.add(new Label.Partial(group, i));
      }
      labeller.label(span, w.body().params().get(k), new Label.Collecting(element));
    }
    var inner = labeller.scope(span, w.body().params(), w.body().body());
    result.addAll(inner.subList(w.inputs().size(), inner.size()));
    return result;
  }

  Label updateAcc(Var acc, List<Atom> indices, List<Atom> values) {
    labeller.everywhere(span, "an index of an accumulator", indices);
    var v = stm.pattern().getFirst();
    if (!(labeller.of(acc) instanceof Label.Collecting(var group))) {
      throw fault("an update of an accumulator that isn't the pieces' own", "make it outside");
    }
    if (values.stream().allMatch(x -> labeller.of(x) == Label.REPLICATED)) {
      labeller.onlyOnce().add(v);
    } else if (group.isPlus() && values.stream().allMatch(x -> linear.isSum(labeller.of(x)))) {
      labeller.onlyOnce().remove(v);
    } else {
      throw linear.combinedFirst();
    }
    return labeller.of(acc);
  }
}
