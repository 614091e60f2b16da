package dev.kenaz.jvm;

import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * Converts scalars to and from the 64 bits of their normal form, in which they travel between
 * methods.
 */
final class Bits {
  private Bits() {}

  /** Converts a value of the type to its normal form. */
  static void of(CodeBuilder code, Prim prim) {
    switch (prim) {
      case BOOL, I8, I16, I32, U8, U16 -> code.i2l();
      case U32 -> code.i2l().loadConstant(0xFFFF_FFFFL).land();
      case I64, U64 -> {}
      case F64 ->
          code.invokestatic(
              ConstantDescs.CD_Double,
              "doubleToRawLongBits",
              MethodTypeDesc.of(ConstantDescs.CD_long, ConstantDescs.CD_double));
      case F32 -> {
        code.invokestatic(
            ConstantDescs.CD_Float,
            "floatToRawIntBits",
            MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_float));
        code.i2l().loadConstant(0xFFFF_FFFFL).land();
      }
      case F16 -> {
        var t = MethodTypeDesc.of(ConstantDescs.CD_short, ConstantDescs.CD_float);
        code.invokestatic(ConstantDescs.CD_Float, "floatToFloat16", t);
        code.i2l().loadConstant(0xFFFFL).land();
      }
    }
  }

  /** Converts a normal form to the value of the type. */
  static void toValue(CodeBuilder code, Prim prim) {
    switch (prim) {
      case BOOL, I8, I16, I32, U8, U16, U32 -> code.l2i();
      case I64, U64 -> {}
      case F64 ->
          code.invokestatic(
              ConstantDescs.CD_Double,
              "longBitsToDouble",
              MethodTypeDesc.of(ConstantDescs.CD_double, ConstantDescs.CD_long));
      case F32 ->
          code.l2i()
              .invokestatic(
                  ConstantDescs.CD_Float,
                  "intBitsToFloat",
                  MethodTypeDesc.of(ConstantDescs.CD_float, ConstantDescs.CD_int));
      case F16 -> {
        var t = MethodTypeDesc.of(ConstantDescs.CD_float, ConstantDescs.CD_short);
        code.l2i().i2s().invokestatic(ConstantDescs.CD_Float, "float16ToFloat", t);
      }
    }
  }
}
