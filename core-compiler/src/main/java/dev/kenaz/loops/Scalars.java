package dev.kenaz.loops;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Binary;
import dev.kenaz.ir.Exp.Compare;
import dev.kenaz.ir.Exp.Convert;
import dev.kenaz.ir.Exp.Fma;
import dev.kenaz.ir.Exp.Unary;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.loopir.Expr;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.List;

/** Translates scalar expressions, with the checks that must precede them. */
record Scalars(Scope scope) {
  Expr lower(Exp exp) {
    return switch (exp) {
      case Unary(var op, var x) -> {
        var e = scope.scalar(x);
        yield switch (op) {
          // these are comparisons, which vectors have
          case ISNAN -> new Expr.Un(UnaryOp.NOT, Scope.equal(e, e), Prim.BOOL);
          case ISINF -> Scope.equal(new Expr.Un(UnaryOp.ABS, e, e.prim()), infinity(e.prim()));
          default -> new Expr.Un(op, e, op.result(e.prim()));
        };
      }
      case Binary(var op, var x, var y) -> {
        var a = scope.scalar(x);
        var b = scope.scalar(y);
        check(op, a, b);
        yield powerOfTwo(b) ? byPowerOfTwo(op, a, (Expr.Lit) b) : binary(op, a, b);
      }
      case Compare(var op, var x, var y) -> new Expr.Cmp(op, scope.scalar(x), scope.scalar(y));
      case Fma(var x, var y, var z) ->
          new Expr.MulAdd(scope.scalar(x), scope.scalar(y), scope.scalar(z));
      case Convert(var to, var x) -> {
        var e = scope.scalar(x);
        yield e.prim() == to ? e : new Expr.Conv(to, e);
      }
      default -> throw new CompilerBug("loops", "not a scalar expression: " + exp);
    };
  }

  private static Expr infinity(Prim prim) {
    return new Expr.Lit(ScalarValue.ofDouble(prim, Double.POSITIVE_INFINITY));
  }

  private static boolean powerOfTwo(Expr b) {
    return b instanceof Expr.Lit l
        && !l.prim().isFloat()
        && l.prim() != Prim.BOOL
        && Long.bitCount(l.value().bits()) == 1
        && l.value().bits() > 0;
  }

  /**
   * Divides by a power of two: divisions that round down are shifts, and their remainders the
   * lowest bits, also of negative numbers in two's complement; for those that truncate this holds
   * for unsigned numbers only.
   */
  private static Expr byPowerOfTwo(BinaryOp op, Expr a, Expr.Lit b) {
    var prim = b.prim();
    long divisor = b.value().bits();
    if (prim.isSigned() && op != BinaryOp.DIV && op != BinaryOp.MOD) {
      return binary(op, a, b);
    }
    return switch (op) {
      case DIV, QUOT ->
          new Expr.Bin(BinaryOp.SHR, a, literal(prim, Long.numberOfTrailingZeros(divisor)));
      case MOD, REM -> new Expr.Bin(BinaryOp.AND, a, literal(prim, divisor - 1));
      default -> binary(op, a, b);
    };
  }

  private static Expr literal(Prim prim, long value) {
    return new Expr.Lit(ScalarValue.ofLong(prim, value));
  }

  private static Expr binary(BinaryOp op, Expr a, Expr b) {
    if (a.prim() != Prim.I64) {
      return new Expr.Bin(op, a, b);
    }
    return switch (op) {
      case ADD -> Expr.add(a, b);
      case SUB -> Expr.sub(a, b);
      case MUL -> Expr.mul(a, b);
      default -> new Expr.Bin(op, a, b);
    };
  }

  private void check(BinaryOp op, Expr a, Expr b) {
    if (a.prim().isFloat()) {
      return;
    }
    switch (op) {
      case DIV, MOD, QUOT, REM -> {
        if (b instanceof Expr.Lit ? Expr.isConst(b, 0) : !scope.isPositive(b)) {
          var zero = literal(b.prim(), 0);
          var nonZero = new Expr.Un(UnaryOp.NOT, Scope.equal(b, zero), Prim.BOOL);
          scope.check(nonZero, ScalarOps.DIVISION_BY_ZERO, "division by zero", List.of());
        }
      }
      case POW -> {
        if (b.prim().isSigned()) {
          var zero = literal(b.prim(), 0);
          var ok = new Expr.Cmp(CompareOp.LE, zero, b);
          scope.check(ok, ScalarOps.NEGATIVE_EXPONENT, "negative exponent {}", List.of(b));
        }
      }
      default -> {}
    }
  }
}
