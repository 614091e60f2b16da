package dev.kenaz.loopir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

/** By how much indices grow from one iteration to the next. */
final class StridesTest {
  private static final Reg I = Reg.index("i");
  private static final Reg X = Reg.index("x");
  private static final Reg Y = Reg.index("y");

  @Test
  void definitionsAreFollowed() {
    var strides =
        new Strides(
            List.of(
                new Code.Set(X, Expr.mul(Expr.use(I), Expr.i64(3))),
                new Code.Set(Y, Expr.add(Expr.use(X), Expr.i64(1)))));
    assertEquals(Expr.i64(3), strides.of(Expr.use(Y), I));
  }

  @Test
  void whatIsMadeOfItsOwnValueHasNone() {
    var strides =
        new Strides(
            List.of(
                new Code.Set(X, Expr.add(Expr.use(Y), Expr.i64(1))), new Code.Set(Y, Expr.use(X))));
    assertNull(strides.of(Expr.use(X), I));
    assertNull(strides.of(Expr.use(Y), I));
  }
}
