package dev.kenaz.cuda;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.Expr;
import dev.kenaz.value.Prim;

/**
 * Writes indivisible updates: as an atomic instruction where the GPU has one, else by
 * compare-and-swap of a word.
 */
final class CudaAtomics {
  private CudaAtomics() {}

  static boolean isNative(BinaryOp op, Prim prim) {
    return switch (prim) {
      case I32, U32, I64, U64 ->
          switch (op) {
            case ADD, MIN, MAX, AND, OR, XOR -> true;
            default -> false;
          };
      case F32, F64 -> op == BinaryOp.ADD;
      case BOOL, I8, I16, U8, U16, F16 -> false;
    };
  }

  /**
   * Returns the update as an expression. For types of 4 and 8 bytes its value is the old element.
   */
  static String update(BinaryOp op, Prim prim, String place, String value, CudaScalars scalars) {
    if (isNative(op, prim)) {
      return instruction(op, prim, place, value);
    }
    // The value is computed once, outside the loop that tries to exchange.
    var next = scalars.binary(op, prim, "old", "x", Expr.zero(prim));
    var old = CudaTypes.register(prim);
    var body =
        switch (prim) {
          case F16 -> "half_bits(" + next.replace("old", "half_value(old)") + ")";
          case BOOL -> "(u8)" + next.replace("old", "(old != 0)");
          case I8 -> "(u8)" + next.replace("old", "(i8)old");
          case I16 -> "(u16)" + next.replace("old", "(i16)old");
          default -> next;
        };
    var function =
        switch (prim.byteSize()) {
          case 1 -> "atomic_apply_small((u8 *)&";
          case 2 -> "atomic_apply_small((u16 *)&";
          case 4 -> "atomic_apply_4(&";
          default -> "atomic_apply_8(&";
        };
    var type =
        switch (prim.byteSize()) {
          case 1 -> "u8";
          case 2 -> "u16";
          default -> old;
        };
    return function
        + place
        + ", [x = ("
        + old
        + ")"
        + value
        + "]("
        + type
        + " old) { return "
        + body
        + "; })";
  }

  private static String instruction(BinaryOp op, Prim prim, String place, String value) {
    var name =
        switch (op) {
          case ADD -> "atomicAdd";
          case MIN -> "atomicMin";
          case MAX -> "atomicMax";
          case AND -> "atomicAnd";
          case OR -> "atomicOr";
          default -> "atomicXor";
        };
    // The sums and bits of signed numbers are those of unsigned ones.
    boolean asUnsigned = prim == Prim.I64 && op != BinaryOp.MIN && op != BinaryOp.MAX;
    return asUnsigned
        ? "(i64)" + name + "((u64 *)&" + place + ", (u64)" + value + ")"
        : name + "(&" + place + ", " + value + ")";
  }
}
