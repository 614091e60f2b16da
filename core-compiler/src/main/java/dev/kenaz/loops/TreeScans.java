package dev.kenaz.loops;

import dev.kenaz.ir.Exp.Scan;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal.View;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Scans scalars, or tuples of them, in vectors. One element after the other, each would wait for
 * the one before. So a block of elements is folded as a tree, as in {@link TreeFolds}, and then
 * what comes before each node of the tree is found from the root down:
 *
 * <pre>
 *   for b &lt; n / 512:
 *     for l &lt; 512: s[l] = x[512 b + l]
 *     for each level: for l &lt; size: s'[l] = op(s[2 l], s[2 l + 1])
 *     for l &lt; 16: before[l] = acc; acc = op(acc, s[l])
 *     for each level below but the last: for l &lt; size:
 *       before'[2 l] = before[l]; before'[2 l + 1] = op(before[l], s'[2 l])
 *     for l &lt; 256:
 *       y[512 b + 2 l] = op(before[l], s[2 l]); y[512 b + 2 l + 1] = before[l + 1]
 * </pre>
 *
 * <p>The operator is applied twice for each element, in vectors (Blelloch, Prefix sums and their
 * applications, 1990).
 */
final class TreeScans {
  /** More parts, such as those of matrices, keep the units busy one element after the other. */
  private static final int MOST = 3;

  private static final Expr HALF = Expr.i64(TreeFolds.BLOCK / 2);
  private static final Expr LAST = Expr.i64(TreeFolds.LAST);

  private final Lowering lowering;
  private final Scope scope;
  private final Arrays arrays;
  private final TreeFolds trees;

  TreeScans(Lowering lowering, TreeFolds trees) {
    this.lowering = lowering;
    this.scope = lowering.scope;
    this.arrays = lowering.arrays;
    this.trees = trees;
  }

  /**
   * What is scanned.
   *
   * @param results of which some may be unused
   * @param outs where the results go; null for those that go nowhere
   * @param folds the accumulators of all parts
   */
  record Scanned(List<Scan> scans, List<Var> results, List<View> outs, Soacs.Folds folds) {
    List<Lambda> ops() {
      return scans.stream().map(Scan::op).toList();
    }
  }

  /**
   * The memory of a block: each part has an array.
   *
   * @param sums the levels, the block's elements first
   * @param before what comes before each of them, but for the elements
   */
  private record Memory(List<View> sums, List<View> before) {}

  /**
   * Scans the whole blocks of the points from {@code lo} to {@code hi}, if that goes in vectors.
   *
   * @param point computes the operands of the point with this number
   * @return the first of the points that are left
   */
  Expr blocks(Scanned s, Expr lo, Expr hi, Function<Expr, List<Val>> point) {
    var prims = trees.components(s.ops());
    if (prims.isEmpty() || prims.size() > MOST) {
      return lo;
    }
    return trees.inBlocks(
        lo,
        hi,
        () -> {
          var sums = trees.allocate("sums", prims, 2 * TreeFolds.BLOCK);
          return new Memory(sums, trees.allocate("before", prims, TreeFolds.BLOCK));
        },
        (memory, start) -> block(s, memory, start, point));
  }

  private void block(Scanned s, Memory m, Expr start, Function<Expr, List<Val>> point) {
    trees.elements(m.sums, start, point);
    var root = trees.levels(s.ops(), m.sums, false, TreeFolds.BLOCK / 2);
    scope.forSequence(
        "l",
        LAST,
        l -> {
          var at = Expr.add(root, l);
          trees.write(m.before, before(at), accumulators(s.folds));
          s.folds.begin();
          s.folds.step(trees.at(m.sums, at));
        });
    down(s, m, root);
    trees.write(m.before, HALF, accumulators(s.folds));
    results(s, m, start);
  }

  /** Returns where that is noted which comes before a node. */
  private static Expr before(Expr node) {
    return Expr.add(node, Expr.i64(-TreeFolds.BLOCK));
  }

  /** Finds what comes before each node, from the root's level to that of pairs. */
  private void down(Scanned s, Memory m, Expr root) {
    var from = Reg.index("from");
    var size = Reg.index("size");
    scope.add(new Code.Set(from, root));
    scope.add(new Code.Set(size, LAST));
    var level =
        scope.block(
            () -> {
              var doubled = TreeFolds.twice(Expr.use(size));
              var below = scope.let("below", Expr.sub(Expr.use(from), doubled));
              scope.forEach(
                  "l",
                  Expr.use(size),
                  l -> {
                    var own = trees.at(m.before, before(Expr.add(Expr.use(from), l)));
                    var first = Expr.add(below, TreeFolds.twice(l));
                    var x = trees.at(m.sums, first);
                    trees.write(m.before, before(first), own);
                    var second = before(Expr.add(first, Expr.i64(1)));
                    trees.write(m.before, second, trees.combined(s.ops(), own, x));
                  });
              scope.add(new Code.Set(from, below));
              scope.add(new Code.Set(size, TreeFolds.twice(Expr.use(size))));
            });
    scope.add(new Code.While(Scope.less(Expr.use(size), HALF), level));
  }

  private void results(Scanned s, Memory m, Expr start) {
    scope.forEach(
        "l",
        HALF,
        l -> {
          var first = Expr.add(start, TreeFolds.twice(l));
          var before = trees.at(m.before, l);
          var next = trees.at(m.before, Expr.add(l, Expr.i64(1)));
          var x = trees.at(m.sums, TreeFolds.twice(l));
          var own = wanted(s, before, x);
          for (int k = 0; k < s.outs.size(); k++) {
            if (s.outs.get(k) != null) {
              arrays.write(s.outs.get(k), List.of(first), own.get(k));
              var second = List.of(Expr.add(first, Expr.i64(1)));
              arrays.write(s.outs.get(k), second, next.get(k));
            }
          }
        });
  }

  /** Returns the operators' results; null for those that go nowhere. */
  private List<Val> wanted(Scanned s, List<Val> a, List<Val> b) {
    var all = new ArrayList<Val>();
    for (var scan : s.scans) {
      int from = all.size();
      int to = from + scan.neutral().size();
      var results = s.results.subList(from, to);
      boolean every = s.outs.subList(from, to).stream().noneMatch(Objects::isNull);
      var op = every ? scan.op() : lowering.wantedParts.once(scan.op(), results);
      var some = trees.combined(List.of(op), a.subList(from, to), b.subList(from, to));
      int next = 0;
      for (var v : results) {
        all.add(every || lowering.wantedParts.wants(v) ? some.get(next++) : null);
      }
    }
    return all;
  }

  private static List<Val> accumulators(Soacs.Folds folds) {
    return folds.registers().stream().<Val>map(r -> new Val.Scalar(Expr.use(r))).toList();
  }
}
