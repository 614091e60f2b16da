package dev.kenaz.kernels;

import dev.kenaz.analysis.Effects;
import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal;
import dev.kenaz.loops.Arrays;
import dev.kenaz.loops.FreeAccs;
import dev.kenaz.loops.Scope;
import dev.kenaz.loops.Val;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp;
import dev.kenaz.segir.SegOp.SegHist;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.segir.SegOp.SegScatter;
import dev.kenaz.value.Prim;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Translates histograms, scatters, and accumulators that a kernel's threads share.
 *
 * <p>What fits is accumulated in shared memory, block by block, and then added to the result.
 * Otherwise the result, or one of several copies of it, is updated in device memory, by the
 * instruction for the operator, by compare-and-swap, or under a lock; if it is larger than the
 * device's cache, this takes several passes, each for a part of it.
 */
final class GpuUpdates {
  /**
   * An accumulator whose operator has no indivisible form has so many locks at most. They are for
   * more places than threads are at work on at a time, as often one of several columns is.
   */
  static final long LOCKS = 1 << 18;

  /** Accumulators may take this many bytes of shared memory. */
  private static final long SHARED_BYTES = 40L << 10;

  /** This many blocks accumulate in shared memory: each adds all that it has to the result. */
  private static final long SHARED_BLOCKS = 512;

  /**
   * So many do if products are accumulated, for which there is no instruction: all blocks finish at
   * about the same time, and those that want the same place at once try again and again. With more
   * than this number, each block has many points.
   */
  private static final long PRODUCT_BLOCKS = 128;

  private static final long MANY_POINTS = 1 << 17;

  /** Several passes may repeat a body of this many statements. */
  private static final int BRIEF = 24;

  private static final long MOST_COPIES = 16;
  private static final long COPY_BYTES = 1L << 26;

  /** One pass may use this much of a device's cache. */
  private static final long CACHE_BYTES = 24L << 20;

  /** The cache reads and writes so many bytes of memory at a time. */
  private static final long SECTOR_BYTES = 32;

  private final GpuTarget target;
  private final Scope scope;
  private final Arrays arrays;
  private final SharedAccs sharedAccs;

  GpuUpdates(GpuTarget target) {
    this.target = target;
    scope = target.scope;
    arrays = target.arrays;
    sharedAccs = new SharedAccs(target);
  }

  /**
   * Runs the action with those accumulators that the operator's body updates made fit for many
   * threads.
   */
  void sharing(SegOp op, Runnable action) {
    var free = free(op);
    Map<Val.Acc, Val.Acc> shared = new LinkedHashMap<>();
    free.forEach((v, acc) -> scope.bind(v, shared.computeIfAbsent(acc, this::shared)));
    action.run();
    free.forEach(scope::bind);
  }

  private Map<Var, Val.Acc> free(SegOp op) {
    Map<Var, Val.Acc> free = new LinkedHashMap<>();
    for (var v : FreeAccs.of(op.body())) {
      if (scope.bound(v)) {
        free.put(v, scope.acc(v));
      }
    }
    return free;
  }

  void hist(List<Var> pattern, SegHist h) {
    var accs = h.ops().stream().map(target.soacs::histAcc).toList();
    accumulate(
        h,
        "histogram",
        accs,
        (mine, point) -> target.soacs.updates(mine, target.lowering.body(h.body())));
    target.soacs.bindArrays(pattern, accs);
  }

  void scatter(List<Var> pattern, SegScatter s) {
    var accs = s.dests().stream().map(target.soacs::scatterAcc).toList();
    accumulate(
        s,
        "scatter",
        accs,
        (mine, point) -> target.soacs.updates(mine, target.lowering.body(s.body())));
    target.soacs.bindArrays(pattern, accs);
  }

  /** Translates a map that may update accumulators. */
  void map(SegMap m, String what, BiConsumer<List<Val.Acc>, List<Expr>> body) {
    accumulate(m, what, List.of(), body);
  }

  /**
   * Runs the body at every point.
   *
   * @param direct accumulators that the body gets, besides those in whose scope it is
   */
  private void accumulate(
      SegOp op, String what, List<Val.Acc> direct, BiConsumer<List<Val.Acc>, List<Expr>> body) {
    var dims = scope.scalars(op.space().widths());
    var free = free(op);
    Map<Val.Acc, Val.Acc> all = new LinkedHashMap<>();
    direct.forEach(a -> all.computeIfAbsent(a, this::shared));
    free.values().forEach(a -> all.computeIfAbsent(a, this::shared));
    var divisible = all.values().stream().filter(GpuUpdates::divisible).toList();
    var locked = new LockedCopies(target, all.values(), dims);
    Map<Var, Val.Acc> after = new LinkedHashMap<>();
    BiConsumer<Map<Val.Acc, Val.Acc>, List<Expr>> at =
        (accs, point) -> {
          var mine = locked.isEmpty() ? accs : locked.at(accs, IndexMath.flat(dims, point));
          free.forEach((v, acc) -> scope.bind(v, mine.get(acc)));
          target.bind(op, point);
          body.accept(direct.stream().map(mine::get).toList(), point);
          mine.forEach(
              (acc, own) -> target.soacs.accs().handedOn(op, own).forEach(v -> after.put(v, acc)));
        };
    if (divisible.isEmpty()) {
      target.perPoint(what, dims, point -> at.accept(all, point));
    } else {
      var extent = scope.let("extent", ArrayVal.count(dims));
      var bytes = scope.let("bytes", sharedAccs.bytes(divisible));
      var fits = new Expr.Cmp(CompareOp.LE, bytes, Expr.i64(SHARED_BYTES));
      var worth = Scope.less(Expr.mul(Expr.i64(2), bytes), Expr.mul(Expr.i64(8), extent));
      var inShared =
          scope.block(
              () -> {
                var blocks =
                    scope.let(
                        "blocks",
                        IndexMath.min(
                            IndexMath.ceil(extent, Expr.i64(Kernels.THREADS)),
                            mostBlocks(divisible, extent)));
                sharedAccs.kernel(what, dims, extent, blocks, bytes, all, divisible, at);
              });
      var inDevice =
          scope.block(
              () -> inDevice(what, dims, extent, bytes, all, divisible, onlyUpdates(op, free), at));
      scope.add(new Code.If(Scope.and(fits, worth), inShared, inDevice));
    }
    locked.combine();
    free.forEach(scope::bind);
    after.forEach(scope::bind);
  }

  /**
   * Whether the body may as well run again for another part of what it updates: it does nothing
   * else, and computes little for it.
   */
  private static boolean onlyUpdates(SegOp op, Map<Var, Val.Acc> free) {
    var stms = op.body().stms();
    boolean brief =
        stms.size() <= BRIEF
            && stms.stream()
                .allMatch(
                    s ->
                        s.exp() instanceof SegExp.Plain(var e)
                            && Effects.bodies(e).findAny().isEmpty()
                            && !Effects.observable(e));
    return free.isEmpty() || brief && op.returns().stream().allMatch(t -> t instanceof Type.Acc);
  }

  /** Whether the accumulator may be updated in pieces, which are combined later. */
  private static boolean divisible(Val.Acc acc) {
    return acc.combine().isPresent() && acc.lockCount() == 0;
  }

  /** Returns how many blocks may accumulate in shared memory. */
  private static Expr mostBlocks(List<Val.Acc> accs, Expr extent) {
    boolean products =
        accs.stream()
            .flatMap(a -> Operators.elementwise(a.combine().orElseThrow().op()).stream())
            .anyMatch(op -> op == BinaryOp.MUL);
    var most = Expr.i64(SHARED_BLOCKS);
    return products
        ? IndexMath.max(
            Expr.i64(PRODUCT_BLOCKS),
            IndexMath.min(most, IndexMath.quot(extent, Expr.i64(MANY_POINTS))))
        : most;
  }

  /** The accumulator for many threads at once: with locks if its operator needs them. */
  private Val.Acc shared(Val.Acc acc) {
    if (acc.combine().isEmpty() || acc.atomic()) {
      return acc;
    }
    if (Operators.elementwise(acc.combine().get().op()).isPresent()) {
      return acc.shared(Expr.i64(0), 0);
    }
    var all = Expr.mul(ArrayVal.count(acc.space()), Expr.i64(LockedCopies.MOST));
    var count = scope.let("lock_count", IndexMath.min(all, Expr.i64(LOCKS)));
    var locks = scope.allocate("locks", Prim.I32, List.of(count));
    target.perPoint("clear locks", locks.dims(), i -> arrays.store(locks, i, Expr.zero(Prim.I32)));
    return acc.shared(locks.base(), LOCKS);
  }

  // In device memory

  private void inDevice(
      String what,
      List<Expr> dims,
      Expr extent,
      Expr bytes,
      Map<Val.Acc, Val.Acc> all,
      List<Val.Acc> divisible,
      boolean onlyUpdates,
      BiConsumer<Map<Val.Acc, Val.Acc>, List<Expr>> body) {
    var some = IndexMath.max(bytes, Expr.i64(1));
    // copies pay only where many points meet in each place
    var crowd = IndexMath.quot(extent, some);
    var room = IndexMath.quot(Expr.i64(COPY_BYTES), some);
    var most = IndexMath.min(IndexMath.min(crowd, room), Expr.i64(MOST_COPIES));
    var copies = scope.let("copies", IndexMath.max(Expr.i64(1), most));
    Map<Val.Acc, List<ArrayVal.View>> views = new LinkedHashMap<>();
    var accs = target.soacs.accs();
    for (var acc : divisible) {
      var mine = accs.allocate(acc, copies);
      views.put(acc, mine);
      var fill = scope.block(() -> accs.fill(acc, mine, copies));
      scope.add(new Code.If(Scope.less(Expr.i64(1), copies), fill, List.of()));
    }
    // what few points update once is not in the cache anyhow
    var again =
        Scope.and(
            Scope.equal(copies, Expr.i64(1)),
            Scope.less(bytes, Expr.mul(extent, Expr.i64(SECTOR_BYTES))));
    var passes =
        scope.let(
            "passes",
            IndexMath.max(
                Expr.i64(1),
                IndexMath.ceil(new Expr.Select(again, bytes, Expr.i64(0)), Expr.i64(CACHE_BYTES))));
    boolean once = all.size() > divisible.size() || !onlyUpdates;
    Consumer<Expr> run =
        pass ->
            target.perPoint(
                what + " in device memory",
                dims,
                point -> {
                  var gid = IndexMath.flat(dims, point);
                  var copy =
                      scope.let(
                          "copy",
                          IndexMath.rem(IndexMath.quot(gid, Expr.i64(Kernels.THREADS)), copies));
                  Map<Val.Acc, Val.Acc> mine = new LinkedHashMap<>();
                  all.forEach(
                      (key, acc) ->
                          mine.put(
                              key,
                              views.containsKey(acc)
                                  ? part(
                                      accs.copyOf(acc, views.get(acc), copy, copies), pass, passes)
                                  : acc));
                  body.accept(mine, point);
                });
    if (once) {
      run.accept(null);
    } else {
      var pass = Reg.index("pass");
      var code = scope.block(() -> run.accept(Expr.use(pass)));
      scope.add(new Code.For(pass, passes, code, false, List.of()));
    }
    divisible.forEach(acc -> accs.combineCopies(acc, views.get(acc), copies));
  }

  /** Returns the part of the accumulator that one of several passes may update. */
  private Val.Acc part(Val.Acc acc, Expr pass, Expr passes) {
    if (pass == null) {
      return acc;
    }
    var size = scope.let("size", IndexMath.ceil(ArrayVal.count(acc.space()), passes));
    var from = scope.let("from", Expr.mul(pass, size));
    return acc.within(new Val.Range(from, scope.let("to", Expr.add(from, size))));
  }
}
