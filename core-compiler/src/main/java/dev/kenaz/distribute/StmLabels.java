package dev.kenaz.distribute;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/** The labels of one statement that touches the dataset: one rule an expression. */
final class StmLabels {
  private final Labeller labeller;
  private final Var rows;
  private final Stm stm;
  private final Span span;

  StmLabels(Labeller labeller, Stm stm) {
    this.labeller = labeller;
    this.rows = labeller.rows();
    this.stm = stm;
    this.span = stm.span();
  }

  private UserError fault(String what, String hint) {
    return Undistributable.at(span, what, hint);
  }

  List<Label> results() {
    return switch (stm.exp()) {
      case Copied(var x) -> List.of(labeller.of(x));
      case Fresh(var x) -> List.of(labeller.of(x));
      case Trace(_, var x) -> List.of(labeller.of(x));
      case Unary(var op, var x) -> List.of(unary(op, labeller.of(x)));
      case Binary(var op, var x, var y) -> List.of(binary(op, labeller.of(x), labeller.of(y)));
      case Arithmetic _ -> throw nonLinear();
      case Index(var a, var is, _) -> List.of(index(a, is));
      case Slice(var a, var dims, _) -> List.of(slice(a, dims));
      case Update(var a, var dims, var x, _) -> List.of(update(a, dims, x));
      case Iota _ -> List.of(new Label.Sharded(0));
      case Replicate(var shape, var x) -> List.of(replicate(shape, labeller.of(x)));
      case Scratch(_, var shape) -> List.of(replicate(shape, Label.REPLICATED));
      case ArrayLit(var xs, _) -> List.of(deeper(join(xs), Atom.i64(xs.size())));
      case Concat(var dim, var xs, _) -> List.of(concat(dim, xs));
      case Rearrange(var perm, var a) -> List.of(rearrange(perm, labeller.of(a)));
      case Reshape(var shape, var a) -> List.of(reshape(shape, a));
      case If(_, var then, var otherwise) -> joinAll(labeller.body(then), labeller.body(otherwise));
      case Loop loop -> loop(loop);
      case Apply(var f, _) -> throw fault("a call of " + f, "inline it");
      case Screma s -> rows.equals(s.width()) ? overRows(s) : overOther(s);
      case Hist h -> hist(h);
      case Scatter _ ->
          throw fault(
              "a scatter over the rows of the dataset",
              "use reduce_by_index, whose partial results can be combined");
      case WithAcc w -> withAcc(w);
      case UpdateAcc(var acc, _, var xs) -> List.of(updateAcc(acc, xs));
      case Jvp _, Vjp _, WithVjp _ -> throw fault("a derivative", "differentiate first");
    };
  }

  private UserError nonLinear() {
    return fault(
        "the combined value is needed inside a parallel operator or a branch",
        "compute what needs the whole dataset first, outside, and use its result here");
  }

  private Label unary(UnaryOp op, Label x) {
    if (op == UnaryOp.NEG && x instanceof Label.Partial p && Operators.isPlus(p.group())) {
      return x;
    }
    throw nonLinear();
  }

  private Label binary(BinaryOp op, Label x, Label y) {
    boolean xPlus = plusPartial(x);
    boolean yPlus = plusPartial(y);
    boolean linear =
        switch (op) {
          case ADD, SUB -> xPlus && yPlus;
          case MUL -> xPlus && y == Label.REPLICATED || yPlus && x == Label.REPLICATED;
          case DIV -> xPlus && y == Label.REPLICATED && isFloat();
          default -> false;
        };
    if (!linear) {
      throw nonLinear();
    }
    return xPlus ? x : y;
  }

  private boolean isFloat() {
    return stm.var().type().elemPrim().isFloat();
  }

  private boolean plusPartial(Label label) {
    return label instanceof Label.Partial p && Operators.isPlus(p.group());
  }

  private Label index(Var array, List<Atom> indices) {
    return switch (labeller.of(array)) {
      case Label.Replicated r -> r;
      case Label.Sharded(var dim) when indices.size() <= dim ->
          new Label.Sharded(dim - indices.size());
      case Label.Partial p when Operators.isPlus(p.group()) -> plusOf(stm.var().type());
      case Label.Sharded _, Label.Partial _, Label.Collecting _ ->
          throw fault(
              "one row of the dataset, " + array.name() + ", is picked by its number",
              "work on all rows with map, or pass the row as an argument");
    };
  }

  private Label plusOf(Type type) {
    return new Label.Partial(Operators.plus(type), 0);
  }

  private Label slice(Var array, List<DimSlice> dims) {
    return switch (labeller.of(array)) {
      case Label.Replicated r -> r;
      case Label.Sharded(var dim) when isWhole(dims.get(dim)) ->
          new Label.Sharded(
              (int) dims.subList(0, dim).stream().filter(d -> d instanceof DimSlice.Range).count());
      case Label.Partial p when Operators.isPlus(p.group()) -> plusOf(stm.var().type());
      case Label.Sharded _, Label.Partial _, Label.Collecting _ ->
          throw fault(
              "a slice of the rows of " + array.name(),
              "slices of the other dimensions can be; to drop rows, do it when loading");
    };
  }

  private boolean isWhole(DimSlice dim) {
    return dim instanceof DimSlice.Range r
        && r.start().isConst(0)
        && r.stride().isConst(1)
        && rows.equals(r.count());
  }

  private Label update(Var array, List<DimSlice> dims, Atom value) {
    if (labeller.of(array) instanceof Label.Sharded(var dim) && isWhole(dims.get(dim))) {
      return labeller.of(array);
    }
    throw fault("an update of rows of " + array.name(), "express it as a map over the rows");
  }

  private Label replicate(List<Atom> shape, Label value) {
    int at = shape.indexOf(rows);
    return switch (value) {
      case Label.Replicated r -> at >= 0 ? new Label.Sharded(at) : r;
      case Label.Sharded(var dim) when at < 0 -> new Label.Sharded(dim + shape.size());
      case Label.Partial p when at < 0 ->
          new Label.Partial(Operators.over(p.group(), shape), p.position());
      case Label.Sharded _, Label.Partial _, Label.Collecting _ -> throw nonLinear();
    };
  }

  private Label concat(int dim, List<Var> arrays) {
    var label = join(arrays);
    if (label instanceof Label.Sharded(var d) && d == dim) {
      throw fault("rows are appended to the dataset", "append them when loading");
    }
    if (label instanceof Label.Partial) {
      throw nonLinear();
    }
    return label;
  }

  private Label rearrange(List<Integer> perm, Label label) {
    return switch (label) {
      case Label.Sharded(var dim) -> new Label.Sharded(perm.indexOf(dim));
      case Label.Partial p when Operators.isPlus(p.group()) -> plusOf(stm.var().type());
      case Label.Replicated _, Label.Partial _, Label.Collecting _ -> throw nonLinear();
    };
  }

  private Label reshape(List<Atom> shape, Var array) {
    return switch (labeller.of(array)) {
      case Label.Sharded(var dim)
          when dim == 0
              && rows.equals(shape.getFirst())
              && !shape.subList(1, shape.size()).contains(rows) ->
          new Label.Sharded(0);
      case Label.Partial p when Operators.isPlus(p.group()) -> plusOf(stm.var().type());
      case Label.Replicated _, Label.Sharded _, Label.Partial _, Label.Collecting _ ->
          throw fault(
              "the rows of " + array.name() + " are merged or split by a reshape",
              "keep the rows as the outer dimension");
    };
  }

  private Label join(List<? extends Atom> atoms) {
    Label label = labeller.of(atoms.getFirst());
    for (var x : atoms) {
      label = join(label, labeller.of(x));
    }
    return label;
  }

  private List<Label> joinAll(List<Label> xs, List<Label> ys) {
    var joined = new ArrayList<Label>();
    for (int i = 0; i < xs.size(); i++) {
      joined.add(join(xs.get(i), ys.get(i)));
    }
    return joined;
  }

  private Label join(Label x, Label y) {
    if (x.equals(y) || plusPartial(x) && plusPartial(y)) {
      return x;
    }
    throw fault(
        "one value is spread over the pieces and another, used in its place, is not",
        "make both depend on the rows in the same way");
  }

  /** The label of an array of such values. */
  private Label deeper(Label label, Atom width) {
    return switch (label) {
      case Label.Replicated r -> r;
      case Label.Sharded(var dim) -> new Label.Sharded(dim + 1);
      case Label.Partial p when p.group().size() == 1 ->
          new Label.Partial(Operators.over(p.group(), width), 0);
      case Label.Partial _ -> throw nonLinear();
      case Label.Collecting c -> c;
    };
  }

  private List<Label> loop(Loop loop) {
    loop.params().forEach(p -> labeller.label(p.var(), labeller.of(p.init())));
    var after = labeller.body(loop.body());
    for (int i = 0; i < after.size(); i++) {
      var before = labeller.of(loop.params().get(i).var());
      if (!before.equals(after.get(i)) && !(plusPartial(before) && plusPartial(after.get(i)))) {
        throw nonLinear();
      }
    }
    return after;
  }

  /** That a piece's rows suffice to compute its rows. */
  void checkRowWise(Screma s) {
    for (var free : FreeVars.of(s.map())) {
      if (labeller.of(free) instanceof Label.Sharded) {
        throw fault(
            "every row needs all rows of " + free.name(),
            "a computation on all pairs of rows can't be split by rows");
      }
      if (labeller.of(free) instanceof Label.Partial) {
        throw nonLinear();
      }
    }
    for (var in : s.inputs()) {
      var label = labeller.of(in);
      if (label instanceof Label.Sharded(var dim) && dim != 0 || label instanceof Label.Partial) {
        throw fault("rows of " + in.name() + " against its columns", "transpose it first");
      }
    }
  }

  /** Row by row: inside, everything is one piece's own. */
  private List<Label> overRows(Screma s) {
    checkRowWise(s);
    if (!s.scans().isEmpty()) {
      throw fault("a scan over the rows inside a branch, loop or operator", "move it outside");
    }
    var result = new ArrayList<Label>();
    for (var r : s.reduces()) {
      boolean commutative = r.commutative() || Operators.elementwise(r.op()).isPresent();
      var group = new Label.Group(r.op(), commutative, "reduce");
      for (int i = 0; i < r.neutral().size(); i++) {
        result.add(new Label.Partial(group, i));
      }
    }
    for (var t : s.map().returns().subList(s.reduceWidth(), s.map().returns().size())) {
      result.add(t instanceof Type.Acc ? Label.COLLECTING : new Label.Sharded(0));
    }
    return result;
  }

  /** Along another dimension. */
  private List<Label> overOther(Screma s) {
    var lambda = s.map();
    for (int i = 0; i < s.inputs().size(); i++) {
      labeller.label(
          lambda.params().get(i), rowOf(s.inputs().get(i), lambda.params().get(i).type()));
    }
    var inner = labeller.body(lambda.body());
    var groups = new HashMap<Label.Group, Label.Group>();
    var result = new ArrayList<Label>();
    int at = s.scanWidth();
    for (var label : inner.subList(0, at)) {
      if (label != Label.REPLICATED) {
        throw nonLinear();
      }
      result.add(label);
    }
    for (var r : s.reduces()) {
      result.addAll(reduceOther(r, inner.subList(at, at + r.neutral().size())));
      at += r.neutral().size();
    }
    for (var label : inner.subList(at, inner.size())) {
      result.add(
          switch (label) {
            case Label.Partial(var group, var position) ->
                new Label.Partial(
                    groups.computeIfAbsent(group, g -> Operators.over(g, s.width())), position);
            case Label.Replicated _, Label.Sharded _, Label.Collecting _ ->
                deeper(label, s.width());
          });
    }
    return result;
  }

  private Label rowOf(Var input, Type row) {
    return switch (labeller.of(input)) {
      case Label.Replicated r -> r;
      case Label.Sharded(var dim) when dim > 0 -> new Label.Sharded(dim - 1);
      case Label.Sharded _ -> throw fault("rows of " + input.name(), "map over them directly");
      case Label.Partial p when Operators.isPlus(p.group()) -> plusOf(row);
      case Label.Partial _ -> throw nonLinear();
      case Label.Collecting c -> c;
    };
  }

  private List<Label> reduceOther(Reduce r, List<Label> operands) {
    if (operands.stream().allMatch(l -> l == Label.REPLICATED)) {
      return operands;
    }
    if (operands.stream().allMatch(l -> l instanceof Label.Sharded)) {
      int n = operands.size();
      for (int i = 0; i < n; i++) {
        labeller.label(r.op().params().get(i), operands.get(i));
        labeller.label(r.op().params().get(n + i), operands.get(i));
      }
      var result = labeller.body(r.op().body());
      if (result.equals(operands)) {
        return result;
      }
    }
    var op = Operators.elementwise(r.op());
    boolean sums =
        op.equals(Optional.of(BinaryOp.ADD)) && operands.stream().allMatch(this::plusPartial);
    if (!sums) {
      throw nonLinear();
    }
    return operands;
  }

  private List<Label> hist(Hist h) {
    if (!rows.equals(h.width())) {
      throw fault("a histogram of values that are spread over the pieces", "sum them first");
    }
    var result = new ArrayList<Label>();
    for (var op : h.ops()) {
      if (!labeller.startsNeutral(op.dests(), op.neutral())) {
        throw fault(
            "a histogram inside a parallel operator that adds to given values",
            "start it from neutral elements and combine afterwards");
      }
      var group = Operators.over(new Label.Group(op.op(), true, "reduce_by_index"), op.shape());
      for (int i = 0; i < op.dests().size(); i++) {
        result.add(new Label.Partial(group, i));
      }
    }
    return result;
  }

  private List<Label> withAcc(WithAcc w) {
    var result = new ArrayList<Label>();
    for (int k = 0; k < w.inputs().size(); k++) {
      var in = w.inputs().get(k);
      if (in.combine().isEmpty() || in.space().contains(rows)) {
        throw fault(
            "accumulation into the rows of the dataset",
            "derivatives with respect to the dataset's own rows stay undistributed");
      }
      var combine = in.combine().get();
      if (!labeller.startsNeutral(in.arrays(), combine.neutral())) {
        throw fault("an accumulator that adds to given values", "start from zeros");
      }
      var group = Operators.over(new Label.Group(combine.op(), true, "accumulate"), in.space());
      for (int i = 0; i < in.arrays().size(); i++) {
        result.add(new Label.Partial(group, i));
      }
      labeller.label(w.body().params().get(k), Label.COLLECTING);
    }
    var inner = labeller.body(w.body().body());
    result.addAll(inner.subList(w.inputs().size(), inner.size()));
    return result;
  }

  private Label updateAcc(Var acc, List<Atom> values) {
    if (values.stream().allMatch(x -> labeller.of(x) == Label.REPLICATED)) {
      labeller.onlyOnce().add(stm.pattern().getFirst());
    } else if (!values.stream().allMatch(x -> plusPartial(labeller.of(x)))) {
      throw nonLinear();
    }
    return labeller.of(acc);
  }
}
