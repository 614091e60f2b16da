package dev.kenaz.kernels;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loops.ArrayVal;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.loops.Scope;
import dev.kenaz.loops.Val;
import dev.kenaz.value.Prim;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Copies of accumulators that are updated under locks. A place that many threads update under one
 * lock is updated by one thread after the other, and each of them waits for memory. So there are as
 * many copies as have a lock for each place of each, and neighbouring threads update different
 * ones; the copies are combined at the end.
 */
final class LockedCopies {
  /** A copy's place that fewer points meet in, on average, costs more than it saves. */
  private static final long LEAST_POINTS = 4;

  /** At the end, each place's copies are combined one after the other. */
  static final long MOST = 512;

  private static final long BYTES = 1L << 26;

  /**
   * @param places how many places the accumulator has
   * @param count how many copies there are; with one, the accumulator itself is updated
   */
  private record Copies(List<View> views, Expr places, Expr count) {}

  private final GpuTarget target;
  private final Scope scope;
  private final Map<Val.Acc, Copies> copies = new LinkedHashMap<>();

  /** Allocates the copies for those of the accumulators that have locks. */
  LockedCopies(GpuTarget target, Collection<Val.Acc> accs, List<Expr> dims) {
    this.target = target;
    scope = target.scope;
    for (var acc : accs) {
      if (acc.lockCount() > 0) {
        copies.computeIfAbsent(acc, a -> of(a, scope.let("extent", ArrayVal.count(dims))));
      }
    }
  }

  private Copies of(Val.Acc acc, Expr extent) {
    var places = scope.let("places", ArrayVal.count(acc.space()));
    var some = IndexMath.max(places, Expr.i64(1));
    var locks = IndexMath.quot(Expr.i64(acc.lockCount()), some);
    var crowd = IndexMath.quot(extent, Expr.mul(Expr.i64(LEAST_POINTS), some));
    var bytes = IndexMath.max(target.soacs.accs().bytes(acc), Expr.i64(1));
    var room = IndexMath.quot(Expr.i64(BYTES), bytes);
    var most = IndexMath.min(IndexMath.min(locks, crowd), IndexMath.min(room, Expr.i64(MOST)));
    var count = scope.let("copies", IndexMath.max(Expr.i64(1), most));
    var several = Scope.less(Expr.i64(1), count);
    var made = scope.let("made", new Expr.Select(several, count, Expr.i64(0)));
    var accs = target.soacs.accs();
    var views = accs.allocate(acc, made);
    var fill = scope.block(() -> accs.fill(acc, views, made));
    scope.add(new Code.If(several, fill, List.of()));
    return new Copies(views, places, count);
  }

  /**
   * Returns what a thread updates.
   *
   * @param accs accumulators, by what they stand for
   * @param number the thread's number
   */
  Map<Val.Acc, Val.Acc> at(Map<Val.Acc, Val.Acc> accs, Expr number) {
    var mine = new LinkedHashMap<>(accs);
    mine.replaceAll((_, acc) -> copies.containsKey(acc) ? copy(acc, number) : acc);
    return mine;
  }

  boolean isEmpty() {
    return copies.isEmpty();
  }

  private Val.Acc copy(Val.Acc acc, Expr number) {
    var c = copies.get(acc);
    var copy = scope.let("copy", IndexMath.rem(number, c.count));
    var before = Expr.mul(Expr.mul(copy, c.places), Expr.i64(Prim.I32.byteSize()));
    var locks = scope.let("its_locks", Expr.add(acc.locks(), before));
    return target.soacs.accs().copyOf(acc, c.views, copy, c.count).with(locks);
  }

  /** Adds code that combines the copies; it needs no locks. */
  void combine() {
    copies.forEach(
        (acc, c) -> {
          var alone = new Val.Acc(acc.space(), acc.arrays(), acc.combine());
          target.soacs.accs().combineCopies(alone, c.views, c.count);
        });
  }
}
