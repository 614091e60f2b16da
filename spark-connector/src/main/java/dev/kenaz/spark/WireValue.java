package dev.kenaz.spark;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * A value in the form in which it travels between processes: a copy of its memory.
 *
 * @param shape the shape, which is empty for a scalar
 * @param blocks the elements in little-endian order. An array of Java has 2 GiB at most, so there
 *     may be several
 */
public record WireValue(Prim prim, long[] shape, byte[][] blocks) implements Serializable {
  private static final int BLOCK = 1 << 30;

  /** Copies values. */
  public static List<WireValue> of(List<Value> values) {
    return values.stream().map(v -> of(v, BLOCK)).toList();
  }

  /** Returns the values. */
  public static List<Value> read(List<WireValue> values) {
    return values.stream().map(WireValue::read).toList();
  }

  /**
   * Copies a value.
   *
   * @param most how many bytes a block has at most
   */
  static WireValue of(Value value, int most) {
    return switch (value) {
      case ScalarValue s -> new WireValue(s.prim(), new long[0], new byte[][] {bytes(s.bits())});
      case ArrayValue a -> {
        long size = a.data().byteSize();
        var blocks = new byte[Math.toIntExact(Math.ceilDiv(size, most))][];
        for (int i = 0; i < blocks.length; i++) {
          long from = (long) i * most;
          blocks[i] =
              a.data().asSlice(from, Math.min(most, size - from)).toArray(ValueLayout.JAVA_BYTE);
        }
        yield new WireValue(a.prim(), a.shape(), blocks);
      }
    };
  }

  long bytes() {
    return Arrays.stream(blocks).mapToLong(b -> b.length).sum();
  }

  boolean sameAs(WireValue other) {
    return prim == other.prim
        && Arrays.equals(shape, other.shape)
        && Arrays.deepEquals(blocks, other.blocks);
  }

  Value read() {
    if (shape.length == 0) {
      return new ScalarValue(prim, ByteBuffer.wrap(blocks[0]).getLong());
    }
    var memory = ArrayValue.allocate(prim, shape);
    long at = 0;
    for (var block : blocks) {
      MemorySegment.copy(MemorySegment.ofArray(block), 0, memory, at, block.length);
      at += block.length;
    }
    return ArrayValue.of(prim, memory, shape);
  }

  private static byte[] bytes(long bits) {
    return ByteBuffer.allocate(Long.BYTES).putLong(bits).array();
  }
}
