package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ad.ReverseHist.OneHist;
import dev.kenaz.ad.ReverseMap.Seed;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Scans;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;

/**
 * Differentiates a histogram with any associative and commutative operator (003 §4.1, Figure 4).
 * Each element v_i needs what its bin combines before it, l_i, and after it, r_i; then {@code v̄_i
 * += ∂(l_i ⊙ v_i ⊙ r_i)/∂v_i · ȳ[k_i]}.
 *
 * <p>The paper brings the elements of a bin together by sorting, and gets l and r by two segmented
 * scans. Where we differ: sequential loops treat {@link Chunks} of the elements, one loop in either
 * direction, with a histogram of their own, which takes a third of the work; the chunks' histograms
 * are scanned bin by bin. Elements are sorted only where there are many bins and many elements, so
 * that there would be few chunks; or if the derivative is itself differentiated, which then meets
 * the operator in scans alone, where forward mode leaves neutral elements out ({@link
 * ForwardSoacs}): of {@code sqrt (a*a + b*b)} there is no derivative where both are zero.
 */
final class ReverseHistGeneral {
  /** Elements are not sorted if there are at most this many, or if there are enough chunks. */
  private static final long FEW_ELEMENTS = 1 << 17;

  /** Sorting takes four times as long, so few threads need not all have chunks to do. */
  private static final long CHUNKS_ON_CORES = 2;

  private static final long CHUNKS_OF_MANY_THREADS = 64;

  private final Builder b;
  private final OneHist h;
  private final Atom n;
  private final Atom bins;

  private ReverseHistGeneral(Builder b, OneHist h) {
    this.b = b;
    this.h = h;
    this.n = h.width();
    this.bins = h.op().shape().getFirst();
  }

  static void emit(Reverse r, Sweep s, OneHist h) {
    if (h.results().stream().allMatch(s::isZero)) {
      return;
    }
    new ReverseHistGeneral(s.b, h).run(r, s);
  }

  private void run(Reverse r, Sweep s) {
    var both = r.options.twice() ? sorted() : chunkedIfFaster(r);
    var seeds = new ArrayList<Seed>();
    for (var y : h.results()) {
      if (s.isZero(y)) {
        seeds.add(new Seed.None());
      } else {
        var adjoint = (Var) s.takeValue(y);
        seeds.add(new Seed.Rows(ReverseScatter.gather(b, n, adjoint, h.op().shape(), h.indices())));
      }
    }
    var last = ReverseReduce.moves(r, h.op().op()) ? List.of(last()) : List.<Var>of();
    var all = Lists.concat(h.values(), both, last);
    ReverseMap.emit(r, s, n, all, ReverseReduce.around(r, b, h.op().op()), seeds);
  }

  private List<Var> chunkedIfFaster(Reverse r) {
    var chunks = Chunks.of(b, n, bins);
    var few = b.compare(CompareOp.LE, n, i64(FEW_ELEMENTS));
    long enough = r.options.manyThreads() ? CHUNKS_OF_MANY_THREADS : CHUNKS_ON_CORES;
    var many = b.compare(CompareOp.LE, i64(enough), chunks.count());
    var types = new ArrayList<Type>();
    for (int side = 0; side < 2; side++) {
      h.values().forEach(v -> types.add(v.type()));
    }
    return b.ifThenElse(
        b.binary(BinaryOp.OR, few, many),
        types,
        in -> new ReverseHistGeneral(in, h).chunked(chunks),
        in -> new ReverseHistGeneral(in, h).sorted());
  }

  /** Tells of each element whether it is the last one of its bin. */
  private Var last() {
    var none = i64(-1);
    var dest = b.replicate(List.of(bins), none);
    var latest = b.operator(BinaryOp.MAX, Prim.I64);
    var op = new HistOp(List.of(bins), List.of(dest), List.of(none), latest);
    var inputs = Lists.concat(h.indices(), List.of(b.iota(n)));
    var ends = b.bind("ends", new Hist(n, inputs, List.of(op), b.identity(inputs)));
    var end = ReverseScatter.gather(b, n, ends, h.op().shape(), h.indices());
    return b.map(
            n,
            List.of(end, b.iota(n)),
            (in, p) -> List.of(in.compare(CompareOp.EQ, p.get(0), p.get(1))))
        .getFirst();
  }

  // Without sorting

  private List<Var> chunked(Chunks chunks) {
    int k = h.values().size();
    var op = h.op().op();
    var neutral = h.op().neutral();
    var rows = neutral.stream().map(Atom::type).toList();
    // this loop goes backwards: it finds what follows in the chunk
    var back =
        chunks.loops(
            b,
            true,
            (in, _) -> {
              var start = new ArrayList<Var>();
              neutral.forEach(e -> start.add(in.replicate(List.of(bins), e)));
              rows.forEach(t -> start.add(chunks.scratch(in, t)));
              return start;
            },
            (in, _, i, at, carried) -> after(in, i, at, carried));
    var totals = back.subList(0, k);
    var before = overChunks(chunks, totals, false);
    var behind = overChunks(chunks, totals, true);
    // this loop goes forwards, from what earlier chunks made: it finds what comes before; and after
    // it, in later chunks too
    var forth =
        chunks.loops(
            b,
            false,
            (in, chunk) -> {
              var start = new ArrayList<Var>();
              for (var p : before) {
                var column = in.index(in.transposed(p), chunk);
                start.add(in.bind("own", new Copy((Var) column)));
              }
              rows.forEach(t -> start.add(chunks.scratch(in, t)));
              rows.forEach(t -> start.add(chunks.scratch(in, t)));
              return start;
            },
            (in, chunk, i, at, carried) ->
                around(in, chunk, i, at, carried, back.subList(k, 2 * k), behind));
    var result = new ArrayList<Var>();
    forth.subList(k, 3 * k).forEach(a -> result.add(chunks.joined(b, a)));
    return result;
  }

  /** Takes one step backwards: the loop carries the chunk's bins, and what follows each element. */
  private List<? extends Atom> after(Builder in, Atom i, Atom at, List<Var> carried) {
    int k = h.values().size();
    var bin = in.index(h.indices().getFirst(), i);
    return in.ifThenElse(
        ReverseScatter.inside(in, List.of(bin), h.op().shape()),
        carried.stream().map(Var::type).toList(),
        c -> {
          var so = new ArrayList<Atom>();
          carried.subList(0, k).forEach(a -> so.add(Chunks.read(c, a, bin)));
          var now = c.call(h.op().op(), Lists.concat(elements(c, i), so));
          var result = new ArrayList<Atom>();
          for (int q = 0; q < k; q++) {
            result.add(c.update(carried.get(q), List.of(bin), now.get(q)));
          }
          for (int q = 0; q < k; q++) {
            result.add(c.update(carried.get(k + q), List.of(at), so.get(q)));
          }
          return result;
        },
        c -> {
          var result = new ArrayList<Atom>(carried.subList(0, k));
          for (int q = 0; q < k; q++) {
            result.add(c.update(carried.get(k + q), List.of(at), h.op().neutral().get(q)));
          }
          return result;
        });
  }

  private List<? extends Atom> around(
      Builder in,
      Var chunk,
      Atom i,
      Atom at,
      List<Var> carried,
      List<Var> follows,
      List<Var> behind) {
    int k = h.values().size();
    var bin = in.index(h.indices().getFirst(), i);
    return in.ifThenElse(
        ReverseScatter.inside(in, List.of(bin), h.op().shape()),
        carried.stream().map(Var::type).toList(),
        c -> {
          var so = new ArrayList<Atom>();
          var later = new ArrayList<Atom>();
          var rest = new ArrayList<Atom>();
          for (int q = 0; q < k; q++) {
            so.add(Chunks.read(c, carried.get(q), bin));
            later.add(c.index(follows.get(q), chunk, at));
            rest.add(c.index(behind.get(q), bin, chunk));
          }
          var now = c.call(h.op().op(), Lists.concat(so, elements(c, i)));
          var after = c.call(h.op().op(), Lists.concat(later, rest));
          return updated(c, carried, bin, at, now, so, after);
        },
        c -> {
          var e = h.op().neutral();
          return updated(c, carried, null, at, List.of(), e, e);
        });
  }

  private List<Atom> updated(
      Builder c,
      List<Var> carried,
      Atom bin,
      Atom at,
      List<Atom> now,
      List<Atom> before,
      List<Atom> after) {
    int k = before.size();
    var result = new ArrayList<Atom>();
    for (int q = 0; q < k; q++) {
      var own = carried.get(q);
      result.add(bin == null ? own : c.update(own, List.of(bin), now.get(q)));
    }
    for (int q = 0; q < k; q++) {
      result.add(c.update(carried.get(k + q), List.of(at), before.get(q)));
    }
    for (int q = 0; q < k; q++) {
      result.add(c.update(carried.get(2 * k + q), List.of(at), after.get(q)));
    }
    return result;
  }

  private List<Atom> elements(Builder in, Atom i) {
    return h.values().stream().map(v -> in.index(v, i)).toList();
  }

  /** Computes for each bin and each chunk what earlier (or later) chunks combine to. */
  private List<Var> overChunks(Chunks chunks, List<Var> totals, boolean later) {
    var neutral = h.op().neutral();
    // with one chunk nothing is before it, nor after it
    return b.ifThenElse(
        b.compare(CompareOp.EQ, chunks.count(), i64(1)),
        neutral.stream().map(e -> e.type().under(List.of(bins, chunks.count()))).toList(),
        in -> neutral.stream().map(e -> in.replicate(List.of(bins, chunks.count()), e)).toList(),
        in -> {
          var columns = totals.stream().map(t -> in.transposed(t)).toList();
          return in.map(bins, columns, (c, p) -> exclusive(c, chunks.count(), p, later));
        });
  }

  private List<Var> exclusive(Builder in, Atom n, List<Var> column, boolean backwards) {
    var neutral = h.op().neutral();
    if (!backwards) {
      return Scans.exclusive(in, n, column, h.op().op(), neutral);
    }
    var flipped = Scans.flipped(h.op().op());
    var reversed = Scans.reversed(in, column);
    return Scans.reversed(in, Scans.exclusive(in, n, reversed, flipped, neutral));
  }

  // By sorting

  private List<Var> sorted() {
    var sorted = RadixSort.byKey(b, n, keys(), bins);
    var values = new ArrayList<Var>();
    for (var v : h.values()) {
      var row = Builder.rowType(v.type());
      values.add(
          b.map(
                  n,
                  List.of(sorted.origins()),
                  (in, p) -> List.of(in.bind("x", row, new Index(v, List.of(p.getFirst()), false))))
              .getFirst());
    }
    var op = h.op().op();
    var both = new ArrayList<Var>(segments(sorted.keys(), values, op));
    var backKeys = Scans.reversed(b, sorted.keys());
    var flipped = Scans.flipped(op);
    both.addAll(Scans.reversed(b, segments(backKeys, Scans.reversed(b, values), flipped)));
    return both.stream().map(a -> scattered(sorted.origins(), a)).toList();
  }

  /** The numbers of the bins; an element without a bin has the number after the last. */
  private Var keys() {
    return b.map(
            n,
            h.indices(),
            (in, p) -> {
              var inside = ReverseScatter.inside(in, p, h.op().shape());
              return List.of(in.choose(inside, p.getFirst(), bins));
            })
        .getFirst();
  }

  /** Scans exclusively within stretches of equal keys. */
  private List<Var> segments(Var keys, List<Var> values, Lambda op) {
    var starts =
        b.map(
                n,
                List.of(b.iota(n)),
                (in, p) -> {
                  var i = p.getFirst();
                  return in.ifThenElse(
                      in.compare(CompareOp.EQ, i, i64(0)),
                      List.of(Type.BOOL),
                      _ -> List.of(Atom.bool(true)),
                      c -> {
                        var before = c.index(keys, c.sub(i, i64(1)));
                        return List.of(c.not(c.compare(CompareOp.EQ, before, c.index(keys, i))));
                      });
                })
            .getFirst();
    int k = values.size();
    List<Var> arrays = Lists.concat(List.of(starts), values);
    var neutral = new ArrayList<Atom>(List.of(Atom.bool(false)));
    neutral.addAll(h.op().neutral());
    var scanned = Scans.inclusive(b, n, arrays, segmented(op), neutral).subList(1, k + 1);
    return b.map(
        n,
        List.of(b.iota(n), starts),
        (in, p) ->
            in.ifThenElse(
                p.get(1),
                h.op().neutral().stream().map(Atom::type).toList(),
                _ -> h.op().neutral(),
                c -> {
                  var before = c.sub(p.get(0), i64(1));
                  return scanned.stream().map(a -> c.index(a, before)).toList();
                }));
  }

  /** Returns the operator {@code (f, x) ⊙ (g, y) = (f || g, if g then y else x ⊙ y)}. */
  private Lambda segmented(Lambda op) {
    int k = op.params().size() / 2;
    var types = new ArrayList<Type>();
    for (int side = 0; side < 2; side++) {
      types.add(Type.BOOL);
      op.params().subList(0, k).forEach(p -> types.add(p.type()));
    }
    return b.lambda(
        types,
        (in, p) -> {
          var results = new ArrayList<Atom>();
          results.add(in.binary(BinaryOp.OR, p.get(0), p.get(k + 1)));
          var x = p.subList(1, k + 1);
          var y = p.subList(k + 2, 2 * k + 2);
          results.addAll(
              in.ifThenElse(
                  p.get(k + 1),
                  y.stream().map(Var::type).toList(),
                  _ -> y,
                  c -> c.call(new Renaming().lambda(op), Lists.concat(x, y))));
          return results;
        });
  }

  /** Moves every row back to where it was before the sort. */
  private Var scattered(Var origins, Var rows) {
    var type = rows.type();
    var inputs = List.of(origins, rows);
    var dest = b.bind("adj", new Scratch(type.elemPrim(), type.dims()));
    var identity = b.identity(inputs);
    return b.bind(
        "adj", new Scatter(n, inputs, List.of(new ScatterDest(List.of(n), dest)), identity));
  }
}
