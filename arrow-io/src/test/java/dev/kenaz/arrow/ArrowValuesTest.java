package dev.kenaz.arrow;

import static dev.kenaz.error.ErrorCode.K6105;
import static dev.kenaz.error.ErrorCode.K6106;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kenaz.ElementType;
import dev.kenaz.Kenaz;
import dev.kenaz.Value;
import dev.kenaz.error.UserError;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Vectors that are given to entry points, and made of results. */
final class ArrowValuesTest {
  private final RootAllocator allocator = new RootAllocator();

  @AfterEach
  void nothingLeaks() {
    allocator.close();
  }

  @Test
  void vectorIsAnArgumentWithoutCopy() {
    try (var program = Kenaz.compile("entry double [n] (xs: [n]f64): [n]f64 = map (* 2) xs");
        var vector = new Float8Vector("x", allocator)) {
      for (int i = 0; i < 1000; i++) {
        vector.setSafe(i, i);
      }
      vector.setValueCount(1000);
      var value = ArrowValues.of(vector);
      assertEquals(vector.getDataBufferAddress(), value.as(MemorySegment.class).address());
      var result = program.entry("double").call(value);
      assertEquals(1998, result.as(double[].class)[999]);
      try (var back = (Float8Vector) ArrowValues.toVector(result, "y", allocator)) {
        assertEquals(1000, back.getValueCount());
        assertEquals(1998, back.get(999));
        assertEquals(0, back.getNullCount());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(ElementType.class)
  void matricesOfAllTypesComeBack(ElementType type) {
    var bits = new boolean[3 * 5];
    for (int i = 0; i < bits.length; i++) {
      bits[i] = i % 4 == 1;
    }
    var booleans = Value.copyOf(ElementType.BOOL, bits);
    var bytes = new byte[3 * 5 * type.byteSize()];
    new Random(1).nextBytes(bytes);
    var all =
        type == ElementType.BOOL
            ? booleans
            : Value.view(type, MemorySegment.ofArray(bytes), bits.length);
    for (var value : new Value[] {all, all.reshape(3, 5), all.reshape(15, 1)}) {
      try (var vector = ArrowValues.toVector(value, "v", allocator)) {
        assertEquals(value, ArrowValues.of(vector), type::toString);
      }
    }
  }

  @Test
  void emptyVectors() {
    try (var vector = new IntVector("n", allocator)) {
      assertArrayEquals(new int[0], ArrowValues.of(vector).as(int[].class));
    }
    var none = Value.copyOf(ElementType.F32, new float[0]);
    try (var vector = ArrowValues.toVector(none.reshape(0, 3), "v", allocator)) {
      assertArrayEquals(new long[] {0, 3}, ArrowValues.of(vector).shape());
    }
  }

  @Test
  void nullsAndTextAreRefused() {
    try (var vector = new IntVector("n", allocator);
        var flags = new BitVector("f", allocator);
        var text = new VarCharVector("t", allocator)) {
      vector.setSafe(0, 1);
      vector.setNull(1);
      vector.setValueCount(2);
      var fault = assertThrows(UserError.class, () -> ArrowValues.of(vector));
      assertEquals(K6106, fault.diagnostics().getFirst().code());
      assertEquals("the vector \"n\" is null in row 1", fault.getMessage());
      flags.setSafe(0, 1);
      flags.setValueCount(1);
      assertArrayEquals(new boolean[] {true}, ArrowValues.of(flags).as(boolean[].class));
      fault = assertThrows(UserError.class, () -> ArrowValues.of(text));
      assertEquals(K6105, fault.diagnostics().getFirst().code());
    }
  }

  @Test
  void whatIsMissingOrTooLong() {
    var value = Value.copyOf(ElementType.I8, new byte[1]);
    for (Executable call :
        List.<Executable>of(
            () -> ArrowValues.of(null),
            () -> ArrowValues.toVector(null, "x", allocator),
            () -> ArrowValues.toVector(value, null, allocator),
            () -> ArrowValues.toVector(value, "x", null))) {
      assertThrows(NullPointerException.class, call);
    }
    var memory = MemorySegment.NULL.reinterpret(1L << 32);
    for (var shape : new long[][] {{1L << 32}, {1 << 16, 1 << 16}, {1L << 32, 1}}) {
      var array = Value.view(ElementType.I8, memory, shape);
      var fault = assertThrows(UserError.class, () -> ArrowValues.toVector(array, "x", allocator));
      assertEquals(K6105, fault.diagnostics().getFirst().code());
    }
  }
}
