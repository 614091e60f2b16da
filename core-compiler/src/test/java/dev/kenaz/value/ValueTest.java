package dev.kenaz.value;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.CompilerBug;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ValueTest {

  @ParameterizedTest
  @EnumSource(Prim.class)
  void everyTypeHasItsNameTagAndSize(Prim p) {
    assertEquals(p, Prim.named(p.text()).orElseThrow());
    assertEquals(4, p.binaryTag().length());
    assertEquals(1, ScalarValue.ofDouble(p, 1).asDouble());
    assertEquals(1, ScalarValue.ofLong(p, 1).asLong());
  }

  @Test
  void integersWrapOnceNarrowedAndSaturateFromDoubles() {
    assertEquals(-1, ScalarValue.ofLong(Prim.I8, 255).asLong());
    assertEquals(255, ScalarValue.ofLong(Prim.U8, -1).asLong());
    assertEquals(127, ScalarValue.ofDouble(Prim.I8, 1e9).asLong());
    assertEquals(0, ScalarValue.ofDouble(Prim.U16, -3).asLong());
    assertEquals(-1L, ScalarValue.ofDouble(Prim.U64, 1e30).bits());
    assertEquals(1L << 63, ScalarValue.ofDouble(Prim.U64, 0x1p63).bits());
    assertEquals(0x1p64, ScalarValue.u64(-1).asDouble());
  }

  @Test
  void equalityIsByContentAndNanEqualsNan() {
    var nan = Float.intBitsToFloat(0x7FC0_0001);
    assertEquals(ScalarValue.f32(Float.NaN), ScalarValue.f32(nan));
    assertEquals(
        ArrayValue.ofFloats(new float[] {1, Float.NaN, 2}),
        ArrayValue.ofFloats(new float[] {1, nan, 2}));
    assertEquals(
        ArrayValue.ofFloats(new float[] {1, Float.NaN}).hashCode(),
        ArrayValue.ofFloats(new float[] {1, nan}).hashCode());
    assertNotEquals(
        ArrayValue.ofFloats(new float[] {nan, 2}), ArrayValue.ofFloats(new float[] {nan, 3}));
    assertNotEquals(ArrayValue.ofInts(new int[0], 0, 2), ArrayValue.ofInts(new int[0], 0, 3));
    assertNotEquals(ScalarValue.i32(1), ScalarValue.i64(1));
  }

  @Test
  void indexingSlicingAndReshapingShareMemory() {
    var a = ArrayValue.ofInts(new int[] {1, 2, 3, 4, 5, 6}, 2, 3);
    assertEquals(6, a.longAt(1, 2));
    assertEquals(ArrayValue.ofInts(new int[] {4, 5, 6}), a.at(1));
    assertEquals(ScalarValue.i32(2), a.at(0, 1));
    assertEquals(ArrayValue.ofInts(new int[] {4, 5, 6}, 1, 3), a.rows(1, 2));
    assertEquals(5, a.reshape(3, 2).longAt(2, 0));
    assertEquals(a, ArrayValue.stack(List.of(a.at(0), a.at(1))));
    assertThrows(IndexOutOfBoundsException.class, () -> a.at(2));
    assertThrows(IndexOutOfBoundsException.class, () -> a.longAt(0, 3));
    assertThrows(IndexOutOfBoundsException.class, () -> a.longAt(0));
  }

  @Test
  void convertsBetweenTypes() {
    var a = ArrayValue.ofDoubles(new double[] {1.5, -2.5, 300});
    assertArrayEquals(new long[] {1, -2, 127}, a.convert(Prim.I8).toLongArray());
    assertArrayEquals(new float[] {1.5f, -2.5f, 300}, a.convert(Prim.F16).toFloatArray());
    var b = ArrayValue.ofLongs(Prim.U8, new long[] {0, 255});
    assertArrayEquals(new double[] {0, 255}, b.convert(Prim.F64).toDoubleArray());
    assertArrayEquals(new boolean[] {false, true}, b.convert(Prim.BOOL).toBooleanArray());
    assertArrayEquals(new int[] {0, -1}, b.convert(Prim.I8).toIntArray());
  }

  @Test
  void aViewMustFitItsSegment() {
    var segment = MemorySegment.ofArray(new byte[15]);
    assertThrows(CompilerBug.class, () -> ArrayValue.of(Prim.F64, segment, 2));
    assertEquals(1, ArrayValue.of(Prim.F64, segment, 1).count());
    assertThrows(CompilerBug.class, () -> ArrayValue.ofInts(new int[3], 2, 2));
  }

  @Test
  void comparisonFollowsTheToleranceOfTheTestTool() {
    var e = ArrayValue.ofDoubles(new double[] {1000, 0, Double.NaN});
    assertTrue(
        ValueComparison.difference(e, ArrayValue.ofDoubles(new double[] {1001.9, 1.9, Double.NaN}))
            .isEmpty());
    assertEquals(
        "expected 0.0f64, got 2.1f64 at [1]",
        ValueComparison.difference(e, ArrayValue.ofDoubles(new double[] {1000, 2.1, Double.NaN}))
            .orElseThrow());
    assertTrue(
        ValueComparison.difference(e, ArrayValue.ofDoubles(new double[] {1000, 0, 0})).isPresent());
    assertTrue(
        ValueComparison.difference(
                ScalarValue.f64(Double.POSITIVE_INFINITY), ScalarValue.f64(1e308))
            .isPresent());
    assertTrue(ValueComparison.difference(ScalarValue.i32(1), ScalarValue.i32(2)).isPresent());
    assertTrue(ValueComparison.difference(ScalarValue.i32(1), ScalarValue.i64(1)).isPresent());
    assertTrue(ValueComparison.difference(List.of(), List.of(ScalarValue.i32(1))).isPresent());
  }
}
