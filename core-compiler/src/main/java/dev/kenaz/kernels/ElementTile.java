package dev.kenaz.kernels;

import dev.kenaz.ir.CompareOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.Scope;
import dev.kenaz.value.Prim;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Puts consecutive elements into a block's shared memory: neighbouring threads compute neighbouring
 * elements, as memory likes it, then each thread takes a run of its own, as operators that don't
 * commute need it.
 */
final class ElementTile {
  /** A tile takes this many bytes of shared memory. */
  private static final long BYTES = 32L << 10;

  private static final long LEAST_THREADS = 64;
  private static final long MOST_ITEMS = 15;

  /**
   * An element of at most this many statements is worth having a second time, without a bounds
   * check.
   */
  private static final int BRIEF = 16;

  private final Scope scope;
  private final Cooperation c;
  private final Monoid monoid;
  private final List<Reg> elements;
  final long items;
  final long threads;

  /**
   * Makes tiles for a block of {@link #threads} threads, for which the cooperation must be made.
   */
  ElementTile(Scope scope, Cooperation c, Monoid monoid) {
    this.scope = scope;
    this.c = c;
    this.monoid = monoid;
    threads = threads(bytes(monoid.prims()));
    items = items(monoid);
    elements = c.sharedArrays("elements", size());
  }

  static long bytes(List<Prim> prims) {
    return prims.stream().mapToLong(Prim::byteSize).sum();
  }

  /** Whether a tile of such elements has room. */
  static boolean fits(long bytes) {
    return bytes * LEAST_THREADS <= BYTES;
  }

  /** The number of threads of a block: as many as a tile has room for. */
  static long threads(long bytes) {
    long threads = Kernels.THREADS;
    while (threads > LEAST_THREADS && bytes * threads > BYTES) {
      threads /= 2;
    }
    return threads;
  }

  /**
   * The number of a thread's elements: odd, so that threads that step through them hit different
   * banks.
   */
  static long items(Monoid monoid) {
    long bytes = bytes(monoid.prims());
    long most = Math.min(MOST_ITEMS, BYTES / (bytes * threads(bytes)));
    return Math.max(1, most % 2 == 0 ? most - 1 : most);
  }

  long size() {
    return items * threads;
  }

  /**
   * Loads the elements from {@code first} to {@code end}, and neutral ones after that; then all
   * threads wait for each other.
   */
  void load(Expr first, Expr end, Function<Expr, List<Expr>> element) {
    twice(first, end, j -> one(first, end, element, j), j -> sure(first, element, j));
    c.barrier();
  }

  /** Runs the second code where the tile is full, if it is brief; otherwise the first. */
  private void twice(Expr first, Expr end, Consumer<Expr> careful, Consumer<Expr> sure) {
    var n = Expr.i64(items);
    var guarded = scope.block(() -> scope.forEach("j", n, careful));
    if (items > 1 && CodeWalk.brief(guarded, BRIEF)) {
      var whole = new Expr.Cmp(CompareOp.LE, Expr.add(first, Expr.i64(size())), end);
      scope.add(new Code.If(whole, scope.block(() -> scope.forEach("j", n, sure)), guarded));
    } else {
      guarded.forEach(scope::add);
    }
  }

  private void sure(Expr first, Function<Expr, List<Expr>> element, Expr j) {
    var at = across(j);
    var i = scope.let("i", Expr.add(first, at));
    var x = Monoid.attempt(scope, monoid.neutral(), () -> element.apply(i));
    c.store(elements, at, x);
  }

  private void one(Expr first, Expr end, Function<Expr, List<Expr>> element, Expr j) {
    var at = across(j);
    var i = scope.let("i", Expr.add(first, at));
    var x = c.neutral("x");
    var body = scope.block(() -> Monoid.assign(scope, x, element.apply(i)));
    c.when(Scope.less(i, end), () -> scope.add(new Code.Gpu(new GpuCode.Attempt(body))));
    c.store(elements, at, Cooperation.uses(x));
  }

  /** Returns the j-th place of a thread, where neighbouring threads have neighbouring places. */
  private Expr across(Expr j) {
    return scope.let("at", Expr.add(Expr.mul(j, Expr.i64(threads)), c.thread()));
  }

  /** Runs the body for each element of a thread's own run, with its place and value. */
  void own(BiConsumer<Expr, List<Expr>> body) {
    var mine = scope.let("mine", Expr.mul(c.thread(), Expr.i64(items)));
    var k = Reg.index("k");
    var code =
        scope.block(
            () -> {
              var at = scope.let("at", Expr.add(mine, Expr.use(k)));
              body.accept(at, c.load(elements, at));
            });
    scope.add(new Code.For(k, Expr.i64(items), code, false, List.of()));
  }

  void put(Expr at, List<Expr> value) {
    c.store(elements, at, value);
  }

  /** Hands out the elements before {@code end}, after all threads have waited for each other. */
  void write(Expr first, Expr end, BiConsumer<Expr, List<Expr>> body) {
    c.barrier();
    twice(first, end, j -> handOut(first, end, j, body), j -> handOut(first, null, j, body));
  }

  private void handOut(Expr first, Expr end, Expr j, BiConsumer<Expr, List<Expr>> body) {
    var at = across(j);
    var i = scope.let("i", Expr.add(first, at));
    Runnable action = () -> body.accept(i, c.load(elements, at));
    if (end == null) {
      action.run();
    } else {
      c.when(Scope.less(i, end), action);
    }
  }
}
