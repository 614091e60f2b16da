package dev.kenaz.jvm;

import dev.kenaz.ir.ScalarMath;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/** Emits conversions between numbers of different types. */
record ScalarConversions(CodeBuilder code) {
  private static final ClassDesc SCALAR_MATH = ScalarMath.class.describeConstable().orElseThrow();

  /** Converts the number on the stack. */
  void convert(Prim from, Prim to) {
    var source = JvmKind.of(from);
    var target = JvmKind.of(to);
    if (from == Prim.F64 && to == Prim.F32) {
      code.d2f();
    } else if (from == Prim.F32 && to == Prim.F64 || from == Prim.F16 && target == JvmKind.DOUBLE) {
      code.f2d();
    } else if (from == Prim.F16 && to == Prim.F32) {
      return;
    } else if (source == JvmKind.INT && target == JvmKind.INT && to != Prim.BOOL) {
      ScalarCode.normalise(
          code, ScalarOps.extendsByZeros(from, to) ? ScalarOps.unsignedOf(from) : to);
    } else if (source == JvmKind.INT && target == JvmKind.LONG) {
      code.i2l();
      if (from == Prim.U32 || ScalarOps.extendsByZeros(from, to)) {
        code.loadConstant(-1L >>> 64 - ScalarOps.width(from)).land();
      }
    } else if (source == JvmKind.LONG && target == JvmKind.INT && to != Prim.BOOL) {
      code.l2i();
      ScalarCode.normalise(code, to);
    } else if (source == JvmKind.LONG && target == JvmKind.LONG) {
      return;
    } else if (source == JvmKind.INT && from != Prim.U32 && target == JvmKind.DOUBLE) {
      code.i2d();
    } else if (source == JvmKind.INT && from != Prim.U32 && to == Prim.F32) {
      code.i2f();
    } else if (from == Prim.I64 && target == JvmKind.DOUBLE) {
      code.l2d();
    } else if (from == Prim.I64 && to == Prim.F32) {
      code.l2f();
    } else if (from.isFloat() && to == Prim.I32) {
      code.invokestatic(SCALAR_MATH, "toI32", ScalarCode.type(JvmKind.INT, source));
    } else if (from.isFloat() && to == Prim.I64) {
      code.invokestatic(SCALAR_MATH, "toI64", ScalarCode.type(JvmKind.LONG, source));
    } else {
      rarely(from, to);
    }
  }

  private void rarely(Prim from, Prim to) {
    Bits.of(code, from);
    code.loadConstant(from.ordinal()).loadConstant(to.ordinal());
    var t =
        MethodTypeDesc.of(
            ConstantDescs.CD_long,
            ConstantDescs.CD_long,
            ConstantDescs.CD_int,
            ConstantDescs.CD_int);
    code.invokestatic(ScalarCode.HELPERS, "convert", t);
    Bits.toValue(code, to);
  }
}
