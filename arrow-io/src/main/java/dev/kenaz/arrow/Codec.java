package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.arrow.Faults.malformed;
import static dev.kenaz.error.ErrorCode.K6105;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.apache.arrow.flatbuf.CompressionType;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorInputStream;

/**
 * Says how a batch's buffers are compressed. A compressed buffer starts with its plain size as an
 * i64; -1 means that this buffer was left plain.
 */
enum Codec {
  NONE,
  LZ4,
  ZSTD;

  private static final int HEADER = 8;

  static Codec of(byte type, String file) {
    return switch (type) {
      case CompressionType.LZ4_FRAME -> LZ4;
      case CompressionType.ZSTD -> ZSTD;
      default -> throw fault(K6105, file + " is compressed in an unknown way (" + type + ")");
    };
  }

  /** Returns the plain bytes: a view if they are plain already, else new memory. */
  MemorySegment decode(MemorySegment buffer, String file) {
    if (this == NONE || buffer.byteSize() == 0) {
      return buffer;
    }
    if (buffer.byteSize() < HEADER) {
      throw malformed(file, "a compressed buffer is cut off");
    }
    long size = buffer.get(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), 0);
    var body = buffer.asSlice(HEADER);
    if (size == -1) {
      return body;
    }
    if (size < 0
        || size > Integer.MAX_VALUE - 8
        || body.byteSize() > Integer.MAX_VALUE - 8
        || !plausible(size, body)) {
      throw malformed(file, "a compressed buffer claims " + size + " bytes");
    }
    var plain = ArrayValue.allocate(Prim.U8, size);
    boolean whole =
        switch (this) {
          case NONE -> true;
          case LZ4 -> lz4(body, plain);
          case ZSTD -> zstd(body, plain);
        };
    if (!whole) {
      throw malformed(file, "a compressed buffer can't be decompressed");
    }
    return plain;
  }

  /**
   * Whether the compressed bytes can hold {@code size} bytes. So a damaged size doesn't make the
   * reader allocate gigabytes.
   */
  private boolean plausible(long size, MemorySegment body) {
    return switch (this) {
      case NONE -> true;
      case LZ4 -> size <= 255 * body.byteSize();
      case ZSTD -> {
        long stated =
            Zstd.getDirectByteBufferFrameContentSize(body.asByteBuffer(), 0, (int) body.byteSize());
        // If it is negative, the frame doesn't state it or is damaged, which decompression will
        // find out.
        yield stated < 0 || stated == size;
      }
    };
  }

  private static boolean lz4(MemorySegment from, MemorySegment to) {
    var bytes = new ByteArrayInputStream(from.toArray(ValueLayout.JAVA_BYTE));
    try (var in = new FramedLZ4CompressorInputStream(bytes)) {
      var chunk = new byte[1 << 16];
      long at = 0;
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        if (at + n > to.byteSize()) {
          return false;
        }
        MemorySegment.copy(chunk, 0, to, ValueLayout.JAVA_BYTE, at, n);
        at += n;
      }
      return at == to.byteSize();
    } catch (IOException | IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean zstd(MemorySegment from, MemorySegment to) {
    try {
      long n =
          Zstd.decompressDirectByteBuffer(
              to.asByteBuffer(),
              0,
              (int) to.byteSize(),
              from.asByteBuffer(),
              0,
              (int) from.byteSize());
      return n == to.byteSize();
    } catch (ZstdException e) {
      return false;
    }
  }
}
