package dev.kenaz.simplify;

import dev.kenaz.analysis.UniformArrays;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;

/**
 * These are the rules ISWIM and IRWIM of "A T2 Graph-Reduction Approach to Fusion", 2013, section
 * 4.2: a scan or reduction whose operator maps another over rows is a map of scans or reductions by
 * that other, over columns.
 *
 * <pre>
 *   scan (map2 (+)) ne a    is  transpose (map2 (\x e -> scan (+) e x) (transpose a) ne)
 *   reduce (map2 (+)) ne a  is             map2 (\x e -> reduce (+) e x) (transpose a) ne
 * </pre>
 *
 * <p>The operator may combine several arrays at once. See {@link
 * dev.kenaz.analysis.Operators#ofRows}, which recognises such operators.
 */
public final class OperatorInterchange {
  private final Builder b;
  private final List<Var> rows;
  private final UniformArrays uniform;

  /**
   * @param b takes the code
   * @param rows what is reduced or scanned
   */
  public OperatorInterchange(Builder b, List<Var> rows, UniformArrays uniform) {
    this.b = b;
    this.rows = rows;
    this.uniform = uniform;
  }

  /** Binds the results of the reduction, whose operator maps this one on rows. */
  public void reduce(List<Var> results, Reduce reduce, Lambda row) {
    var map =
        map(
            reduce.neutral(),
            (c, xs, ne) -> {
              var inner = new Reduce(new Renaming().lambda(row), ne, reduce.commutative());
              return c.screma(height(), xs, List.of(), List.of(inner), c.identity(xs));
            });
    b.bindAll(results, map);
  }

  /** Binds the results of the scan, whose operator maps this one on rows. */
  public void scan(List<Var> results, Scan scan, Lambda row) {
    var map =
        map(
            scan.neutral(),
            (c, xs, ne) -> {
              var inner = new Scan(new Renaming().lambda(row), ne);
              return c.screma(height(), xs, List.of(inner), List.of(), c.identity(xs));
            });
    var scanned = b.bindAll("scanned", map);
    for (int k = 0; k < results.size(); k++) {
      b.bindAll(List.of(results.get(k)), Builder.transposition(scanned.get(k)));
    }
  }

  private Atom height() {
    return rows.getFirst().type().dims().getFirst();
  }

  @FunctionalInterface
  private interface Column {
    List<Var> apply(Builder b, List<Var> column, List<Atom> neutral);
  }

  private Screma map(List<Atom> neutral, Column function) {
    var inputs = new ArrayList<Var>();
    rows.forEach(r -> inputs.add(b.transposed(r)));
    int n = inputs.size();
    boolean known = neutral.stream().allMatch(this::isKnown);
    if (!known) {
      neutral.forEach(e -> inputs.add((Var) e));
    }
    var width = inputs.getFirst().type().dims().getFirst();
    var map =
        b.lambda(
            inputs.stream().map(v -> Builder.rowType(v.type())).toList(),
            (c, p) -> {
              var elements =
                  known
                      ? neutral.stream().map(ne -> uniform.element(ne).orElseThrow()).toList()
                      : List.<Atom>copyOf(p.subList(n, 2 * n));
              return function.apply(c, p.subList(0, n), elements);
            });
    return new Screma(width, inputs, List.of(), List.of(), map);
  }

  /** Whether all elements of a vector are the same one. */
  private boolean isKnown(Atom neutral) {
    return neutral.type().dims().size() == 1 && uniform.element(neutral).isPresent();
  }
}
