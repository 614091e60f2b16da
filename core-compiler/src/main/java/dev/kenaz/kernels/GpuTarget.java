package dev.kenaz.kernels;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Span;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Reshape;
import dev.kenaz.ir.Exp.Scan;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.loops.Arrays;
import dev.kenaz.loops.Lowering;
import dev.kenaz.loops.Scope;
import dev.kenaz.loops.Soacs;
import dev.kenaz.loops.Target;
import dev.kenaz.loops.Val;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp;
import dev.kenaz.segir.SegOp.SegHist;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.segir.SegOp.SegRed;
import dev.kenaz.segir.SegOp.SegScan;
import dev.kenaz.segir.SegOp.SegScatter;
import dev.kenaz.segir.SegStm;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** Translates seg-ops to kernels. */
final class GpuTarget implements Target {
  final Lowering lowering;
  final Kernels kernels;
  final Scope scope;
  final Arrays arrays;
  final Soacs soacs;
  private final Target chunks;
  private final GpuReduce reduce;
  private final GpuScan scan;
  private final GpuUpdates updates;
  private final Transposition transposition;
  final long enough;
  private Span span = Span.NONE;

  /**
   * Starts for one entry.
   *
   * @param enough how many points keep the device busy
   * @param deterministic whether results are the same whatever the order of blocks
   */
  GpuTarget(Lowering lowering, Kernels kernels, long enough, boolean deterministic) {
    this.enough = enough;
    this.lowering = lowering;
    this.kernels = kernels;
    scope = lowering.scope();
    arrays = lowering.arrays();
    soacs = lowering.soacs();
    chunks = lowering.chunks();
    reduce = new GpuReduce(this);
    scan = new GpuScan(this, deterministic);
    updates = new GpuUpdates(this);
    transposition = new Transposition(this);
  }

  @Override
  public Expr wide(Expr points, SegExp.Versions versions) {
    if (Transposition.alongRows(scope, versions.wide())) {
      return Expr.bool(false);
    }
    var many = new Expr.Cmp(CompareOp.LE, Expr.i64(enough), points);
    // by tiles, fewer points get more done for what they read than all of them and their sums in
    // parallel
    var tiles =
        alone(versions.wide()).flatMap(m -> tiled(viewing(m), List.of(), TiledKernel.Size.SMALL));
    if (tiles.isPresent()) {
      return Cooperation.or(many, tiles.get().worth());
    }
    // and what can't be one tiled kernel may be several with something between them
    return narrowTiles(versions.narrow())
        .<Expr>map(t -> Scope.and(many, Cooperation.not(t.worthKeeping())))
        .orElse(many);
  }

  /** Returns the first operator of a body, or of versions in it, that can be tiled as it stands. */
  private Optional<TiledKernel> narrowTiles(SegBody body) {
    for (var stm : body.stms()) {
      var tiles =
          switch (stm.exp()) {
            case SegExp.Par(SegRed r) when known(r) ->
                tiled(viewing(r), List.of(), TiledKernel.Size.SMALL);
            case SegExp.Par(SegMap m) when known(m) ->
                tiled(viewing(m), List.of(), TiledKernel.Size.SMALL)
                    .or(
                        () ->
                            Additions.find(scope, m, scope::counts)
                                .flatMap(a -> tiled(a.sums(), List.of(), TiledKernel.Size.SMALL)));
            case SegExp.Versions v -> narrowTiles(v.wide()).or(() -> narrowTiles(v.narrow()));
            default -> Optional.<TiledKernel>empty();
          };
      if (tiles.isPresent()) {
        return tiles;
      }
    }
    return Optional.empty();
  }

  /** Whether the operator's sizes are known here. */
  private boolean known(SegOp op) {
    return op.space().widths().stream().allMatch(w -> !(w instanceof Var v) || scope.bound(v));
  }

  private static Optional<SegMap> alone(SegBody body) {
    return body.stms().size() == 1 && body.stms().getFirst().exp() instanceof SegExp.Par(SegMap m)
        ? Optional.of(m)
        : Optional.empty();
  }

  private Optional<TiledKernel> tiled(SegMap m, List<View> outs, TiledKernel.Size size) {
    return GpuTiling.find(m, scope::counts)
        .map(f -> TiledKernel.of(this, m.space().dims(), f, outs, size))
        .filter(TiledKernel::fits);
  }

  /**
   * Returns a reduction of segments by tiles, over two of the segments' dimensions, the last one
   * included.
   */
  private Optional<TiledKernel> tiled(SegRed r, List<View> outs, TiledKernel.Size size) {
    int last = r.space().dims().size() - 2;
    for (int row = last - 1; row >= 0; row--) {
      var order = new ArrayList<Integer>();
      for (int d = 0; d < last; d++) {
        if (d != row) {
          order.add(d);
        }
      }
      order.addAll(List.of(row, last));
      var plane = order.stream().map(r.space().dims()::get).toList();
      var places = outs.stream().map(v -> (View) arrays.rearrange(order, v)).toList();
      var kernel =
          GpuTiling.find(plane, r, scope::counts)
              .map(f -> TiledKernel.of(this, plane, f, places, size))
              .filter(TiledKernel::fits);
      if (kernel.isPresent()) {
        return kernel;
      }
    }
    return Optional.empty();
  }

  @Override
  public void copy(View to, View from, Runnable otherwise) {
    if (Transposition.applies(to, from)) {
      span = scope.span();
      transposition.copy(to, from, otherwise);
    } else {
      otherwise.run();
    }
  }

  /** Returns the place in the source of the operator that is being translated. */
  Span span() {
    return span;
  }

  @Override
  public void points(List<Expr> dims, Expr work, Consumer<List<Expr>> body) {
    perPoint("copy", scope.span(), dims, body);
  }

  @Override
  public void segOp(List<Var> pattern, SegOp op) {
    span = scope.span();
    switch (op) {
      case SegMap m -> map(pattern, viewing(m));
      case SegRed red -> {
        var r = viewing(red);
        if (scalars(r, width(r.reduces()))) {
          reduction(pattern, r);
        } else {
          general(pattern, r, List.of(), r.reduces());
        }
      }
      case SegScan s -> {
        if (s.reduces().isEmpty() && scan.fits(s)) {
          var along = ElementReads.alongSegments(scope, arrays, s);
          updates.sharing(along, () -> scan.run(pattern, along));
        } else {
          general(pattern, s, s.scans(), s.reduces());
        }
      }
      case SegHist h -> updates.hist(pattern, h);
      case SegScatter s -> updates.scatter(pattern, s);
      case SegOp.SegFilter _ -> throw new CompilerBug("kernels", "a filter in order");
    }
  }

  private SegMap viewing(SegMap m) {
    return new SegMap(m.space(), viewing(m.body()), m.returns());
  }

  private SegRed viewing(SegRed r) {
    return new SegRed(r.space(), r.reduces(), viewing(r.body()), r.returns());
  }

  /**
   * Takes out of a body what gives arrays from outside another shape, and needs no copy for that:
   * what is tiled reads arrays from outside.
   */
  private SegBody viewing(SegBody body) {
    var kept = new ArrayList<SegStm>();
    for (var stm : body.stms()) {
      if (stm.exp() instanceof SegExp.Plain(Reshape x)
          && scope.bound(x.array())
          && scope.array(x.array()) instanceof View v
          && v.contiguous()
          && x.shape().stream().allMatch(a -> !(a instanceof Var size) || scope.bound(size))) {
        scope.bind(stm.pattern().getFirst(), arrays.reshape(scope.scalars(x.shape()), v));
      } else {
        kept.add(stm);
      }
    }
    return new SegBody(kept, body.results());
  }

  static int width(List<Reduce> reduces) {
    return reduces.stream().mapToInt(r -> r.neutral().size()).sum();
  }

  static int scanWidth(List<Scan> scans) {
    return scans.stream().mapToInt(s -> s.neutral().size()).sum();
  }

  /** Whether the first operands are scalars. */
  static boolean scalars(SegOp op, int operands) {
    return op.returns().subList(0, operands).stream().allMatch(t -> t.isScalar());
  }

  // Kernels of one thread a point

  /** Runs the body at every point, by a thread for each. */
  void perPoint(String what, List<Expr> dims, Consumer<List<Expr>> body) {
    perPoint(what, span, dims, body);
  }

  private void perPoint(String what, Span place, List<Expr> dims, Consumer<List<Expr>> body) {
    var at = Reg.index("gid");
    var code = scope.task(() -> body.accept(arrays.unflatten(dims, Expr.use(at))));
    var extent = scope.let("extent", ArrayVal.count(dims));
    kernels.perPoint(what, place, extent, at, code).forEach(scope::add);
  }

  private void map(List<Var> pattern, SegMap m) {
    var additions = Additions.find(scope, m, scope::counts);
    if (additions.isPresent()) {
      add(pattern, additions.get());
      return;
    }
    var outs = soacs.outputs(pattern, 0, 0);
    Runnable plain =
        () ->
            transposition.coalesced(
                m, () -> updates.map(m, "map", (_, point) -> values(m, 0, outs, point)));
    inTiles(size -> tiled(m, outs, size), plain);
    soacs.bindOutputs(pattern, outs, m.body().results());
  }

  /** Reduces to sums, which are then added to accumulators. */
  private void add(List<Var> pattern, Additions a) {
    segOp(a.totals(), a.sums());
    var dims = scope.array(a.totals().getFirst()).dims();
    perPoint(
        "add totals",
        dims,
        place -> {
          for (int k = 0; k < a.accs().size(); k++) {
            var total = arrays.index(scope.array(a.totals().get(k)), place);
            soacs.accs().guarded(scope.acc(a.accs().get(k)), place, List.of(total));
          }
        });
    for (int k = 0; k < pattern.size(); k++) {
      scope.bind(pattern.get(k), scope.val(a.accs().get(k)));
    }
  }

  /** Emits the largest tiles of which there are enough. */
  private void inTiles(Function<TiledKernel.Size, Optional<TiledKernel>> tiles, Runnable plain) {
    inTiles(tiles, List.of(TiledKernel.Size.values()), plain);
  }

  private void inTiles(
      Function<TiledKernel.Size, Optional<TiledKernel>> tiles,
      List<TiledKernel.Size> sizes,
      Runnable plain) {
    if (sizes.isEmpty()) {
      plain.run();
      return;
    }
    Runnable smaller = () -> inTiles(tiles, sizes.subList(1, sizes.size()), plain);
    var kernel = tiles.apply(sizes.getFirst());
    if (kernel.isEmpty()) {
      smaller.run();
    } else {
      var worth = scope.let("worth", kernel.get().worth());
      var tiled = scope.block(kernel.get()::launch);
      scope.add(new Code.If(worth, tiled, scope.block(smaller)));
    }
  }

  private void reduction(List<Var> pattern, SegRed r) {
    if (tiled(r, List.of(), TiledKernel.Size.SMALL).isEmpty()) {
      transposition.coalesced(r, () -> updates.sharing(r, () -> reduce.run(pattern, r)));
      return;
    }
    var outs = pattern.stream().map(arrays::destination).toList();
    inTiles(
        size -> tiled(r, outs, size),
        () ->
            transposition.coalesced(
                r, () -> updates.sharing(r, () -> reduce.into(outs, pattern, r))));
    for (int k = 0; k < outs.size(); k++) {
      scope.bind(pattern.get(k), outs.get(k));
    }
  }

  void bind(SegOp op, List<Expr> point) {
    bind(op.space().dims(), point);
  }

  void bind(List<SegOp.Dim> dims, List<Expr> point) {
    for (int d = 0; d < point.size(); d++) {
      scope.bind(dims.get(d).index(), new Val.Scalar(point.get(d)));
    }
  }

  /** Runs the body at a point that is bound: writes what is mapped, and returns the operands. */
  List<Val> values(SegOp op, int operands, List<View> outs, List<Expr> point) {
    var places = new ArrayList<View>();
    int results = op.body().results().size();
    for (int k = 0; k < results; k++) {
      boolean mapped = k >= operands && k < outs.size() && outs.get(k) != null;
      boolean row = mapped && outs.get(k).dims().size() > point.size();
      places.add(row ? arrays.row(outs.get(k), point) : null);
    }
    var vals = lowering.bodyInto(op.body(), places);
    for (int k = operands; k < vals.size(); k++) {
      if (k < outs.size() && outs.get(k) != null && places.get(k) == null) {
        arrays.write(outs.get(k), point, vals.get(k));
      }
    }
    return vals.subList(0, operands);
  }

  /**
   * Translates operators on arrays: by a thread for each segment or, if there is only one, for each
   * chunk.
   */
  private void general(List<Var> pattern, SegOp op, List<Scan> scans, List<Reduce> reduces) {
    if (op.space().dims().size() == 1) {
      chunks.segOp(pattern, op);
      return;
    }
    updates.sharing(op, () -> perSegment(pattern, op, scans, reduces));
  }

  private void perSegment(List<Var> pattern, SegOp op, List<Scan> scans, List<Reduce> reduces) {
    int scanned = scanWidth(scans);
    int reduced = width(reduces);
    var dims = scope.scalars(op.space().widths());
    var outer = dims.subList(0, dims.size() - 1);
    var outs = soacs.outputs(pattern, scanned, reduced);
    List<View> results =
        pattern.subList(scanned, scanned + reduced).stream()
            .map(v -> arrays.destination(v))
            .toList();
    perPoint(
        "segments",
        outer,
        segment -> {
          List<View> elements =
              results.stream()
                  .map(r -> r.dims().size() > segment.size() ? arrays.row(r, segment) : null)
                  .toList();
          var scanning = soacs.scans(scans);
          var reducing = soacs.reduces(reduces, elements);
          var i = Reg.index("i");
          var body =
              scope.lambda(
                  () -> {
                    var point = Lists.<Expr>concat(segment, List.of(Expr.use(i)));
                    scanning.begin();
                    reducing.begin();
                    bind(op, point);
                    soacs.element(op.body(), scanning, scanned, reducing, reduced, outs, point);
                  });
          scope.add(new Code.For(i, dims.getLast(), body, false, List.of()));
          var rows = GpuReduce.rows(pattern.subList(scanned, scanned + reduced), outer.size());
          var values = reducing.results(rows);
          for (int k = 0; k < results.size(); k++) {
            arrays.write(results.get(k), segment, values.get(k));
          }
        });
    soacs.bindOutputs(pattern, outs, op.body().results());
    for (int k = 0; k < results.size(); k++) {
      scope.bind(pattern.get(scanned + k), results.get(k));
    }
  }
}
