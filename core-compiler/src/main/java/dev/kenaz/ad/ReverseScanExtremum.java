package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Scans;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.List;

/**
 * Differentiates scan with minimum or maximum. Each result is one of the elements, {@code r_i =
 * a_k}, and equal results are next to each other, a run that begins with the element's own, {@code
 * i = k}. So {@code ā_k += Σ ȳ_i} over the run that begins at k; where {@code r_i = r_(i-1)}, with
 * the neutral element before the first, element i gets nothing.
 *
 * <p>The results are treated from the last to the first, in chunks. In most chunks of most arrays
 * all results are equal, which the results at the two ends tell: then the adjoints are summed and
 * no result in between is read. In others a loop goes on with the sum of the current run. What is
 * left at a chunk's end belongs to the first element of a run in a later chunk.
 *
 * <p>The papers use the rule for all operators instead. With this one nothing is kept for the
 * return sweep, and a GPU's threads don't all add to the same few elements.
 */
final class ReverseScanExtremum {
  /**
   * This is as long as a thread's own loop should be, and short enough to keep many threads busy.
   */
  private static final int CHUNK = 128;

  private final Builder b;
  private final Prim prim;
  private final Atom n;
  private final Atom neutral;
  private final Chunks chunks;

  private ReverseScanExtremum(Builder b, Prim prim, Atom n, Atom neutral) {
    this.b = b;
    this.prim = prim;
    this.n = n;
    this.neutral = neutral;
    var length = b.binary(BinaryOp.MAX, b.binary(BinaryOp.MIN, n, i64(CHUNK)), i64(1));
    var count = b.binary(BinaryOp.QUOT, b.add(n, b.sub(length, i64(1))), length);
    this.chunks = new Chunks(n, count, length);
  }

  /**
   * Emits the contribution to the adjoint of the scan's input.
   *
   * @param results the scan's results
   * @param adjoints the adjoints of the results
   */
  static Var emit(Builder b, Atom n, Var results, Var adjoints, Atom neutral) {
    var self = new ReverseScanExtremum(b, results.type().elemPrim(), n, neutral);
    return self.run(Scans.reversed(b, results), Scans.reversed(b, adjoints));
  }

  /**
   * Does the same with more threads, by sums from the right that begin anew at the end of each run:
   * a thread with a chunk of its own would read what lies far from what other threads read, and
   * there would be few of them.
   */
  static Var byScan(Builder b, Atom n, Var results, Var adjoints, Atom neutral) {
    var prim = results.type().elemPrim();
    var zero = Atom.of(prim, 0);
    var value = Type.scalar(prim);
    var op =
        b.lambda(
            List.of(Type.BOOL, value, Type.BOOL, value),
            (in, p) -> {
              var sum = in.add(p.get(1), p.get(3));
              var now =
                  in.ifThenElse(
                      p.get(2), List.of(value), _ -> List.of(p.get(3)), _ -> List.of(sum));
              return List.of(in.binary(BinaryOp.OR, p.get(0), p.get(2)), now.getFirst());
            });
    var scan = new Scan(op, List.of(Atom.bool(false), zero));
    var next = b.bind("next", new Iota(n, n, i64(-1)));
    var ends =
        b.lambda(
            List.of(Type.I64, value),
            (in, p) -> {
              var i = p.getFirst();
              var isEnd =
                  in.ifThenElse(
                      in.compare(CompareOp.EQ, i, n),
                      List.of(Type.BOOL),
                      _ -> List.of(Atom.bool(true)),
                      c ->
                          List.of(
                              c.not(
                                  c.compare(
                                      CompareOp.EQ, before(c, results, i), c.index(results, i)))));
              return List.of(isEnd.getFirst(), p.get(1));
            });
    var inputs = List.of(next, Scans.reversed(b, adjoints));
    var sums = Scans.reversed(b, b.screma(n, inputs, List.of(scan), List.of(), ends).get(1));
    return b.map(
            n,
            List.of(b.iota(n), results, sums),
            (in, p) -> {
              var i = p.getFirst();
              var before =
                  in.ifThenElse(
                      in.compare(CompareOp.EQ, i, i64(0)),
                      List.of(value),
                      _ -> List.of(neutral),
                      c -> List.of(before(c, results, i)));
              var same = in.compare(CompareOp.EQ, p.get(1), before.getFirst());
              return in.ifThenElse(
                  same, List.of(value), _ -> List.of(zero), _ -> List.of(p.get(2)));
            })
        .getFirst();
  }

  private static Atom before(Builder b, Var array, Atom i) {
    return b.index(array, b.sub(i, i64(1)));
  }

  private Var run(Var results, Var adjoints) {
    var each =
        b.map(
            chunks.count(),
            List.of(b.iota(chunks.count())),
            (in, p) -> chunk(in, p.getFirst(), results, adjoints));
    var own = chunks.joined(b, each.get(2));
    var identity = List.of(nextRun(each.get(1)), each.get(0));
    var zero = Atom.of(prim, 0);
    var into = new HistOp(List.of(n), List.of(own), List.of(zero), b.operator(BinaryOp.ADD, prim));
    var map = b.identity(identity);
    return Scans.reversed(b, b.bind("adj", new Hist(chunks.count(), identity, List.of(into), map)));
  }

  /** Finds for every chunk the first element of a run in the chunks after it, or n. */
  private Var nextRun(Var firsts) {
    var min = b.operator(BinaryOp.MIN, Prim.I64);
    var backwards = List.of(Scans.reversed(b, firsts));
    var after = Scans.exclusive(b, chunks.count(), backwards, min, List.of(n));
    return Scans.reversed(b, after.getFirst());
  }

  /**
   * Treats a chunk: returns the sum that is left at its end, the first element of a run or n, and
   * what its elements get.
   */
  private List<Var> chunk(Builder in, Var chunk, Var results, Var adjoints) {
    var first = in.mul(chunk, chunks.length());
    var left = in.sub(n, first);
    var isLast = in.compare(CompareOp.LE, left, chunks.length());
    var size = in.binary(BinaryOp.MIN, left, chunks.length());
    var scalar = List.<Type>of(Type.scalar(prim));
    var after =
        in.ifThenElse(
                isLast,
                scalar,
                _ -> List.of(neutral),
                c -> List.of(c.index(results, c.add(first, chunks.length()))))
            .getFirst();
    var result = in.index(results, first);
    var own = slice(in, adjoints, first, size);
    return in.ifThenElse(
        in.compare(CompareOp.EQ, result, after),
        List.of(scalar.getFirst(), Type.I64, Type.scalar(prim).under(chunks.length())),
        c -> List.of(sum(c, size, own), n, zeros(c)),
        c -> {
          var body = c.sub(size, i64(1));
          var next = slice(c, results, c.add(first, i64(1)), body);
          var zero = Atom.of(prim, 0);
          var start = List.of(result, zero, n, zeros(c));
          var end =
              c.forLoop(
                  body,
                  start,
                  (j, s) ->
                      l ->
                          step(l, first, j, s, l.index(next, j), l.add(l.index(own, j), s.get(1))));
          var total = c.add(c.index(own, body), end.get(1));
          return step(c, first, body, end, after, total).subList(1, 4);
        });
  }

  private Var zeros(Builder in) {
    return in.replicate(List.of(chunks.length()), Atom.of(prim, 0));
  }

  private Atom sum(Builder in, Atom size, Var own) {
    var plus = new Reduce(in.operator(BinaryOp.ADD, prim), List.of(Atom.of(prim, 0)), true);
    var identity = in.identity(List.of(own));
    return in.screma(size, List.of(own), List.of(), List.of(plus), identity).getFirst();
  }

  /**
   * Goes on from the result at an element to the next.
   *
   * @param state the result, the sum of adjoints without this one's, the first element of a run or
   *     n, and what elements get
   * @param sum the sum with this one's
   */
  private List<Atom> step(Builder in, Atom first, Atom j, List<Var> state, Atom next, Atom sum) {
    var types = state.subList(1, 4).stream().map(Var::type).toList();
    var now =
        in.ifThenElse(
            in.compare(CompareOp.EQ, next, state.getFirst()),
            types,
            _ -> List.of(sum, state.get(2), state.get(3)),
            c ->
                List.of(
                    Atom.of(prim, 0),
                    c.binary(BinaryOp.MIN, state.get(2), c.add(first, j)),
                    c.update(state.get(3), List.of(j), sum)));
    return List.of(next, now.get(0), now.get(1), now.get(2));
  }

  private static Var slice(Builder in, Var array, Atom from, Atom size) {
    return in.bind(
        "chunk", new Slice(array, List.of(new DimSlice.Range(from, size, i64(1))), false));
  }
}
