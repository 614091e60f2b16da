package dev.kenaz.ir;

import static dev.kenaz.error.ErrorCode.K5003;
import static dev.kenaz.error.ErrorCode.K5004;
import static dev.kenaz.value.ScalarValue.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import org.junit.jupiter.api.Test;

final class ScalarOpsTest {
  private static void binary(BinaryOp op, ScalarValue x, ScalarValue y, ScalarValue expected) {
    assertEquals(expected, ScalarOps.binary(op, x, y), op + " " + x + " " + y);
  }

  @Test
  void integersWrap() {
    binary(BinaryOp.ADD, i8((byte) 127), i8((byte) 1), i8((byte) -128));
    binary(BinaryOp.MUL, u8(200), u8(2), u8(144));
    binary(BinaryOp.SUB, u32(0), u32(1), u32(0xFFFF_FFFFL));
    binary(BinaryOp.POW, i32(3), i32(21), i32(1870418611));
    assertEquals(i32(Integer.MIN_VALUE), ScalarOps.unary(UnaryOp.NEG, i32(Integer.MIN_VALUE)));
  }

  @Test
  void divisionRounding() {
    binary(BinaryOp.DIV, i32(-7), i32(2), i32(-4));
    binary(BinaryOp.MOD, i32(-7), i32(2), i32(1));
    binary(BinaryOp.MOD, i32(7), i32(-2), i32(-1));
    binary(BinaryOp.QUOT, i32(-7), i32(2), i32(-3));
    binary(BinaryOp.REM, i32(-7), i32(2), i32(-1));
    binary(BinaryOp.DIV, i8((byte) -128), i8((byte) -1), i8((byte) -128));
    binary(BinaryOp.DIV, u64(-1), u64(2), u64(Long.MAX_VALUE));
    binary(BinaryOp.MOD, f64(-7), f64(2), f64(-1));
    binary(BinaryOp.MOD, f64(7), f64(-2), f64(1));
  }

  @Test
  void faults() {
    assertEquals(
        K5003,
        assertThrows(ScalarOps.Fault.class, () -> ScalarOps.binary(BinaryOp.DIV, i32(1), i32(0)))
            .code());
    assertEquals(
        K5004,
        assertThrows(ScalarOps.Fault.class, () -> ScalarOps.binary(BinaryOp.POW, i32(2), i32(-1)))
            .code());
  }

  @Test
  void shifts() {
    binary(BinaryOp.SHR, i8((byte) -8), i8((byte) 1), i8((byte) -4));
    binary(BinaryOp.USHR, i8((byte) -8), i8((byte) 1), i8((byte) 124));
    binary(BinaryOp.SHR, u8(248), u8(1), u8(124));
    binary(BinaryOp.SHL, i16((short) 1), i16((short) 15), i16(Short.MIN_VALUE));
  }

  @Test
  void upperHalfOfProduct() {
    binary(BinaryOp.MUL_HI, i32(Integer.MIN_VALUE), i32(2), i32(-1));
    binary(BinaryOp.MUL_HI, u32(0xFFFF_FFFFL), u32(0xFFFF_FFFFL), u32(0xFFFF_FFFEL));
    binary(BinaryOp.MUL_HI, u64(-1), u64(-1), u64(-2));
    binary(BinaryOp.MUL_HI, u8(255), u8(255), u8(254));
  }

  @Test
  void nanRules() {
    binary(BinaryOp.MIN, f32(Float.NaN), f32(1), f32(1));
    binary(BinaryOp.MAX, f64(1), f64(Double.NaN), f64(1));
    binary(BinaryOp.POW, f64(1), f64(Double.NaN), f64(1));
    assertEquals(false, ScalarOps.compare(CompareOp.LE, f64(Double.NaN), f64(1)));
    assertEquals(false, ScalarOps.compare(CompareOp.EQ, f64(Double.NaN), f64(Double.NaN)));
    assertEquals(true, ScalarOps.compare(CompareOp.LT, u64(1), u64(-1)));
  }

  @Test
  void smallFloatsRoundOnce() {
    binary(BinaryOp.ADD, f32(16777216f), f32(1), f32(16777216f));
    binary(BinaryOp.ADD, f16(2048), f16(1), f16(2048));
    binary(BinaryOp.MUL, f16(300), f16(300), f16(Double.POSITIVE_INFINITY));
    binary(BinaryOp.NEXTAFTER, f16(1), f16(2), f16(1 + 0x1p-10));
    binary(BinaryOp.NEXTAFTER, f16(0), f16(-1), f16(-0x1p-24));
    binary(BinaryOp.LDEXP, f32(3), i32(-2), f32(0.75f));
    // 1 + 2^-11 + 2^-40 rounds up, though its double would round to even and then down
    assertEquals(f16(1 + 0x1p-10), ScalarOps.fma(f16(0x1p-14), f16(0x1p-14), f16(1 + 0x1p-10)));
  }

  @Test
  void conversions() {
    assertEquals(i32(0), ScalarOps.convert(Prim.I32, f64(Double.NaN)));
    assertEquals(i32(Integer.MAX_VALUE), ScalarOps.convert(Prim.I32, f32(1e20f)));
    assertEquals(u8(255), ScalarOps.convert(Prim.U8, f64(300)));
    assertEquals(u8(253), ScalarOps.convert(Prim.U8, f64(-3)));
    assertEquals(i8((byte) -1), ScalarOps.convert(Prim.I8, u32(255)));
    assertEquals(i64(255), ScalarOps.convert(Prim.I64, u8(255)));
    assertEquals(i64(-1), ScalarOps.convert(Prim.I64, i8((byte) -1)));
    assertEquals(u64(255), ScalarOps.convert(Prim.U64, i8((byte) -1)));
    assertEquals(f32(0x1p64f), ScalarOps.convert(Prim.F32, u64(-1)));
    assertEquals(bool(true), ScalarOps.convert(Prim.BOOL, f64(0.5)));
    assertEquals(f64(1), ScalarOps.convert(Prim.F64, bool(true)));
  }

  @Test
  void bits() {
    assertEquals(i32(1), ScalarOps.unary(UnaryOp.CLZ, i8((byte) 64)));
    assertEquals(i32(8), ScalarOps.unary(UnaryOp.CTZ, u8(0)));
    assertEquals(i32(8), ScalarOps.unary(UnaryOp.POPC, i8((byte) -1)));
    assertEquals(u32(0x3F80_0000L), ScalarOps.unary(UnaryOp.TO_BITS, f32(1)));
    assertEquals(f16(1), ScalarOps.unary(UnaryOp.FROM_BITS, u16(0x3C00)));
    assertEquals(i16((short) -2), ScalarOps.unary(UnaryOp.NOT, i16((short) 1)));
    assertEquals(bool(false), ScalarOps.unary(UnaryOp.NOT, bool(true)));
  }
}
