package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Code.MatrixProduct.Term;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Slot;
import dev.kenaz.loopir.Strides;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Computes the distances between the points of a parallel loop and others before the loop, for a
 * block of points at a time, as {@link MatrixProduct} computes products of matrices.
 *
 * <pre>
 *   for t &lt; n: for i &lt; k: s = 0
 *                         for d &lt; m, add in s: s += (x[t, d] - c[i, d])^2
 *                         what is done with s, such as a search for the nearest c
 *     =&gt;  for b &lt; n / 128:
 *           z[l, i] = sum over d of (x[128 * b + l, d] - c[i, d])^2
 *           for l &lt; 128: for i &lt; k: s = z[l, i], and the rest
 * </pre>
 *
 * <p>In the first loop each vector is loaded for one operation, and each sum collects the lanes of
 * a vector. A tile of the product loads six vectors for eight operations, and its sums are the
 * lanes of vectors.
 *
 * <p>Numbers decide at run time: the block is worth it if there are enough of everything. The code
 * as it was does the rest, {@link Lanes} that of few others with few coordinates.
 */
final class Distances {
  /** So many points are taken together: the others are read and arranged once for them. */
  private static final long POINTS = 128;

  /** With fewer points or coordinates, a tile is not worth its set-up. */
  private static final long LEAST = 16;

  /** The same of others, which fill half a vector. */
  private static final long LEAST_OTHERS = 4;

  /** Up to as many coordinates, {@link Lanes} are faster for few others: */
  private static final long MOST_IN_LANES = 32;

  /** for others that have fewer coordinates than this together. */
  private static final long LEAST_TERMS = 512;

  /** What is kept of a block should not take the memory of what it is computed from. */
  private static final long MOST_OTHERS = 1 << 16;

  private Distances() {}

  /** Returns the function with such loops in blocks. */
  static LoopFun in(LoopFun function) {
    var code = in(function.body());
    return code == function.body() ? function : function.with(code);
  }

  private static List<Code> in(List<Code> code) {
    var out = new ArrayList<Code>();
    for (var c : code) {
      var blocks = c instanceof Code.For f ? blocks(f) : List.<Code>of();
      var next = blocks.isEmpty() ? List.of(inside(c)) : blocks;
      out.addAll(next.equals(List.of(c)) ? List.of(c) : next);
    }
    return out.equals(code) ? code : out;
  }

  /** A task that is called for a few points at a time would never have enough of them. */
  private static Code inside(Code c) {
    var next = CodeWalk.withInner(c, Distances::in);
    return next instanceof Code.Parallel p && !p.equals(c)
        ? new Code.Parallel(
            p.extent(), p.work(), p.chunks(), false, p.chunk(), p.lo(), p.hi(), p.body())
        : next;
  }

  /** Returns the loop over blocks and the one over points; nothing if there are no distances. */
  private static List<Code> blocks(Code.For points) {
    var own = Registers.of(points.body()).assigned();
    if (!points.independent()
        || !Operands.canBeRenamed(points.body())
        || !Operands.isPure(points.bound())
        || Operands.reads(points.bound(), own)) {
      return List.of();
    }
    for (var c : points.body()) {
      if (c instanceof Code.For others) {
        var found = new Search(points, others).sum();
        if (found.isPresent()) {
          return new Blocks(points, found.get()).code();
        }
      }
    }
    return List.of();
  }

  /**
   * A row of numbers for each point, or for each of the others.
   *
   * @param index of the first number, for the first point of a block and the first of the others
   * @param row how far the rows are from each other, in elements
   * @param element how far the numbers of a row are from each other
   */
  private record Rows(Expr base, Expr index, Expr row, Expr element) {}

  /**
   * A sum that was found.
   *
   * @param zero where it begins, in the loop over the others
   * @param loop over the coordinates, after that
   * @param x the rows of the points
   * @param c those of the others
   */
  private record Sum(
      Code.For others, Code.Set zero, Code.For loop, Rows x, Rows c, Expr count, Expr depth) {
    Reg reg() {
      return zero.reg();
    }
  }

  /** Looks for a sum in a loop over others. */
  private static final class Search {
    private final Code.For points;
    private final Code.For others;
    private final Set<Reg> assigned;
    private final Map<Reg, Integer> sets;
    private final Set<Expr> written = new HashSet<>();

    /** The counter of the sum that is looked at. */
    private Reg coordinates;

    /** The values of registers on the way from the points to a number. */
    private final Map<Reg, Expr> definitions = new HashMap<>();

    Search(Code.For points, Code.For others) {
      this.points = points;
      this.others = others;
      assigned = Registers.of(List.of(points)).assigned();
      sets = Registers.sets(points.body());
      CodeWalk.code(
          points.body(),
          c -> {
            if (c instanceof Code.Store s) {
              written.add(s.base());
            }
          },
          _ -> {});
    }

    Optional<Sum> sum() {
      var body = others.body();
      for (int k = 0; k + 1 < body.size(); k++) {
        if (body.get(k) instanceof Code.Set(var reg, var value)
            && value.equals(Expr.zero(reg.prim()))
            && body.get(k + 1) instanceof Code.For loop
            && loop.reductions().equals(List.of(new Code.Reduction(reg, BinaryOp.ADD)))
            && onlyFor(loop, reg)) {
          var found = sum((Code.Set) body.get(k), loop);
          if (found.isPresent()) {
            return found;
          }
        }
      }
      return Optional.empty();
    }

    /** Whether nothing else reads what the loop sets besides the sum. */
    private boolean onlyFor(Code.For loop, Reg sum) {
      var own = new HashSet<>(Registers.of(List.of(loop)).assigned());
      own.remove(sum);
      var all = Registers.reads(List.of(points));
      var here = Registers.reads(List.of(loop));
      return own.stream().allMatch(r -> all.getOrDefault(r, 0).equals(here.getOrDefault(r, 0)));
    }

    private Optional<Sum> sum(Code.Set zero, Code.For loop) {
      if (loop.body().isEmpty()
          || hasChecks(before(points.body(), others))
          || hasChecks(before(others.body(), zero))) {
        return Optional.empty(); // The rows may be there only for points that pass.
      }
      coordinates = loop.i();
      definitions.clear();
      var path = new ArrayList<Code>();
      path.addAll(before(points.body(), others));
      path.addAll(before(others.body(), zero));
      path.addAll(loop.body().subList(0, loop.body().size() - 1));
      path.removeIf(c -> !(c instanceof Code.Set));
      for (var c : path) {
        if (c instanceof Code.Set(var reg, var e)) {
          definitions.put(reg, e);
        }
      }
      if (!(loop.body().getLast() instanceof Code.Set(var sum, Expr.MulAdd(var a, var b, var old)))
          || !loop.body().stream().allMatch(Code.Set.class::isInstance)
          || !sum.equals(zero.reg())
          || !old.equals(Expr.use(sum))
          || !a.equals(b)
          || !(resolved(a) instanceof Expr.Bin(var op, var p, var q))
          || op != BinaryOp.SUB
          || !(resolved(p) instanceof Expr.Load x)
          || !(resolved(q) instanceof Expr.Load y)
          || x.prim() != sum.prim()
          || y.prim() != sum.prim()) {
        return Optional.empty();
      }
      var strides = new Strides(path);
      var first = rows(x, strides, points.i(), others.i(), loop.i());
      boolean swapped = first.isEmpty();
      var xs = swapped ? rows(y, strides, points.i(), others.i(), loop.i()) : first;
      var cs = rows(swapped ? x : y, strides, others.i(), points.i(), loop.i());
      var count = steady(others.bound());
      var depth = steady(loop.bound());
      if (xs.isEmpty() || cs.isEmpty() || count.isEmpty() || depth.isEmpty()) {
        return Optional.empty();
      }
      return Optional.of(new Sum(others, zero, loop, xs.get(), cs.get(), count.get(), depth.get()));
    }

    private static List<Code> before(List<Code> code, Code end) {
      return code.stream().takeWhile(c -> c != end).toList();
    }

    private static boolean hasChecks(List<Code> code) {
      return CodeWalk.has(code, Code.Check.class);
    }

    private Expr resolved(Expr e) {
      return e instanceof Expr.Use(var reg) && sets.getOrDefault(reg, 0) == 1
          ? definitions.getOrDefault(reg, e)
          : e;
    }

    /**
     * Returns the rows that are read, if there is one for each value of a counter.
     *
     * @param not the counter that makes no difference
     */
    private Optional<Rows> rows(Expr.Load load, Strides strides, Reg by, Reg not, Reg element) {
      var row = strides.of(load.index(), by);
      var same = strides.of(load.index(), not);
      var step = strides.of(load.index(), element);
      if (row == null || same == null || step == null || !Expr.isConst(same, 0)) {
        return Optional.empty();
      }
      var base = steady(load.base());
      var first = full(load.index(), false);
      var steadyRow = steady(row);
      var steadyStep = steady(step);
      if (base.isEmpty()
          || first.isEmpty()
          || steadyRow.isEmpty()
          || steadyStep.isEmpty()
          || Expr.isConst(steadyRow.get(), 0)
          || written.contains(load.base())) {
        return Optional.empty();
      }
      return Optional.of(new Rows(base.get(), first.get(), steadyRow.get(), steadyStep.get()));
    }

    /** Returns the expression in terms of what is set outside, if it is the same for all points. */
    private Optional<Expr> steady(Expr e) {
      return full(e, true);
    }

    /**
     * Returns the expression in terms of what is set outside and of the point's number, where the
     * other counters are 0.
     *
     * @param steady whether it must not depend on any counter
     */
    private Optional<Expr> full(Expr e, boolean steady) {
      if (e instanceof Expr.Load) {
        return Optional.empty();
      }
      if (e instanceof Expr.Use(var reg)) {
        if (reg.equals(points.i())) {
          return steady ? Optional.empty() : Optional.of(e);
        }
        if (reg.equals(others.i()) || reg.equals(coordinates)) {
          return steady ? Optional.empty() : Optional.of(Expr.i64(0));
        }
        if (!assigned.contains(reg)) {
          return Optional.of(e);
        }
        return sets.getOrDefault(reg, 0) == 1 && definitions.containsKey(reg)
            ? full(definitions.get(reg), steady)
            : Optional.empty();
      }
      var parts = new ArrayList<Expr>();
      for (var x : e.operands()) {
        var part = full(x, steady);
        if (part.isEmpty()) {
          return Optional.empty();
        }
        parts.add(part.get());
      }
      var next = parts.iterator();
      return Optional.of(e.map(_ -> next.next()));
    }
  }

  /** Makes the code. */
  private record Blocks(Code.For points, Sum sum) {
    /** The loop over points stays where it was, so that it is a method as it was. */
    List<Code> code() {
      var prim = sum.reg().prim();
      var distances = Slot.fresh("distances");
      var left = Reg.index("left");
      var blocks = Reg.index("blocks");
      var b = Reg.index("b");
      var taken = Expr.sub(points.bound(), Expr.use(left));
      var whole = Expr.add(taken, Expr.i64(POINTS - 1));
      var some = new Expr.Cmp(CompareOp.LT, Expr.i64(0), Expr.use(blocks));
      var bytes = Expr.size(Expr.i64(POINTS * prim.byteSize()), sum.count());
      return List.of(
          new Code.Set(left, new Expr.Select(worthwhile(), Expr.i64(0), points.bound())),
          new Code.Set(blocks, new Expr.Bin(BinaryOp.QUOT, whole, Expr.i64(POINTS))),
          new Code.If(some, List.of(new Code.Ensure(distances, bytes)), List.of()),
          new Code.For(b, Expr.use(blocks), block(distances, b), false, List.of()),
          new Code.For(
              points.i(),
              Expr.use(left),
              points.body(),
              points.independent(),
              points.reductions()));
    }

    /**
     * The points of a block follow one another: their loops over the others are in vectors. In
     * vectors of points, distances would lie apart.
     */
    private List<Code> block(Slot distances, Reg b) {
      var start = Reg.index("start");
      var height = Reg.index("height");
      var lane = Reg.index("l");
      var left = Expr.sub(points.bound(), Expr.use(start));
      var place = Expr.add(Expr.mul(Expr.use(lane), sum.count()), Expr.use(sum.others().i()));
      var read = new Expr.Load(sum.reg().prim(), Expr.use(distances.base()), place);
      var body = new ArrayList<Code>();
      body.add(new Code.Set(points.i(), Expr.add(Expr.use(start), Expr.use(lane))));
      body.addAll(replaced(points.body(), new Code.Set(sum.reg(), read)));
      return List.of(
          new Code.Set(start, Expr.mul(Expr.use(b), Expr.i64(POINTS))),
          new Code.Set(height, new Expr.Bin(BinaryOp.MIN, Expr.i64(POINTS), left)),
          product(distances, start, height),
          new Code.For(lane, Expr.use(height), renamed(body), false, List.of()));
    }

    private Expr worthwhile() {
      var terms = Expr.size(sum.count(), sum.depth());
      var many =
          new Expr.Bin(
              BinaryOp.OR, atLeast(MOST_IN_LANES + 1, sum.depth()), atLeast(LEAST_TERMS, terms));
      var all =
          List.of(
              atLeast(LEAST_OTHERS, sum.count()),
              new Expr.Cmp(CompareOp.LE, sum.count(), Expr.i64(MOST_OTHERS)),
              atLeast(LEAST, sum.depth()),
              atLeast(LEAST, points.bound()),
              many);
      return all.stream().reduce((x, y) -> new Expr.Bin(BinaryOp.AND, x, y)).orElseThrow();
    }

    private static Expr atLeast(long least, Expr x) {
      return new Expr.Cmp(CompareOp.LE, Expr.i64(least), x);
    }

    private Code product(Slot distances, Reg start, Reg height) {
      var one = Expr.i64(1);
      return new Code.MatrixProduct(
          sum.reg().prim(),
          Term.SQUARED_DIFFERENCE,
          new Code.Matrix(Expr.use(distances.base()), sum.count(), one),
          new Code.Matrix(address(sum.x(), start), sum.x().row(), sum.x().element()),
          new Code.Matrix(address(sum.c(), start), sum.c().element(), sum.c().row()),
          Expr.use(height),
          sum.count(),
          sum.depth(),
          false,
          Optional.empty());
    }

    private Expr address(Rows rows, Reg start) {
      var first = Operands.substitute(rows.index(), Map.of(points.i(), Expr.use(start)));
      return Expr.add(rows.base(), Expr.mul(first, Expr.i64(sum.reg().prim().byteSize())));
    }

    /** Puts the statement in place of the sum. */
    private List<Code> replaced(List<Code> code, Code.Set read) {
      var out = new ArrayList<Code>();
      for (var c : code) {
        if (c == sum.others()) {
          var f = sum.others();
          var body = new ArrayList<Code>();
          for (var inner : f.body()) {
            if (inner == sum.loop()) {
              body.set(body.size() - 1, read);
            } else {
              body.add(inner);
            }
          }
          out.add(new Code.For(f.i(), f.bound(), body, f.independent(), f.reductions()));
        } else {
          out.add(c);
        }
      }
      return out;
    }

    /** The loop over the points one by one has the old registers. */
    private List<Code> renamed(List<Code> code) {
      var names = new HashMap<Reg, Expr>();
      var own = new HashSet<>(Registers.of(code).assigned());
      points.reductions().forEach(r -> own.remove(r.reg()));
      own.forEach(r -> names.put(r, Expr.use(Reg.fresh(r.name(), r.prim()))));
      return Operands.renamed(code, names);
    }
  }
}
