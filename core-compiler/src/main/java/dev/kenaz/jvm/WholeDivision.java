package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/**
 * Emits divisions of vectors of integers by a positive constant, for which processors have no
 * instruction: {@link ShortDivision} for up to 32 bits, and {@link LongDivision} for 64.
 */
final class WholeDivision {
  /** Conversions between integers and floats of 64 bits come with such vectors. */
  private static final int WIDE_BYTES = 64;

  /**
   * Products of vectors of 64 bits come with these; where vectors are shorter, they may be slow.
   */
  private static final int PRODUCT_BYTES = 32;

  private final CodeBuilder code;
  private final Prim prim;
  private final ClassDesc type;

  private WholeDivision(CodeBuilder code, Prim prim) {
    this.code = code;
    this.prim = prim.byteSize() == Long.BYTES ? Prim.I64 : Prim.I32;
    this.type = Vectors.type(this.prim);
  }

  /** Whether vectors can be divided so. */
  static boolean exists(BinaryOp op, ScalarValue divisor) {
    boolean divides =
        switch (op) {
          case DIV, MOD, QUOT, REM -> true;
          default -> false;
        };
    long c = divisor.bits();
    return divides
        && switch (divisor.prim()) {
          case I8, I16, U8, U16, I32 -> has(PRODUCT_BYTES) && c > 1;
          case U32 -> has(PRODUCT_BYTES) && Integer.toUnsignedLong((int) c) > 1;
          case I64 -> has(WIDE_BYTES) && c > 1 && c <= LongDivision.LARGEST;
          case U64 -> has(WIDE_BYTES) && c > 2 && c <= LongDivision.LARGEST;
          case F16, F32, F64, BOOL -> false;
        };
  }

  private static boolean has(int bytes) {
    return Vectors.F64.vectorByteSize() >= bytes;
  }

  /** Replaces the dividend on the stack by the result. */
  static void divide(CodeBuilder code, int widest, BinaryOp op, Prim prim, long divisor) {
    var division = new WholeDivision(code, prim);
    int x = code.allocateLocal(TypeKind.REFERENCE);
    int q = code.allocateLocal(TypeKind.REFERENCE);
    int r = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(x);
    if (division.prim == Prim.I64) {
      new LongDivision(code, widest, prim == Prim.U64, divisor).divide(x, q, r);
    } else {
      new ShortDivision(code, prim, divisor).divide(x, q);
      code.aload(x).aload(q).loadConstant((int) divisor);
      code.invokevirtual(division.type, "mul", MethodTypeDesc.of(division.type, division.kind()));
      code.invokevirtual(division.type, "sub", division.two()).astore(r);
    }
    if ((op == BinaryOp.QUOT || op == BinaryOp.REM) && prim.isSigned()) {
      division.towardsZero(x, q, r, divisor);
    }
    code.aload(op == BinaryOp.DIV || op == BinaryOp.QUOT ? q : r);
  }

  private MethodTypeDesc two() {
    return MethodTypeDesc.of(type, Vectors.VECTOR);
  }

  private ClassDesc kind() {
    return JvmKind.of(prim).desc;
  }

  private void constant(long value) {
    if (prim == Prim.I64) {
      code.loadConstant(value);
    } else {
      code.loadConstant((int) value);
    }
  }

  /** Negative numbers that the divisor doesn't divide have a quotient that is larger by one. */
  private void towardsZero(int x, int q, int r, long divisor) {
    int mask = code.allocateLocal(TypeKind.REFERENCE);
    compareWithZero(x, "LT");
    compareWithZero(r, "NE");
    code.invokevirtual(Vectors.MASK, "and", MethodTypeDesc.of(Vectors.MASK, Vectors.MASK));
    code.astore(mask);
    where(mask, q, 1);
    where(mask, r, -divisor);
  }

  private void compareWithZero(int vector, String comparison) {
    var comparisons = Vectors.OPERATORS.nested("Comparison");
    code.aload(vector).getstatic(Vectors.OPERATORS, comparison, comparisons);
    constant(0);
    code.invokevirtual(type, "compare", MethodTypeDesc.of(Vectors.MASK, comparisons, kind()));
  }

  private void where(int mask, int vector, long by) {
    code.aload(vector);
    constant(by);
    code.aload(mask);
    var t = MethodTypeDesc.of(type, kind(), Vectors.MASK);
    code.invokevirtual(type, "add", t).astore(vector);
  }
}
