package dev.kenaz.loopir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.ir.CompareOp;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Conditions go if a loop's counter and bound imply them, and only then. */
final class CounterBoundsTest {
  private static final String SUMS =
      """
      entry main [n] [k] (xs: [n][k]f64) (from: i64) : [k]f64 =
        vjp (\\ws -> f64.sum (map (\\x -> let s = f64.sum (map (\\i -> ws[INDEX] * x[i]) (iota k))
                                          in s * s) xs))
            (replicate k 1) 1
      """;

  @Test
  void anUpdateAtTheCounterIsUnconditional() {
    var code = code("i");
    assertTrue(conditions(code) > 0);
    assertEquals(0, conditions(without(code)));
  }

  @Test
  void anUpdateElsewhereKeepsItsCondition() {
    var code = code("i64.min (k - 1) (i + i64.max 0 from)");
    assertTrue(conditions(without(code)) > 0);
  }

  @Test
  void theConditionGoesOnlyWhereTheBoundIsStillWhatItWas() {
    var i = Reg.index("i");
    var n = Reg.index("n");
    var to = Reg.index("to");
    var below = new Expr.Cmp(CompareOp.LT, Expr.use(i), Expr.use(n));
    List<Code> inside = List.of(new Code.Set(to, Expr.use(i)));
    List<Code> branch = List.of(new Code.If(below, inside, List.of()));
    assertEquals(
        List.of(new Code.For(i, Expr.use(n), inside, false, List.of())),
        CounterBounds.without(List.of(new Code.For(i, Expr.use(n), branch, false, List.of()))));
    List<Code> changed =
        List.of(branch.getFirst(), new Code.Set(n, Expr.sub(Expr.use(n), Expr.i64(1))));
    List<Code> loop = List.of(new Code.For(i, Expr.use(n), changed, false, List.of()));
    assertEquals(loop, CounterBounds.without(loop));
    assertEquals(branch, CounterBounds.without(branch));
  }

  private static LoopFun code(String index) {
    return Pipelines.loops(2)
        .apply(Optimised.text(SUMS.replace("INDEX", index)))
        .functions()
        .getFirst();
  }

  private static List<Code> without(LoopFun function) {
    return CounterBounds.without(function).body();
  }

  private static int conditions(LoopFun function) {
    return conditions(function.body());
  }

  /** Counts branches in loops in loops: those around decide what is done in parallel. */
  private static int conditions(List<Code> code) {
    var count = new int[1];
    CodeWalk.code(
        code,
        c -> {
          if (c instanceof Code.For f) {
            CodeWalk.code(f.body(), inner -> count[0] += inner instanceof Code.If ? 1 : 0, _ -> {});
          }
        },
        _ -> {});
    return count[0];
  }
}
