package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.ScalarMath;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Sizes;
import java.lang.foreign.MemorySegment;

/**
 * These are scalar functions that generated code calls where the JVM has no instruction. For the
 * rare ones it calls {@link ScalarOps}, with the operator and the type as ordinals.
 */
public final class Helpers {
  private static final UnaryOp[] UNARY = UnaryOp.values();
  private static final BinaryOp[] BINARY = BinaryOp.values();
  private static final Prim[] PRIMS = Prim.values();

  private Helpers() {}

  static Prim resultPrim(UnaryOp op, Prim x) {
    return switch (op) {
      case ISNAN, ISINF -> Prim.BOOL;
      case POPC, CLZ, CTZ -> Prim.I32;
      case TO_BITS -> x == Prim.F16 ? Prim.U16 : x == Prim.F32 ? Prim.U32 : Prim.U64;
      case FROM_BITS -> x == Prim.U16 ? Prim.F16 : x == Prim.U32 ? Prim.F32 : Prim.F64;
      default -> x;
    };
  }

  public static long unary(long x, int op, int prim) {
    return ScalarOps.unary(UNARY[op], new ScalarValue(PRIMS[prim], x)).bits();
  }

  public static long convert(long x, int from, int to) {
    return ScalarOps.convert(PRIMS[to], new ScalarValue(PRIMS[from], x)).bits();
  }

  private static long bits(long x, long y, int op, int prim) {
    var p = PRIMS[prim];
    return ScalarOps.binary(BINARY[op], new ScalarValue(p, x), new ScalarValue(p, y)).bits();
  }

  public static int binary(int x, int y, int op, int prim) {
    return (int) bits(x, y, op, prim);
  }

  public static long binary(long x, long y, int op, int prim) {
    return bits(x, y, op, prim);
  }

  /** Applies the operator to f32, or to f16, whose values are floats here. */
  public static float binary(float x, float y, int op, int prim) {
    var p = PRIMS[prim];
    var a = ScalarValue.ofDouble(p, x);
    return (float) ScalarOps.binary(BINARY[op], a, ScalarValue.ofDouble(p, y)).asDouble();
  }

  public static double binary(double x, double y, int op, int prim) {
    return ScalarOps.binary(BINARY[op], ScalarValue.f64(x), ScalarValue.f64(y)).asDouble();
  }

  /** Applies the operator to a number and an exponent. */
  public static float binary(float x, int n, int op, int prim) {
    var a = ScalarValue.ofDouble(PRIMS[prim], x);
    return (float) ScalarOps.binary(BINARY[op], a, ScalarValue.i32(n)).asDouble();
  }

  /** Applies the operator to a number and an exponent. */
  public static double binary(double x, int n, int op, int prim) {
    return ScalarOps.binary(BINARY[op], ScalarValue.f64(x), ScalarValue.i32(n)).asDouble();
  }

  public static float min(float x, float y) {
    return ScalarMath.min(x, y);
  }

  public static float max(float x, float y) {
    return ScalarMath.max(x, y);
  }

  public static double min(double x, double y) {
    return ScalarMath.min(x, y);
  }

  public static double max(double x, double y) {
    return ScalarMath.max(x, y);
  }

  public static double atan2(double y, double x) {
    return StrictMath.atan2(y, x);
  }

  public static double hypot(double x, double y) {
    return StrictMath.hypot(x, y);
  }

  public static float roundHalf(float x) {
    return Float.float16ToFloat(Float.floatToFloat16(x));
  }

  public static float fmaHalf(float x, float y, float z) {
    var p = Prim.F16;
    return (float)
        ScalarOps.fma(
                ScalarValue.ofDouble(p, x), ScalarValue.ofDouble(p, y), ScalarValue.ofDouble(p, z))
            .asDouble();
  }

  /** Returns the product of two sizes. */
  public static long size(long x, long y) {
    return Sizes.times(x, y);
  }

  /** Copies {@code bytes} between places that don't overlap. */
  public static void copy(long to, long from, long bytes) {
    if (bytes > 0) {
      var all = NativeMemory.ALL;
      MemorySegment.copy(all, from, all, to, bytes);
    }
  }
}
