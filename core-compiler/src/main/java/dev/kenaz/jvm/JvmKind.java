package dev.kenaz.jvm;

import dev.kenaz.value.Prim;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;

/**
 * This is the JVM type that holds a scalar. Integers of up to 32 bits are ints in normal form,
 * where u32 is an int with the same bits; f16 is a float that has been rounded.
 */
enum JvmKind {
  INT(TypeKind.INT, ConstantDescs.CD_int),
  LONG(TypeKind.LONG, ConstantDescs.CD_long),
  FLOAT(TypeKind.FLOAT, ConstantDescs.CD_float),
  DOUBLE(TypeKind.DOUBLE, ConstantDescs.CD_double);

  final TypeKind type;
  final ClassDesc desc;

  JvmKind(TypeKind type, ClassDesc desc) {
    this.type = type;
    this.desc = desc;
  }

  static JvmKind of(Prim prim) {
    return switch (prim) {
      case BOOL, I8, I16, I32, U8, U16, U32 -> INT;
      case I64, U64 -> LONG;
      case F16, F32 -> FLOAT;
      case F64 -> DOUBLE;
    };
  }
}
