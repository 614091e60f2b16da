package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K8201;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * A value in the form in which it travels between processes: a copy of its memory.
 *
 * @param shape the shape, which is empty for a scalar
 * @param data the elements in little-endian order
 */
record WireValue(Prim prim, long[] shape, byte[] data) implements Serializable {

  static List<WireValue> of(List<Value> values) {
    return values.stream().map(WireValue::of).toList();
  }

  static List<Value> read(List<WireValue> values) {
    return values.stream().map(WireValue::read).toList();
  }

  private static WireValue of(Value value) {
    return switch (value) {
      case ScalarValue s -> new WireValue(s.prim(), new long[0], bytes(s.bits()));
      case ArrayValue a -> {
        if (a.data().byteSize() > Integer.MAX_VALUE - 8) {
          throw new UserError(
              K8201,
              Span.NONE,
              "a value of " + a.data().byteSize() + " bytes is too large to travel",
              "replicated values, partial results of a stage, and a piece's rows of a value that"
                  + " executors keep must stay below 2 GiB each",
              "use more pieces (--pieces), so that each has fewer rows");
        }
        yield new WireValue(a.prim(), a.shape(), a.toByteArray());
      }
    };
  }

  int bytes() {
    return data.length;
  }

  boolean sameAs(WireValue other) {
    return prim == other.prim
        && Arrays.equals(shape, other.shape)
        && Arrays.equals(data, other.data);
  }

  Value read() {
    if (shape.length == 0) {
      return new ScalarValue(prim, java.nio.ByteBuffer.wrap(data).getLong());
    }
    var memory = ArrayValue.allocate(prim, shape);
    memory.copyFrom(MemorySegment.ofArray(data));
    return ArrayValue.of(prim, memory, shape);
  }

  private static byte[] bytes(long bits) {
    return java.nio.ByteBuffer.allocate(Long.BYTES).putLong(bits).array();
  }
}
