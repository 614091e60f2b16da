package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Exp.Fma;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.value.Prim;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ScalarRulesTest {
  @ParameterizedTest
  @EnumSource(
      value = UnaryOp.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"NOT", "ISNAN", "ISINF", "TO_BITS", "FROM_BITS", "POPC", "CLZ", "CTZ"})
  void unary(UnaryOp op) {
    for (double x : new double[] {0.3, -0.4, 1.7}) {
      boolean defined =
          switch (op) {
            case SQRT, LOG, LOG2, LOG10 -> x > 0;
            case ASIN, ACOS, ATANH -> Math.abs(x) < 1;
            case ACOSH -> x > 1;
            default -> true;
          };
      if (defined) {
        Jacobians.at().scalar(x).agreeTwice((b, p) -> List.of(b.unary(op, p.getFirst())));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = BinaryOp.class,
      names = {
        "ADD",
        "SUB",
        "MUL",
        "DIV",
        "MOD",
        "REM",
        "POW",
        "MIN",
        "MAX",
        "ATAN2",
        "HYPOT",
        "COPYSIGN"
      })
  void binary(BinaryOp op) {
    for (double x : new double[] {0.7, 2.3}) {
      for (double y : new double[] {1.1, 0.45}) {
        Jacobians.at()
            .scalar(x)
            .scalar(y)
            .agreeTwice((b, p) -> List.of(b.binary(op, p.get(0), p.get(1))));
        Jacobians.at().scalar(x).agreeTwice((b, p) -> List.of(b.binary(op, p.get(0), p.get(0))));
        Jacobians.at()
            .scalar(x)
            .agreeTwice((b, p) -> List.of(b.binary(op, p.get(0), Atom.of(Prim.F64, y))));
      }
    }
  }

  @Test
  void fusedMultiplyAdd() {
    Jacobians.at()
        .scalar(2)
        .scalar(3)
        .scalar(5)
        .agreeTwice((b, p) -> List.of(b.bind("f", new Fma(p.get(0), p.get(1), p.get(2)))));
  }

  @Test
  void straightLine() {
    Jacobians.at()
        .scalar(0.5)
        .scalar(1.5)
        .agreeTwice(
            (b, p) -> {
              var t0 = b.unary(UnaryOp.SIN, p.get(0));
              var t1 = b.mul(p.get(1), t0);
              var t2 = b.div(t1, b.add(p.get(0), t1));
              var low = b.convert(Prim.F64, b.convert(Prim.F64, t2));
              return List.of(b.mul(t2, t1), low, p.get(0));
            });
  }
}
