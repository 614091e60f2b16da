package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.Expr;
import dev.kenaz.value.Prim;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/** Emits the operators on integers that are an instruction or a function of the JDK. */
final class IntegerCode {
  private static final ClassDesc MATH = ScalarCode.MATH;

  private final CodeBuilder code;
  private int dividend = -1;
  private int divisor = -1;

  IntegerCode(CodeBuilder code) {
    this.code = code;
  }

  /**
   * Emits an operator on 32 bits and fewer; returns false, and emits nothing, if there is no
   * instruction.
   */
  boolean simpleInt(BinaryOp op, Prim prim) {
    switch (op) {
      case ADD -> code.iadd();
      case SUB -> code.isub();
      case MUL -> code.imul();
      case AND -> code.iand();
      case OR -> code.ior();
      case XOR -> code.ixor();
      case SHL -> code.ishl();
      case USHR -> {
        if (prim == Prim.I8 || prim == Prim.I16) {
          return false;
        }
        code.iushr();
      }
      case QUOT, REM, MIN, MAX, DIV, MOD, SHR -> {
        if (prim == Prim.U32) {
          var t = ScalarCode.type(JvmKind.INT, JvmKind.INT, JvmKind.INT);
          return unsignedDivision(op, ConstantDescs.CD_Integer, t);
        }
        switch (op) {
          case QUOT -> code.idiv();
          case REM -> code.irem();
          case SHR -> code.ishr();
          case DIV ->
              code.invokestatic(
                  MATH, "floorDiv", ScalarCode.type(JvmKind.INT, JvmKind.INT, JvmKind.INT));
          case MOD ->
              code.invokestatic(
                  MATH, "floorMod", ScalarCode.type(JvmKind.INT, JvmKind.INT, JvmKind.INT));
          default ->
              code.invokestatic(
                  MATH,
                  op == BinaryOp.MIN ? "min" : "max",
                  ScalarCode.type(JvmKind.INT, JvmKind.INT, JvmKind.INT));
        }
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private boolean unsignedDivision(BinaryOp op, ClassDesc owner, MethodTypeDesc type) {
    var name =
        switch (op) {
          case QUOT, DIV -> "divideUnsigned";
          case REM, MOD -> "remainderUnsigned";
          default -> null;
        };
    if (name != null) {
      code.invokestatic(owner, name, type);
    }
    return name != null;
  }

  /**
   * Divides the unsigned number on the stack by a constant: in 64 bits, where the JIT multiplies
   * instead, which it does not for unsigned operands. Returns false if the operator is no division.
   */
  boolean unsignedByConstant(BinaryOp op, int divisor) {
    boolean quotient = op == BinaryOp.DIV || op == BinaryOp.QUOT;
    if (divisor == 0 || !quotient && op != BinaryOp.MOD && op != BinaryOp.REM) {
      return false;
    }
    code.i2l().loadConstant(0xffff_ffffL).land();
    code.loadConstant(Integer.toUnsignedLong(divisor));
    if (quotient) {
      code.ldiv().l2i();
    } else {
      code.lrem().l2i();
    }
    return true;
  }

  /** Emits an operator on 64 bits; returns false, and emits nothing, if there is no instruction. */
  boolean simpleLong(BinaryOp op, Prim prim) {
    var t = ScalarCode.type(JvmKind.LONG, JvmKind.LONG, JvmKind.LONG);
    switch (op) {
      case ADD -> code.ladd();
      case SUB -> code.lsub();
      case MUL -> code.lmul();
      case AND -> code.land();
      case OR -> code.lor();
      case XOR -> code.lxor();
      case SHL -> code.l2i().lshl();
      case USHR -> code.l2i().lushr();
      case QUOT, REM, MIN, MAX, DIV, MOD, SHR -> {
        if (prim == Prim.U64) {
          return unsignedDivision(op, ConstantDescs.CD_Long, t);
        }
        switch (op) {
          case QUOT -> code.ldiv();
          case REM -> code.lrem();
          case SHR -> code.l2i().lshr();
          case DIV -> code.invokestatic(MATH, "floorDiv", t);
          case MOD -> code.invokestatic(MATH, "floorMod", t);
          default -> code.invokestatic(MATH, op == BinaryOp.MIN ? "min" : "max", t);
        }
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  /**
   * Replaces two i64 on the stack by the remainder that has the divisor's sign. Where an index
   * wraps around, as in {@code (i + k + n) % n}, the dividend is less than two divisors and the
   * quotient 0 or 1: comparisons that the processor foretells take a small part of a division's
   * time.
   */
  void floorMod() {
    if (dividend < 0) {
      dividend = code.allocateLocal(TypeKind.LONG);
      divisor = code.allocateLocal(TypeKind.LONG);
    }
    var more = code.newLabel();
    var divide = code.newLabel();
    var end = code.newLabel();
    code.lstore(divisor).lstore(dividend);
    code.lload(dividend).lconst_0().lcmp().iflt(divide);
    code.lload(dividend).lload(divisor).lcmp().ifge(more);
    code.lload(dividend).goto_(end).labelBinding(more);
    // neither is negative from here on, so that the difference is in range
    code.lload(divisor).lconst_0().lcmp().iflt(divide);
    code.lload(dividend).lload(divisor).lsub().lload(divisor).lcmp().ifge(divide);
    code.lload(dividend).lload(divisor).lsub().goto_(end).labelBinding(divide);
    code.lload(dividend).lload(divisor);
    code.invokestatic(MATH, "floorMod", ScalarCode.type(JvmKind.LONG, JvmKind.LONG, JvmKind.LONG));
    code.labelBinding(end);
  }

  /**
   * Compares the number below on the stack with the bound on it, both i64: what is left is negative
   * if the number is neither negative nor as large as the bound.
   *
   * @param bound what is on the stack
   */
  void compareBelow(Expr bound) {
    if (!(bound instanceof Expr.Lit(var n) && n.bits() >= 0)) {
      code.lconst_0();
      code.invokestatic(MATH, "max", ScalarCode.type(JvmKind.LONG, JvmKind.LONG, JvmKind.LONG));
    }
    code.invokestatic(
        ConstantDescs.CD_Long,
        "compareUnsigned",
        ScalarCode.type(JvmKind.INT, JvmKind.LONG, JvmKind.LONG));
  }
}
