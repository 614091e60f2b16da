package dev.kenaz.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file past 2 GiB, whose offsets no int holds. It is full of holes, so it takes little disk. */
class BigFileTest {
  private static final int BATCH = 8 << 20;
  private static final int BATCHES = 34;

  @TempDir Path folder;

  /** Makes holes of large buffers that are all zero. */
  private record Sparse(FileChannel file) implements WritableByteChannel {
    @Override
    public int write(ByteBuffer from) throws IOException {
      int n = from.remaining();
      if (n > 1 << 20 && from.mismatch(ByteBuffer.allocate(n)) < 0) {
        file.position(file.position() + n);
        from.position(from.limit());
        return n;
      }
      return file.write(from);
    }

    @Override
    public boolean isOpen() {
      return file.isOpen();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  @Test
  void rowsPastTwoGigabytesAreReadInPlace() throws IOException {
    var path = folder.resolve("big.arrow");
    var infos = List.of(ColumnInfo.scalar("x", Prim.I64));
    var channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try (var out = new ArrowOutput(infos, null, new Sparse(channel))) {
      var zeros = ArrayValue.of(Prim.I64, ArrayValue.allocate(Prim.I64, BATCH), BATCH);
      for (int i = 0; i < BATCHES; i++) {
        out.write(List.of(zeros));
      }
      out.write(List.of(ArrayValue.ofLongs(new long[] {1, 2, 3})));
      out.commit();
    }
    assertTrue(Files.size(path) > 1L << 31);
    var d = ArrowDataset.open(path.toString());
    long n = (long) BATCHES * BATCH + 3;
    assertEquals(n, d.rowCount());
    assertEquals(ArrayValue.ofLongs(new long[] {2, 3}), d.rows(n - 2, n).toVector(Prim.I64));
    assertEquals(ArrayValue.ofLongs(new long[] {0, 0, 1}), d.rows(n - 5, n - 2).toVector(Prim.I64));
  }
}
