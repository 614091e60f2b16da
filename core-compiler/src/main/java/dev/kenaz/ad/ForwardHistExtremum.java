package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;

/**
 * Forward mode of histograms of minima or maxima, or of rows of these, for many threads. An
 * operator on values and tangents (001 §3) takes the tangent of the first of two equal values, but
 * threads update bins in any order. So with {@code y = reduce_by_index d ⊙ k v}, the first element
 * that is its bin's extremum is found by a second histogram, and its tangent is taken:
 *
 * <pre>
 *   arg = reduce_by_index (replicate h none) min none k
 *           (map3 (\i k_i v_i -> if v_i == y[k_i] then i else none) (iota n) k v)
 *   y'[j] = if y[j] == d[j] || arg[j] == none then d'[j] else v'[arg[j]]
 * </pre>
 *
 * <p>The same holds of each place of a row. This is also faster there: integers have an instruction
 * for minima, where tuples need locks.
 */
final class ForwardHistExtremum {
  /** An element that there is not. */
  private static final Atom NONE = i64(Long.MAX_VALUE);

  private final Forward forward;
  private final Builder b;
  private final Atom width;
  private final HistOp op;
  private final List<Var> indices;
  private final Var values;
  private final Var y;

  private ForwardHistExtremum(Forward forward, Builder b, Stm stm, Hist h) {
    this.forward = forward;
    this.b = b;
    width = h.width();
    op = h.ops().getFirst();
    indices = h.inputs().subList(0, op.shape().size());
    values = h.inputs().getLast();
    y = stm.var();
  }

  /** Whether one of the histograms is one of these, and has a tangent. */
  static boolean suits(Forward f, Stm stm, Hist h) {
    int at = 0;
    for (var op : h.ops()) {
      if (f.activity.active(stm.pattern().get(at)) && Operators.isExtremumOfRows(op.op())) {
        return true;
      }
      at += op.dests().size();
    }
    return false;
  }

  /** Differentiates the histograms one by one, after the map in front of them. */
  static void emit(Forward f, Builder b, Stm stm, Hist h) {
    var from = h.map().body().results();
    var outs = from.stream().map(x -> Names.fresh("h", x.type().under(h.width()))).toList();
    int values = h.ops().stream().mapToInt(o -> o.shape().size()).sum();
    for (int i = 0; i < stm.pattern().size(); i++) {
      if (f.activity.active(stm.pattern().get(i))) {
        f.activity.mark(outs.get(values + i));
      }
    }
    var map = new Screma(h.width(), h.inputs(), List.of(), List.of(), h.map());
    f.stms(b, List.of(stm.with(outs, map)));
    int index = 0;
    int at = 0;
    for (var op : h.ops()) {
      int end = at + op.dests().size();
      var operands = outs.subList(values + at, values + end);
      var inputs = Lists.concat(outs.subList(index, index + op.shape().size()), operands);
      var one = new Hist(h.width(), inputs, List.of(op), b.identity(inputs));
      var single = stm.with(stm.pattern().subList(at, end), one);
      if (f.activity.active(stm.pattern().get(at)) && Operators.isExtremumOfRows(op.op())) {
        new ForwardHistExtremum(f, b, single, one).emit();
      } else {
        ForwardSoacs.hist(f, b, single, one);
      }
      index += op.shape().size();
      at = end;
    }
  }

  private void emit() {
    var before = op.dests().getFirst();
    var own = b.bind("own", new Copy(before));
    var hist = new HistOp(op.shape(), List.of(own), op.neutral(), op.op());
    var inputs = Lists.concat(indices, List.of(values));
    b.bindAll(List.of(y), new Hist(width, inputs, List.of(hist), b.identity(inputs)));
    var origins = origins();
    var all = List.of(y, before, forward.tangentVar(b, before), origins);
    var from = forward.tangentVar(b, values);
    forward.set(y, tangents(b, all, op.shape().size(), List.of(), from));
  }

  /** Returns the first element that is the result, for each place of each bin. */
  private Var origins() {
    var row = Type.of(Prim.I64, Builder.rowType(values.type()).dims());
    var inputs = Lists.concat(indices, List.of(values, b.iota(width)));
    int rank = indices.size();
    var candidates =
        b.map(
                width,
                inputs,
                (in, p) -> {
                  var at = p.subList(0, rank);
                  return in.ifThenElse(
                      ReverseScatter.inside(in, at, op.shape()),
                      List.of(row),
                      c -> {
                        var extremum = c.bind("y", new Index(y, List.copyOf(at), false));
                        return List.of(candidate(c, p.get(rank), extremum, p.get(rank + 1)));
                      },
                      c -> List.of(filled(c, row)));
                })
            .getFirst();
    var first = b.operator(BinaryOp.MIN, row);
    var dims = Lists.concat(op.shape(), row.dims());
    var dest = b.replicate(dims, NONE);
    var hist = new HistOp(op.shape(), List.of(dest), List.of(filled(b, row)), first);
    var ins = Lists.concat(indices, List.of(candidates));
    return b.bindAll("origin", new Hist(width, ins, List.of(hist), b.identity(ins))).getFirst();
  }

  private static Atom filled(Builder b, Type row) {
    return row.isScalar() ? NONE : b.replicate(row.dims(), NONE);
  }

  /** Returns the element's number, for each place where it is the extremum. */
  private static Atom candidate(Builder b, Atom value, Atom extremum, Atom number) {
    if (value.type().isScalar()) {
      return b.choose(b.compare(CompareOp.EQ, value, extremum), number, NONE);
    }
    return b.map(
            value.type().dims().getFirst(),
            List.of((Var) value, (Var) extremum),
            (in, p) -> List.of(candidate(in, p.get(0), p.get(1), number)))
        .getFirst();
  }

  /**
   * Returns the tangents of all places.
   *
   * @param all what came out, what was there before, the tangents of that, and origins
   * @param outer how many dimensions of bins are left
   * @param place the place in the row
   * @param from the elements' tangents
   */
  private static Var tangents(Builder b, List<Var> all, int outer, List<Atom> place, Var from) {
    var size = all.getFirst().type().dims().getFirst();
    boolean inRow = outer <= 0;
    var inputs = inRow ? Lists.concat(all, List.of(b.iota(size))) : all;
    return b.map(
            size,
            inputs,
            (in, p) -> {
              var next = new ArrayList<>(place);
              if (inRow) {
                next.add(p.getLast());
              }
              var rows = p.subList(0, all.size());
              return List.of(
                  rows.getFirst().type().isScalar()
                      ? tangent(in, rows, next, from)
                      : tangents(in, rows, outer - 1, next, from));
            })
        .getFirst();
  }

  private static Atom tangent(Builder b, List<Var> all, List<Atom> place, Var from) {
    var result = all.get(0);
    var before = all.get(1);
    var origin = all.get(3);
    var type = List.of(all.get(2).type());
    var kept = List.<Atom>of(all.get(2));
    return b.ifThenElse(
            b.compare(CompareOp.EQ, result, before),
            type,
            _ -> kept,
            other ->
                other.ifThenElse(
                    other.compare(CompareOp.EQ, origin, NONE),
                    type,
                    _ -> kept,
                    c -> {
                      var at = Lists.concat(List.<Atom>of(origin), place);
                      return List.of(c.bind("t", new Index(from, at, false)));
                    }))
        .getFirst();
  }
}
