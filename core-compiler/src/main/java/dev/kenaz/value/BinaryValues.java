package dev.kenaz.value;

import static dev.kenaz.error.ErrorCode.K6005;
import static dev.kenaz.error.ErrorCode.K6006;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads and writes the binary format: byte {@code b}, version 2, a byte for the rank, four
 * characters for the type, a u64 for each dimension, then the elements, all little-endian and
 * row-major.
 */
final class BinaryValues {
  private static final int VERSION = 2;
  private static final int CHUNK = 1 << 20;

  /** A header may lie about its size, so no more than this is allocated before data is read. */
  private static final long TRUSTED_BYTES = 64L << 20;

  private BinaryValues() {}

  static Value read(ByteInput in) {
    long start = in.offset();
    var head = new byte[7];
    if (in.read(head, 7) < 7) {
      throw truncated(in, start, "its header is cut off");
    }
    if (head[1] != VERSION) {
      throw malformed(in, start, "format version " + (head[1] & 0xFF) + ", only 2 is known");
    }
    int rank = head[2] & 0xFF;
    var tag = new String(head, 3, 4, StandardCharsets.ISO_8859_1);
    var prim =
        Prim.named(tag.strip())
            .filter(p -> p.binaryTag().equals(tag))
            .orElseThrow(() -> malformed(in, start, "unknown element type \"" + tag + "\""));
    var shape = readShape(in, start, rank);
    long bytes = payloadSize(in, start, prim, shape);
    var data = readPayload(in, start, prim, bytes);
    if (prim == Prim.BOOL) {
      checkBooleans(in, start, data);
    }
    return rank == 0
        ? new ScalarValue(prim, Elements.bits(data, prim, 0))
        : ArrayValue.of(prim, data, shape);
  }

  private static long[] readShape(ByteInput in, long start, int rank) {
    var bytes = new byte[8 * rank];
    if (in.read(bytes, bytes.length) < bytes.length) {
      throw truncated(in, start, "its dimensions are cut off");
    }
    var shape = new long[rank];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(shape);
    return shape;
  }

  private static long payloadSize(ByteInput in, long start, Prim prim, long[] shape) {
    for (long d : shape) {
      if (d < 0) {
        throw malformed(in, start, "impossible dimension " + Long.toUnsignedString(d));
      }
    }
    long bytes = Sizes.times(Sizes.product(shape), prim.byteSize());
    if (bytes == Sizes.TOO_LARGE || Arrays.stream(shape).anyMatch(d -> d > Sizes.LONGEST)) {
      throw malformed(in, start, "dimensions too large for memory");
    }
    return bytes;
  }

  private static MemorySegment readPayload(ByteInput in, long start, Prim prim, long bytes) {
    var builder = new ArrayBuilder(Prim.U8, Math.min(bytes, TRUSTED_BYTES));
    var chunk = new byte[(int) Math.min(bytes, CHUNK)];
    for (long left = bytes; left > 0; left -= chunk.length) {
      int want = (int) Math.min(left, chunk.length);
      int got = in.read(chunk, want);
      builder.addBytes(chunk, 0, got);
      if (got < want) {
        long size = prim.byteSize();
        throw truncated(
            in, start, "has only " + builder.count() / size + " of " + bytes / size + " elements");
      }
    }
    return builder.build().data();
  }

  private static void checkBooleans(ByteInput in, long start, MemorySegment data) {
    for (long i = 0; i < data.byteSize(); i++) {
      byte b = data.get(ValueLayout.JAVA_BYTE, i);
      if (b != 0 && b != 1) {
        throw malformed(in, start, "element " + i + " is the byte " + (b & 0xFF) + ", not a bool");
      }
    }
  }

  static void write(Value v, OutputStream out) throws IOException {
    var shape = v.shape();
    var head = ByteBuffer.allocate(7 + 8 * shape.length).order(ByteOrder.LITTLE_ENDIAN);
    head.put((byte) 'b').put((byte) VERSION).put((byte) shape.length);
    head.put(v.prim().binaryTag().getBytes(StandardCharsets.US_ASCII));
    for (long d : shape) {
      head.putLong(d);
    }
    out.write(head.array());
    switch (v) {
      case ScalarValue s -> {
        var data = MemorySegment.ofArray(new byte[s.prim().byteSize()]);
        Elements.setBits(data, s.prim(), 0, s.bits());
        writeAll(data, out);
      }
      case ArrayValue a -> writeAll(a.data(), out);
    }
  }

  private static void writeAll(MemorySegment data, OutputStream out) throws IOException {
    var chunk = new byte[(int) Math.min(data.byteSize(), CHUNK)];
    for (long at = 0; at < data.byteSize(); at += chunk.length) {
      int n = (int) Math.min(chunk.length, data.byteSize() - at);
      MemorySegment.copy(data, ValueLayout.JAVA_BYTE, at, chunk, 0, n);
      out.write(chunk, 0, n);
    }
  }

  private static UserError malformed(ByteInput in, long start, String why) {
    return fault(K6005, in, start, why);
  }

  private static UserError truncated(ByteInput in, long start, String why) {
    return fault(K6006, in, start, why);
  }

  private static UserError fault(ErrorCode code, ByteInput in, long start, String why) {
    return new UserError(code, in.name() + ": the binary value at byte " + start + ": " + why);
  }
}
