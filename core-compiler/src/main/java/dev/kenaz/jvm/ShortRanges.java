package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Computes in 16 bits what a vector loop computes in more from bytes and shorts, where the results
 * are known to fit: twice or four times as many lanes do so at once. Programs take bytes of an
 * image for i32 to add them up, and write bytes again:
 *
 * <pre>
 *   t = i32 a[i] + 2 * i32 b[i]      in 0 .. 765
 *   c[i] = u8 (t / 4)
 * </pre>
 *
 * <p>Each number has the range that follows from its operands by interval arithmetic. One in -32768
 * .. 32767 is an i16, another in 0 .. 65535 a u16. Sums, differences and products of 16 bits have
 * the right bits, whatever type the operands have; what compares or shifts to the right takes
 * operands of one type that has the ranges of both.
 */
final class ShortRanges {
  /** A number of 16 bits that is in a range. */
  private record Ranged(Expr e, long low, long high) {}

  private static final int BITS = 16;

  private final Map<Reg, Ranged> known = new HashMap<>();
  private final Map<Reg, Integer> sets;
  private boolean changed;

  private ShortRanges(Map<Reg, Integer> sets) {
    this.sets = sets;
  }

  /** Returns the code in 16 bits; empty if that changes nothing. */
  static Optional<List<Code>> in(List<Code> body) {
    var ranges = new ShortRanges(Registers.sets(body));
    var result = ranges.code(body);
    return ranges.changed ? Optional.of(withoutUnread(result)) : Optional.empty();
  }

  private List<Code> code(List<Code> code) {
    var out = new ArrayList<Code>();
    for (var c : code) {
      switch (c) {
        case Code.Set(var reg, var e) when isWide(reg.prim()) && sets.get(reg) == 1 -> {
          out.add(new Code.Set(reg, inside(e)));
          var r = ranged(e);
          if (r != null) {
            var narrow = Reg.fresh(reg.name(), r.e.prim());
            out.add(new Code.Set(narrow, r.e));
            known.put(reg, new Ranged(Expr.use(narrow), r.low, r.high));
          }
        }
        case Code.Set(var reg, var e) -> out.add(new Code.Set(reg, inside(e)));
        case Code.Store(var prim, var base, var index, var value) ->
            out.add(new Code.Store(prim, base, index, inside(value)));
        case Code.If(var condition, var then, var otherwise) ->
            out.add(new Code.If(condition, code(then), code(otherwise)));
        default -> out.add(c);
      }
    }
    return out;
  }

  /** Leaves out what nobody reads any more, as it has been replaced. */
  private static List<Code> withoutUnread(List<Code> code) {
    var next = without(code, Registers.reads(code));
    return next.equals(code) ? code : withoutUnread(next);
  }

  private static List<Code> without(List<Code> code, Map<Reg, Integer> read) {
    var kept = new ArrayList<Code>();
    for (var c : code) {
      switch (c) {
        case Code.Set(var reg, var e)
            when isWide(reg.prim()) && !read.containsKey(reg) && Operands.isPure(e) -> {}
        case Code.If(var condition, var then, var otherwise) ->
            kept.add(new Code.If(condition, without(then, read), without(otherwise, read)));
        default -> kept.add(c);
      }
    }
    return kept;
  }

  private static boolean isWide(Prim prim) {
    return prim.isInteger() && prim.byteSize() >= Integer.BYTES;
  }

  // Expressions of any type

  /** Returns the expression with what is converted or compared in it in 16 bits. */
  private Expr inside(Expr e) {
    if (e instanceof Expr.Conv(var to, var x) && isWide(x.prim()) && NarrowVectors.isNarrow(to)) {
      var r = ranged(x);
      if (r != null) {
        changed = true;
        return r.e.prim() == to ? r.e : new Expr.Conv(to, r.e);
      }
    }
    if (e instanceof Expr.Cmp(var op, var x, var y) && isWide(x.prim())) {
      var a = ranged(x);
      var b = ranged(y);
      var prim = a == null || b == null ? null : both(a, b);
      if (prim != null && !(x instanceof Expr.Lit && y instanceof Expr.Lit)) {
        changed = true;
        return new Expr.Cmp(op, as(prim, a), as(prim, b));
      }
    }
    return e.map(this::inside);
  }

  // Ranges

  /** Returns the wide integer in 16 bits; null if it may not fit. */
  private Ranged ranged(Expr e) {
    return switch (e) {
      case Expr.Lit(var n) when isWide(e.prim()) && !isLarge(n) -> literal(n.bits());
      case Expr.Use(var reg) -> known.get(reg);
      case Expr.Conv(var to, var x) when isWide(to) -> converted(to, x);
      case Expr.Un(var op, var x, var prim) when isWide(prim) -> unary(op, x, prim);
      case Expr.Bin(var op, var x, var y) when isWide(e.prim()) -> binary(op, x, y);
      case Expr.Select(var c, var x, var y) when isWide(e.prim()) -> selected(c, x, y);
      default -> null;
    };
  }

  private static boolean isLarge(ScalarValue n) {
    return type(n.bits(), n.bits()) == null || n.prim().isUnsigned() && n.bits() < 0;
  }

  private static Ranged literal(long n) {
    return new Ranged(new Expr.Lit(ScalarValue.ofLong(type(n, n), n)), n, n);
  }

  /** Returns the type with such a range; null if there is none. */
  private static Prim type(long low, long high) {
    if (low >= Short.MIN_VALUE && high <= Short.MAX_VALUE) {
      return Prim.I16;
    }
    return low >= 0 && high < 1 << BITS ? Prim.U16 : null;
  }

  /** Returns the type that has the ranges of both; null if there is none. */
  private static Prim both(Ranged a, Ranged b) {
    return type(Math.min(a.low, b.low), Math.max(a.high, b.high));
  }

  /** Returns the same bits in the type. */
  private static Expr as(Prim prim, Ranged r) {
    return switch (r.e) {
      case Expr.Lit(var n) -> new Expr.Lit(ScalarValue.ofLong(prim, n.bits()));
      case Expr e -> e.prim() == prim ? e : new Expr.Conv(prim, e);
    };
  }

  private Ranged converted(Prim to, Expr x) {
    if (x.prim() == Prim.BOOL) {
      return new Ranged(new Expr.Conv(Prim.I16, inside(x)), 0, 1);
    }
    if (isWide(x.prim())) {
      var r = ranged(x);
      return r == null || to.isUnsigned() && r.low < 0 ? null : r;
    }
    if (!NarrowVectors.isNarrow(x.prim()) || ScalarOps.extendsByZeros(x.prim(), to)) {
      return null;
    }
    int bits = 8 * x.prim().byteSize();
    long low = x.prim().isSigned() ? -1L << bits - 1 : 0;
    var prim = type(low, low + (1L << bits) - 1);
    var inside = inside(x);
    var e = inside.prim() == prim ? inside : new Expr.Conv(prim, inside);
    return new Ranged(e, low, low + (1L << bits) - 1);
  }

  private Ranged unary(UnaryOp op, Expr x, Prim prim) {
    var r = ranged(x);
    if (r == null || prim.isUnsigned()) {
      return null;
    }
    return switch (op) {
      case NEG -> made(-r.high, -r.low, t -> new Expr.Un(op, as(t, r), t));
      case NOT -> made(-r.high - 1, -r.low - 1, t -> new Expr.Un(op, as(t, r), t));
      case ABS ->
          type(r.low, r.high) == Prim.I16 && r.low > Short.MIN_VALUE
              ? new Ranged(new Expr.Un(op, as(Prim.I16, r), Prim.I16), 0, Math.max(-r.low, r.high))
              : null;
      default -> null;
    };
  }

  /** Makes an expression of the type that has the range; null if there is none. */
  private static Ranged made(long low, long high, Function<Prim, Expr> of) {
    var prim = type(low, high);
    return prim == null ? null : new Ranged(of.apply(prim), low, high);
  }

  private Ranged binary(BinaryOp op, Expr x, Expr y) {
    var a = ranged(x);
    var b = ranged(y);
    if (a == null || b == null) {
      return null;
    }
    return switch (op) {
      case ADD -> ring(op, a, b, a.low + b.low, a.high + b.high);
      case SUB ->
          x.prim().isUnsigned() && a.low < b.high
              ? null
              : ring(op, a, b, a.low - b.high, a.high - b.low);
      case MUL -> product(a, b);
      case AND ->
          a.low < 0 && b.low < 0
              ? null
              : ring(
                  op, a, b, 0, a.low < 0 ? b.high : b.low < 0 ? a.high : Math.min(a.high, b.high));
      case OR, XOR ->
          a.low < 0 || b.low < 0 ? null : ring(op, a, b, 0, bits(Math.max(a.high, b.high)));
      case MIN -> exact(op, a, b, Math.min(a.low, b.low), Math.min(a.high, b.high));
      case MAX -> exact(op, a, b, Math.max(a.low, b.low), Math.max(a.high, b.high));
      case SHL -> near(y) ? shiftedLeft(a, (int) b.low) : null;
      case SHR -> near(y) ? shifted(a, (int) b.low) : null;
      case USHR -> near(y) && a.low >= 0 ? shifted(a, (int) b.low) : null;
      case DIV -> power(y) >= 0 ? shifted(a, power(y)) : null;
      case QUOT -> power(y) >= 0 && a.low >= 0 ? shifted(a, power(y)) : null;
      case MOD -> power(y) >= 0 ? remainder(a, b) : null;
      case REM -> power(y) >= 0 && a.low >= 0 ? remainder(a, b) : null;
      default -> null;
    };
  }

  /** The operands' low bits decide about those of the result. */
  private static Ranged ring(BinaryOp op, Ranged a, Ranged b, long low, long high) {
    return made(low, high, t -> new Expr.Bin(op, as(t, a), as(t, b)));
  }

  /** The operands are compared. */
  private static Ranged exact(BinaryOp op, Ranged a, Ranged b, long low, long high) {
    var prim = both(a, b);
    return prim == null ? null : new Ranged(new Expr.Bin(op, as(prim, a), as(prim, b)), low, high);
  }

  private static Ranged product(Ranged a, Ranged b) {
    long[] ends = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    Arrays.sort(ends);
    return ring(BinaryOp.MUL, a, b, ends[0], ends[3]);
  }

  private static Ranged shiftedLeft(Ranged a, int by) {
    return made(
        a.low << by,
        a.high << by,
        t -> new Expr.Bin(BinaryOp.SHL, as(t, a), new Expr.Lit(ScalarValue.ofLong(t, by))));
  }

  private static Ranged shifted(Ranged a, int by) {
    var prim = type(a.low, a.high);
    var distance = new Expr.Lit(ScalarValue.ofLong(prim, by));
    var e = by == 0 ? as(prim, a) : new Expr.Bin(BinaryOp.SHR, as(prim, a), distance);
    return new Ranged(e, a.low >> by, a.high >> by);
  }

  private static Ranged remainder(Ranged a, Ranged divisor) {
    return ring(BinaryOp.AND, a, literal(divisor.low - 1), 0, divisor.low - 1);
  }

  private Ranged selected(Expr c, Expr x, Expr y) {
    var a = ranged(x);
    var b = ranged(y);
    var prim = a == null || b == null ? null : both(a, b);
    return prim == null
        ? null
        : new Ranged(
            new Expr.Select(inside(c), as(prim, a), as(prim, b)),
            Math.min(a.low, b.low),
            Math.max(a.high, b.high));
  }

  /** Whether it is a distance that 16 bits can be shifted by. */
  private static boolean near(Expr by) {
    return by instanceof Expr.Lit(var n) && n.bits() >= 0 && n.bits() < BITS;
  }

  /** Returns which power of two the expression is; -1 if it is none that 16 bits have. */
  private static int power(Expr e) {
    return e instanceof Expr.Lit(var n)
            && n.bits() > 0
            && n.bits() < 1 << BITS - 1
            && Long.bitCount(n.bits()) == 1
        ? Long.numberOfTrailingZeros(n.bits())
        : -1;
  }

  /** Returns the largest number with as many bits. */
  private static long bits(long n) {
    return n == 0 ? 0 : (Long.highestOneBit(n) << 1) - 1;
  }
}
