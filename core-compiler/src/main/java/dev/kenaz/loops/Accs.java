package dev.kenaz.loops;

import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Combine;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.segir.SegOp;
import dev.kenaz.simplify.IndexedExtremum;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Emits updates of accumulators, and makes private copies of them. */
public final class Accs {
  /** Processors fetch two lines of 64 bytes at a time. */
  private static final long LINE = 128;

  private final Lowering lowering;
  private final Scope scope;
  private final Arrays arrays;

  Accs(Lowering lowering) {
    this.lowering = lowering;
    this.scope = lowering.scope;
    this.arrays = lowering.arrays;
  }

  /** Emits an update that is left out where the indices are out of range. */
  public void guarded(Val.Acc acc, List<Expr> indices, List<Val> values) {
    Expr inside = null;
    for (int k = 0; k < indices.size(); k++) {
      var here = Scope.inBounds(indices.get(k), acc.space().get(k));
      inside = inside == null ? here : Scope.and(inside, here);
    }
    if (acc.range().isPresent()) {
      var range = acc.range().get();
      var flat = ArrayVal.contiguous(Prim.I8, Expr.i64(0), acc.space(), -1, ArrayVal.Owner.NONE);
      var place = scope.let("place", flat.place(indices));
      var notBefore = new Expr.Cmp(CompareOp.LE, range.from(), place);
      inside = Scope.and(inside, Scope.and(notBefore, Scope.less(place, range.to())));
    }
    var code = scope.block(() -> update(acc, indices, values));
    if (inside == null) {
      code.forEach(scope::add);
    } else {
      scope.add(new Code.If(inside, code, List.of()));
    }
  }

  /** Emits an update whose indices are in range. */
  public void update(Val.Acc acc, List<Expr> indices, List<Val> values) {
    update(acc, indices, values, true);
  }

  /**
   * Emits such an update.
   *
   * @param scattered whether the indices jump, so that no vectors are stored
   */
  private void update(Val.Acc acc, List<Expr> indices, List<Val> values, boolean scattered) {
    if (acc.combine().isEmpty()) {
      for (int k = 0; k < values.size(); k++) {
        arrays.write(acc.arrays().get(k), indices, values.get(k));
      }
      return;
    }
    var op = acc.combine().get().op();
    boolean sparing = scattered && rarelyChanges(acc, op);
    var operator = Operators.elementwise(op);
    if (operator.isPresent() && !sparing) {
      var row = arrays.row(acc.arrays().getFirst(), indices);
      combine(row, values.getFirst(), operator.get(), acc);
      return;
    }
    if (!acc.atomic()) {
      general(acc, op, indices, values, sparing);
      return;
    }
    var flat = ArrayVal.contiguous(Prim.I32, acc.locks(), acc.space(), -1, ArrayVal.Owner.NONE);
    var place = scope.let("place", flat.place(indices));
    var lock = new Expr.Bin(BinaryOp.REM, place, Expr.i64(acc.lockCount()));
    var code = scope.block(() -> general(acc, op, indices, values, false));
    // a failure must not keep the lock
    var attempt = new Code.Gpu(new GpuCode.Attempt(code));
    scope.add(new Code.Gpu(new GpuCode.Locked(acc.locks(), lock, List.of(attempt))));
  }

  /** Applies a scalar operator to each element of the row. */
  private void combine(View row, Val value, BinaryOp op, Val.Acc acc) {
    if (value instanceof Val.Scalar(var x)) {
      if (acc.atomic()) {
        scope.add(new Code.AtomicUpdate(op, row.prim(), row.base(), row.offset(), x));
      } else {
        var old = new Expr.Load(row.prim(), row.base(), row.offset());
        arrays.store(row, List.of(), scope.let("sum", new Expr.Bin(op, scope.let("old", old), x)));
      }
      return;
    }
    scope.forEach(
        "e",
        row.dims().getFirst(),
        e -> {
          var at = List.of(e);
          combine(arrays.row(row, at), arrays.index((ArrayVal) value, at), op, acc);
        });
  }

  /**
   * Whether the operator chooses among scalars, as for a maximum and its place: among many values,
   * one that is chosen is rare.
   */
  private static boolean rarelyChanges(Val.Acc acc, Lambda op) {
    var stms = op.body().stms();
    return !acc.atomic()
        && op.returns().stream().allMatch(Type::isScalar)
        && op.body().results().stream()
            .allMatch(
                r ->
                    op.params().contains(r)
                        || stms.stream()
                            .anyMatch(s -> s.pattern().contains(r) && chooses(s.exp())));
  }

  private static boolean chooses(Exp exp) {
    return exp instanceof Exp.If
        || exp instanceof Exp.Binary b && (b.op() == BinaryOp.MIN || b.op() == BinaryOp.MAX);
  }

  /**
   * Applies the operator.
   *
   * @param sparing whether nothing is stored where nothing changes: the next load need not wait for
   *     a store, and to foretell that branch is easy
   */
  private void general(
      Val.Acc acc, Lambda op, List<Expr> indices, List<Val> values, boolean sparing) {
    var extremum = sparing ? IndexedExtremum.in(op) : Optional.<BinaryOp>empty();
    var code =
        scope.lambda(
            () -> {
              var first = arrays.index(acc.arrays().getFirst(), indices);
              var update = scope.block(() -> update(acc, op, indices, first, values, sparing));
              extremum.ifPresentOrElse(
                  o -> compared(o, acc, indices, first, values, update),
                  () -> update.forEach(scope::add));
            });
    code.forEach(scope::add);
  }

  /**
   * Compares a value with the extremum so far before the places of the two: the memory of that
   * place is read only where the values are the same.
   */
  private void compared(
      BinaryOp op,
      Val.Acc acc,
      List<Expr> indices,
      Val first,
      List<Val> values,
      List<Code> otherwise) {
    var x = ((Val.Scalar) values.getFirst()).expr();
    var y = ((Val.Scalar) first).expr();
    var above = Scope.less(y, x);
    var below = Scope.less(x, y);
    var taken = scope.block(() -> write(acc, indices, values));
    var rest = new Code.If(op == BinaryOp.MIN ? below : above, taken, otherwise);
    scope.add(new Code.If(op == BinaryOp.MIN ? above : below, List.of(), List.of(rest)));
  }

  private void write(Val.Acc acc, List<Expr> indices, List<Val> values) {
    for (int k = 0; k < values.size(); k++) {
      arrays.write(acc.arrays().get(k), indices, values.get(k));
    }
  }

  private void update(
      Val.Acc acc, Lambda op, List<Expr> indices, Val first, List<Val> values, boolean sparing) {
    var old = new ArrayList<Val>(List.of(first));
    acc.arrays().stream().skip(1).forEach(a -> old.add(arrays.index(a, indices)));
    var results = lowering.call(op, Lists.concat(old, values));
    var stores = scope.block(() -> write(acc, indices, results));
    if (sparing) {
      scope.add(new Code.If(differ(old, results), stores, List.of()));
    } else {
      stores.forEach(scope::add);
    }
  }

  /** Whether any of these scalars differ in their bits. */
  static Expr differ(List<Val> xs, List<Val> ys) {
    var same = Scope.equal(bits(xs.getFirst()), bits(ys.getFirst()));
    for (int k = 1; k < xs.size(); k++) {
      same = Scope.and(same, Scope.equal(bits(xs.get(k)), bits(ys.get(k))));
    }
    return new Expr.Un(UnaryOp.NOT, same, Prim.BOOL);
  }

  private static Expr bits(Val val) {
    var e = ((Val.Scalar) val).expr();
    var prim = e.prim();
    return prim.isFloat() ? new Expr.Un(UnaryOp.TO_BITS, e, UnaryOp.TO_BITS.result(prim)) : e;
  }

  /** Returns the arrays as an accumulator. They are contiguous, and are updated in place. */
  public Val.Acc of(List<Expr> space, List<Var> vars, Optional<Combine> combine) {
    var views = new ArrayList<View>();
    for (var v : vars) {
      var view = arrays.owned(v.name(), scope.array(v), null);
      views.add(view.contiguous() ? view : arrays.materialise(v.name(), view, null));
    }
    return new Val.Acc(space, views, combine);
  }

  /**
   * Returns the results of an operator's translated body that are the accumulator as a thread
   * updates it. Outside, they are the accumulator itself: a thread's own may be a copy, of which
   * only the code of the operator knows the address.
   */
  public List<Var> handedOn(SegOp op, Val.Acc acc) {
    return op.body().results().stream()
        .filter(r -> r.type() instanceof Type.Acc)
        .map(Var.class::cast)
        .filter(v -> scope.acc(v).equals(acc))
        .toList();
  }

  // Private copies

  /** Returns the number of bytes of all arrays. */
  public Expr bytes(Val.Acc acc) {
    Expr sum = Expr.i64(0);
    for (var a : acc.arrays()) {
      sum = Expr.add(sum, a.bytes());
    }
    return sum;
  }

  /** Allocates memory for a copy of every array for each chunk. */
  public List<View> allocate(Val.Acc acc, Expr chunks) {
    return acc.arrays().stream()
        .map(a -> arrays.contiguousLike(a, chunks, scope.slot("private")))
        .toList();
  }

  /**
   * Does the same, but no two chunks' copies are in the same line of a cache, which processors
   * would take from each other at each update.
   */
  List<View> allocateApart(Val.Acc acc, Expr chunks) {
    return acc.arrays().stream().map(a -> apart(a, chunks)).toList();
  }

  private View apart(View v, Expr chunks) {
    long line = LINE / v.prim().byteSize();
    var rounded = Expr.add(ArrayVal.count(v.dims()), Expr.i64(line - 1));
    var pitch = scope.let("pitch", new Expr.Bin(BinaryOp.AND, rounded, Expr.i64(-line)));
    var slot = scope.slot("private");
    scope.ensure(slot, v.prim(), List.of(chunks, pitch));
    var strides = Lists.concat(List.of(pitch), v.strides());
    var dims = Lists.concat(List.of(chunks), v.dims());
    var owner = ArrayVal.Owner.of(slot);
    return new View(
        v.prim(), Expr.use(slot.base()), Expr.i64(0), dims, strides, false, scope.depth(), owner);
  }

  /** Fills so many copies with neutral elements. */
  public void fill(Val.Acc acc, List<View> copies, Expr count) {
    var neutral = acc.combine().orElseThrow().neutral();
    var outer = Lists.<Expr>concat(List.of(count), acc.space());
    for (int k = 0; k < copies.size(); k++) {
      var filled = arrays.replicated(outer, scope.val(neutral.get(k)));
      arrays.write(copies.get(k), List.of(), filled);
    }
  }

  /**
   * Returns, in a task, the chunk's own copy, which is filled with neutral elements, or the
   * accumulator itself if there is only one chunk.
   */
  public Val.Acc privateCopy(Val.Acc acc, List<View> copies, Expr chunk, Expr chunks) {
    var mine = copyOf(acc, copies, chunk, chunks);
    var views = mine.arrays();
    var neutral = acc.combine().orElseThrow().neutral();
    var fill =
        scope.block(
            () -> {
              for (int k = 0; k < views.size(); k++) {
                var view = views.get(k);
                arrays.write(
                    view, List.of(), arrays.replicated(acc.space(), scope.val(neutral.get(k))));
              }
            });
    scope.add(new Code.If(Scope.equal(chunks, Expr.i64(1)), List.of(), fill));
    return mine;
  }

  /** Returns the copy of that number, or the accumulator itself if there is to be only one. */
  public Val.Acc copyOf(Val.Acc acc, List<View> copies, Expr number, Expr count) {
    var views = new ArrayList<View>();
    var alone = Scope.equal(count, Expr.i64(1));
    for (int k = 0; k < copies.size(); k++) {
      var shared = acc.arrays().get(k);
      var mine = arrays.row(copies.get(k), List.of(number));
      var address = new Expr.Select(alone, shared.address(), mine.address());
      views.add(
          ArrayVal.contiguous(
              shared.prim(),
              scope.let("acc", address),
              shared.dims(),
              scope.depth(),
              ArrayVal.Owner.NONE));
    }
    return acc.at(views);
  }

  /** Combines the copies into the accumulator after the tasks, chunk by chunk. */
  public void combineCopies(Val.Acc acc, List<View> copies, Expr chunks) {
    var several = Scope.less(Expr.i64(1), chunks);
    var code =
        scope.block(
            () ->
                arrays.nest(
                    acc.space(),
                    Expr.mul(chunks, Expr.i64(2)),
                    point -> {
                      var c = Reg.index("c");
                      var body = scope.block(() -> combineCopy(acc, copies, Expr.use(c), point));
                      scope.add(new Code.For(c, chunks, body, false, List.of()));
                    }));
    scope.add(new Code.If(several, code, List.of()));
  }

  private void combineCopy(Val.Acc acc, List<View> copies, Expr c, List<Expr> point) {
    var at = new ArrayList<Expr>();
    at.add(c);
    at.addAll(point);
    List<Val> values = copies.stream().map(copy -> arrays.index(copy, at)).toList();
    update(acc, point, values, false);
  }
}
