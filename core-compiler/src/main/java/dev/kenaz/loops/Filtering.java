package dev.kenaz.loops;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Slot;
import dev.kenaz.loops.ArrayVal.Owner;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.segir.SegOp.SegFilter;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * Translates filters to one pass. Each chunk writes what it keeps to the beginning of its part of
 * memory for all elements: it writes every element, and counts on only if the element is kept, so
 * that there is no branch, and vectors can be compressed. Several chunks' parts are then copied
 * together. If there is only one chunk, and it has kept a good part, the result stays where it is.
 */
final class Filtering {
  /** The result may take all the memory if at least one of this many elements was kept. */
  private static final long ROOM = 4;

  private final Lowering lowering;
  private final Scope scope;
  private final Arrays arrays;
  private final SegFilter op;

  Filtering(Lowering lowering, SegFilter op) {
    this.lowering = lowering;
    this.scope = lowering.scope;
    this.arrays = lowering.arrays;
    this.op = op;
  }

  void emit(List<Var> pattern) {
    var n = scope.scalar(op.space().innermost().width());
    var work = scope.let("work", new Cost(scope).of(op.body()));
    var vars = pattern.subList(1, pattern.size());
    var all = new ArrayList<View>();
    for (var v : vars) {
      var shape = Lists.concat(List.of(n), scope.scalars(row(v)));
      all.add(scope.allocate(v.name(), v.type().elemPrim(), shape));
    }
    var chunks = arrays.plan(n, work, Expr.i64(Long.MAX_VALUE));
    // these tell how many elements a chunk keeps, and where its part begins
    var counts = scope.allocate("counts", Prim.I64, List.of(chunks));
    var parts = scope.allocate("parts", Prim.I64, List.of(chunks));
    arrays.inParallel(
        n, work, chunks, false, (chunk, lo, hi) -> chunk(all, chunk, lo, hi, counts, parts));
    var total = Reg.index(pattern.getFirst().name());
    scope.add(new Code.Set(total, Expr.i64(0)));
    scope.forSequence(
        chunks,
        c -> {
          // this is where the chunk's elements go, instead of how many there are
          var count = scope.let("count", load(counts, c));
          arrays.store(counts, List.of(c), Expr.use(total));
          scope.add(new Code.Set(total, Expr.add(Expr.use(total), count)));
        });
    scope.bind(pattern.getFirst(), new Val.Scalar(Expr.use(total)));
    for (int k = 0; k < vars.size(); k++) {
      scope.bind(vars.get(k), together(vars.get(k), all.get(k), n, chunks, counts, parts, total));
    }
  }

  private static List<Atom> row(Var v) {
    return ((Type.Array) v.type()).row().dims();
  }

  private Expr load(View v, Expr c) {
    return ((Val.Scalar) arrays.index(v, List.of(c))).expr();
  }

  private void chunk(List<View> all, Expr chunk, Expr lo, Expr hi, View counts, View parts) {
    var kept = Reg.index("kept");
    scope.add(new Code.Set(kept, Expr.i64(0)));
    var mine = new ArrayList<View>();
    for (var v : all) {
      var part = arrays.row(v, List.of(lo));
      var base = scope.let("part", part.address());
      mine.add(ArrayVal.contiguous(v.prim(), base, v.dims(), v.level(), v.owner()));
    }
    boolean scalars = all.stream().allMatch(v -> v.dims().size() == 1);
    arrays.points(
        List.of(op.space().innermost().width()).stream().map(scope::scalar).toList(),
        lo,
        hi,
        () -> scalars ? List.of(new Code.Reduction(kept, BinaryOp.ADD)) : List.of(),
        scalars,
        point -> {
          scope.bind(op.space().innermost().index(), new Val.Scalar(point.getFirst()));
          var vals = lowering.body(op.body());
          var keep = ((Val.Scalar) vals.getFirst()).expr();
          var at = List.<Expr>of(Expr.use(kept));
          if (scalars) {
            for (int k = 0; k < mine.size(); k++) {
              arrays.write(mine.get(k), at, vals.get(k + 1));
            }
          } else {
            var write =
                scope.block(
                    () -> {
                      for (int k = 0; k < mine.size(); k++) {
                        arrays.write(mine.get(k), at, vals.get(k + 1));
                      }
                    });
            scope.add(new Code.If(keep, write, List.of()));
          }
          var one = new Expr.Select(keep, Expr.i64(1), Expr.i64(0));
          scope.add(new Code.Set(kept, Expr.add(Expr.use(kept), one)));
        });
    arrays.store(counts, List.of(chunk), Expr.use(kept));
    arrays.store(parts, List.of(chunk), lo);
  }

  /** Makes the result: what all chunks have kept, one after the other. */
  private View together(Var v, View all, Expr n, Expr chunks, View counts, View parts, Reg total) {
    var dims = Lists.concat(List.of(Expr.use(total)), all.dims().subList(1, all.dims().size()));
    var slot = scope.slot(v.name());
    // the slot's life begins here, though there may be nothing in it
    scope.add(new Code.Free(slot));
    var address = Reg.index(v.name());
    scope.add(new Code.Set(address, all.base()));
    var row = ArrayVal.count(all.dims().subList(1, all.dims().size()));
    var bytes = scope.let("bytes", Expr.mul(row, Expr.i64(v.type().elemPrim().byteSize())));
    var copy =
        scope.block(
            () -> {
              scope.ensure(slot, v.type().elemPrim(), dims);
              arrays.inParallel(
                  chunks,
                  Expr.i64(1),
                  chunks,
                  true,
                  (_, lo, hi) -> {
                    var c = Reg.index("c");
                    var body =
                        scope.block(
                            () -> {
                              var at = scope.let("c", Expr.add(lo, Expr.use(c)));
                              copyPart(at, slot, all, chunks, counts, parts, total, bytes);
                            });
                    scope.add(new Code.For(c, Expr.sub(hi, lo), body, false, List.of()));
                  });
              scope.add(new Code.Set(address, Expr.use(slot.base())));
            });
    var one = Scope.equal(chunks, Expr.i64(1));
    var much = new Expr.Cmp(CompareOp.LE, n, Expr.mul(Expr.use(total), Expr.i64(ROOM)));
    scope.add(new Code.If(Scope.and(one, much), List.of(), copy));
    var slots = new LinkedHashSet<>(all.owner().slots());
    slots.add(slot);
    var owner = new Owner(Expr.use(address), slots);
    return ArrayVal.contiguous(all.prim(), Expr.use(address), dims, scope.depth(), owner);
  }

  private void copyPart(
      Expr c, Slot slot, View all, Expr chunks, View counts, View parts, Reg total, Expr bytes) {
    var to = scope.let("to", load(counts, c));
    var next = Reg.index("next");
    scope.add(new Code.Set(next, Expr.use(total)));
    var after = scope.let("after", Expr.add(c, Expr.i64(1)));
    var known = scope.block(() -> scope.add(new Code.Set(next, load(counts, after))));
    scope.add(new Code.If(Scope.less(after, chunks), known, List.of()));
    var from = Expr.add(all.base(), Expr.mul(load(parts, c), bytes));
    var count = Expr.sub(Expr.use(next), to);
    scope.add(
        new Code.CopyBytes(
            Expr.add(Expr.use(slot.base()), Expr.mul(to, bytes)), from, Expr.mul(count, bytes)));
  }
}
