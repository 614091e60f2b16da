package dev.kenaz.jvm;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Takes several iterations of loops together that do nothing but update accumulators. A {@link
 * LaneBlock} then sums for all these updates in one loop over the points: none of the sums waits
 * for the one before, and what several of them read is read once.
 *
 * <pre>
 *   for i &lt; m: for j &lt; n: acc[i, j] += a[i] * b[j]
 *     =&gt;  for i &lt; m / 2: for j &lt; n / 4: the 2 x 4 updates at (2 * i, 4 * j)
 *         and what is left of i and j
 * </pre>
 */
final class UpdateTiles {
  private static final int INNER = 4;
  private static final int OUTER = 2;

  private UpdateTiles() {}

  /**
   * Returns loops that do the same.
   *
   * @param f its body sets registers that nothing else reads, updates accumulators, and ends with
   *     at most one more such loop
   */
  static List<Code> of(Code.For f) {
    if (!(f.body().getLast() instanceof Code.For inner)) {
      return together(f, INNER);
    }
    var body = new ArrayList<>(f.body().subList(0, f.body().size() - 1));
    body.addAll(of(inner));
    return together(new Code.For(f.i(), f.bound(), body, true, List.of()), OUTER);
  }

  /** Returns a loop over groups of so many iterations, and one over those that are left. */
  private static List<Code> together(Code.For f, int count) {
    var size = Expr.i64(count);
    var many = new Expr.Bin(BinaryOp.QUOT, f.bound(), size);
    var group = Reg.index(f.i().name());
    var copies = new ArrayList<List<Code>>();
    for (int c = 0; c < count; c++) {
      copies.add(copy(f, Expr.add(Expr.mul(Expr.use(group), size), Expr.i64(c))));
    }
    var done = Expr.mul(many, size);
    var single = Reg.index(f.i().name());
    var rest = copy(f, Expr.add(done, Expr.use(single)));
    return List.of(
        new Code.For(group, many, zipped(copies), true, List.of()),
        new Code.For(single, Expr.sub(f.bound(), done), rest, true, List.of()));
  }

  /** Returns the body with registers of its own and another counter. */
  private static List<Code> copy(Code.For f, Expr counter) {
    var names = new HashMap<Reg, Expr>();
    for (var r : Registers.of(f.body()).assigned()) {
      names.put(r, Expr.use(Reg.fresh(r.name(), r.prim())));
    }
    names.put(f.i(), counter);
    return Operands.renamed(f.body(), names);
  }

  /** Joins bodies of one form: one after the other, but inner loops together. */
  private static List<Code> zipped(List<List<Code>> bodies) {
    var form = bodies.getFirst();
    var out = new ArrayList<Code>();
    int from = 0;
    for (int k = 0; k < form.size(); k++) {
      if (form.get(k) instanceof Code.For) {
        int at = k;
        int start = from;
        bodies.forEach(b -> out.addAll(b.subList(start, at)));
        out.add(joined(bodies.stream().map(b -> b.get(at)).toList()));
        from = k + 1;
      }
    }
    int start = from;
    bodies.forEach(b -> out.addAll(b.subList(start, b.size())));
    return out;
  }

  private static Code joined(List<Code> loops) {
    Code.For first = null;
    var bodies = new ArrayList<List<Code>>();
    for (var c : loops) {
      if (!(c instanceof Code.For f)) {
        throw new CompilerBug("jvm", "copies of a loop differ");
      }
      first = first == null ? f : first;
      bodies.add(Operands.renamed(f.body(), Map.of(f.i(), Expr.use(first.i()))));
    }
    return new Code.For(first.i(), first.bound(), zipped(bodies), true, List.of());
  }
}
