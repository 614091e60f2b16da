package dev.kenaz.loops;

import dev.kenaz.analysis.ArrayParts.Part;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Band;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.segir.SegOp.Dim;
import dev.kenaz.segir.SegOp.SegMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * Finds and translates map nests that are matrix products:
 *
 * <pre>
 *   for .., i, .., j:     c[.., i, .., j]  = sum over k of a[.., i, k] * b[.., j, k]
 *   for .., k, i, j:      acc[.., i, j]   += a[.., i, k] * b[.., j, k]
 *   for .., i, .., j:     c[.., i, .., j]  = sum over k of (a[.., i, k] - b[.., j, k])^2
 * </pre>
 *
 * <p>with {@code j} innermost, and each operand's indices in any order. Other dimensions that the
 * result or the accumulator has are those of a batch, in parallel; those that the accumulator
 * doesn't have are summed over, one after the other.
 */
record MatrixProducts(Scope scope, Arrays arrays) {
  /** From this many multiply-adds on, the blocked product is worth its set-up. */
  private static final long LEAST = 2048;

  private static final long LEAST_SIDE = 4;

  /** An accumulator of this many elements gives parallel work without private copies. */
  private static final long LEAST_ACCUMULATOR = 1024;

  /**
   * A task should have this many rows or columns, so that operands' copies are used often enough.
   */
  private static final long SIDE_OF_TASK = 128;

  /** Where that leaves threads without a task, a task may have so many. */
  private static final long LEAST_SIDE_OF_TASK = 32;

  /**
   * This is a product {@code c = a * b} or {@code c += a * b} of matrices.
   *
   * @param around the other dimensions of the nest
   */
  record Found(Factors.Found factors, Part a, Part b, Dim row, Dim column, List<Dim> around) {
    Dim depth() {
      return factors.summed().getLast();
    }

    boolean accumulates() {
      return factors.target().isPresent();
    }

    private boolean summed(Dim d) {
      return accumulates() && factors.summed().contains(d);
    }

    List<Dim> batch() {
      return around.stream().filter(d -> !summed(d)).toList();
    }

    List<Dim> turns() {
      return around.stream().filter(this::summed).toList();
    }
  }

  Optional<Found> find(SegMap m) {
    return Factors.of(scope, m).flatMap(f -> found(m, f));
  }

  private Optional<Found> found(SegMap m, Factors.Found f) {
    var column = m.space().innermost();
    var b = f.of(column.index());
    if (b == null || !inTarget(f, column)) {
      return Optional.empty();
    }
    var a = f.other(b);
    var dims = m.space().dims();
    for (int d = dims.size() - 2; d >= 0; d--) {
      var row = dims.get(d);
      if (f.of(row.index()) == a && inTarget(f, row)) {
        var depth = f.summed().getLast();
        var around =
            dims.stream().filter(x -> x != row && x != column && !x.equals(depth)).toList();
        return Optional.of(new Found(f, a, b, row, column, around));
      }
    }
    return Optional.empty();
  }

  private static boolean inTarget(Factors.Found f, Dim dim) {
    return f.target().isEmpty() || f.target().get().uses(dim.index());
  }

  /**
   * Emits the product where it is large enough, and the other code where it isn't.
   *
   * @param out for the map's result; null for an accumulator
   */
  void emit(SegMap m, Found found, View out, Runnable otherwise) {
    var product = new Product(m, found, out);
    if (!Expr.isConst(product.columnStride(), 1)) {
      otherwise.run();
      return;
    }
    var large = product.large();
    var blocked = scope.block(product::emit);
    scope.add(new Code.If(large, blocked, scope.block(otherwise)));
  }

  private static Expr atLeast(Expr x, long bound) {
    return Scope.less(Expr.i64(bound - 1), x);
  }

  /** Emits the code of one product. */
  private final class Product {
    private final Found found;
    private final View out;
    private final List<? extends Atom> outIndices;
    private final Expr rows;
    private final Expr columns;
    private final Expr depth;
    private final Map<Var, Expr> around = new HashMap<>();

    Product(SegMap m, Found found, View result) {
      this.found = found;
      var target = found.factors.target();
      out = target.map(t -> scope.acc(t.array()).arrays().getFirst()).orElse(result);
      outIndices =
          target.isPresent()
              ? target.get().at()
              : m.space().dims().stream().map(Dim::index).toList();
      rows = scope.scalar(found.row.width());
      columns = scope.scalar(found.column.width());
      depth = scope.scalar(found.depth().width());
    }

    Expr columnStride() {
      return out.strides().get(outIndices.indexOf(found.column.index()));
    }

    Expr large() {
      var area = Expr.mul(rows, columns);
      var large = atLeast(Expr.mul(area, depth), LEAST);
      for (var side : List.of(rows, columns, depth)) {
        large = Scope.and(large, atLeast(side, LEAST_SIDE));
      }
      if (!found.accumulates()) {
        return large;
      }
      large = Scope.and(large, atLeast(area, LEAST_ACCUMULATOR));
      // updates out of range are left out; where that may be, element by element
      for (int k = 0; k < outIndices.size(); k++) {
        var width = width(outIndices.get(k));
        if (width != null) {
          large = Scope.and(large, Scope.less(width, Expr.add(out.dims().get(k), Expr.i64(1))));
        } else {
          var i = scope.scalar(outIndices.get(k));
          large = Scope.and(large, Scope.inBounds(i, out.dims().get(k)));
        }
      }
      return large;
    }

    private Expr width(Atom index) {
      if (index.equals(found.row.index())) {
        return rows;
      }
      if (index.equals(found.column.index())) {
        return columns;
      }
      return found.batch().stream()
          .filter(d -> d.index().equals(index))
          .map(d -> scope.scalar(d.width()))
          .findFirst()
          .orElse(null);
    }

    void emit() {
      if (found.batch().isEmpty()) {
        byTurns(0, this::alone);
      } else {
        batch(found.batch());
      }
    }

    /** Runs the matrices of a batch in parallel. */
    private void batch(List<Dim> dims) {
      var extents = dims.stream().map(d -> scope.scalar(d.width())).toList();
      var n = scope.let("n", ArrayVal.count(extents));
      var work = scope.let("work", Expr.mul(Expr.mul(rows, columns), depth));
      var chunks = arrays.plan(n, work, Expr.i64(Long.MAX_VALUE));
      arrays.inParallel(
          n,
          work,
          chunks,
          false,
          (_, lo, hi) ->
              arrays.points(
                  extents,
                  lo,
                  hi,
                  List.of(),
                  point -> {
                    for (int d = 0; d < point.size(); d++) {
                      around.put(dims.get(d).index(), point.get(d));
                    }
                    byTurns(0, () -> part(Expr.i64(0), rows, Expr.i64(0), columns));
                  }));
    }

    /** Runs what is summed along the dimensions around one after the other. */
    private void byTurns(int d, Runnable inside) {
      if (d == found.turns().size()) {
        inside.run();
        return;
      }
      var dim = found.turns().get(d);
      var i = Reg.index("i");
      around.put(dim.index(), Expr.use(i));
      var code = scope.block(() -> byTurns(d + 1, inside));
      scope.add(new Code.For(i, scope.scalar(dim.width()), code, false, List.of()));
    }

    /** Runs parts of the longer side in parallel. */
    private void alone() {
      var zero = Expr.i64(0);
      var tall = scope.block(() -> split(rows, columns, (lo, n) -> part(lo, n, zero, columns)));
      var broad = scope.block(() -> split(columns, rows, (lo, n) -> part(zero, rows, lo, n)));
      scope.add(new Code.If(Scope.less(rows, columns), broad, tall));
    }

    private void split(Expr side, Expr other, BiConsumer<Expr, Expr> body) {
      var work = scope.let("work", Expr.mul(other, depth));
      var large = Arrays.quot(side, Expr.i64(SIDE_OF_TASK));
      var small = Arrays.quot(side, Expr.i64(LEAST_SIDE_OF_TASK));
      var most = Arrays.max(large, Arrays.min(small, arrays.workers()));
      var chunks = arrays.plan(side, work, scope.let("most", Arrays.max(Expr.i64(1), most)));
      arrays.inParallel(
          side, work, chunks, false, (_, lo, hi) -> body.accept(lo, Expr.sub(hi, lo)));
    }

    private void part(Expr row, Expr height, Expr column, Expr width) {
      var at = new HashMap<>(around);
      at.put(found.row.index(), row);
      at.put(found.column.index(), column);
      at.put(found.depth().index(), Expr.i64(0));
      var c = matrix(out, outIndices, at, found.row.index(), found.column.index());
      var k = found.depth().index();
      var a = matrix(view(found.a), found.a.at(), at, found.row.index(), k);
      var b = matrix(view(found.b), found.b.at(), at, k, found.column.index());
      scope.add(
          new Code.MatrixProduct(
              out.prim(),
              found.factors().term(),
              c,
              a,
              b,
              height,
              width,
              depth,
              found.accumulates(),
              read(row, column)));
    }

    /** Returns which elements of that part of the result matter, if not all do. */
    private Optional<Band> read(Expr row, Expr column) {
      int last = outIndices.size() - 1;
      return found
          .factors()
          .target()
          .filter(_ -> last > 0 && outIndices.get(last).equals(found.column.index()))
          .filter(_ -> outIndices.get(last - 1).equals(found.row.index()))
          .flatMap(t -> scope.acc(t.array()).read())
          .map(band -> band.in(row, column));
    }

    private View view(Part e) {
      return (View) scope.val(e.array());
    }

    private Code.Matrix matrix(
        View view, List<? extends Atom> indices, Map<Var, Expr> at, Var row, Var column) {
      Expr place = view.offset();
      for (int k = 0; k < indices.size(); k++) {
        var i = indices.get(k);
        var here = i instanceof Var v && at.containsKey(v) ? at.get(v) : scope.scalar(i);
        place = Expr.add(place, Expr.mul(here, view.strides().get(k)));
      }
      var offset = Expr.mul(place, Expr.i64(view.prim().byteSize()));
      return new Code.Matrix(
          scope.let("at", Expr.add(view.base(), offset)),
          view.strides().get(indices.indexOf(row)),
          view.strides().get(indices.indexOf(column)));
    }
  }
}
