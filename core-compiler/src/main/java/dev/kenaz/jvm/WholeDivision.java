package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * Emits divisions of vectors of i32 by a positive constant c, for which processors have no
 * instruction. The quotient is estimated in f32, twice:
 *
 * <pre>{@code
 * q0 = trunc(x * (1/c))   r0 = x - q0 * c
 * q1 = trunc(r0 * (1/c))  r1 = r0 - q1 * c
 * }</pre>
 *
 * <p>The product with 1/c has three roundings, of at most 2^-24 each. As |x| <= 2^31, the first
 * estimate is wrong by at most 1 + 384/c, so |r0| <= c + 384, which is an f32 itself; and with c <=
 * 2^20 the second is wrong by less than 1 + 1/c, so -c <= r1 <= c. If r1 is negative, one is
 * subtracted from the quotient, and if it is c, one is added; that is the division that rounds
 * towards minus infinity.
 */
record WholeDivision(CodeBuilder code, int widest, int divisor) {
  private static final ClassDesc INTS = Vectors.type(Prim.I32);
  private static final ClassDesc FLOATS = Vectors.type(Prim.F32);
  private static final ClassDesc I = ConstantDescs.CD_int;
  private static final ClassDesc COMPARISON = Vectors.OPERATORS.nested("Comparison");
  private static final int LARGEST = 1 << 20;

  /** Whether vectors can be divided so. */
  static boolean exists(BinaryOp op, ScalarValue divisor) {
    var prim = divisor.prim();
    boolean fits = prim == Prim.I32 || NarrowVectors.isNarrow(prim);
    boolean divides =
        switch (op) {
          case DIV, MOD, QUOT, REM -> true;
          default -> false;
        };
    return divides && fits && divisor.bits() > 0 && divisor.bits() <= LARGEST;
  }

  /** Replaces the dividend on the stack by the result. */
  void divide(BinaryOp op) {
    int x = code.allocateLocal(TypeKind.REFERENCE);
    int q = code.allocateLocal(TypeKind.REFERENCE);
    int r = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(x);
    code.aload(x);
    estimate();
    code.astore(q);
    code.aload(x).aload(q);
    reduce();
    code.astore(r);
    int more = code.allocateLocal(TypeKind.REFERENCE);
    code.aload(r);
    estimate();
    code.astore(more);
    code.aload(q).aload(more).invokevirtual(INTS, "add", two()).astore(q);
    code.aload(r).aload(more);
    reduce();
    code.astore(r);
    correct(q, r, "LT", 0, -1);
    correct(q, r, "GE", divisor, 1);
    if (op == BinaryOp.QUOT || op == BinaryOp.REM) {
      towardsZero(x, q, r);
    }
    code.aload(op == BinaryOp.DIV || op == BinaryOp.QUOT ? q : r);
  }

  private static MethodTypeDesc two() {
    return MethodTypeDesc.of(INTS, Vectors.VECTOR);
  }

  /** Multiplies by the reciprocal and truncates. */
  private void estimate() {
    var conversions = new VectorConversions(code, widest);
    conversions.apply("I2F", Prim.I32, Prim.F32);
    code.loadConstant(1.0f / divisor);
    code.invokevirtual(FLOATS, "mul", MethodTypeDesc.of(FLOATS, ConstantDescs.CD_float));
    conversions.apply("F2I", Prim.F32, Prim.I32);
  }

  /** Subtracts the quotient's product from the dividend, which is below it. */
  private void reduce() {
    code.loadConstant(divisor).invokevirtual(INTS, "mul", MethodTypeDesc.of(INTS, I));
    code.invokevirtual(INTS, "sub", two());
  }

  /** Adds to the quotient where the remainder compares so. */
  private void correct(int q, int r, String comparison, int limit, int by) {
    int mask = code.allocateLocal(TypeKind.REFERENCE);
    compare(r, comparison, limit);
    code.astore(mask);
    where(mask, q, by);
    where(mask, r, -by * divisor);
  }

  private void compare(int vector, String comparison, int limit) {
    code.aload(vector).getstatic(Vectors.OPERATORS, comparison, COMPARISON).loadConstant(limit);
    code.invokevirtual(INTS, "compare", MethodTypeDesc.of(Vectors.MASK, COMPARISON, I));
  }

  private void where(int mask, int vector, int by) {
    var t = MethodTypeDesc.of(INTS, I, Vectors.MASK);
    code.aload(vector).loadConstant(by).aload(mask).invokevirtual(INTS, "add", t).astore(vector);
  }

  /** Negative numbers that the divisor doesn't divide have a quotient that is larger by one. */
  private void towardsZero(int x, int q, int r) {
    int mask = code.allocateLocal(TypeKind.REFERENCE);
    compare(x, "LT", 0);
    compare(r, "NE", 0);
    code.invokevirtual(Vectors.MASK, "and", MethodTypeDesc.of(Vectors.MASK, Vectors.MASK));
    code.astore(mask);
    where(mask, q, 1);
    where(mask, r, -divisor);
  }
}
