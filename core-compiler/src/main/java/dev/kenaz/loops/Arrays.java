package dev.kenaz.loops;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Slot;
import dev.kenaz.loops.ArrayVal.Counting;
import dev.kenaz.loops.ArrayVal.Filled;
import dev.kenaz.loops.ArrayVal.Owner;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Computes index functions, and puts arrays into memory. */
public final class Arrays {
  /** So many points, or operations, are worth all threads there are. */
  private static final Expr MUCH = Expr.i64(1L << 30);

  private static final Expr UNBOUNDED = Expr.i64(Long.MAX_VALUE);
  private static final Expr ZERO = Expr.i64(0);

  /** Vectors store so many elements of a row together. */
  private static final long SHORT_ROW = 4;

  private final Scope scope;
  private Target target;

  Arrays(Scope scope) {
    this.scope = scope;
  }

  void setTarget(Target newTarget) {
    target = newTarget;
  }

  /** Reads an element or a subarray; indices are in bounds. */
  public Val index(ArrayVal array, List<Expr> indices) {
    if (indices.isEmpty()) {
      return array;
    }
    boolean element = indices.size() == array.dims().size();
    return switch (array) {
      case Filled(var value, var dims) ->
          element
              ? new Val.Scalar(value)
              : new Filled(value, dims.subList(indices.size(), dims.size()));
      case Counting c -> new Val.Scalar(scope.let("x", c.at(indices.getFirst())));
      case View v when element ->
          new Val.Scalar(scope.let("x", new Expr.Load(v.prim(), v.base(), v.place(indices))));
      case View v -> v.row(indices, scope.let("off", v.place(indices)));
    };
  }

  public View row(View v, List<Expr> indices) {
    return indices.isEmpty() ? v : v.row(indices, scope.let("off", v.place(indices)));
  }

  public void store(View v, List<Expr> indices, Expr value) {
    scope.add(new Code.Store(v.prim(), v.base(), v.place(indices), value));
  }

  /** Writes the array, or scalar, to an element or subarray. */
  public void write(View to, List<Expr> indices, Val value) {
    switch (value) {
      case Val.Scalar(var e) -> store(to, indices, e);
      case ArrayVal a -> copy(row(to, indices), a);
      case Val.Acc _ -> {}
    }
  }

  /** Takes a slice, which is an element where every dimension is fixed. */
  public Val slice(ArrayVal array, List<DimSlice> slice) {
    var fixed = new ArrayList<Expr>();
    for (var d : slice) {
      if (d instanceof DimSlice.Fix(var i)) {
        fixed.add(scope.scalar(i));
      }
    }
    if (fixed.size() == slice.size()) {
      return index(array, fixed);
    }
    return switch (array) {
      case Filled(var value, _) -> {
        var dims = counts(slice);
        yield new Filled(value, dims);
      }
      case Counting c -> {
        var r = (DimSlice.Range) slice.getFirst();
        var start = scope.let("start", c.at(scope.scalar(r.start())));
        var stride = scope.scalar(r.stride());
        var scale = c.prim() == Prim.I64 ? stride : new Expr.Conv(c.prim(), stride);
        var step =
            Expr.isConst(stride, 1)
                ? c.step()
                : scope.let("step", new Expr.Bin(dev.kenaz.ir.BinaryOp.MUL, scale, c.step()));
        yield new Counting(scope.scalar(r.count()), start, step);
      }
      case View v -> sliceView(v, slice);
    };
  }

  private List<Expr> counts(List<DimSlice> slice) {
    var counts = new ArrayList<Expr>();
    for (var d : slice) {
      if (d instanceof DimSlice.Range r) {
        counts.add(scope.scalar(r.count()));
      }
    }
    return counts;
  }

  public View sliceView(View v, List<DimSlice> slice) {
    var offset = v.offset();
    var dims = new ArrayList<Expr>();
    var strides = new ArrayList<Expr>();
    boolean contiguous = v.contiguous();
    for (int k = 0; k < slice.size(); k++) {
      var stride = v.strides().get(k);
      switch (slice.get(k)) {
        case DimSlice.Fix(var i) -> {
          offset = Expr.add(offset, Expr.mul(scope.scalar(i), stride));
          contiguous &= dims.isEmpty();
        }
        case DimSlice.Range(var start, var count, var step) -> {
          var first = scope.scalar(start);
          var by = scope.scalar(step);
          offset = Expr.add(offset, Expr.mul(first, stride));
          strides.add(scope.let("stride", Expr.mul(by, stride)));
          var n = scope.scalar(count);
          boolean whole = n.equals(v.dims().get(k)) && Expr.isConst(by, 1);
          contiguous &= whole || dims.isEmpty() && Expr.isConst(by, 1);
          dims.add(n);
        }
      }
    }
    var at = scope.let("off", offset);
    return new View(v.prim(), v.base(), at, dims, strides, contiguous, v.level(), v.owner());
  }

  public ArrayVal rearrange(List<Integer> perm, ArrayVal array) {
    return switch (array) {
      case Filled(var value, var dims) -> new Filled(value, perm.stream().map(dims::get).toList());
      case Counting c -> c;
      case View v -> {
        boolean identity = true;
        for (int k = 0; k < perm.size(); k++) {
          identity &= perm.get(k) == k;
        }
        var dims = perm.stream().map(v.dims()::get).toList();
        var strides = perm.stream().map(v.strides()::get).toList();
        // a transposition may undo an earlier one
        boolean back = strides.equals(ArrayVal.rowMajor(dims));
        yield new View(
            v.prim(),
            v.base(),
            v.offset(),
            dims,
            strides,
            identity && v.contiguous() || back,
            v.level(),
            v.owner());
      }
    };
  }

  public ArrayVal reshape(List<Expr> shape, ArrayVal array) {
    return switch (array) {
      case Filled(var value, _) -> new Filled(value, shape);
      case Counting c when shape.size() == 1 -> c;
      case Counting c -> reshape(shape, materialise("iota", c, null));
      case View v -> {
        var c = v.contiguous() ? v : materialise("reshaped", v, null);
        yield new View(
            c.prim(),
            c.base(),
            c.offset(),
            shape,
            ArrayVal.rowMajor(shape),
            true,
            c.level(),
            c.owner());
      }
    };
  }

  /** Returns the value repeated over new outer dimensions, without a copy. */
  public Val replicated(List<Expr> outer, Val value) {
    if (outer.isEmpty()) {
      return value;
    }
    return switch (value) {
      case Val.Scalar(var e) -> new Filled(e, outer);
      case Filled(var e, var dims) -> new Filled(e, Lists.concat(outer, dims));
      case Counting c -> replicated(outer, materialise("iota", c, null));
      case View v -> {
        var strides = new ArrayList<Expr>();
        outer.forEach(_ -> strides.add(ZERO));
        strides.addAll(v.strides());
        var dims = Lists.concat(outer, v.dims());
        yield new View(v.prim(), v.base(), v.offset(), dims, strides, false, -1, v.owner());
      }
      case Val.Acc _ -> throw new dev.kenaz.error.CompilerBug("loops", "replicated accumulator");
    };
  }

  // Memory

  /** Returns a fresh contiguous copy, at the wanted place if there is one. */
  public View materialise(String name, ArrayVal a, View place) {
    var to = place != null ? place : scope.allocate(name, a.prim(), a.dims());
    copy(to, a);
    return to;
  }

  /** Returns the array where the variable's maker wants it, or else in a new slot. */
  public View destination(Var v) {
    var place = scope.wanted(v);
    return place != null
        ? place.withLevel(scope.depth())
        : scope.allocate(v.name(), v.type().elemPrim(), scope.dims(v.type()));
  }

  public View contiguous(String name, ArrayVal a) {
    return a instanceof View v && v.contiguous() ? v : materialise(name, a, null);
  }

  /** Returns the array at a place where it may be overwritten. */
  public View owned(String name, ArrayVal a, View place) {
    return a instanceof View v && scope.owned(v) ? v : materialise(name, a, place);
  }

  public void copy(View to, ArrayVal from) {
    if (from instanceof View v) {
      if (v.sameMemory(to)) {
        return;
      }
      if (v.contiguous() && to.contiguous()) {
        copyBytes(to, v);
        return;
      }
    }
    if (scope.parallel() && from instanceof View v) {
      target.copy(to, v, () -> copyElements(to, from));
    } else {
      copyElements(to, from);
    }
  }

  private void copyElements(View to, ArrayVal from) {
    var dims = to.dims();
    int outer = dims.size() - 1;
    if (outer > 0 && dims.getLast() instanceof Expr.Lit(var n) && n.bits() <= SHORT_ROW) {
      // the rows are what runs in parallel, and in vectors
      var row = List.of(dims.getLast());
      nest(
          dims.subList(0, outer),
          Expr.i64(2 * n.bits()),
          indices -> sequential(row, i -> copyElement(to, from, Lists.concat(indices, i))));
    } else {
      nest(dims, Expr.i64(2), indices -> copyElement(to, from, indices));
    }
  }

  private void copyElement(View to, ArrayVal from, List<Expr> indices) {
    var x = (Val.Scalar) index(from, indices);
    store(to, indices, x.expr());
  }

  /** Allocates an array of this type and shape for every index below {@code n}. */
  public View contiguousLike(View v, Expr n, Slot slot) {
    var dims = Lists.concat(List.of(n), v.dims());
    scope.ensure(slot, v.prim(), dims);
    return ArrayVal.contiguous(
        v.prim(), Expr.use(slot.base()), dims, scope.depth(), Owner.of(slot));
  }

  private void copyBytes(View to, View from) {
    scope.add(new Code.CopyBytes(to.address(), from.address(), from.bytes()));
  }

  // Loops over index spaces

  /** Runs the body at every point, in parallel where that is allowed. */
  public void nest(List<Expr> dims, Expr work, Consumer<List<Expr>> body) {
    if (!scope.parallel() || dims.isEmpty()) {
      sequential(dims, body);
      return;
    }
    target.points(dims, work, body);
  }

  private void sequential(List<Expr> dims, Consumer<List<Expr>> body) {
    sequential(dims, List.of(), body);
  }

  private void sequential(List<Expr> dims, List<Expr> outer, Consumer<List<Expr>> body) {
    if (outer.size() == dims.size()) {
      body.accept(outer);
      return;
    }
    var bound = dims.get(outer.size());
    scope.forEach("i", bound, i -> sequential(dims, Lists.concat(outer, List.of(i)), body));
  }

  /** Decides how many chunks to make; in a task, which is a chunk itself, it is one. */
  public Expr plan(Expr extent, Expr work, Expr most) {
    if (!scope.parallel()) {
      return Expr.i64(1);
    }
    var chunks = Reg.index("chunks");
    scope.add(new Code.Plan(chunks, extent, work, most));
    return Expr.use(chunks);
  }

  /** Returns whether points that each take much work are cut into as many chunks as ever. */
  Expr worthAllThreads(Expr points) {
    return Scope.equal(plan(points, MUCH, UNBOUNDED), plan(MUCH, MUCH, UNBOUNDED));
  }

  /** Returns how many threads there are. */
  Expr workers() {
    var several = quot(plan(MUCH, MUCH, UNBOUNDED), Expr.i64(Code.Plan.CHUNKS_PER_WORKER));
    return max(Expr.i64(1), several); // there is one chunk for one thread
  }

  interface ChunkBody {
    void accept(Expr chunk, Expr lo, Expr hi);
  }

  public void inParallel(Expr extent, Expr work, Expr chunks, boolean divisible, ChunkBody body) {
    var chunk = Reg.index("chunk");
    var lo = Reg.index("lo");
    var hi = Reg.index("hi");
    var code = scope.task(() -> body.accept(Expr.use(chunk), Expr.use(lo), Expr.use(hi)));
    scope.add(new Code.Parallel(extent, work, chunks, divisible, chunk, lo, hi, code));
  }

  /**
   * Shares points out in as many chunks as are worth it.
   *
   * @param work of a point
   * @param body gets the first point of a part, and the one behind its last
   */
  void shared(Expr extent, Expr work, BiConsumer<Expr, Expr> body) {
    var chunks = plan(extent, work, UNBOUNDED);
    inParallel(extent, work, chunks, true, (_, lo, hi) -> body.accept(lo, hi));
  }

  /** Runs the body at the points {@code lo} to {@code hi} of the space, counted row-major. */
  public void points(List<Expr> dims, Expr lo, Expr hi, Consumer<List<Expr>> body) {
    points(dims, lo, hi, List.of(), body);
  }

  void points(
      List<Expr> dims,
      Expr lo,
      Expr hi,
      List<Code.Reduction> reductions,
      Consumer<List<Expr>> body) {
    points(dims, lo, hi, () -> reductions, true, body);
  }

  /**
   * Runs the body at such points, as a loop that reduces.
   *
   * @param reductions asked after the body has been translated
   */
  void points(
      List<Expr> dims,
      Expr lo,
      Expr hi,
      Supplier<List<Code.Reduction>> reductions,
      boolean independent,
      Consumer<List<Expr>> body) {
    if (dims.size() == 1) {
      var t = Reg.index("t");
      var n = scope.let("n", Expr.sub(hi, lo));
      var code =
          scope.block(
              () -> {
                var i = scope.let("i", Expr.add(lo, Expr.use(t)));
                scope.iteration(dims, () -> body.accept(List.of(i)));
              });
      scope.add(new Code.For(t, n, code, independent, reductions.get()));
      return;
    }
    var p = Reg.index("p");
    scope.add(new Code.Set(p, lo));
    var here = Expr.use(p);
    var width = dims.getLast();
    // a division takes as long as several vectors; without columns there are no points
    var r = Reg.index("row");
    scope.add(new Code.Set(r, quot(lo, max(Expr.i64(1), width))));
    var row = Expr.use(r);
    var code =
        scope.block(
            () -> {
              var start = scope.let("start", Expr.sub(here, Expr.mul(row, width)));
              var left = Expr.sub(width, start);
              var count = scope.let("count", min(left, Expr.sub(hi, here)));
              var outer = unflatten(dims.subList(0, dims.size() - 1), row);
              var t = Reg.index("t");
              var inner =
                  scope.block(
                      () -> {
                        var i = scope.let("i", Expr.add(start, Expr.use(t)));
                        scope.iteration(dims, () -> body.accept(Lists.concat(outer, List.of(i))));
                      });
              scope.add(new Code.For(t, count, inner, independent, reductions.get()));
              scope.add(new Code.Set(p, Expr.add(here, count)));
              scope.add(new Code.Set(r, Expr.add(row, Expr.i64(1))));
            });
    scope.add(new Code.While(Scope.less(here, hi), code));
  }

  /** Returns the indices of the point with this row-major number, one for each dimension. */
  public List<Expr> unflatten(List<Expr> dims, Expr flat) {
    var indices = new ArrayList<Expr>();
    var rest = flat;
    for (int k = dims.size() - 1; k > 0; k--) {
      var q = scope.let("q", quot(rest, dims.get(k)));
      indices.addFirst(scope.let("i", Expr.sub(rest, Expr.mul(q, dims.get(k)))));
      rest = q;
    }
    indices.addFirst(rest);
    return indices;
  }

  public static Expr quot(Expr a, Expr b) {
    return new Expr.Bin(BinaryOp.QUOT, a, b);
  }

  public static Expr min(Expr a, Expr b) {
    return new Expr.Bin(BinaryOp.MIN, a, b);
  }

  public static Expr max(Expr a, Expr b) {
    return new Expr.Bin(BinaryOp.MAX, a, b);
  }
}
