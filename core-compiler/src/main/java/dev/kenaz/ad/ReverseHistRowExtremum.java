package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ad.ReverseHist.OneHist;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.List;
import java.util.Optional;

/**
 * Differentiates a histogram of rows whose elements are minima or maxima, {@code y =
 * reduce_by_index h (map2 ⊙) e k v}, on few threads. As by {@link ReverseHistExtremum} (003
 * §4.2.2), {@code v̄[i, j] = ȳ[k_i, j]} for the first i with {@code v[i, j] = y[k_i, j]}, and 0 for
 * all others.
 *
 * <p>That rule keeps an index with each extremum, which it has to compare with each element: while
 * a bin's extremum is still far from its last one, no processor guesses whether an element is
 * better. Here the histogram runs as it is, row by row in vectors, and a second pass compares the
 * elements with what has come out, which few of them are:
 *
 * <pre>
 *   arg = accumulate min in (replicate (h, d) none):
 *     for i, j: if v[i, j] == y[k_i, j] && v[i, j] != e[j] then arg[k_i, j] min= i d + j
 *   v̄ = scatter (replicate (n d) 0) arg ȳ
 * </pre>
 */
final class ReverseHistRowExtremum {
  /** An element that no place has: scatters ignore it. */
  private static final Atom NONE = i64(Long.MAX_VALUE);

  private final OneHist h;
  private final Atom n;
  private final Atom width;
  private final Var y;
  private final Var values;
  private final Var neutral;

  private ReverseHistRowExtremum(OneHist h) {
    this.h = h;
    n = h.width();
    y = h.results().getFirst();
    values = h.values().getFirst();
    neutral = (Var) h.op().neutral().getFirst();
    width = values.type().dims().getLast();
  }

  /** Emits the histogram, which starts with neutral elements, and where its results are from. */
  static Reverse.Return forward(Builder b, OneHist h) {
    ReverseHist.emit(b, h);
    var rule = new ReverseHistRowExtremum(h);
    var arg = rule.places(b);
    return s -> {
      if (!s.isZero(rule.y) && s.activity.active(rule.values)) {
        s.add(rule.values, rule.scattered(s.b, arg, (Var) s.takeValue(rule.y)), true);
      }
    };
  }

  /** Returns the first element that is the result in each place. */
  private Var places(Builder b) {
    var dims = y.type().dims();
    var none = b.replicate(dims, NONE);
    var combine = new Combine(b.operator(BinaryOp.MIN, Prim.I64), List.of(NONE));
    var input = new AccInput(dims, List.of(none), Optional.of(combine));
    var acc = accumulator(new Type.Acc(Names.freshTag(), dims, List.of(Type.I64)));
    var inner = b.inner();
    var marked = marked(inner, acc);
    var exp = new WithAcc(List.of(input), Accumulate.lambda(List.of(acc), inner, List.of(marked)));
    return b.bindAll("arg", exp).getFirst();
  }

  private static Var accumulator(Type type) {
    return Names.fresh("acc", type);
  }

  private Var marked(Builder b, Var all) {
    var i = Names.fresh("i", Type.I64);
    var bin = Names.fresh("bin", Type.I64);
    var row = Names.fresh("row", Builder.rowType(values.type()));
    var acc = accumulator(all.type());
    var map =
        b.lambdaOf(
            List.of(i, bin, row, acc),
            (in, _) -> {
              var inside = ReverseScatter.inside(in, List.of(bin), h.op().shape());
              return in.ifThenElse(
                  inside,
                  List.of(acc.type()),
                  c -> List.of(elements(c, c.mul(i, width), bin, row, acc)),
                  _ -> List.of(acc));
            });
    var inputs = List.of(b.iota(n), h.indices().getFirst(), values, all);
    return b.screma(n, inputs, List.of(), List.of(), map).getFirst();
  }

  private Var elements(Builder b, Atom first, Var bin, Var row, Var all) {
    var j = Names.fresh("j", Type.I64);
    var x = Names.fresh("x", Type.scalar(row.type().elemPrim()));
    var acc = accumulator(all.type());
    var map =
        b.lambdaOf(
            List.of(j, x, acc),
            (in, _) -> {
              var unchanged = List.<Atom>of(acc);
              var type = List.of(acc.type());
              return in.ifThenElse(
                  in.compare(CompareOp.EQ, x, in.index(y, bin, j)),
                  type,
                  c ->
                      c.ifThenElse(
                          c.compare(CompareOp.EQ, x, c.index(neutral, j)),
                          type,
                          _ -> unchanged,
                          d -> List.of(mark(d, acc, bin, j, d.add(first, j)))),
                  _ -> unchanged);
            });
    var inputs = List.of(b.iota(width), row, all);
    return b.screma(width, inputs, List.of(), List.of(), map).getFirst();
  }

  private static Var mark(Builder b, Var acc, Var bin, Var j, Atom element) {
    return b.bind("acc", new UpdateAcc(acc, List.of(bin, j), List.of(element)));
  }

  /** Brings each place's adjoint to the element that its result is from. */
  private Var scattered(Builder b, Var arg, Var adjoint) {
    var places = b.sizes(h.op().shape().getFirst(), width);
    var size = b.sizes(n, width);
    var zeros = b.replicate(List.of(size), Atom.of(adjoint.type().elemPrim(), 0));
    var inputs =
        List.of(
            b.bind("flat", new Reshape(List.of(places), arg)),
            b.bind("flat", new Reshape(List.of(places), adjoint)));
    var dests = List.of(new ScatterDest(List.of(size), zeros));
    var flat = b.bind("adj", new Scatter(places, inputs, dests, b.identity(inputs)));
    return b.bind("adj", new Reshape(List.of(n, width), flat));
  }
}
