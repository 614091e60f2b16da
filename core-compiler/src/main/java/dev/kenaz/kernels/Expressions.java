package dev.kenaz.kernels;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Sizes;
import java.util.HashMap;
import java.util.Map;

/**
 * Translates expressions to functions of registers, as a kernel's thread or the host has them. The
 * functions for frequent operators work on bits, without objects for scalars.
 */
public final class Expressions {
  private final Map<Reg, Integer> numbers = new HashMap<>();

  /** Returns the number of a register; numbers count from 0. */
  public int number(Reg reg) {
    return numbers.computeIfAbsent(reg, _ -> numbers.size());
  }

  /** Returns how many registers have a number. */
  public int registers() {
    return numbers.size();
  }

  public Eval of(Expr e) {
    return switch (e) {
      case Expr.Lit(var value) -> {
        long bits = value.bits();
        yield (_, _) -> bits;
      }
      case Expr.Use(var reg) -> {
        int number = number(reg);
        yield (w, lane) -> w.get(number, lane);
      }
      case Expr.Un(var op, var x, _) -> {
        var p = x.prim();
        var a = of(x);
        yield (w, lane) -> ScalarOps.unary(op, new ScalarValue(p, a.of(w, lane))).bits();
      }
      case Expr.Bin(var op, var x, var y) -> binary(op, x.prim(), of(x), y.prim(), of(y));
      case Expr.Cmp(var op, var x, var y) -> compare(op, x.prim(), of(x), of(y));
      case Expr.Size(var x, var y) -> {
        var a = of(x);
        var b = of(y);
        yield (w, lane) -> Sizes.times(a.of(w, lane), b.of(w, lane));
      }
      case Expr.MulAdd(var x, var y, var z) -> {
        var p = x.prim();
        var a = of(x);
        var b = of(y);
        var c = of(z);
        yield (w, lane) ->
            ScalarOps.fma(
                    new ScalarValue(p, a.of(w, lane)),
                    new ScalarValue(p, b.of(w, lane)),
                    new ScalarValue(p, c.of(w, lane)))
                .bits();
      }
      case Expr.Conv(var prim, var x) -> convert(prim, x.prim(), of(x));
      case Expr.Select(var c, var x, var y) -> {
        var condition = of(c);
        var a = of(x);
        var b = of(y);
        yield (w, lane) -> condition.of(w, lane) != 0 ? a.of(w, lane) : b.of(w, lane);
      }
      case Expr.Load(var prim, var base, var index) -> {
        var address = address(prim, base, index);
        yield (w, lane) -> w.load(prim, address.of(w, lane), lane);
      }
    };
  }

  public Eval address(Prim prim, Expr base, Expr index) {
    var b = of(base);
    var i = of(index);
    int size = prim.byteSize();
    return (w, lane) -> b.of(w, lane) + i.of(w, lane) * size;
  }

  private static Eval convert(Prim to, Prim from, Eval x) {
    boolean integers = !to.isFloat() && !from.isFloat() && to != Prim.BOOL;
    if (integers && !ScalarOps.extendsByZeros(from, to)) {
      return (w, lane) -> to.normalise(x.of(w, lane));
    }
    return (w, lane) -> ScalarOps.convert(to, new ScalarValue(from, x.of(w, lane))).bits();
  }

  public static Eval binary(BinaryOp op, Prim p, Eval x, Prim q, Eval y) {
    if (p.isSigned() || p.isUnsigned()) {
      switch (op) {
        case ADD -> {
          return (w, lane) -> p.normalise(x.of(w, lane) + y.of(w, lane));
        }
        case SUB -> {
          return (w, lane) -> p.normalise(x.of(w, lane) - y.of(w, lane));
        }
        case MUL -> {
          return (w, lane) -> p.normalise(x.of(w, lane) * y.of(w, lane));
        }
        default -> {}
      }
    }
    if (p == Prim.F64) {
      switch (op) {
        case ADD -> {
          return (w, lane) -> bits(number(x.of(w, lane)) + number(y.of(w, lane)));
        }
        case SUB -> {
          return (w, lane) -> bits(number(x.of(w, lane)) - number(y.of(w, lane)));
        }
        case MUL -> {
          return (w, lane) -> bits(number(x.of(w, lane)) * number(y.of(w, lane)));
        }
        default -> {}
      }
    }
    return (w, lane) ->
        ScalarOps.binary(op, new ScalarValue(p, x.of(w, lane)), new ScalarValue(q, y.of(w, lane)))
            .bits();
  }

  private static double number(long bits) {
    return Double.longBitsToDouble(bits);
  }

  private static long bits(double x) {
    return Double.doubleToRawLongBits(x);
  }

  private static Eval compare(CompareOp op, Prim p, Eval x, Eval y) {
    if (!p.isFloat() && p != Prim.U64) { // The bits in normal form compare as the numbers do.
      return switch (op) {
        case EQ -> (w, lane) -> x.of(w, lane) == y.of(w, lane) ? 1 : 0;
        case LT -> (w, lane) -> x.of(w, lane) < y.of(w, lane) ? 1 : 0;
        case LE -> (w, lane) -> x.of(w, lane) <= y.of(w, lane) ? 1 : 0;
      };
    }
    return (w, lane) ->
        ScalarOps.compare(op, new ScalarValue(p, x.of(w, lane)), new ScalarValue(p, y.of(w, lane)))
            ? 1
            : 0;
  }
}
