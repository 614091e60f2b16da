package dev.kenaz.loops;

import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Scan;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;

/** What each chunk of a reduction or scan leaves for all of them: its result. */
final class Partials {
  private final Scope scope;
  private final Arrays arrays;
  private final Soacs soacs;

  Partials(Lowering lowering, Soacs soacs) {
    this.scope = lowering.scope;
    this.arrays = lowering.arrays;
    this.soacs = soacs;
  }

  /** A loop over so many points, which are cut into chunks. */
  record Chunked(Expr extent, Expr work, Expr chunks) {}

  @FunctionalInterface
  interface Prefix {
    /** Combines what comes before a chunk into its points. */
    void addTo(List<Val> before, Expr lo, Expr hi);
  }

  /** Makes one element for each chunk, for each scanned or reduced value. */
  List<View> allocate(List<Var> vars, int scanned, Expr chunks) {
    var views = new ArrayList<View>();
    for (int k = 0; k < vars.size(); k++) {
      var type = vars.get(k).type();
      var element = k < scanned ? ((Type.Array) type).row() : type;
      Prim prim = element.elemPrim();
      views.add(
          scope.allocate("partial", prim, Lists.concat(List.of(chunks), scope.dims(element))));
    }
    return views;
  }

  private List<Val> rows(List<View> views, Expr c) {
    return views.stream().map(v -> arrays.index(v, List.of(c))).toList();
  }

  /** Combines the partial results in order. */
  void combine(List<Var> pattern, List<Reduce> reduces, List<View> partials, Expr chunks) {
    var folds = soacs.reduces(reduces, pattern.stream().map(scope::wanted).toList());
    var c = Reg.index("c");
    var code =
        scope.lambda(
            () -> {
              folds.begin();
              folds.step(rows(partials, Expr.use(c)));
            });
    scope.add(new Code.For(c, chunks, code, false, List.of()));
    folds.results(pattern);
  }

  /** Turns the chunks' totals into what precedes each chunk, and combines that in. */
  void prepend(Chunked c, List<Scan> scans, List<View> partials, Prefix prefix) {
    var several =
        scope.block(
            () -> {
              scanTotals(scans, partials, c.chunks);
              arrays.inParallel(
                  c.extent,
                  c.work,
                  c.chunks,
                  true,
                  (chunk, lo, hi) -> {
                    var before = Expr.sub(chunk, Expr.i64(1));
                    var later =
                        scope.block(
                            () ->
                                prefix.addTo(rows(partials, scope.let("before", before)), lo, hi));
                    var first = Scope.less(Expr.i64(0), chunk);
                    scope.add(new Code.If(first, later, List.of()));
                  });
            });
    scope.add(new Code.If(Scope.less(Expr.i64(1), c.chunks), several, List.of()));
  }

  private void scanTotals(List<Scan> scans, List<View> partials, Expr chunks) {
    var totals = soacs.scans(scans);
    var c = Reg.index("c");
    var code =
        scope.lambda(
            () -> {
              totals.begin();
              var sums = totals.step(rows(partials, Expr.use(c)));
              for (int k = 0; k < partials.size(); k++) {
                arrays.write(partials.get(k), List.of(Expr.use(c)), sums.get(k));
              }
            });
    scope.add(new Code.For(c, chunks, code, false, List.of()));
  }
}
