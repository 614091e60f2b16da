package dev.kenaz.jvm;

import dev.kenaz.ir.ScalarOps;
import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * Emits those conversions between vectors of numbers that processors have.
 *
 * @param widest the number of bytes of the widest type of the loop's vectors
 */
record VectorConversions(CodeBuilder code, int widest) {
  private static final ClassDesc BINARY = Vectors.OPERATORS.nested("Binary");
  private static final ClassDesc COMPARISON = Vectors.OPERATORS.nested("Comparison");
  private static final ClassDesc CONVERSION = Vectors.OPERATORS.nested("Conversion");

  /** Whether the processor truncates to 64 bits, as those with vectors of 64 bytes do. */
  private static final boolean WIDE = Vectors.F64.vectorByteSize() == 64;

  static boolean exists(Prim from, Prim to) {
    if (NarrowVectors.isNarrow(to)) {
      // Unsigned ones of large negative floats have bits that an i32 doesn't have.
      boolean ofFloat = to.isSigned() || from == Prim.F32 && to == Prim.U8;
      return from.isFloat() ? from != Prim.F16 && ofFloat : from != Prim.BOOL;
    }
    if (NarrowVectors.isNarrow(from)) {
      return exists(Prim.I32, to);
    }
    return reinterprets(from, to)
        || from == Prim.U32 && (to == Prim.F32 || to == Prim.F64)
        || operator(from, to) != null;
  }

  /** Whether no bit changes: vectors don't distinguish integers of the same width. */
  private static boolean reinterprets(Prim from, Prim to) {
    return Vectors.supports(from)
        && Vectors.supports(to)
        && !from.isFloat()
        && !to.isFloat()
        && from.byteSize() == to.byteSize();
  }

  private static String operator(Prim from, Prim to) {
    return switch (from) {
      case I32 ->
          switch (to) {
            case F64 -> "I2D";
            case F32 -> "I2F";
            case I64 -> "I2L";
            case U64 -> "ZERO_EXTEND_I2L";
            default -> null;
          };
      case U32 -> to == Prim.I64 || to == Prim.U64 ? "ZERO_EXTEND_I2L" : null;
      case I64 ->
          switch (to) {
            case F64 -> "L2D";
            case F32 -> "L2F";
            case I32, U32 -> "L2I";
            default -> null;
          };
      case U64 -> to == Prim.I32 || to == Prim.U32 ? "L2I" : null;
      case F32 ->
          switch (to) {
            case F64 -> "F2D";
            case I32 -> "F2I";
            case I64 -> WIDE ? "F2L" : null;
            default -> null;
          };
      case F64 ->
          switch (to) {
            case F32 -> "D2F";
            case I32 -> "D2I";
            case I64 -> WIDE ? "D2L" : null;
            default -> null;
          };
      case BOOL, I8, I16, U8, U16, F16 -> null; // Of the narrow ones, see above.
    };
  }

  /** Converts the vector on the stack. */
  void convert(Prim from, Prim to) {
    var narrow = new NarrowVectors(code, widest);
    if (NarrowVectors.isNarrow(from) && ScalarOps.extendsByZeros(from, to)) {
      narrow.wrap(ScalarOps.unsignedOf(from));
    }
    if (NarrowVectors.isNarrow(to)) {
      wide(NarrowVectors.isNarrow(from) ? Prim.I32 : from, Prim.I32);
      if (from.isFloat()) {
        narrow.saturate(to);
      } else {
        narrow.wrap(to);
      }
    } else {
      wide(NarrowVectors.isNarrow(from) ? Prim.I32 : from, to);
    }
  }

  private void wide(Prim from, Prim to) {
    if (reinterprets(from, to)) {
      return;
    }
    if (from == Prim.U32 && to == Prim.F64) {
      // Half of the range is subtracted, as signed and unsigned numbers agree below it.
      bits("XOR", Integer.MIN_VALUE);
      apply("I2D", from, to);
      var type = Vectors.type(to);
      code.loadConstant(0x1p31);
      code.invokevirtual(type, "add", MethodTypeDesc.of(type, ConstantDescs.CD_double));
      return;
    }
    if (from == Prim.U32 && to == Prim.F32) {
      unsignedToFloat();
      return;
    }
    if (from.isFloat() && !to.isFloat()) {
      truncate(from, to);
      return;
    }
    apply(operator(from, to), from, to);
  }

  /** Truncates as the JVM does, but infinities become 0. */
  private void truncate(Prim from, Prim to) {
    var type = Vectors.type(from);
    int whole = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(whole).aload(whole);
    apply(operator(from, to), from, to);
    code.iconst_0();
    if (to == Prim.I64) {
      code.i2l();
    }
    code.aload(whole).invokevirtual(type, "abs", MethodTypeDesc.of(type));
    code.getstatic(Vectors.OPERATORS, "EQ", COMPARISON);
    if (from == Prim.F32) {
      code.loadConstant(Float.POSITIVE_INFINITY);
    } else {
      code.loadConstant(Double.POSITIVE_INFINITY);
    }
    var compared = MethodTypeDesc.of(Vectors.MASK, COMPARISON, JvmKind.of(from).desc);
    code.invokevirtual(type, "compare", compared);
    code.getstatic(Vectors.SELF, Vectors.species(to, widest), Vectors.SPECIES);
    code.invokevirtual(Vectors.MASK, "cast", MethodTypeDesc.of(Vectors.MASK, Vectors.SPECIES));
    var result = Vectors.type(to);
    var t = MethodTypeDesc.of(result, JvmKind.of(to).desc, Vectors.MASK);
    code.invokevirtual(result, "blend", t);
  }

  /**
   * Converts by halves: the upper and the lower half are exact, and so is the upper one's product;
   * only the sum rounds.
   */
  private void unsignedToFloat() {
    var type = Vectors.type(Prim.F32);
    int whole = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(whole).aload(whole);
    bits("LSHR", 16);
    apply("I2F", Prim.U32, Prim.F32);
    code.loadConstant(0x1p16f);
    code.invokevirtual(type, "mul", MethodTypeDesc.of(type, ConstantDescs.CD_float));
    code.aload(whole);
    bits("AND", 0xffff);
    apply("I2F", Prim.U32, Prim.F32);
    code.invokevirtual(type, "add", MethodTypeDesc.of(type, Vectors.VECTOR));
  }

  private void bits(String operator, int operand) {
    var type = Vectors.type(Prim.U32);
    var kind = operator.equals("LSHR") ? BINARY : Vectors.OPERATORS.nested("Associative");
    code.getstatic(Vectors.OPERATORS, operator, kind).loadConstant(operand);
    code.invokevirtual(type, "lanewise", MethodTypeDesc.of(type, BINARY, ConstantDescs.CD_int));
  }

  void apply(String conversion, Prim from, Prim to) {
    code.getstatic(Vectors.OPERATORS, conversion, CONVERSION);
    code.getstatic(Vectors.SELF, Vectors.species(to, widest), Vectors.SPECIES).iconst_0();
    var t = MethodTypeDesc.of(Vectors.VECTOR, CONVERSION, Vectors.SPECIES, ConstantDescs.CD_int);
    code.invokevirtual(Vectors.type(from), "convertShape", t).checkcast(Vectors.type(to));
  }
}
