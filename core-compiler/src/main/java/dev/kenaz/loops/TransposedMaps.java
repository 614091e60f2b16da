package dev.kenaz.loops;

import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Type;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Strides;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp.SegMap;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs maps over two dimensions, at least, that read a matrix down its columns and write along
 * rows, in square blocks:
 *
 * <pre>
 *   for i: for j:  c[i, j] = f(a[j, i])
 * </pre>
 *
 * <p>A line of the cache has elements for several i. In blocks, all of them are used before the
 * line leaves the cache. The blocks follow one another down the columns of the result: so rows of
 * the matrix are read in the order of memory, which processors fetch ahead, and lines of the result
 * are written whole.
 */
final class TransposedMaps {
  /** A line of 64 bytes has this many f32. */
  private static final long SIDE = 16;

  private static final int MOST_STATEMENTS = 24;

  /** All elements of a row of a block are written out if they take at most so many statements. */
  private static final int MOST_WRITTEN_OUT = 128;

  private final Lowering lowering;
  private final Scope scope;
  private final Arrays arrays;

  TransposedMaps(Lowering lowering) {
    this.lowering = lowering;
    this.scope = lowering.scope;
    this.arrays = lowering.arrays;
  }

  /** Whether the map computes numbers, and some load goes down the columns of a matrix. */
  boolean fits(SegMap m) {
    var dims = m.space().dims();
    var stms = m.body().stms();
    if (dims.size() < 2
        || stms.size() > MOST_STATEMENTS
        || !m.returns().stream().allMatch(Type::isScalar)
        || !stms.stream().allMatch(s -> s.exp() instanceof SegExp.Plain(var e) && plain(e))) {
      return false;
    }
    var row = Reg.index("row");
    var column = Reg.index("column");
    var code =
        scope.task(
            () -> {
              for (int d = 0; d < dims.size(); d++) {
                var index =
                    d == dims.size() - 1 ? column : d == dims.size() - 2 ? row : Reg.index("outer");
                scope.bind(dims.get(d).index(), new Val.Scalar(Expr.use(index)));
              }
              lowering.body(m.body());
            });
    var strides = new Strides(code);
    return strides.plain()
        && strides.loads().stream().anyMatch(l -> turned(strides, l, row, column));
  }

  private static boolean plain(Exp e) {
    return ColumnReductions.repeatable(e) || ColumnReductions.scalarBranch(e);
  }

  private static boolean turned(Strides strides, Expr.Load load, Reg row, Reg column) {
    var down = strides.of(load.index(), column);
    var across = strides.of(load.index(), row);
    return down != null
        && across != null
        && Expr.isConst(across, 1)
        && !(down instanceof Expr.Lit)
        && Expr.isConst(strides.of(load.base(), row), 0)
        && Expr.isConst(strides.of(load.base(), column), 0);
  }

  /**
   * Emits the map.
   *
   * @param work of a point
   * @param body what is done at a point
   */
  void emit(List<Expr> dims, Expr work, Consumer<List<Expr>> body) {
    int outer = dims.size() - 2;
    var rows = dims.get(outer);
    var columns = dims.get(outer + 1);
    var blocks = new ArrayList<>(dims.subList(0, outer));
    blocks.add(scope.let("across", blocks(columns)));
    blocks.add(scope.let("down", blocks(rows)));
    var extent = scope.let("n", ArrayVal.count(blocks));
    var all = scope.let("work", Expr.mul(work, Expr.i64(SIDE * SIDE)));
    arrays.shared(
        extent,
        all,
        (lo, hi) ->
            arrays.points(
                blocks,
                lo,
                hi,
                List::of,
                false,
                point -> {
                  var before = point.subList(0, outer);
                  block(before, point.get(outer + 1), point.get(outer), rows, columns, body);
                }));
  }

  private static Expr blocks(Expr n) {
    return Arrays.quot(Expr.add(n, Expr.i64(SIDE - 1)), Expr.i64(SIDE));
  }

  private void block(
      List<Expr> outer, Expr row, Expr column, Expr rows, Expr columns, Consumer<List<Expr>> body) {
    var side = Expr.i64(SIDE);
    var top = scope.let("top", Expr.mul(row, side));
    var left = scope.let("left", Expr.mul(column, side));
    var height = scope.let("height", Arrays.min(side, Expr.sub(rows, top)));
    var width = scope.let("width", Arrays.min(side, Expr.sub(columns, left)));
    Consumer<Expr> loop = r -> scope.forEach("c", width, c -> point(outer, top, r, left, c, body));
    Consumer<Expr> writtenOut =
        r -> {
          for (long c = 0; c < SIDE; c++) {
            point(outer, top, r, left, Expr.i64(c), body);
          }
        };
    var general = scope.block(() -> scope.forEach("r", height, loop));
    // A loop of so few iterations would take longer to begin and to end than for its elements.
    var whole = scope.block(() -> scope.forEach("r", height, writtenOut));
    if (CodeWalk.brief(whole, MOST_WRITTEN_OUT)) {
      scope.add(new Code.If(Scope.less(Expr.i64(SIDE - 1), width), whole, general));
    } else {
      general.forEach(scope::add);
    }
  }

  private void point(
      List<Expr> outer, Expr top, Expr r, Expr left, Expr c, Consumer<List<Expr>> body) {
    var point = new ArrayList<>(outer);
    point.add(scope.let("i", Expr.add(top, r)));
    point.add(scope.let("j", Expr.add(left, c)));
    body.accept(point);
  }
}
