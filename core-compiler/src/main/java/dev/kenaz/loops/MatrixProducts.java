package dev.kenaz.loops;

import dev.kenaz.flatten.SegExp;
import dev.kenaz.flatten.SegOp.SegMap;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.Binary;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Map nests around a sum of products that are matrix products:
 *
 * <pre>
 *   for .., i, .., j:  c[.., i, .., j] = sum over k of a[.., i, k] * b[.., j, k]
 * </pre>
 *
 * <p>with {@code j} innermost, each operand's indices in any order. The dimensions that aren't
 * {@code i} or {@code j} are those of a batch.
 */
final class MatrixProducts {
  /** Multiply-adds that make the blocked product worth its set-up. */
  private static final long LEAST = 2048;

  private static final long LEAST_SIDE = 4;

  /** Rows or columns a task should have, so that operands' copies are used often enough. */
  private static final long SIDE_OF_TASK = 128;

  private final Scope scope;
  private final Arrays arrays;

  MatrixProducts(Scope scope, Arrays arrays) {
    this.scope = scope;
    this.arrays = arrays;
  }

  /**
   * A product of a matrix from {@code a} and one from {@code b}.
   *
   * @param rowDim which dimension of the space is the rows; the last one is the columns
   */
  record Found(Operand a, Operand b, int rowDim, Atom depth) {}

  /** {@code root[indices, k]}; indices are variables of the space or constant within it. */
  private record Operand(Var root, List<Atom> indices) {
    boolean uses(Var index) {
      return indices.contains(index);
    }
  }

  Optional<Found> find(SegMap m) {
    var dims = m.space().dims();
    if (dims.size() < 2
        || m.returns().size() != 1
        || !(m.returns().getFirst() instanceof Type.Scalar(var prim))
        || prim != Prim.F32 && prim != Prim.F64) {
      return Optional.empty();
    }
    Map<Var, Operand> rows = new HashMap<>();
    var stms = m.body().stms();
    for (var stm : stms.subList(0, stms.size() - 1)) {
      if (!(stm.exp() instanceof SegExp.Plain(Index(var array, var indices, var checked)))
          || checked) {
        return Optional.empty();
      }
      rows.put(stm.pattern().getFirst(), row(rows, array, indices));
    }
    var last = stms.getLast();
    return last.exp() instanceof SegExp.Plain(Screma s)
            && last.pattern().equals(m.body().results())
            && sumOfProducts(s)
        ? operands(m, s, rows)
        : Optional.empty();
  }

  private static Operand row(Map<Var, Operand> rows, Var array, List<Atom> indices) {
    var outer = rows.get(array);
    if (outer == null) {
      return new Operand(array, indices);
    }
    var all = new ArrayList<>(outer.indices);
    all.addAll(indices);
    return new Operand(outer.root, List.copyOf(all));
  }

  private static boolean sumOfProducts(Screma s) {
    var params = s.map().params();
    var stms = s.map().body().stms();
    return s.scans().isEmpty()
        && s.reduces().size() == 1
        && isSum(s.reduces().getFirst())
        && params.size() == 2
        && stms.size() == 1
        && stms.getFirst().exp() instanceof Binary(var op, var x, var y)
        && op == BinaryOp.MUL
        && !x.equals(y)
        && params.contains(x)
        && params.contains(y)
        && s.map().body().results().equals(stms.getFirst().pattern());
  }

  private static boolean isSum(Reduce r) {
    return r.neutral().size() == 1
        && r.neutral().getFirst() instanceof Const(var zero)
        && zero.asDouble() == 0
        && isAddition(r.op());
  }

  private static boolean isAddition(Lambda op) {
    var stms = op.body().stms();
    return stms.size() == 1
        && stms.getFirst().exp() instanceof Binary(var add, var x, var y)
        && add == BinaryOp.ADD
        && !x.equals(y)
        && op.params().contains(x)
        && op.params().contains(y)
        && op.body().results().equals(stms.getFirst().pattern());
  }

  private Optional<Found> operands(SegMap m, Screma s, Map<Var, Operand> rows) {
    var x = rows.get(s.inputs().get(0));
    var y = rows.get(s.inputs().get(1));
    var column = m.space().innermost().index();
    if (!scope.fixed(s.width())
        || !readable(m, x)
        || !readable(m, y)
        || x.uses(column) == y.uses(column)) {
      return Optional.empty();
    }
    var a = y.uses(column) ? x : y;
    var b = y.uses(column) ? y : x;
    for (int d = m.space().dims().size() - 2; d >= 0; d--) {
      var row = m.space().dims().get(d).index();
      if (a.uses(row) && !b.uses(row)) {
        return Optional.of(new Found(a, b, d, s.width()));
      }
    }
    return Optional.empty();
  }

  private boolean readable(SegMap m, Operand operand) {
    if (operand == null
        || !scope.bound(operand.root)
        || !(scope.val(operand.root) instanceof View)
        || operand.root.type().dims().size() != operand.indices.size() + 1) {
      return false;
    }
    var seen = new ArrayList<Atom>();
    for (var i : operand.indices) {
      boolean ofSpace = m.space().dims().stream().anyMatch(d -> d.index().equals(i));
      if (ofSpace ? seen.contains(i) : !scope.fixed(i)) {
        return false;
      }
      seen.add(i);
    }
    return true;
  }

  /** Code for it where it is large enough, else the other. */
  void emit(SegMap m, Found found, View out, Runnable otherwise) {
    var dims = scope.scalars(m.space().widths());
    var product = new Product(m, found, out, dims, scope.scalar(found.depth));
    var rows = dims.get(found.rowDim);
    var columns = dims.getLast();
    var work = Expr.mul(Expr.mul(rows, columns), product.depth);
    var large =
        Scope.and(
            Scope.and(atLeast(work, LEAST), atLeast(rows, LEAST_SIDE)),
            Scope.and(atLeast(columns, LEAST_SIDE), atLeast(product.depth, LEAST_SIDE)));
    var blocked = scope.block(product::emit);
    scope.add(new Code.If(large, blocked, scope.block(otherwise)));
  }

  private static Expr atLeast(Expr x, long bound) {
    return Scope.less(Expr.i64(bound - 1), x);
  }

  /** One product's code. */
  private final class Product {
    private final SegMap m;
    private final Found found;
    private final View out;
    private final List<Expr> dims;
    private final Expr depth;
    private final Map<Var, Expr> batch = new HashMap<>();

    Product(SegMap m, Found found, View out, List<Expr> dims, Expr depth) {
      this.m = m;
      this.found = found;
      this.out = out;
      this.dims = dims;
      this.depth = depth;
    }

    private boolean isBatch(int d) {
      return d != found.rowDim && d != dims.size() - 1;
    }

    void emit() {
      var batchDims = new ArrayList<Integer>();
      for (int d = 0; d < dims.size(); d++) {
        if (isBatch(d)) {
          batchDims.add(d);
        }
      }
      if (batchDims.isEmpty()) {
        single();
      } else {
        each(batchDims);
      }
    }

    private Expr work() {
      return Expr.mul(Expr.mul(dims.get(found.rowDim), dims.getLast()), depth);
    }

    /** The matrices of a batch in parallel. */
    private void each(List<Integer> batchDims) {
      var extents = batchDims.stream().map(dims::get).toList();
      var n = scope.let("n", ArrayVal.count(extents));
      var work = scope.let("work", work());
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
                      batch.put(m.space().dims().get(batchDims.get(d)).index(), point.get(d));
                    }
                    var zero = Expr.i64(0);
                    part(zero, dims.get(found.rowDim), zero, dims.getLast());
                  }));
    }

    /** Parts of the longer side in parallel. */
    private void single() {
      var rows = dims.get(found.rowDim);
      var columns = dims.getLast();
      var zero = Expr.i64(0);
      var tall = scope.block(() -> split(rows, columns, (lo, n) -> part(lo, n, zero, columns)));
      var broad = scope.block(() -> split(columns, rows, (lo, n) -> part(zero, rows, lo, n)));
      scope.add(new Code.If(Scope.less(rows, columns), broad, tall));
    }

    private void split(Expr side, Expr other, java.util.function.BiConsumer<Expr, Expr> body) {
      var work = scope.let("work", Expr.mul(other, depth));
      var most = Arrays.max(Expr.i64(1), Arrays.quot(side, Expr.i64(SIDE_OF_TASK)));
      var chunks = arrays.plan(side, work, scope.let("most", most));
      arrays.inParallel(
          side, work, chunks, false, (_, lo, hi) -> body.accept(lo, Expr.sub(hi, lo)));
    }

    private void part(Expr row, Expr rows, Expr column, Expr columns) {
      int last = dims.size() - 1;
      Expr place = out.offset();
      for (int d = 0; d < dims.size(); d++) {
        var at =
            d == found.rowDim
                ? row
                : d == last ? column : batch.get(m.space().dims().get(d).index());
        place = Expr.add(place, Expr.mul(at, out.strides().get(d)));
      }
      var c =
          new Code.Matrix(
              address(out, place), out.strides().get(found.rowDim), out.strides().get(last));
      var rowIndex = m.space().dims().get(found.rowDim).index();
      var a = operand(found.a, rowIndex, row);
      var b = operand(found.b, m.space().innermost().index(), column);
      var transposed = new Code.Matrix(b.address(), b.columnStride(), b.rowStride());
      scope.add(new Code.MatrixProduct(out.prim(), c, a, transposed, rows, columns, depth));
    }

    /** The matrix of rows along the given index, from a row on, columns along the depth. */
    private Code.Matrix operand(Operand operand, Var index, Expr from) {
      var view = (View) scope.val(operand.root);
      Expr place = view.offset();
      Expr rowStride = Expr.i64(0);
      for (int k = 0; k < operand.indices.size(); k++) {
        var i = operand.indices.get(k);
        var stride = view.strides().get(k);
        if (i.equals(index)) {
          rowStride = stride;
          place = Expr.add(place, Expr.mul(from, stride));
        } else {
          var at = i instanceof Var v && batch.containsKey(v) ? batch.get(v) : scope.scalar(i);
          place = Expr.add(place, Expr.mul(at, stride));
        }
      }
      return new Code.Matrix(address(view, place), rowStride, view.strides().getLast());
    }

    private Expr address(View view, Expr place) {
      var offset = Expr.mul(place, Expr.i64(view.prim().byteSize()));
      return scope.let("at", Expr.add(view.base(), offset));
    }
  }
}
