package dev.kenaz.jvm;

import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * Emits divisions of vectors of up to 32 bits by a constant c &gt; 1, as the upper half of a
 * product (Granlund and Montgomery, Division by Invariant Integers using Multiplication, 1994).
 *
 * <p>Let 2^(l-1) &lt; c &lt;= 2^l. A number y &lt; 2^31 has
 *
 * <pre>{@code
 * floor(y / c) = floor(m * y / 2^(31 + l))   with m = ceil(2^(31 + l) / c)
 * }</pre>
 *
 * <p>as m * c = 2^(31 + l) + e with e &lt; c &lt;= 2^l, so that the product is too large by less
 * than 2^31 * 2^l / 2^(31 + l) / c = 1 / c; and m &lt;= 2^32, which it is only for c = 2^(l-1). The
 * quotient of a negative x, rounded towards minus infinity, is that of ~x, inverted: {@code floor(x
 * / c) = ~floor(~x / c)}.
 *
 * <p>An unsigned y &lt; 2^32 needs another bit: with m' = floor(2^32 * (2^l - c) / c) + 1 and t =
 * floor(m' * y / 2^32), the quotient is (t + ((y - t) &gt;&gt;&gt; 1)) &gt;&gt;&gt; (l - 1).
 */
record ShortDivision(CodeBuilder code, Prim prim, long constant) {
  private static final ClassDesc INTS = Vectors.type(Prim.I32);
  private static final ClassDesc LONGS = Vectors.type(Prim.I64);
  private static final ClassDesc BINARY = Vectors.OPERATORS.nested("Binary");
  private static final ClassDesc ASSOCIATIVE = Vectors.OPERATORS.nested("Associative");
  private static final long LOWER = 0xFFFF_FFFFL;

  private long divisor() {
    return constant & LOWER;
  }

  /** The least number of bits that all numbers below the divisor fit in. */
  private int bits() {
    return Long.SIZE - Long.numberOfLeadingZeros(divisor() - 1);
  }

  /** Puts the quotient of what is in local x, rounded towards minus infinity, into local q. */
  void divide(int x, int q) {
    int l = bits();
    if (prim == Prim.U32) {
      int t = code.allocateLocal(TypeKind.REFERENCE);
      product(x, factorOfUnsigned(l));
      code.astore(t);
      code.aload(t).aload(x).aload(t).invokevirtual(INTS, "sub", two(INTS));
      shift(INTS, 1);
      code.invokevirtual(INTS, "add", two(INTS));
      shift(INTS, l - 1);
      code.astore(q);
    } else if (prim.isSigned()) {
      int sign = code.allocateLocal(TypeKind.REFERENCE);
      int y = code.allocateLocal(TypeKind.REFERENCE);
      code.aload(x);
      lanewise(INTS, "ASHR", BINARY, Integer.SIZE - 1);
      code.astore(sign);
      invert(x, sign);
      code.astore(y);
      product(y, factor(l));
      shift(INTS, l - 1);
      code.astore(q);
      invert(q, sign);
      code.astore(q);
    } else {
      product(x, factor(l));
      shift(INTS, l - 1);
      code.astore(q);
    }
  }

  private long factor(int l) {
    return Long.divideUnsigned((1L << (31 + l)) - 1, divisor()) + 1;
  }

  private long factorOfUnsigned(int l) {
    // 2^l - c is less than c, which is less than 2^32
    return Long.divideUnsigned(((1L << l) - divisor()) << 32, divisor()) + 1;
  }

  /** Leaves a vector, inverted where the sign is set. */
  private void invert(int vector, int sign) {
    code.aload(vector).getstatic(Vectors.OPERATORS, "XOR", ASSOCIATIVE).aload(sign);
    code.invokevirtual(INTS, "lanewise", MethodTypeDesc.of(INTS, BINARY, Vectors.VECTOR));
  }

  /**
   * Leaves the upper halves of the products of unsigned numbers, those of every other one first.
   */
  private void product(int vector, long factor) {
    longs(vector);
    lanewise(LONGS, "AND", ASSOCIATIVE, LOWER);
    times(factor);
    shift(LONGS, Integer.SIZE);
    code.getstatic(Vectors.OPERATORS, "OR", ASSOCIATIVE);
    longs(vector);
    shift(LONGS, Integer.SIZE);
    times(factor);
    lanewise(LONGS, "AND", ASSOCIATIVE, ~LOWER);
    code.invokevirtual(LONGS, "lanewise", MethodTypeDesc.of(LONGS, BINARY, Vectors.VECTOR));
    code.invokevirtual(LONGS, "reinterpretAsInts", MethodTypeDesc.of(INTS));
  }

  private void longs(int vector) {
    code.aload(vector).invokevirtual(INTS, "reinterpretAsLongs", MethodTypeDesc.of(LONGS));
  }

  private void times(long factor) {
    code.loadConstant(factor);
    code.invokevirtual(LONGS, "mul", MethodTypeDesc.of(LONGS, ConstantDescs.CD_long));
  }

  private void shift(ClassDesc type, int by) {
    if (by > 0) {
      lanewise(type, "LSHR", BINARY, by);
    }
  }

  private void lanewise(ClassDesc type, String op, ClassDesc kind, long operand) {
    code.getstatic(Vectors.OPERATORS, op, kind);
    if (type.equals(LONGS)) {
      code.loadConstant(operand);
    } else {
      code.loadConstant((int) operand);
    }
    var element = type.equals(LONGS) ? ConstantDescs.CD_long : ConstantDescs.CD_int;
    code.invokevirtual(type, "lanewise", MethodTypeDesc.of(type, BINARY, element));
  }

  private static MethodTypeDesc two(ClassDesc type) {
    return MethodTypeDesc.of(type, Vectors.VECTOR);
  }
}
