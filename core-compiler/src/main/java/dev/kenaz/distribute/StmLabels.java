package dev.kenaz.distribute;

import dev.kenaz.error.Limitation;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Labels one statement that touches the dataset, with one rule for each kind of expression.
 *
 * <p>A rule accounts for every operand. What decides how something is computed, such as a
 * condition, an index or a size, has to be replicated: {@link #everywhere} demands it. What isn't
 * accounted for is refused.
 */
final class StmLabels {
  private final Labeller labeller;
  private final Spaces spaces;
  private final Stm stm;
  private final Span span;
  private final LinearLabels linear;

  StmLabels(Labeller labeller, Stm stm) {
    this.labeller = labeller;
    this.spaces = labeller.spaces();
    this.stm = stm;
    this.span = stm.span();
    this.linear = new LinearLabels(labeller, stm);
  }

  private Limitation fault(String what, String hint) {
    return Undistributable.at(span, what, hint);
  }

  List<Label> results() {
    return switch (stm.exp()) {
      case Alias(var x) -> List.of(labeller.of(x));
      case Copy(var x) -> List.of(labeller.of(x));
      case Trace(_, var x) -> List.of(labeller.of(x));
      case Unary(var op, var x) -> List.of(linear.unary(op, x));
      case Binary(var op, var x, var y) -> List.of(linear.binary(op, x, y));
      case Compare _, Fma _, Convert _, Assert _ -> throw linear.combinedFirst();
      case Index(var a, var is, _) -> List.of(index(a, is));
      case Slice(var a, var dims, _) -> List.of(slice(a, dims));
      case Update(var a, var dims, var x, _) -> List.of(update(a, dims, x));
      case Iota(var n, var start, var step) -> List.of(iota(n, start, step));
      case Replicate(var shape, var x) -> List.of(replicate(shape, labeller.of(x)));
      case Scratch(_, var shape) -> List.of(replicate(shape, Label.REPLICATED));
      case ArrayLit(var xs, _) -> List.of(linear.deeper(join(xs), Atom.i64(xs.size())));
      case Concat(var dim, var xs, var size) -> List.of(concat(dim, xs, size));
      case Rearrange(var perm, var a) -> List.of(rearrange(perm, labeller.of(a)));
      case Reshape(var shape, var a) -> List.of(reshape(shape, a));
      case If(var condition, var then, var otherwise) -> branches(condition, then, otherwise);
      case Loop loop -> loop(loop);
      case Apply(var f, _) -> throw fault("a call of " + f, "inline it");
      case Screma s -> new OperatorLabels(labeller, stm, linear).screma(s);
      case Hist h -> new OperatorLabels(labeller, stm, linear).hist(h);
      case Scatter _ ->
          throw fault(
              "a scatter over the rows of the dataset",
              "use reduce_by_index, whose partial results can be combined");
      case Filter _ ->
          throw fault(
              "a filter of the rows of the dataset",
              "use reduce_by_index, whose partial results can be combined");
      case WithAcc w -> new OperatorLabels(labeller, stm, linear).withAcc(w);
      case UpdateAcc(var acc, var is, var xs) ->
          List.of(new OperatorLabels(labeller, stm, linear).updateAcc(acc, is, xs));
      case Jvp _, Vjp _, WithVjp _ -> throw fault("a derivative", "differentiate first");
    };
  }

  private void everywhere(String role, List<? extends Atom> atoms) {
    labeller.everywhere(span, role, atoms);
  }

  private Label index(Var array, List<Atom> indices) {
    everywhere("an index of " + labeller.words().of(array), indices);
    return switch (labeller.of(array)) {
      case Label.Replicated r -> r;
      case Label.Sharded(var dim) when indices.size() > dim -> linear.plusOf(stm.var().type());
      case Label.Sharded(var dim) when indices.size() <= dim ->
          new Label.Sharded(dim - indices.size());
      case Label.Partial p when p.group().isPlus() -> linear.plusOf(stm.var().type());
      case Label.Sharded _, Label.Partial _, Label.Collecting _, Label.Whole _ ->
          throw fault(
              "one row of " + labeller.words().of(array) + " is picked by its number",
              "work on all rows with map, or pass the row as an argument");
    };
  }

  private Label slice(Var array, List<DimSlice> dims) {
    everywhere("a slice of " + labeller.words().of(array), positions(dims));
    return switch (labeller.of(array)) {
      case Label.Replicated r -> r;
      case Label.Sharded(var dim) when dims.get(dim).isWhole(array.type().dims().get(dim)) ->
          new Label.Sharded(rangesBefore(dims, dim));
      case Label.Partial p when p.group().isPlus() -> linear.plusOf(stm.var().type());
      case Label.Sharded _, Label.Partial _, Label.Collecting _, Label.Whole _ ->
          throw fault(
              "a slice of the rows of " + labeller.words().of(array),
              "slices of the other dimensions can be; to drop rows, do it when loading");
    };
  }

  private static int rangesBefore(List<DimSlice> dims, int dim) {
    return (int) dims.subList(0, dim).stream().filter(d -> d instanceof DimSlice.Range).count();
  }

  private static List<Atom> positions(List<DimSlice> dims) {
    var atoms = new ArrayList<Atom>();
    for (var d : dims) {
      switch (d) {
        case DimSlice.Fix(var i) -> atoms.add(i);
        case DimSlice.Range(var start, var count, var stride) ->
            Collections.addAll(atoms, start, count, stride);
      }
    }
    return atoms;
  }

  private Label update(Var array, List<DimSlice> dims, Atom value) {
    everywhere("a position in " + labeller.words().of(array), positions(dims));
    if (labeller.of(array) instanceof Label.Sharded(var dim)
        && dims.get(dim).isWhole(array.type().dims().get(dim))
        && labeller.of(value).equals(new Label.Sharded(rangesBefore(dims, dim)))) {
      return labeller.of(array);
    }
    throw fault(
        "an update of rows of " + labeller.words().of(array), "express it as a map over the rows");
  }

  private Label iota(Atom n, Atom start, Atom step) {
    everywhere("the start or the step of a range", List.of(start, step));
    if (!spaces.has(n)) {
      throw linear.combinedFirst();
    }
    return new Label.Sharded(0);
  }

  private Label replicate(List<Atom> shape, Label value) {
    everywhere("a size", shape);
    int at =
        IntStream.range(0, shape.size())
            .filter(i -> spaces.has(shape.get(i)))
            .findFirst()
            .orElse(-1);
    return switch (value) {
      case Label.Replicated r -> at >= 0 ? new Label.Sharded(at) : r;
      case Label.Sharded(var dim) when at < 0 -> new Label.Sharded(dim + shape.size());
      case Label.Partial p when at < 0 -> new Label.Partial(p.group().over(shape), p.position());
      case Label.Sharded _, Label.Partial _, Label.Collecting _, Label.Whole _ ->
          throw linear.combinedFirst();
    };
  }

  private Label concat(int dim, List<Var> arrays, Atom size) {
    everywhere("a size", List.of(size));
    var label = join(arrays);
    if (label instanceof Label.Sharded(var d) && d == dim) {
      throw fault("rows are appended to the dataset", "append them when loading");
    }
    if (label instanceof Label.Partial) {
      throw linear.combinedFirst();
    }
    return label;
  }

  private Label rearrange(List<Integer> perm, Label label) {
    return switch (label) {
      case Label.Sharded(var dim) -> new Label.Sharded(perm.indexOf(dim));
      case Label.Partial p when p.group().isPlus() -> linear.plusOf(stm.var().type());
      case Label.Replicated _, Label.Partial _, Label.Collecting _, Label.Whole _ ->
          throw linear.combinedFirst();
    };
  }

  private Label reshape(List<Atom> shape, Var array) {
    everywhere("a size", shape);
    return switch (labeller.of(array)) {
      case Label.Sharded(var dim)
          when dim == 0 && array.type().dims().getFirst().equals(shape.getFirst()) ->
          new Label.Sharded(0);
      case Label.Partial p when p.group().isPlus() -> linear.plusOf(stm.var().type());
      case Label.Replicated _,
          Label.Sharded _,
          Label.Partial _,
          Label.Collecting _,
          Label.Whole _ ->
          throw fault(
              "the rows of " + labeller.words().of(array) + " are merged or split by a reshape",
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

  private Label join(Label x, Label y) {
    if (x.equals(y) || linear.isSum(x) && linear.isSum(y)) {
      return x;
    }
    throw fault(
        "one value is spread over the pieces and another, used in its place, is not",
        "make both depend on the rows in the same way");
  }

  private List<Label> branches(Atom condition, Body then, Body otherwise) {
    everywhere("the condition of a branch", List.of(condition));
    var xs = labeller.scope(span, List.of(), then);
    var ys = labeller.scope(span, List.of(), otherwise);
    var joined = new ArrayList<Label>();
    for (int i = 0; i < xs.size(); i++) {
      joined.add(join(xs.get(i), ys.get(i)));
    }
    return joined;
  }

  private List<Label> loop(Loop loop) {
    var bound = new ArrayList<Var>();
    for (var p : loop.params()) {
      labeller.label(span, p.var(), labeller.of(p.init()));
      bound.add(p.var());
    }
    switch (loop.form()) {
      case For(var i, var trips) -> {
        everywhere("the number of a loop's iterations", List.of(trips));
        bound.add(i);
      }
      case While(var condition) -> everywhere("the condition of a loop", List.of(condition));
    }
    var after = labeller.scope(span, bound, loop.body());
    for (int i = 0; i < after.size(); i++) {
      var before = labeller.of(loop.params().get(i).var());
      if (!before.equals(after.get(i)) && !(linear.isSum(before) && linear.isSum(after.get(i)))) {
        throw linear.combinedFirst();
      }
    }
    return after;
  }
}
