package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.value.Prim;

/** The names that the language's operators have in {@code VectorOperators}. */
final class VectorOperations {
  private VectorOperations() {}

  /** Returns the operation's name; null if vectors don't have it. */
  static String of(BinaryOp op, Prim prim) {
    boolean narrow = NarrowVectors.isNarrow(prim);
    return switch (op) {
      case ADD, SUB, MUL -> op.name();
      case DIV -> prim.isFloat() ? "DIV" : null;
      case MIN, MAX -> op.name();
      case AND, OR, XOR -> prim.isFloat() ? null : op.name();
      case SHL -> "LSHL";
      case SHR -> prim.isUnsigned() ? "LSHR" : "ASHR";
      case USHR -> narrow && prim.isSigned() ? null : "LSHR";
      // Those of powers and angles round differently before HotSpot has compiled a loop.
      case POW, ATAN2, HYPOT -> null;
      case MOD, QUOT, REM, COPYSIGN, NEXTAFTER, LDEXP, MUL_HI -> null;
    };
  }

  /** Whether lanes can be combined by the operator. */
  static boolean reduces(BinaryOp op, Prim prim) {
    return switch (op) {
      case ADD, MUL, AND, OR, XOR, MIN, MAX -> true;
      default -> false;
    };
  }

  /** Does the same. Elementary functions have code of their own ({@link VectorFormula}). */
  static String of(UnaryOp op, Prim prim) {
    return switch (op) {
      case NEG -> "NEG";
      case NOT -> "NOT";
      case ABS -> prim.isUnsigned() ? null : "ABS";
      case SQRT -> op.name();
      default -> null;
    };
  }

  /** Does the same; all comparisons are there. */
  static String of(CompareOp op, Prim prim) {
    return switch (op) {
      case EQ -> "EQ";
      case LT -> prim.isUnsigned() ? "ULT" : "LT";
      case LE -> prim.isUnsigned() ? "ULE" : "LE";
    };
  }
}
