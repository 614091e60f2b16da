package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ad.ReverseHist.OneHist;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Rewrites histograms to equivalent ones that are easier to differentiate. */
final class HistForms {
  private HistForms() {}

  /** Makes one index of several, and a one-dimensional destination. */
  static List<Stm> flat(Builder b, OneHist h) {
    var code = b.inner();
    var shape = h.op().shape();
    Atom size = i64(1);
    for (var d : shape) {
      size = code.sizes(size, d);
    }
    var n = size;
    var index =
        code.map(
                h.width(),
                h.indices(),
                (in, p) -> {
                  Atom at = p.getFirst();
                  for (int d = 1; d < p.size(); d++) {
                    at = in.add(in.mul(at, shape.get(d)), p.get(d));
                  }
                  var inside = ReverseScatter.inside(in, p, shape);
                  return List.of(in.choose(inside, at, i64(-1)));
                })
            .getFirst();
    var op = flat(code, h, shape.size(), n, h.op().neutral(), h.op().op());
    emit(code, h, h.width(), Lists.concat(List.of(index), h.values()), op);
    return code.stms();
  }

  /** Returns the operation on destinations whose outer dimensions are one. */
  private static HistOp flat(
      Builder b, OneHist h, int outer, Atom size, List<Atom> neutral, Lambda op) {
    var dests = new ArrayList<Var>();
    h.op().dests().forEach(d -> dests.add(reshaped(b, d, 0, outer, List.of(size))));
    return new HistOp(List.of(size), dests, neutral, op);
  }

  /** Emits the histogram whose results have another shape. */
  private static void emit(Builder b, OneHist h, Atom width, List<Var> inputs, HistOp op) {
    var flat = b.bindAll("hist", new Hist(width, inputs, List.of(op), b.identity(inputs)));
    for (int i = 0; i < flat.size(); i++) {
      var y = h.results().get(i);
      b.bindAll(List.of(y), new Reshape(y.type().dims(), flat.get(i)));
    }
  }

  /** Reshapes the array: the dimensions from one to another are replaced. */
  private static Var reshaped(Builder b, Var array, int from, int to, List<Atom> by) {
    var dims = new ArrayList<>(array.type().dims());
    dims.subList(from, to).clear();
    dims.addAll(from, by);
    return b.bind("flat", new Reshape(dims, array));
  }

  /**
   * A vectorised operator (003 §4.2.5): {@code reduce_by_index h (map2 ⊙) is vss} is the transpose
   * of {@code map (\h vs -> reduce_by_index h ⊙ is vs)} of the transposes. Bins known to hold
   * neutral elements are still known to do so in the map.
   */
  static List<Stm> interchanged(Reverse r, Builder b, OneHist h, Lambda row) {
    var code = b.inner();
    boolean neutral = ReverseHist.startsNeutral(r, h);
    int k = h.values().size();
    var inputs = new ArrayList<Var>();
    h.values().forEach(v -> inputs.add(code.transposed(v)));
    if (!neutral) {
      h.op().neutral().forEach(e -> inputs.add((Var) e));
      h.op().dests().forEach(d -> inputs.add(code.transposed(d)));
    }
    var types = inputs.stream().map(v -> Builder.rowType(v.type())).toList();
    var map =
        code.lambda(
            types,
            (in, p) -> {
              var elements = neutral ? constants(r, in, h) : List.<Atom>copyOf(p.subList(k, 2 * k));
              List<Var> dests =
                  IntStream.range(0, k)
                      .mapToObj(
                          i ->
                              neutral
                                  ? in.replicate(h.op().shape(), elements.get(i))
                                  : in.bind("dest", new Copy(p.get(2 * k + i))))
                      .toList();
              var op = new HistOp(h.op().shape(), dests, elements, new Renaming().lambda(row));
              var ins = Lists.concat(h.indices(), p.subList(0, k));
              var identity = in.identity(ins);
              return in.bindAll("hist", new Hist(h.width(), ins, List.of(op), identity));
            });
    var width = inputs.getFirst().type().dims().getFirst();
    var outs = code.screma(width, inputs, List.of(), List.of(), map);
    for (int i = 0; i < k; i++) {
      var a = outs.get(i);
      code.bindAll(List.of(h.results().get(i)), Builder.transposition(a));
    }
    return code.stms();
  }

  /**
   * A vectorised operator on rows of scalars: {@code reduce_by_index h (map2 ⊙) is vss} is {@code
   * reduce_by_index h ⊙ is' vs} on all elements at once, in their order in memory, with a bin for
   * each element of a row: {@code is'[i, j] = is[i] d + j}.
   *
   * @param neutral the operator's neutral elements
   */
  static List<Stm> elements(Builder b, OneHist h, Lambda row, List<Atom> neutral) {
    var code = b.inner();
    var dims = h.values().getFirst().type().dims();
    var width = dims.getLast();
    var size = code.sizes(h.width(), width);
    var bins = code.sizes(h.op().shape().getFirst(), width);
    var columns = code.iota(width);
    var indices =
        code.map(
                h.width(),
                h.indices(),
                (in, p) -> {
                  var inside = ReverseScatter.inside(in, p, h.op().shape());
                  var first = in.mul(p.getFirst(), width);
                  return in.map(
                      width,
                      List.of(columns),
                      (c, j) -> List.of(c.choose(inside, c.add(first, j.getFirst()), i64(-1))));
                })
            .getFirst();
    var index = reshaped(code, indices, 0, 2, List.of(size));
    var inputs = new ArrayList<Var>(List.of(index));
    h.values().forEach(v -> inputs.add(reshaped(code, v, 0, 2, List.of(size))));
    emit(code, h, size, inputs, flat(code, h, 2, bins, neutral, new Renaming().lambda(row)));
    return code.stms();
  }

  /** Returns the rows of the neutral elements, which are known. */
  private static List<Atom> constants(Reverse r, Builder in, OneHist h) {
    var rows = new ArrayList<Atom>();
    for (var e : h.op().neutral()) {
      var c = r.forms().uniform().constant(e).orElseThrow();
      var row = Builder.rowType(e.type());
      rows.add(row.isScalar() ? c : in.replicate(row.dims(), c));
    }
    return rows;
  }
}
