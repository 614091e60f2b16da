package dev.kenaz.jvm;

import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * Emits divisions of vectors of 64 bits by a constant c &gt; 1, where there is no product of 128
 * bits. The quotient is estimated in f64, twice:
 *
 * <pre>{@code
 * q0 = trunc(x * (1/c))   r0 = x - q0 * c
 * q1 = trunc(r0 * (1/c))  r1 = r0 - q1 * c
 * }</pre>
 *
 * <p>The product with 1/c has roundings of at most 2^-53 each: those of x, of 1/c and of the
 * product. As |x| &lt;= 2^63, the first estimate is wrong by at most 1 + 3072/c, so |r0| &lt;= c +
 * 3072, which is an f64 itself; and with c &lt;= 2^25 the second is wrong by less than 1 + 1/c, so
 * -c &lt;= r1 &lt;= c. If r1 is negative, one is subtracted from the quotient, and if it is c, one
 * is added; that is the division that rounds towards minus infinity.
 *
 * <p>With 2^25 &lt; c &lt;= 2^61, |x/c| &lt; 2^38 and the first estimate is wrong by less than 1 +
 * 2^-13, so |r0| &lt; c + c * 2^-13. The second is that of a number below 2, and wrong by less than
 * 1 + 2^-50, so |r1| is at most c + c * 2^-50: a negative r1 may need two steps.
 *
 * <p>An unsigned x would be negative as a float. So its first estimate is that of {@code (x >>> 1)
 * * (2/c)}, which is wrong by another 1/c, and by twice as much as x is twice as large. It is less
 * than 2^63 if c is at least 3. All of r0 and r1 are signed, and positive but for the estimate's
 * error.
 */
record LongDivision(CodeBuilder code, int widest, boolean unsigned, long divisor) {
  /** The largest divisor. */
  static final long LARGEST = 1L << 61;

  private static final long SMALL = 1L << 25;

  private static final ClassDesc LONGS = Vectors.type(Prim.I64);
  private static final ClassDesc DOUBLES = Vectors.type(Prim.F64);
  private static final ClassDesc L = ConstantDescs.CD_long;
  private static final ClassDesc COMPARISON = Vectors.OPERATORS.nested("Comparison");
  private static final ClassDesc BINARY = Vectors.OPERATORS.nested("Binary");

  /** Divides what is in local x; puts the quotient into local q, and the remainder into r. */
  void divide(int x, int q, int r) {
    code.aload(x);
    if (unsigned) {
      code.getstatic(Vectors.OPERATORS, "LSHR", BINARY).lconst_1();
      code.invokevirtual(LONGS, "lanewise", MethodTypeDesc.of(LONGS, BINARY, L));
      estimate(2.0 / divisor);
    } else {
      estimate(1.0 / divisor);
    }
    code.astore(q);
    code.aload(x).aload(q);
    reduce();
    code.astore(r);
    int more = code.allocateLocal(TypeKind.REFERENCE);
    code.aload(r);
    estimate(1.0 / divisor);
    code.astore(more);
    code.aload(q).aload(more).invokevirtual(LONGS, "add", two()).astore(q);
    code.aload(r).aload(more);
    reduce();
    code.astore(r);
    correct(q, r, "LT", 0, -1);
    if (!unsigned && divisor > SMALL) {
      correct(q, r, "LT", 0, -1);
    }
    correct(q, r, "GE", divisor, 1);
  }

  private static MethodTypeDesc two() {
    return MethodTypeDesc.of(LONGS, Vectors.VECTOR);
  }

  /** Multiplies by the reciprocal and truncates. */
  private void estimate(double reciprocal) {
    var conversions = new VectorConversions(code, widest);
    conversions.apply("L2D", Prim.I64, Prim.F64);
    code.loadConstant(reciprocal);
    code.invokevirtual(DOUBLES, "mul", MethodTypeDesc.of(DOUBLES, ConstantDescs.CD_double));
    conversions.apply("D2L", Prim.F64, Prim.I64);
  }

  /** Subtracts the quotient's product from the dividend, which is below it. */
  private void reduce() {
    code.loadConstant(divisor).invokevirtual(LONGS, "mul", MethodTypeDesc.of(LONGS, L));
    code.invokevirtual(LONGS, "sub", two());
  }

  /** Adds to the quotient where the remainder compares so. */
  private void correct(int q, int r, String comparison, long limit, long by) {
    int mask = code.allocateLocal(TypeKind.REFERENCE);
    code.aload(r).getstatic(Vectors.OPERATORS, comparison, COMPARISON).loadConstant(limit);
    code.invokevirtual(LONGS, "compare", MethodTypeDesc.of(Vectors.MASK, COMPARISON, L));
    code.astore(mask);
    where(mask, q, by);
    where(mask, r, -by * divisor);
  }

  private void where(int mask, int vector, long by) {
    var t = MethodTypeDesc.of(LONGS, L, Vectors.MASK);
    code.aload(vector).loadConstant(by).aload(mask);
    code.invokevirtual(LONGS, "add", t).astore(vector);
  }
}
