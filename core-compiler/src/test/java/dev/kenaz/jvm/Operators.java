package dev.kenaz.jvm;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;

/** Which operators a type has. */
final class Operators {
  private Operators() {}

  static boolean defined(BinaryOp op, Prim prim) {
    if (op == BinaryOp.LDEXP) {
      return false;
    }
    try {
      ScalarOps.binary(op, ScalarValue.ofLong(prim, 1), ScalarValue.ofLong(prim, 1));
      return true;
    } catch (CompilerBug e) {
      return false;
    }
  }

  static boolean defined(UnaryOp op, Prim prim) {
    boolean floats =
        switch (op) {
          case NEG, NOT, ABS, SGN, POPC, CLZ, CTZ -> prim.isFloat();
          case FROM_BITS -> prim == Prim.U16 || prim == Prim.U32 || prim == Prim.U64;
          default -> prim.isFloat();
        };
    if (prim.isFloat() && (op == UnaryOp.NOT || op == UnaryOp.FROM_BITS)) {
      return false;
    }
    boolean bits = op == UnaryOp.POPC || op == UnaryOp.CLZ || op == UnaryOp.CTZ;
    if (bits || op == UnaryOp.NOT) {
      return !prim.isFloat() && (prim != Prim.BOOL || op == UnaryOp.NOT);
    }
    if (op == UnaryOp.NEG || op == UnaryOp.ABS || op == UnaryOp.SGN) {
      return prim != Prim.BOOL;
    }
    return floats;
  }
}
