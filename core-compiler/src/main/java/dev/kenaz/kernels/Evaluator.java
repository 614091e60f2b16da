package dev.kenaz.kernels;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Sizes;

/** Evaluates expressions. Scalars are bits in normal form (see {@link Prim}). */
public abstract class Evaluator {
  protected abstract long register(Reg reg);

  protected abstract long load(Prim prim, long address);

  public final long eval(Expr e) {
    return switch (e) {
      case Expr.Lit(var value) -> value.bits();
      case Expr.Use(var reg) -> register(reg);
      case Expr.Un(var op, var x, _) -> ScalarOps.unary(op, value(x)).bits();
      case Expr.Bin(var op, var x, var y) -> {
        if (x.prim() == Prim.I64) {
          long a = eval(x);
          long b = eval(y);
          yield switch (op) {
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            default -> binary(op, x.prim(), a, y.prim(), b);
          };
        }
        yield ScalarOps.binary(op, value(x), value(y)).bits();
      }
      case Expr.Cmp(var op, var x, var y) -> ScalarOps.compare(op, value(x), value(y)) ? 1 : 0;
      case Expr.Size(var x, var y) -> Sizes.times(eval(x), eval(y));
      case Expr.MulAdd(var x, var y, var z) -> ScalarOps.fma(value(x), value(y), value(z)).bits();
      case Expr.Conv(var prim, var x) -> ScalarOps.convert(prim, value(x)).bits();
      case Expr.Select(var c, var x, var y) -> eval(c) != 0 ? eval(x) : eval(y);
      case Expr.Load(var prim, var base, var index) -> load(prim, address(prim, base, index));
    };
  }

  public final boolean holds(Expr e) {
    return eval(e) != 0;
  }

  public final long address(Prim prim, Expr base, Expr index) {
    return eval(base) + eval(index) * prim.byteSize();
  }

  private ScalarValue value(Expr e) {
    return new ScalarValue(e.prim(), eval(e));
  }

  private static long binary(BinaryOp op, Prim p, long a, Prim q, long b) {
    return ScalarOps.binary(op, new ScalarValue(p, a), new ScalarValue(q, b)).bits();
  }
}
