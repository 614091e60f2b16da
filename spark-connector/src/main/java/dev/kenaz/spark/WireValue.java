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

/** A value that can travel between processes. */
public sealed interface WireValue extends Serializable {
  /** How many bytes travel. */
  long bytes();

  Value read();

  /** Copies a value. */
  static Copied of(Value value) {
    return Copied.of(value, Copied.BLOCK);
  }

  /** Copies values. */
  static List<WireValue> of(List<Value> values) {
    return values.stream().map(v -> (WireValue) of(v)).toList();
  }

  /** Takes values as they are. They are copied when they leave the process. */
  static List<WireValue> held(List<Value> values) {
    return values.stream().map(v -> (WireValue) Held.of(v)).toList();
  }

  /** Returns the values. */
  static List<Value> read(List<WireValue> values) {
    return values.stream().map(WireValue::read).toList();
  }

  /**
   * A copy of a value's memory.
   *
   * @param shape the shape, which is empty for a scalar
   * @param blocks the elements in little-endian order. An array of Java has 2 GiB at most, so there
   *     may be several
   */
  record Copied(Prim prim, long[] shape, byte[][] blocks) implements WireValue {
    private static final int BLOCK = 1 << 30;

    /**
     * Copies a value.
     *
     * @param most how many bytes a block has at most
     */
    static Copied of(Value value, int most) {
      return switch (value) {
        case ScalarValue s -> new Copied(s.prim(), new long[0], new byte[][] {bytes(s.bits())});
        case ArrayValue a -> {
          long size = a.data().byteSize();
          var blocks = new byte[Math.toIntExact(Math.ceilDiv(size, most))][];
          for (int i = 0; i < blocks.length; i++) {
            long from = (long) i * most;
            blocks[i] =
                a.data().asSlice(from, Math.min(most, size - from)).toArray(ValueLayout.JAVA_BYTE);
          }
          yield new Copied(a.prim(), a.shape(), blocks);
        }
      };
    }

    @Override
    public long bytes() {
      return Arrays.stream(blocks).mapToLong(b -> b.length).sum();
    }

    boolean sameAs(Copied other) {
      return prim == other.prim
          && Arrays.equals(shape, other.shape)
          && Arrays.deepEquals(blocks, other.blocks);
    }

    @Override
    public Value read() {
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

  /** A value itself. */
  record Held(Value read) implements WireValue {
    static Held of(Value value) {
      if (value instanceof ArrayValue a) {
        a.data(); // What a device has is fetched by the task that computed it.
      }
      return new Held(value);
    }

    @Override
    public long bytes() {
      return ArrayValue.byteSize(read.prim(), read.shape());
    }

    private Object writeReplace() {
      return WireValue.of(read);
    }
  }
}
