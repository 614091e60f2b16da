package dev.kenaz.loops;

import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Type;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Folds scalars, or tuples of them, by an operator that is no single instruction. One element after
 * the other, each would wait for what is made of those before. So whole blocks of elements are
 * folded as trees, level by level, which keeps their order:
 *
 * <pre>
 *   for b &lt; n / 512:
 *     for l &lt; 512: s[l] = x[512 b + l]
 *     for each level: for l &lt; size: s'[l] = op(s[2 l], s[2 l + 1])
 *     acc = op(... op(acc, s[0]) ..., s[15])
 * </pre>
 *
 * <p>The operator is applied as often as before, but the loops over a level run in vectors. If
 * operands may be exchanged, those of a pair are half a level apart, so that vectors are loaded as
 * they lie in memory, and those of the first level are combined as they are computed.
 */
final class TreeFolds {
  /** The elements of a block; what the levels of some components take stays in the first cache. */
  static final long BLOCK = 512;

  /** The last level, whose elements are folded one by one. */
  static final long LAST = 16;

  /** More parts take as long one element after the other. */
  private static final int MOST = 9;

  private static final Set<Prim> COMPONENTS = Set.of(Prim.I32, Prim.I64, Prim.F32, Prim.F64);

  private final Lowering lowering;
  private final Scope scope;
  private final Arrays arrays;
  private final Predicate<Code.For> inVectors;

  /**
   * @param inVectors whether the backend runs a loop in vectors
   */
  TreeFolds(Lowering lowering, Predicate<Code.For> inVectors) {
    this.lowering = lowering;
    this.scope = lowering.scope;
    this.arrays = lowering.arrays;
    this.inVectors = inVectors;
  }

  /**
   * Folds the whole blocks of the points from {@code lo} to {@code hi}, if that goes in vectors.
   *
   * @param folds the accumulators of the reductions
   * @param point computes the operands of the point with this number
   * @return the first of the points that are left
   */
  Expr blocks(
      List<Reduce> reduces, Soacs.Folds folds, Expr lo, Expr hi, Function<Expr, List<Val>> point) {
    var extremum = ExtremumFolds.of(reduces);
    if (extremum.isPresent()) {
      return new ExtremumFolds(scope).blocks(extremum.get(), folds, lo, hi, point);
    }
    var ops = reduces.stream().map(Reduce::op).toList();
    var prims = components(ops);
    if (prims.isEmpty() || prims.size() > MOST || ops.stream().allMatch(TreeFolds::onlyChooses)) {
      return lo;
    }
    boolean commute = reduces.stream().allMatch(Operators::commutes);
    return inBlocks(
        lo,
        hi,
        () -> allocate("tree", prims, commute ? BLOCK : 2 * BLOCK),
        (levels, start) -> {
          if (commute) {
            level(ops, levels, true, new Level(Expr.i64(0), Expr.i64(BLOCK / 2), start), point);
          } else {
            elements(levels, start, point);
          }
          var last = levels(ops, levels, commute, commute ? BLOCK / 4 : BLOCK / 2);
          scope.forSequence(
              "l",
              Expr.i64(LAST),
              l -> {
                folds.begin();
                folds.step(at(levels, Expr.add(last, l)));
              });
        });
  }

  /** Returns the types of all parts; none if these are not all scalars that vectors can have. */
  List<Prim> components(List<Lambda> ops) {
    var prims = new ArrayList<Prim>();
    for (var op : ops) {
      for (var type : op.returns()) {
        if (!(type instanceof Type.Scalar(var prim)) || !COMPONENTS.contains(prim)) {
          return List.of();
        }
        prims.add(prim);
      }
    }
    return prims;
  }

  /** Whether the results are one of the operands by a condition, which mostly is the same one. */
  private static boolean onlyChooses(Lambda op) {
    var chosen =
        op.body().stms().stream()
            .filter(s -> s.exp() instanceof Exp.If)
            .flatMap(s -> s.pattern().stream())
            .toList();
    return Lists.concat(op.params(), chosen).containsAll(op.body().results());
  }

  /**
   * Adds a loop over the whole blocks of the points from {@code lo} to {@code hi}, if all of its
   * loops that may run in vectors will.
   *
   * @param memory adds what precedes the blocks
   * @param block adds the code of the block that begins there
   * @return the first of the points that are left
   */
  <M> Expr inBlocks(Expr lo, Expr hi, Supplier<M> memory, BiConsumer<M, Expr> block) {
    var number = Reg.index("blocks");
    var blocks = Expr.use(number);
    var code =
        scope.block(
            () -> {
              var m = memory.get();
              scope.forSequence(
                  "b",
                  blocks,
                  b -> {
                    var start = Expr.add(lo, Expr.mul(b, Expr.i64(BLOCK)));
                    block.accept(m, scope.let("start", start));
                  });
            });
    if (!loops(code).stream().allMatch(inVectors)) {
      return lo;
    }
    var n = Expr.sub(hi, lo);
    scope.add(new Code.Set(number, Arrays.quot(n, Expr.i64(BLOCK))));
    scope.add(new Code.If(Scope.less(Expr.i64(0), blocks), code, List.of()));
    return scope.let("rest", Expr.add(lo, Expr.mul(blocks, Expr.i64(BLOCK))));
  }

  List<View> allocate(String name, List<Prim> prims, long n) {
    var views = new ArrayList<View>();
    prims.forEach(p -> views.add(scope.allocate(name, p, List.of(Expr.i64(n)))));
    return views;
  }

  /** Writes the elements of the block that begins there. */
  void elements(List<View> to, Expr start, Function<Expr, List<Val>> point) {
    scope.forEach(
        "l", Expr.i64(BLOCK), l -> write(to, l, point.apply(scope.let("i", Expr.add(start, l)))));
  }

  /** Adds the levels from that of this size on; returns where the last one is. */
  Expr levels(List<Lambda> ops, List<View> levels, boolean commute, long most) {
    var from = Reg.index("from");
    var size = Reg.index("size");
    scope.add(new Code.Set(from, Expr.i64(0)));
    scope.add(new Code.Set(size, Expr.i64(most)));
    var further =
        scope.block(
            () -> {
              var to = scope.let("to", Expr.add(Expr.use(from), twice(Expr.use(size))));
              var level = new Level(to, Expr.use(size), Expr.use(from));
              level(ops, levels, commute, level, at -> at(levels, at));
              scope.add(new Code.Set(from, to));
              scope.add(new Code.Set(size, Arrays.quot(Expr.use(size), Expr.i64(2))));
            });
    scope.add(new Code.While(Scope.less(Expr.i64(LAST - 1), Expr.use(size)), further));
    return Expr.use(from);
  }

  /** Where a level is to be, its size, and where that of its operands is. */
  private record Level(Expr to, Expr size, Expr from) {}

  /** Combines the pairs of a level of twice the size. */
  private void level(
      List<Lambda> ops,
      List<View> levels,
      boolean commute,
      Level level,
      Function<Expr, List<Val>> operands) {
    scope.forEach(
        "l",
        level.size,
        l -> {
          var first = Expr.add(level.from, commute ? l : twice(l));
          var second = Expr.add(first, commute ? level.size : Expr.i64(1));
          var a = operands.apply(scope.let("i", first));
          var b = operands.apply(scope.let("i", second));
          write(levels, Expr.add(level.to, l), combined(ops, a, b));
        });
  }

  /** Applies each operator to its own operands. */
  List<Val> combined(List<Lambda> ops, List<Val> a, List<Val> b) {
    var combined = new ArrayList<Val>();
    int from = 0;
    for (var op : ops) {
      int to = from + op.params().size() / 2;
      combined.addAll(lowering.call(op, Lists.concat(a.subList(from, to), b.subList(from, to))));
      from = to;
    }
    return combined;
  }

  static Expr twice(Expr x) {
    return Expr.mul(x, Expr.i64(2));
  }

  List<Val> at(List<View> levels, Expr at) {
    return levels.stream().map(v -> arrays.index(v, List.of(at))).toList();
  }

  void write(List<View> to, Expr at, List<Val> values) {
    for (int k = 0; k < to.size(); k++) {
      arrays.write(to.get(k), List.of(at), values.get(k));
    }
  }

  /** Returns the loops over levels. */
  private static List<Code.For> loops(List<Code> code) {
    var found = new ArrayList<Code.For>();
    CodeWalk.code(
        code,
        c -> {
          if (c instanceof Code.For f && f.independent()) {
            found.add(f);
          }
        },
        _ -> {});
    return found;
  }
}
