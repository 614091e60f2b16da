package dev.kenaz.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.value.Elements;
import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BitVectorHelper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The extremes of a column are the first rows that have its least and its greatest number. */
final class ColumnOrderTest {
  private static int compare(Prim type, long a, long b) {
    return switch (type) {
      case U64 -> Long.compareUnsigned(a, b);
      case F16, F32, F64 -> Double.compare(type.toDouble(a), type.toDouble(b));
      default -> Long.compare(a, b);
    };
  }

  private static void set(ArrowBuf buffer, Prim type, int i, long bits) {
    var bytes = new byte[type.byteSize()];
    Elements.setBits(MemorySegment.ofArray(bytes), type, 0, bits);
    buffer.setBytes((long) i * bytes.length, bytes);
  }

  @ParameterizedTest
  @EnumSource(Prim.class)
  void extremesAreTheFirstRowsWithThem(Prim type) {
    var random = new Random(type.ordinal());
    for (int rows : new int[] {1, 7, 1024, 1025, 5000}) {
      for (int share : new int[] {0, 2, 100}) {
        check(type, rows, share, random);
      }
    }
  }

  /**
   * @param nulls how many of a hundred rows are null
   */
  private static void check(Prim type, int rows, int nulls, Random random) {
    try (var memory = new RootAllocator();
        var vector =
            (BaseFixedWidthVector) ColumnInfo.field("x", type, 1, false).createVector(memory)) {
      vector.allocateNew(rows);
      vector.zeroVector();
      var buffer = vector.getDataBuffer();
      int least = -1;
      int most = -1;
      var bits = new long[rows];
      for (int i = 0; i < rows; i++) {
        bits[i] = type.isFloat() ? type.fromDouble(random.nextGaussian()) : random.nextLong();
        bits[i] = type.normalise(random.nextInt(3) == 0 ? 0 : bits[i]);
        if (type != Prim.BOOL) {
          set(buffer, type, i, bits[i]);
        } else if (bits[i] != 0) {
          BitVectorHelper.setBit(buffer, i);
        }
        if (random.nextInt(100) < nulls) {
          continue;
        }
        BitVectorHelper.setBit(vector.getValidityBuffer(), i);
        least = least < 0 || compare(type, bits[i], bits[least]) < 0 ? i : least;
        most = most < 0 || compare(type, bits[i], bits[most]) > 0 ? i : most;
      }
      vector.setValueCount(rows);
      var found = ColumnOrder.of(vector);
      assertEquals(least >= 0, found.isPresent());
      int first = least;
      int last = most;
      found.ifPresent(e -> assertEquals(new ColumnOrder.Extremes(first, last), e));
    }
  }

  @Test
  void columnsWithNansHaveNoExtremes() {
    for (var type : new Prim[] {Prim.F16, Prim.F32, Prim.F64}) {
      for (double sign : new double[] {1, -1}) {
        try (var memory = new RootAllocator();
            var vector =
                (BaseFixedWidthVector) ColumnInfo.field("x", type, 1, false).createVector(memory)) {
          vector.allocateNew(2000);
          vector.zeroVector();
          vector.setValueCount(2000);
          vector.getValidityBuffer().setOne(0L, 250L);
          var buffer = vector.getDataBuffer();
          long nan = type.fromDouble(Double.NaN);
          long top = 1L << 8 * type.byteSize() - 1;
          set(buffer, type, 1500, sign > 0 ? nan : nan | top);
          assertTrue(ColumnOrder.of(vector).isEmpty());
          set(buffer, type, 1500, type.fromDouble(sign / 0));
          assertEquals(
              new ColumnOrder.Extremes(sign > 0 ? 0 : 1500, sign > 0 ? 1500 : 0),
              ColumnOrder.of(vector).orElseThrow());
        }
      }
    }
  }
}
