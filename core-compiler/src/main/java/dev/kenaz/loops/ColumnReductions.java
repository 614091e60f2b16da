package dev.kenaz.loops;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Strides;
import dev.kenaz.loops.ArrayVal.Filled;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.segir.SegStm;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Translates maps that reduce columns: neighbouring points read neighbours in memory, and one
 * point's next operand is a row further on.
 *
 * <pre>
 *   for j:  s[j] = reduce op over k of f(a[k, j])
 * </pre>
 *
 * <p>They run over rows as they lie: a task has a block of columns and a part of the rows, and a
 * row of sums that stays in the cache. Each row is combined into it by a loop over the columns,
 * whose iterations are independent. A map may reduce several times, one after the other, as means
 * and variances do; what it computes besides is done again for each row.
 */
final class ColumnReductions {
  /**
   * The sums of a task's columns take this many bytes: they fit the fastest cache beside the rows.
   * Shorter parts of rows would be read more slowly, as processors fetch ahead only what follows in
   * memory.
   */
  private static final long BLOCK_BYTES = 1 << 14;

  /** A task has this many columns, or more. */
  private static final long LEAST_COLUMNS = 1024;

  /** From this many rows on, sums in memory pay. */
  private static final long LEAST_ROWS = 8;

  /** This many rows are worth a task of their own. */
  private static final long ROWS_OF_TASK = 64;

  /** This many rows are combined at a time, so that sums are read and written less often. */
  private static final long ROWS_AT_ONCE = 4;

  private static final int MOST_STATEMENTS = 24;

  private final Lowering lowering;
  private final Scope scope;
  private final Arrays arrays;

  ColumnReductions(Lowering lowering) {
    this.lowering = lowering;
    this.scope = lowering.scope;
    this.arrays = lowering.arrays;
  }

  /**
   * This is one reduction of the map.
   *
   * @param before statements that come before the reduction
   */
  private record InnerReduction(List<SegStm> before, List<Var> pattern, Screma reduction) {
    List<Reduce> reduces() {
      return reduction.reduces();
    }
  }

  /** A map whose function is such reductions and cheap statements between them. */
  record Found(SegMap map, List<InnerReduction> reductions, int statements) {}

  Optional<Found> find(SegMap m) {
    var reductions = new ArrayList<InnerReduction>();
    int statements = 0;
    for (int k = 0; k < m.body().stms().size(); k++) {
      var stm = m.body().stms().get(k);
      if (!(stm.exp() instanceof SegExp.Plain(var e))) {
        return Optional.empty();
      }
      if (e instanceof Screma s) {
        if (!reducesScalars(s) || s.reduceWidth() != stm.pattern().size()) {
          return Optional.empty();
        }
        statements += s.map().body().stms().size();
        reductions.add(new InnerReduction(m.body().stms().subList(0, k), stm.pattern(), s));
      } else if (!repeatable(e)) {
        return Optional.empty();
      }
      statements++;
    }
    if (reductions.isEmpty()
        || statements > MOST_STATEMENTS
        || !m.returns().stream().allMatch(Type::isScalar)
        || !reductions.stream().allMatch(s -> invariant(m, s.reduction))
        || !reductions.stream().allMatch(s -> alongRows(m, s))) {
      return Optional.empty();
    }
    return Optional.of(new Found(m, reductions, statements));
  }

  /** Whether equally many rows are reduced at all points, and start from the same elements. */
  private static boolean invariant(SegMap m, Screma s) {
    var inside = new HashSet<Atom>();
    m.space().dims().forEach(d -> inside.add(d.index()));
    m.body().stms().forEach(stm -> inside.addAll(stm.pattern()));
    return !inside.contains(s.width())
        && s.reduces().stream().noneMatch(r -> r.neutral().stream().anyMatch(inside::contains));
  }

  private static boolean reducesScalars(Screma s) {
    return s.scans().isEmpty()
        && scalars(s.map())
        && s.reduces().stream().allMatch(r -> scalars(r.op()));
  }

  private static boolean scalars(Lambda l) {
    return l.body().results().stream().allMatch(r -> r.type().isScalar())
        && l.body().stms().stream().allMatch(s -> repeatable(s.exp()) || scalarBranch(s.exp()));
  }

  /** Whether it chooses between numbers that are computed without memory. */
  static boolean scalarBranch(Exp e) {
    return e instanceof If(_, var then, var otherwise)
        && then.stms().stream().allMatch(s -> scalarOperation(s.exp()))
        && otherwise.stms().stream().allMatch(s -> scalarOperation(s.exp()));
  }

  private static boolean scalarOperation(Exp e) {
    return e instanceof Unary
        || e instanceof Binary
        || e instanceof Compare
        || e instanceof Fma
        || e instanceof Convert
        || e instanceof Alias(var x) && x.type().isScalar();
  }

  /** Whether it is cheap, and computes a number or reads an element, or makes a view. */
  static boolean repeatable(Exp e) {
    return scalarOperation(e)
        || e instanceof Alias
        || e instanceof Rearrange
        || e instanceof Iota
        || e instanceof Index(_, _, var checked) && !checked
        || e instanceof Slice(_, _, var slice) && !slice
        || e instanceof Replicate(_, var x) && x.type().isScalar();
  }

  // Which way memory is read

  /** Whether a row's elements are those of neighbouring points, and no load is worse than that. */
  private boolean alongRows(SegMap m, InnerReduction inner) {
    var column = Reg.index("column");
    var row = Reg.index("row");
    var code =
        scope.task(
            () -> {
              var dims = m.space().dims();
              for (int d = 0; d < dims.size(); d++) {
                boolean last = d == dims.size() - 1;
                var index = last ? column : Reg.index("outer");
                scope.bind(dims.get(d).index(), new Val.Scalar(Expr.use(index)));
              }
              unknown(m.body().stms());
              before(inner);
              operands(inner, Expr.use(row));
            });
    var strides = new Strides(code);
    if (!strides.plain()) {
      return false;
    }
    boolean found = false;
    for (var load : strides.loads()) {
      var across = strides.of(load.index(), column);
      var down = strides.of(load.index(), row);
      if (across == null || down == null || !Expr.isConst(strides.of(load.base(), column), 0)) {
        return false;
      }
      if (!Expr.isConst(across, 0) && !Expr.isConst(across, 1)) {
        return false;
      }
      found |= Expr.isConst(across, 1) && !Expr.isConst(down, 0) && !Expr.isConst(down, 1);
    }
    return found;
  }

  /** Binds what earlier reductions result in, without knowing it. */
  private void unknown(List<SegStm> stms) {
    for (var stm : stms) {
      if (stm.exp() instanceof SegExp.Plain(Screma _)) {
        for (var v : stm.pattern()) {
          var reg = Reg.fresh(v.name(), v.type().elemPrim());
          scope.bind(v, new Val.Scalar(Expr.use(reg)));
        }
      }
    }
  }

  // Code

  /** Emits the code where there are enough rows, and the other code where there aren't. */
  void emit(Found found, List<View> outs, Runnable otherwise) {
    var dims = scope.scalars(found.map.space().widths());
    var some = Scope.less(Expr.i64(0), scope.let("n", ArrayVal.count(dims)));
    for (var s : found.reductions) {
      var enough = Scope.less(Expr.i64(LEAST_ROWS - 1), scope.scalar(s.reduction.width()));
      some = Scope.and(some, enough);
    }
    var code = scope.block(() -> columns(found, dims, outs));
    scope.add(new Code.If(some, code, scope.block(otherwise)));
  }

  private void columns(Found found, List<Expr> dims, List<View> outs) {
    var sums = new ArrayList<List<View>>();
    for (int k = 0; k < found.reductions.size(); k++) {
      sums.add(new Reduction(found, k, dims, sums).emit());
    }
    arrays.nest(
        dims,
        Expr.i64(found.statements + 1),
        point -> {
          bind(found.map, point);
          given(found, sums, point);
          var cheap = found.map.body().stms().stream().filter(s -> !isReduction(s)).toList();
          var vals = lowering.body(new SegBody(cheap, found.map.body().results()));
          for (int k = 0; k < vals.size(); k++) {
            arrays.write(outs.get(k), point, vals.get(k));
          }
        });
  }

  private void bind(SegMap m, List<Expr> point) {
    for (int d = 0; d < point.size(); d++) {
      scope.bind(m.space().dims().get(d).index(), new Val.Scalar(point.get(d)));
    }
  }

  /** Binds the results of the reductions so far at the point. */
  private void given(Found found, List<List<View>> sums, List<Expr> point) {
    for (int s = 0; s < sums.size(); s++) {
      var pattern = found.reductions.get(s).pattern;
      for (int k = 0; k < pattern.size(); k++) {
        scope.bind(pattern.get(k), arrays.index(sums.get(s).get(k), point));
      }
    }
  }

  private static boolean isReduction(SegStm stm) {
    return stm.exp() instanceof SegExp.Plain(Screma _);
  }

  private void before(InnerReduction inner) {
    var cheap = inner.before.stream().filter(s -> !isReduction(s)).toList();
    lowering.body(new SegBody(cheap, List.of()));
  }

  private List<Val> operands(InnerReduction inner, Expr row) {
    var s = inner.reduction;
    for (int k = 0; k < s.inputs().size(); k++) {
      var input = arrays.index(scope.array(s.inputs().get(k)), List.of(row));
      scope.bind(s.map().params().get(k), input);
    }
    return lowering.body(SegBody.sequential(s.map().body()));
  }

  /** Applies the operators to the sums so far and further operands. */
  private List<Val> combined(InnerReduction inner, List<Val> left, List<Val> right) {
    var all = new ArrayList<Val>();
    for (var r : inner.reduces()) {
      int from = all.size();
      int to = from + r.neutral().size();
      all.addAll(
          lowering.call(r.op(), Lists.concat(left.subList(from, to), right.subList(from, to))));
    }
    return all;
  }

  /** Emits one reduction at all points. */
  private final class Reduction {
    private final Found found;
    private final InnerReduction inner;
    private final List<Expr> dims;
    private final List<List<View>> earlier;
    private final Expr rows;

    Reduction(Found found, int number, List<Expr> dims, List<List<View>> earlier) {
      this.found = found;
      this.inner = found.reductions.get(number);
      this.dims = dims;
      this.earlier = List.copyOf(earlier);
      this.rows = scope.scalar(inner.reduction.width());
    }

    /** Emits the reduction; returns the results over the space. */
    List<View> emit() {
      var columns = dims.getLast();
      var groups = scope.let("groups", ceil(columns, Expr.i64(block())));
      var width = scope.let("width", ceil(columns, groups));
      var outer = dims.subList(0, dims.size() - 1);
      var side = scope.let("side", Expr.mul(ArrayVal.count(outer), groups));
      var cost = Expr.i64(found.statements + 1);
      var each = scope.let("each", Expr.mul(rows, cost));
      var wanted = arrays.plan(ArrayVal.count(dims), each, Expr.i64(Long.MAX_VALUE));
      var most = Arrays.quot(rows, Expr.i64(ROWS_OF_TASK));
      var parts = scope.let("parts", Arrays.max(Expr.i64(1), Arrays.min(ceil(wanted, side), most)));
      var sums = sums(parts);
      var tasks = scope.let("tasks", Expr.mul(side, parts));
      arrays.inParallel(
          tasks,
          scope.let("work", Expr.mul(width, cost)),
          tasks,
          false,
          (task, _, _) -> {
            var part = scope.let("part", Arrays.quot(task, side));
            var block = scope.let("block", Expr.sub(task, Expr.mul(part, side)));
            var batch = scope.let("batch", Arrays.quot(block, groups));
            var group = Expr.sub(block, Expr.mul(batch, groups));
            var first = scope.let("first", Expr.mul(group, width));
            var count = scope.let("count", Arrays.min(width, Expr.sub(columns, first)));
            var point = outer.isEmpty() ? List.<Expr>of() : arrays.unflatten(outer, batch);
            var mine = sums.stream().map(v -> arrays.row(v, List.of(part))).toList();
            var from = scope.let("from", Arrays.quot(Expr.mul(rows, part), parts));
            var next = Expr.mul(rows, Expr.add(part, Expr.i64(1)));
            var left = scope.let("rows", Expr.sub(Arrays.quot(next, parts), from));
            rows(point, first, count, from, left, mine);
          });
      return joined(sums, parts);
    }

    /** Returns how many columns a task has at most. */
    private long block() {
      long bytes =
          inner.reduces().stream()
              .flatMap(r -> r.neutral().stream())
              .mapToLong(neutral -> neutral.type().elemPrim().byteSize())
              .sum();
      return Math.max(LEAST_COLUMNS, BLOCK_BYTES / bytes);
    }

    private static Expr ceil(Expr a, Expr b) {
      return Arrays.quot(Expr.add(a, Expr.sub(b, Expr.i64(1))), b);
    }

    /** Makes neutral elements for each part. */
    private List<View> sums(Expr parts) {
      var all = new ArrayList<View>();
      for (var r : inner.reduces()) {
        for (var neutral : r.neutral()) {
          var shape = Lists.concat(List.of(parts), dims);
          var view = scope.allocate("sums", neutral.type().elemPrim(), shape);
          arrays.copy(view, new Filled(scope.scalar(neutral), shape));
          all.add(view);
        }
      }
      return all;
    }

    private void rows(
        List<Expr> outer, Expr first, Expr count, Expr from, Expr rows, List<View> mine) {
      var most = Expr.i64(ROWS_AT_ONCE);
      var several = scope.let("several", Arrays.quot(rows, most));
      scope.forSequence(
          several,
          q -> {
            var row = scope.let("row", Expr.add(from, Expr.mul(q, most)));
            across(outer, first, count, row, ROWS_AT_ONCE, mine);
          });
      var done = scope.let("done", Expr.mul(several, most));
      scope.forSequence(
          Expr.sub(rows, done),
          q -> {
            var row = scope.let("row", Expr.add(Expr.add(from, done), q));
            across(outer, first, count, row, 1, mine);
          });
    }

    /** Combines some rows into the sums. */
    private void across(
        List<Expr> outer, Expr first, Expr count, Expr row, long rows, List<View> mine) {
      scope.forEach(
          "t",
          count,
          t -> {
            var column = scope.let("column", Expr.add(first, t));
            var point = Lists.concat(outer, List.of(column));
            bind(found.map, point);
            given(found, earlier, point);
            before(inner);
            var sum = mine.stream().map(v -> arrays.index(v, point)).toList();
            for (long k = 0; k < rows; k++) {
              var at = scope.let("k", Expr.add(row, Expr.i64(k)));
              sum = combined(inner, sum, operands(inner, at));
            }
            for (int k = 0; k < sum.size(); k++) {
              arrays.write(mine.get(k), point, sum.get(k));
            }
          });
    }

    /** Combines the parts, in order, in the place of the first. */
    private List<View> joined(List<View> sums, Expr parts) {
      var first = sums.stream().map(v -> arrays.row(v, List.of(Expr.i64(0)))).toList();
      var code =
          scope.block(
              () ->
                  arrays.nest(
                      dims,
                      Expr.mul(parts, Expr.i64(found.statements)),
                      point ->
                          scope.forSequence(
                              Expr.sub(parts, Expr.i64(1)),
                              c -> {
                                var part = scope.let("part", Expr.add(c, Expr.i64(1)));
                                var at = Lists.concat(List.of(part), point);
                                var left = first.stream().map(v -> arrays.index(v, point)).toList();
                                var right = sums.stream().map(v -> arrays.index(v, at)).toList();
                                var sum = combined(inner, left, right);
                                for (int k = 0; k < sum.size(); k++) {
                                  arrays.write(first.get(k), point, sum.get(k));
                                }
                              })));
      scope.add(new Code.If(Scope.less(Expr.i64(1), parts), code, List.of()));
      return first;
    }
  }
}
