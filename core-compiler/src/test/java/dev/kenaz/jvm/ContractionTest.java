package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Which sums are made of fused multiply-adds; that their results are right is tested elsewhere. */
final class ContractionTest {
  @Test
  void productsAreAddedInOneInstruction() {
    var code = contracted("entry main [n] (xs: [n]f64) ys = f64.sum (map2 (*) xs ys)");
    assertEquals(1, fused(code));
    assertEquals(0, count(code, e -> e instanceof Expr.Bin b && isFloatProduct(b)));
  }

  @Test
  void aProductThatIsReadElsewhereIsKept() {
    var code =
        contracted(
            """
            entry main [n] (xs: [n]f32) (ys: [n]f32) =
              let zs = map2 (*) xs ys
              in (f32.sum zs, zs)
            """);
    assertEquals(1, fused(code));
    assertEquals(1, count(code, e -> e instanceof Expr.Bin b && isFloatProduct(b)));
  }

  @Test
  void whatIsNoSumOfFloatProductsStays() {
    assertEquals(0, fused(contracted("entry main [n] (xs: [n]i64) = i64.sum (map (** 2) xs)")));
    assertEquals(0, fused(contracted("entry main [n] (xs: [n]f64) = f64.maximum (map (* 2) xs)")));
    assertEquals(0, fused(contracted("entry main [n] (xs: [n]f64) = map (\\x -> x * x + 1) xs")));
    assertEquals(0, fused(contracted("entry main [n] (xs: [n]f16) = f16.sum (map (* 2) xs)")));
  }

  private static List<Code> contracted(String program) {
    var functions = Pipelines.loops(1).apply(Optimised.text(program)).functions();
    return functions.stream().map(Contraction::in).map(LoopFun::body).findFirst().orElseThrow();
  }

  private static boolean isFloatProduct(Expr.Bin b) {
    return b.op() == BinaryOp.MUL && b.prim().isFloat();
  }

  private static long fused(List<Code> code) {
    return count(code, Expr.MulAdd.class::isInstance);
  }

  private static long count(List<Code> code, Predicate<Expr> which) {
    var n = new long[1];
    CodeWalk.code(code, _ -> {}, e -> n[0] += which.test(e) ? 1 : 0);
    return n[0];
  }
}
