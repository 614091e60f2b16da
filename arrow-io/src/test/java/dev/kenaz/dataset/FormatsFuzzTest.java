package dev.kenaz.dataset;

import static dev.kenaz.dataset.FormatTesting.rows;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.fail;

import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A damaged file is read, or is an error that names it; it never makes Kenaz fail in another way,
 * and no memory of batches is lost.
 */
final class FormatsFuzzTest {
  private static final int DAMAGES = 250;

  @TempDir Path folder;

  /** Returns a file that is as it must be. */
  private byte[] whole(DataFormat format) throws IOException {
    return switch (format) {
      case ADBENCH -> "2 1 3\n0.5\n1 2\n3 4 5\n6 7\n8 9\n10 11\n1.5 2\n".getBytes();
      case LIBSVM -> "1 qid:3 1:0.5 7:2e-3 # x\n-1 qid:4 2:1\n2 qid:4\n".getBytes();
      case MATRIX_MARKET ->
          "%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 3\n1 1 1\n2 1 .5\n3 3 2\n"
              .getBytes();
      case JSON ->
          "{\"a\": 1, \"b\": [1, 2.5], \"c\": {\"d\": \"x\\n\"}}\n{\"a\": null, \"b\": []}\n"
              .getBytes(StandardCharsets.UTF_8);
      case IDX -> new byte[] {0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6};
      case ARROW, CSV, PARQUET, NUMPY, NPZ, FUTHARK -> written(format);
    };
  }

  private byte[] written(DataFormat format) throws IOException {
    var x = Columns.vector("x", Prim.F64, 2);
    var fields = format == DataFormat.NUMPY ? List.of(x) : List.of(x, field("y"), field("z"));
    var file = folder.resolve("whole");
    try (var memory = BatchMemory.of("test");
        var batch = VectorSchemaRoot.create(new Schema(fields), memory);
        var writer =
            Formats.create(format, file, batch.getSchema(), FormatOptions.DEFAULT, Packing.NONE)) {
      new RandomBatches(1).fill(batch, 5);
      writer.write(batch);
      writer.commit();
    }
    var bytes = Files.readAllBytes(file);
    Files.delete(file);
    return bytes;
  }

  private static Field field(String name) {
    return Columns.scalar(name, name.equals("y") ? Prim.I32 : Prim.BOOL);
  }

  @ParameterizedTest
  @EnumSource(DataFormat.class)
  void damagedFilesAreReadOrRefused(DataFormat format) throws IOException {
    var whole = whole(format);
    var random = new SplittableRandom(100 + format.ordinal());
    for (int i = 0; i < DAMAGES; i++) {
      var bytes = damaged(whole, random);
      // Arrow's and Parquet's files are mapped, so each has a name of its own.
      var file = Files.write(folder.resolve("f" + i), bytes);
      try {
        read(format, DataFile.of(file));
      } catch (UserError e) {
        assertNotNull(e.getMessage());
      } catch (RuntimeException | Error e) {
        fail(format + ", damage " + i, e);
      }
      Files.delete(file);
    }
  }

  private static void read(DataFormat format, DataFile file) {
    for (boolean csr : new boolean[] {false, true}) {
      var options = FormatOptions.DEFAULT.withCsr(csr);
      var source = Formats.source(format, List.of(file), options);
      try {
        rows(source.open(0));
      } catch (RowSource.Contradiction e) {
        source.settle();
        rows(source.open(0));
      }
    }
  }

  /** Cuts a file off, or changes, inserts or repeats some of its bytes. */
  private static byte[] damaged(byte[] whole, SplittableRandom random) {
    var bytes = whole.clone();
    if (random.nextInt(4) == 0) {
      return Arrays.copyOf(bytes, random.nextInt(bytes.length));
    }
    byte[] odd = {0, -1, '9', '-', ':', ' ', '\n', '\r', '"', '[', '}', 127, -128, 'e'};
    for (int n = 1 + random.nextInt(3); n > 0; n--) {
      int at = random.nextInt(bytes.length);
      byte b = random.nextBoolean() ? odd[random.nextInt(odd.length)] : (byte) random.nextInt();
      if (random.nextBoolean()) {
        bytes[at] = b;
      } else {
        var longer = Arrays.copyOf(bytes, bytes.length + 1);
        System.arraycopy(bytes, at, longer, at + 1, bytes.length - at);
        longer[at] = b;
        bytes = longer;
      }
    }
    return bytes;
  }
}
