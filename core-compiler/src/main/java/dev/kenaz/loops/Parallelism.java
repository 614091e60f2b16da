package dev.kenaz.loops;

import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Scan;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp;
import dev.kenaz.segir.SegOp.SegHist;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.segir.SegOp.SegRed;
import dev.kenaz.segir.SegOp.SegScan;
import dev.kenaz.segir.SegOp.SegScatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Runs seg-ops as tasks, each on a chunk of the index space. A reduction leaves one partial result
 * for each chunk; these are combined in order. A scan consists of local scans, then a scan of their
 * totals, then a second pass that adds them in. Accumulators and histograms are private to a chunk
 * where copies are affordable. The cut into chunks depends on sizes and the number of workers only,
 * so results are reproducible.
 */
final class Parallelism implements Target {
  /** All private copies of one accumulator may take this many bytes. */
  private static final long PRIVATE_BYTES = 1L << 28;

  /**
   * The same where a point runs kernels of its own. There are few such points, and each thread
   * needs a copy, but more copies only pay while they stay in the caches.
   */
  private static final long PRIVATE_BYTES_OF_KERNELS = 1L << 23;

  /**
   * To set up and combine a byte of a copy costs next to nothing beside so much work. Besides, an
   * extremum by bins changes more often while a copy is new.
   */
  private static final Expr WORK_OF_A_BYTE = Expr.i64(64);

  private static final Expr UNBOUNDED = Expr.i64(Long.MAX_VALUE);

  private static final long FEW = 7;

  private final Lowering lowering;
  private final Scope scope;
  private final Arrays arrays;
  private final Soacs soacs;
  private final Accs accs;
  private final boolean products;
  private final MatrixProducts matrixProducts;
  private final ColumnReductions columnReductions;
  private final TransposedMaps transposedMaps;
  private final TransposedFolds transposedFolds;
  private final TransposedRows transposedRows;
  private final Partials parts;
  private final TreeFolds treeFolds;
  private final TreeScans treeScans;

  /**
   * @param products whether products of matrices are operations of the machine
   * @param inVectors whether it runs a loop in vectors
   */
  Parallelism(Lowering lowering, Soacs soacs, boolean products, Predicate<Code.For> inVectors) {
    this.lowering = lowering;
    this.scope = lowering.scope;
    this.arrays = lowering.arrays;
    this.soacs = soacs;
    this.accs = soacs.accs();
    this.products = products;
    this.matrixProducts = new MatrixProducts(scope, arrays);
    this.columnReductions = new ColumnReductions(lowering);
    this.transposedMaps = new TransposedMaps(lowering);
    this.parts = new Partials(lowering, soacs);
    this.transposedFolds = new TransposedFolds(lowering, parts);
    this.transposedRows = new TransposedRows(lowering);
    this.treeFolds = new TreeFolds(lowering, inVectors);
    this.treeScans = new TreeScans(lowering, treeFolds);
  }

  @Override
  public void points(List<Expr> dims, Expr work, Consumer<List<Expr>> body) {
    var extent = scope.let("n", ArrayVal.count(dims));
    arrays.shared(extent, work, (lo, hi) -> arrays.points(dims, lo, hi, body));
  }

  @Override
  public boolean updatesInPlace() {
    return products; // and so this is the JVM, not a part of a kernel
  }

  @Override
  public Expr wide(Expr points, SegExp.Versions versions) {
    return arrays.worthAllThreads(points);
  }

  @Override
  public void segOp(List<Var> pattern, SegOp op) {
    switch (op) {
      case SegMap m -> map(pattern, m);
      case SegRed r -> {
        var columns = products ? transposedFolds.find(r) : Optional.<TransposedFolds.Found>empty();
        columns.ifPresentOrElse(
            c -> transposedFolds.reduce(pattern, c, r.reduces()),
            () -> screma(pattern, r, List.of(), r.reduces()));
      }
      case SegScan s -> scan(pattern, s);
      case SegHist h -> updates(pattern, h, h.ops().stream().map(soacs::histAcc).toList());
      case SegScatter s -> updates(pattern, s, s.dests().stream().map(soacs::scatterAcc).toList());
      case SegOp.SegFilter f -> new Filtering(lowering, f).emit(pattern);
    }
  }

  private void map(List<Var> pattern, SegMap m) {
    var product = products ? matrixProducts.find(m) : Optional.<MatrixProducts.Found>empty();
    if (product.isEmpty()) {
      var columns = products ? columnReductions.find(m) : Optional.<ColumnReductions.Found>empty();
      boolean transposed = products && columns.isEmpty() && transposedMaps.fits(m);
      if (products && columns.isEmpty() && transposedRows.fits(pattern, m)) {
        var outs = transposedRows.outputs(pattern);
        var work = scope.let("work", new Cost(scope).of(m.body()));
        var width = scope.scalars(m.space().widths()).getFirst();
        transposedRows.emit(width, work, point -> element(m, outs, point));
        soacs.bindOutputs(pattern, outs, m.body().results());
        return;
      }
      if (columns.isEmpty() && !transposed) {
        screma(pattern, m, List.of(), List.of());
        return;
      }
      var outs = soacs.outputs(pattern, 0, 0);
      if (transposed) {
        transposed(m, outs);
      } else {
        columnReductions.emit(columns.get(), outs, () -> screma(m, outs));
      }
      soacs.bindOutputs(pattern, outs, m.body().results());
      return;
    }
    if (product.get().accumulates()) {
      var acc = scope.acc(product.get().factors().target().orElseThrow().array());
      matrixProducts.emit(m, product.get(), null, () -> screma(pattern, m, List.of(), List.of()));
      scope.bind(pattern.getFirst(), acc);
      return;
    }
    var outs = soacs.outputs(pattern, 0, 0);
    matrixProducts.emit(m, product.get(), outs.getFirst(), () -> screma(m, outs));
    soacs.bindOutputs(pattern, outs, m.body().results());
  }

  private void screma(SegMap m, List<View> outs) {
    var launch = launch(m, List.of());
    arrays.inParallel(
        launch.extent,
        launch.work,
        chunks(launch),
        true,
        (_, lo, hi) ->
            arrays.points(
                launch.dims,
                lo,
                hi,
                List.of(),
                outer -> inside(launch, outer, point -> element(m, outs, point))));
  }

  private void transposed(SegMap m, List<View> outs) {
    var dims = scope.scalars(m.space().widths());
    var work = scope.let("work", new Cost(scope).of(m.body()));
    transposedMaps.emit(dims, work, point -> element(m, outs, point));
  }

  /** Computes one element of a map that updates nothing. */
  private void element(SegMap m, List<View> outs, List<Expr> point) {
    bindPoint(m, point);
    var none = soacs.scans(List.of());
    var nothing = soacs.reduces(List.of(), List.of());
    soacs.element(m.body(), none, 0, nothing, 0, outs, point);
  }

  /** Runs the body for each point with these first indices. */
  private void inside(Launch launch, List<Expr> outer, Consumer<List<Expr>> body) {
    if (launch.innermost == null) {
      body.accept(outer);
    } else {
      scope.forEach("i", launch.innermost, i -> body.accept(Lists.concat(outer, List.of(i))));
    }
  }

  /**
   * What one parallel loop runs, and what it updates.
   *
   * @param innermost the width of a last dimension that each point has a loop over; null if there
   *     is none
   * @param ofKernels whether a point runs kernels of its own, so that it is much work
   */
  private record Launch(
      List<Expr> dims,
      Expr innermost,
      Expr extent,
      Expr work,
      Targets targets,
      boolean ofKernels) {}

  /**
   * The accumulators, with the variables that stand for each, and a private copy for each chunk.
   *
   * @param mine what the code of a task updates
   * @param direct those that need no copies: if there is one chunk only, which is in a task, or
   *     where the points update different elements
   */
  private record Targets(
      List<Val.Acc> accs,
      List<List<Var>> vars,
      List<List<View>> copies,
      List<Val.Acc> mine,
      List<Boolean> direct) {
    /** Whether all updates may be done in any order. */
    boolean combine() {
      return accs.stream().allMatch(a -> a.combine().isPresent() && !a.atomic());
    }

    /** Whether a chunk has a copy of its own. */
    boolean anyCopied() {
      return IntStream.range(0, accs.size()).anyMatch(this::copied);
    }

    boolean copied(int k) {
      return !direct.get(k) && accs.get(k).combine().isPresent();
    }
  }

  private Launch launch(SegOp op, List<Val.Acc> direct) {
    var dims = scope.scalars(op.space().widths());
    Map<Val.Acc, List<Var>> found = new LinkedHashMap<>();
    direct.forEach(a -> found.put(a, new ArrayList<>()));
    for (var v : FreeAccs.of(op.body())) {
      if (scope.bound(v)) {
        found.computeIfAbsent(scope.acc(v), _ -> new ArrayList<>()).add(v);
      }
    }
    var targets =
        new Targets(
            List.copyOf(found.keySet()),
            List.copyOf(found.values()),
            new ArrayList<>(),
            new ArrayList<>(),
            found.entrySet().stream()
                .map(
                    e ->
                        !scope.parallel()
                            || !direct.contains(e.getKey()) && separate(op, e.getValue()))
                .toList());
    var innermost = found.isEmpty() && op instanceof SegMap ? few(dims) : null;
    var outer = innermost == null ? dims : dims.subList(0, dims.size() - 1);
    var extent = scope.let("n", ArrayVal.count(outer));
    var cost = new Cost(scope).of(op.body());
    var work = scope.let("work", innermost == null ? cost : Expr.mul(innermost, cost));
    return new Launch(outer, innermost, extent, work, targets, hasKernels(op.body()));
  }

  private boolean separate(SegOp op, List<Var> vars) {
    return vars.stream().allMatch(v -> SeparateUpdates.in(op, v, scope));
  }

  /**
   * Returns the last of several widths if it is known and small: its points are written out, and
   * rows then are the points of a vector.
   */
  private static Expr few(List<Expr> dims) {
    boolean several = dims.size() > 1;
    return several && dims.getLast() instanceof Expr.Lit(var n) && n.bits() <= FEW
        ? dims.getLast()
        : null;
  }

  private static boolean hasKernels(SegBody body) {
    return body.stms().stream().anyMatch(x -> x.exp() instanceof SegExp.Par);
  }

  private Expr chunks(Launch launch) {
    var most = UNBOUNDED;
    var t = launch.targets;
    for (int k = 0; k < t.accs.size(); k++) {
      if (t.copied(k)) {
        // there are as many copies as memory allows and as the work makes worth while; more than
        // one for each thread only if they cost next to nothing
        var bytes = Arrays.max(accs.bytes(t.accs.get(k)), Expr.i64(1));
        var total = Expr.mul(launch.extent, launch.work);
        long limit = launch.ofKernels ? PRIVATE_BYTES_OF_KERNELS : PRIVATE_BYTES;
        var room = Arrays.min(Expr.i64(limit), total);
        var workers = scope.let("workers", arrays.workers());
        var fit = Arrays.min(workers, Arrays.quot(room, bytes));
        var cheap = Arrays.min(Expr.i64(limit), Arrays.quot(total, WORK_OF_A_BYTE));
        var rounds = Arrays.quot(Arrays.quot(cheap, bytes), workers);
        var copies = Arrays.max(fit, Expr.mul(rounds, workers));
        most = Arrays.min(most, Arrays.max(Expr.i64(1), copies));
      }
    }
    if (launch.ofKernels) {
      most = Arrays.max(most, arrays.workers());
    }
    var chunks = arrays.plan(launch.extent, launch.work, scope.let("most", most));
    for (int k = 0; k < t.accs.size(); k++) {
      t.copies.add(t.copied(k) ? accs.allocateApart(t.accs.get(k), chunks) : List.of());
    }
    return chunks;
  }

  /** Returns the accumulators that a task updates; called in the code of the task. */
  private List<Val.Acc> enter(Targets t, Expr chunk, Expr chunks) {
    var mine = t.mine;
    mine.clear();
    for (int k = 0; k < t.accs.size(); k++) {
      var shared = t.accs.get(k);
      var acc = t.copied(k) ? accs.privateCopy(shared, t.copies.get(k), chunk, chunks) : shared;
      t.vars.get(k).forEach(v -> scope.bind(v, acc));
      mine.add(acc);
    }
    return mine;
  }

  /** Combines the copies; what the operator hands on is the accumulator, and no task's copy. */
  private void leave(SegOp op, Targets t, Expr chunks) {
    for (int k = 0; k < t.accs.size(); k++) {
      var shared = t.accs.get(k);
      accs.handedOn(op, t.mine.get(k)).forEach(v -> scope.bind(v, shared));
      t.vars.get(k).forEach(v -> scope.bind(v, shared));
      if (t.copied(k)) {
        accs.combineCopies(shared, t.copies.get(k), chunks);
      }
    }
  }

  private void updates(List<Var> pattern, SegOp op, List<Val.Acc> direct) {
    var launch = launch(op, direct);
    var chunks = chunks(launch);
    arrays.inParallel(
        launch.extent,
        launch.work,
        chunks,
        !launch.targets.anyCopied(),
        (chunk, lo, hi) -> {
          var mine = enter(launch.targets, chunk, chunks).subList(0, direct.size());
          arrays.points(
              launch.dims,
              lo,
              hi,
              List::of,
              launch.targets.combine(),
              point -> {
                bindPoint(op, point);
                soacs.updates(mine, lowering.body(op.body()));
              });
        });
    leave(op, launch.targets, chunks);
    soacs.bindArrays(pattern, direct);
  }

  private void bindPoint(SegOp op, List<Expr> point) {
    for (int d = 0; d < point.size(); d++) {
      scope.bind(op.space().dims().get(d).index(), new Val.Scalar(point.get(d)));
    }
  }

  /**
   * Scans in one of two ways where only some parts are wanted: one chunk computes no others, but
   * several are combined by all parts.
   */
  private void scan(List<Var> pattern, SegScan s) {
    var columns =
        products ? transposedFolds.find(s, pattern) : Optional.<TransposedFolds.Found>empty();
    if (columns.isPresent()) {
      transposedFolds.scan(pattern, columns.get(), s.scans());
      return;
    }
    var launch = launch(s, List.of());
    int scanned = s.scans().stream().mapToInt(x -> x.neutral().size()).sum();
    boolean fewer = !pattern.subList(0, scanned).stream().allMatch(lowering.wantedParts::wants);
    if (!products || !fewer || !s.reduces().isEmpty() || !launch.targets.accs.isEmpty()) {
      screma(pattern, s, s.scans(), s.reduces());
      return;
    }
    var run = new Run(launch, soacs.wantedOutputs(pattern, scanned, 0), chunks(launch));
    var one = scope.block(() -> inOrder(pattern.subList(0, scanned), s, run));
    if (!scope.parallel()) {
      one.forEach(scope::add);
      soacs.bindOutputs(pattern, run.outs, s.body().results());
      return;
    }
    var several =
        scope.block(
            () -> {
              var all = run.with(k -> k < scanned ? arrays.destination(pattern.get(k)) : null);
              screma(pattern, s, s.scans(), List.of(), all);
            });
    scope.add(new Code.If(Scope.less(Expr.i64(1), run.chunks), several, one));
    soacs.bindOutputs(pattern, run.outs, s.body().results());
  }

  /**
   * A parallel loop that is about to be written.
   *
   * @param outs where its results go, or null
   */
  private record Run(Launch launch, List<View> outs, Expr chunks) {
    /** Returns the same with these where there is none. */
    Run with(IntFunction<View> others) {
      var all = new ArrayList<>(outs);
      for (int k = 0; k < all.size(); k++) {
        if (all.get(k) == null) {
          all.set(k, others.apply(k));
        }
      }
      return new Run(launch, all, chunks);
    }
  }

  /** The accumulators of a scan, and the first of the points that are left to it. */
  private record Begun(Soacs.Folds folds, Expr first) {}

  /** Begins a scan with whole blocks as trees, which have all parts, if that is possible. */
  private Begun begun(List<Var> pattern, SegScan s, Run run, Expr lo, Expr hi) {
    if (s.body().results().size() == pattern.size() && inTrees(run.launch)) {
      var all = soacs.scans(s.scans());
      var scanned = new TreeScans.Scanned(s.scans(), pattern, run.outs, all);
      var first = treeScans.blocks(scanned, lo, hi, i -> at(s, i));
      if (first != lo) {
        return new Begun(all, first);
      }
    }
    return new Begun(soacs.scansInOrder(s.scans(), pattern), lo);
  }

  /** Scans in one chunk. */
  private void inOrder(List<Var> pattern, SegScan s, Run run) {
    var launch = run.launch;
    arrays.inParallel(
        launch.extent,
        launch.work,
        run.chunks,
        false,
        (_, lo, hi) -> {
          var begun = begun(pattern, s, run, lo, hi);
          var scan = begun.folds;
          var none = soacs.reduces(List.of(), List.of());
          arrays.points(
              launch.dims,
              begun.first,
              hi,
              List::of,
              false,
              point -> {
                bindPoint(s, point);
                scan.begin();
                soacs.element(s.body(), scan, pattern.size(), none, 0, run.outs, point);
              });
        });
  }

  private void screma(List<Var> pattern, SegOp op, List<Scan> scans, List<Reduce> reduces) {
    int scanned = scans.stream().mapToInt(s -> s.neutral().size()).sum();
    int reduced = reduces.stream().mapToInt(r -> r.neutral().size()).sum();
    var launch = launch(op, List.of());
    var outs = soacs.outputs(pattern, scanned, reduced);
    screma(pattern, op, scans, reduces, new Run(launch, outs, chunks(launch)));
  }

  private void screma(
      List<Var> pattern, SegOp op, List<Scan> scans, List<Reduce> reduces, Run run) {
    int scanned = scans.stream().mapToInt(s -> s.neutral().size()).sum();
    int reduced = reduces.stream().mapToInt(r -> r.neutral().size()).sum();
    var launch = run.launch;
    var outs = run.outs;
    var chunks = run.chunks;
    var partials = parts.allocate(pattern.subList(0, scanned + reduced), scanned, chunks);
    int most = Math.max(scanned, reduced);
    boolean inTrees = most > 0 && op.body().results().size() == most && inTrees(launch);
    arrays.inParallel(
        launch.extent,
        launch.work,
        chunks,
        scanned + reduced == 0 && !launch.targets.anyCopied(),
        (chunk, lo, hi) -> {
          enter(launch.targets, chunk, chunks);
          var scan = soacs.scans(scans);
          var reduce = soacs.reduces(reduces, Soacs.nothingWanted(reduced));
          boolean simple = scanned == 0 && reduce.simple() && launch.targets.combine();
          var first = lo;
          if (inTrees && scanned > 0) {
            var all = new TreeScans.Scanned(scans, pattern, outs, scan);
            first = treeScans.blocks(all, lo, hi, i -> at(op, i));
          } else if (inTrees && !simple) {
            first = treeFolds.blocks(reduces, reduce, lo, hi, i -> at(op, i));
          }
          arrays.points(
              launch.dims,
              first,
              hi,
              () -> simple ? reduce.reductions() : List.of(),
              simple,
              outer ->
                  inside(
                      launch,
                      outer,
                      point -> {
                        bindPoint(op, point);
                        scan.begin();
                        reduce.begin();
                        soacs.element(op.body(), scan, scanned, reduce, reduced, outs, point);
                      }));
          var values = new ArrayList<Val>();
          values.addAll(scan.results(fresh(pattern.subList(0, scanned), true)));
          values.addAll(reduce.results(fresh(pattern.subList(scanned, scanned + reduced), false)));
          for (int k = 0; k < partials.size(); k++) {
            arrays.write(partials.get(k), List.of(chunk), values.get(k));
          }
        });
    leave(op, launch.targets, chunks);
    soacs.bindOutputs(pattern, outs, op.body().results());
    if (scanned > 0) {
      var scanPattern = pattern.subList(0, scanned);
      parts.prepend(
          new Partials.Chunked(launch.extent, launch.work, chunks),
          scans,
          partials.subList(0, scanned),
          (before, lo, hi) -> addPrefix(scanPattern, scans, run, before, lo, hi));
    }
    if (reduced > 0) {
      var reducePartials = partials.subList(scanned, scanned + reduced);
      parts.combine(pattern.subList(scanned, scanned + reduced), reduces, reducePartials, chunks);
    }
  }

  /** Whether points may be many, and are those of one dimension and update nothing. */
  private boolean inTrees(Launch launch) {
    boolean line = launch.dims.size() == 1 && launch.innermost == null;
    return scope.parallel() && line && launch.targets.accs.isEmpty();
  }

  /** Computes the body at a point of one dimension. */
  private List<Val> at(SegOp op, Expr i) {
    bindPoint(op, List.of(i));
    return lowering.body(op.body());
  }

  /** Returns fresh variables of the types of one element. */
  private static List<Var> fresh(List<Var> pattern, boolean elements) {
    return pattern.stream()
        .map(v -> Names.fresh(v.name(), elements ? ((Type.Array) v.type()).row() : v.type()))
        .toList();
  }

  private void addPrefix(
      List<Var> pattern, List<Scan> scans, Run run, List<Val> before, Expr lo, Expr hi) {
    var wanted = lowering.wantedParts;
    arrays.points(
        run.launch.dims,
        lo,
        hi,
        List::of,
        true,
        point -> {
          int from = 0;
          for (var s : scans) {
            int to = from + s.neutral().size();
            var arguments = new ArrayList<Val>(before.subList(from, to));
            for (var out : run.outs.subList(from, to)) {
              arguments.add(arrays.index(out, point));
            }
            var results = lowering.call(wanted.once(s.op(), pattern.subList(from, to)), arguments);
            int next = 0;
            for (int k = from; k < to; k++) {
              if (wanted.wants(pattern.get(k))) {
                arrays.write(run.outs.get(k), point, results.get(next++));
              }
            }
            from = to;
          }
        });
  }
}
