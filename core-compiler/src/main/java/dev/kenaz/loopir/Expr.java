package dev.kenaz.loopir;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Sizes;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * This is a scalar without side effects. Divisors and exponents have been checked before; loads are
 * in bounds.
 */
public sealed interface Expr {
  Prim prim();

  /** Returns the operands, from left to right. */
  default List<Expr> operands() {
    return switch (this) {
      case Lit _, Use _ -> List.of();
      case Un(_, var x, _) -> List.of(x);
      case Conv(_, var x) -> List.of(x);
      case Bin(_, var x, var y) -> List.of(x, y);
      case Cmp(_, var x, var y) -> List.of(x, y);
      case Size(var x, var y) -> List.of(x, y);
      case MulAdd(var x, var y, var z) -> List.of(x, y, z);
      case Select(var c, var x, var y) -> List.of(c, x, y);
      case Load(_, var base, var index) -> List.of(base, index);
    };
  }

  /** Returns the same expression with other operands, which are made from left to right. */
  default Expr map(UnaryOperator<Expr> f) {
    return switch (this) {
      case Lit _, Use _ -> this;
      case Un(var op, var x, var prim) -> new Un(op, f.apply(x), prim);
      case Conv(var prim, var x) -> new Conv(prim, f.apply(x));
      case Bin(var op, var x, var y) -> new Bin(op, f.apply(x), f.apply(y));
      case Cmp(var op, var x, var y) -> new Cmp(op, f.apply(x), f.apply(y));
      case Size(var x, var y) -> size(f.apply(x), f.apply(y));
      case MulAdd(var x, var y, var z) -> new MulAdd(f.apply(x), f.apply(y), f.apply(z));
      case Select(var c, var x, var y) -> new Select(f.apply(c), f.apply(x), f.apply(y));
      case Load(var prim, var base, var index) -> new Load(prim, f.apply(base), f.apply(index));
    };
  }

  record Lit(ScalarValue value) implements Expr {
    @Override
    public Prim prim() {
      return value.prim();
    }

    @Override
    public String toString() {
      return value.toString();
    }
  }

  record Use(Reg reg) implements Expr {
    @Override
    public Prim prim() {
      return reg.prim();
    }

    @Override
    public String toString() {
      return reg.toString();
    }
  }

  record Un(UnaryOp op, Expr x, Prim prim) implements Expr {}

  record Bin(BinaryOp op, Expr x, Expr y) implements Expr {
    @Override
    public Prim prim() {
      return x.prim();
    }
  }

  record Cmp(CompareOp op, Expr x, Expr y) implements Expr {
    @Override
    public Prim prim() {
      return Prim.BOOL;
    }
  }

  /**
   * The product of two sizes, as {@link Sizes#times} has it: how many elements or bytes there are.
   */
  record Size(Expr x, Expr y) implements Expr {
    @Override
    public Prim prim() {
      return Prim.I64;
    }
  }

  record MulAdd(Expr x, Expr y, Expr z) implements Expr {
    @Override
    public Prim prim() {
      return x.prim();
    }
  }

  record Conv(Prim prim, Expr x) implements Expr {}

  /** Chooses one of two values; both may be evaluated. */
  record Select(Expr condition, Expr then, Expr otherwise) implements Expr {
    @Override
    public Prim prim() {
      return then.prim();
    }
  }

  /** The element at {@code base + index * size of prim}. */
  record Load(Prim prim, Expr base, Expr index) implements Expr {}

  // Construction, with the few simplifications that index arithmetic needs

  static Lit i64(long value) {
    return new Lit(ScalarValue.i64(value));
  }

  static Lit zero(Prim prim) {
    return new Lit(ScalarValue.ofLong(prim, 0));
  }

  static Lit bool(boolean value) {
    return new Lit(ScalarValue.bool(value));
  }

  static Use use(Reg reg) {
    return new Use(reg);
  }

  /** Adds two i64. */
  static Expr add(Expr x, Expr y) {
    if (x instanceof Lit a && y instanceof Lit b) {
      return i64(a.value().bits() + b.value().bits());
    }
    return isConst(x, 0) ? y : isConst(y, 0) ? x : new Bin(BinaryOp.ADD, x, y);
  }

  /** Multiplies two i64. */
  static Expr mul(Expr x, Expr y) {
    if (x instanceof Lit a && y instanceof Lit b) {
      return i64(a.value().bits() * b.value().bits());
    }
    if (isConst(x, 0) || isConst(y, 1)) {
      return x;
    }
    return isConst(y, 0) || isConst(x, 1) ? y : new Bin(BinaryOp.MUL, x, y);
  }

  /** Returns the product of two sizes. */
  static Expr size(Expr x, Expr y) {
    if (x instanceof Lit a && y instanceof Lit b) {
      return i64(Sizes.times(a.value().bits(), b.value().bits()));
    }
    if (isConst(x, 0) || isConst(y, 1)) {
      return x;
    }
    return isConst(y, 0) || isConst(x, 1) ? y : new Size(x, y);
  }

  static Expr sub(Expr x, Expr y) {
    if (x instanceof Lit a && y instanceof Lit b) {
      return i64(a.value().bits() - b.value().bits());
    }
    return isConst(y, 0) ? x : new Bin(BinaryOp.SUB, x, y);
  }

  static boolean isConst(Expr x, long value) {
    return x instanceof Lit l && !l.prim().isFloat() && l.value().bits() == value;
  }
}
