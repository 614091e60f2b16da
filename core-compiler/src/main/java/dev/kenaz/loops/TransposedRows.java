package dev.kenaz.loops;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp.Replicate;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.segir.MentionedVars;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp.SegMap;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Maps over the columns of matrices that make columns, such as scans along the first dimension:
 *
 * <pre>
 *   transpose (map (scan (+) 0) (transpose a))
 * </pre>
 *
 * <p>Each point reads a column and makes a row of a matrix of which nothing is used but its
 * transpose. So the rows are put where the columns of the transpose are, and nothing is left to
 * transpose. Neighbouring points read and write neighbours in memory. A task has so many of them
 * that {@link dev.kenaz.jvm} can go along the rows ({@code ColumnLoops}).
 */
final class TransposedRows {
  /** So many columns of f32 are a kilobyte of each row. */
  private static final long BLOCK = 256;

  private final Scope scope;
  private final Arrays arrays;
  private final WantedParts parts;

  TransposedRows(Lowering lowering) {
    this.scope = lowering.scope;
    this.arrays = lowering.arrays;
    this.parts = lowering.wantedParts;
  }

  /** Whether all results of the map are such matrices, and all matrices that it reads. */
  boolean fits(List<Var> pattern, SegMap m) {
    return m.space().dims().size() == 1
        && pattern.stream().allMatch(this::isTransposed)
        && FreeAccs.of(m.body()).isEmpty()
        && m.body().results().stream().allMatch(r -> isMapped(m.body(), r))
        && readsColumns(m);
  }

  private boolean isTransposed(Var result) {
    return result.type().isArray()
        && rank(result) == 2
        && parts.onlyTransposed(result)
        && scope.wanted(result) == null;
  }

  /**
   * Whether the row needs no memory of its own: a map or a scan makes it, or a loop that begins
   * with a row of equal elements and updates it.
   */
  private static boolean isMapped(SegBody body, Atom row) {
    return MemoryClasses.inPlaceRoot(body, row) instanceof Var root
        && body.stms().stream()
            .filter(s -> s.pattern().contains(root))
            .anyMatch(
                s ->
                    s.exp() instanceof SegExp.Plain(var e)
                        && (e instanceof Screma || e instanceof Replicate));
  }

  private static int rank(Var array) {
    return array.type() instanceof Type.Array a ? a.dims().size() : 0;
  }

  private boolean readsColumns(SegMap m) {
    int columns = 0;
    for (var v : MentionedVars.of(m.body())) {
      if (scope.bound(v) && rank(v) > 1) {
        if (!(scope.array(v) instanceof View a) || rank(v) > 2 || !isColumns(a)) {
          return false;
        }
        columns++;
      }
    }
    return columns > 0;
  }

  private static boolean isColumns(View a) {
    return !a.contiguous() && Expr.isConst(a.strides().getFirst(), 1);
  }

  /**
   * Emits the map.
   *
   * @param columns how many there are
   * @param work of a column
   * @param body what is done for a column
   */
  void emit(Expr columns, Expr work, Consumer<List<Expr>> body) {
    var block = Expr.i64(BLOCK);
    var blocks = Arrays.quot(Expr.add(columns, Expr.i64(BLOCK - 1)), block);
    var extent = scope.let("blocks", blocks);
    var all = scope.let("work", Expr.mul(work, block));
    arrays.shared(
        extent,
        all,
        (lo, hi) -> {
          var from = scope.let("from", Expr.mul(lo, block));
          var to = scope.let("to", Arrays.min(Expr.mul(hi, block), columns));
          arrays.points(List.of(columns), from, to, body);
        });
  }

  /** Allocates the results. */
  List<View> outputs(List<Var> pattern) {
    var outs = new ArrayList<View>();
    for (var v : pattern) {
      var dims = scope.dims(v.type());
      var transposed = scope.allocate(v.name(), v.type().elemPrim(), dims.reversed());
      outs.add((View) arrays.rearrange(List.of(1, 0), transposed));
    }
    return outs;
  }
}
