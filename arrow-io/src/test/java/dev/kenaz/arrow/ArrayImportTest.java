package dev.kenaz.arrow;

import static dev.kenaz.arrow.ArrowRoundTripTest.assertFault;
import static dev.kenaz.error.ErrorCode.K6103;
import static dev.kenaz.error.ErrorCode.K6105;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.kenaz.dataset.ArrayReader;
import dev.kenaz.dataset.DataFile;
import dev.kenaz.dataset.DataFormat;
import dev.kenaz.dataset.FileSource;
import dev.kenaz.dataset.RowOutput;
import dev.kenaz.dataset.Transfer;
import dev.kenaz.value.Prim;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ArrayImportTest {
  @TempDir private Path folder;

  /** Makes a file of NumPy's format, version 1. */
  private static byte[] npy(String description, byte[] elements) {
    var header = description.getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(10 + header.length + elements.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0})
        .putShort((short) header.length)
        .put(header)
        .put(elements)
        .array();
  }

  private static String described(String type, boolean fortran, String shape) {
    return "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }      \n"
        .formatted(type, fortran ? "True" : "False", shape);
  }

  private static byte[] doubles(ByteOrder order, double... xs) {
    var bytes = ByteBuffer.allocate(8 * xs.length).order(order);
    Arrays.stream(xs).forEach(bytes::putDouble);
    return bytes.array();
  }

  private ArrowDataset imported(byte[] file, long rowsPerFile) throws IOException {
    var source = Files.write(folder.resolve("a.npy"), file);
    var target = folder.resolve("out");
    var array =
        new FileSource(
            List.of(DataFile.of(source)), f -> ArrayReader.open(f, DataFormat.of(f), "x"));
    Transfer.run(
        array,
        rowsPerFile == 0
            ? RowOutput.arrowFile(target, true)
            : RowOutput.arrowFolder(target, rowsPerFile, true),
        Progress.NONE);
    return ArrowDataset.open(target.toString());
  }

  @Test
  void anArrayOfOneDimensionIsAColumnOfNumbers() throws IOException {
    var elements = doubles(ByteOrder.LITTLE_ENDIAN, 1, -2.5, Double.NaN);
    var d = imported(npy(described("<f8", false, "3,"), elements), 0);
    assertArrayEquals(new double[] {1, -2.5, Double.NaN}, d.toVector(Prim.F64).toDoubleArray());
  }

  @Test
  void furtherDimensionsBecomeListsAndBytesAreSwapped() throws IOException {
    var elements = doubles(ByteOrder.BIG_ENDIAN, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    var d = imported(npy(described(">f8", false, "3, 2, 2"), elements), 2);
    assertEquals(3, d.rowCount());
    var m = d.toMatrix(Prim.F64);
    assertArrayEquals(new long[] {3, 4}, m.shape());
    assertArrayEquals(new double[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, m.toDoubleArray());
  }

  @Test
  void theFormatOfMnistIsReadPackedOrNot() throws IOException {
    var idx =
        ByteBuffer.allocate(16 + 8)
            .put(new byte[] {0, 0, 8, 3})
            .putInt(2)
            .putInt(2)
            .putInt(2)
            .put(new byte[] {0, 1, 2, 3, 4, 5, 6, (byte) 255})
            .array();
    var out = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(out)) {
      gzip.write(idx);
    }
    for (var file : new byte[][] {idx, out.toByteArray()}) {
      var d = imported(file, 0);
      assertEquals(2, d.rowCount());
      assertArrayEquals(
          new double[] {0, 1, 2, 3, 4, 5, 6, 255}, d.toMatrix(Prim.F64).toDoubleArray());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<f8|False|4,|K6103|ends too early",
        "<f8|False|2,|K6103|goes on after its last element",
        "<f8|False|99999999999999999999,|K6103|damaged",
        "<f8|False|3, 9999999999, 9999999999|K6103|too large",
        "<f8|True|1, 3|K6105|np.ascontiguousarray",
        "<f8|False||K6105|single number",
        "<f8|False|3, 0|K6105|rows of 0 elements",
        "<c16|False|3,|K6105|type c16",
        "|O|False|3,|K6105|type",
        "<U1|False|3,|K6105|type",
        "<M8[D]|False|3,|K6105|type",
        "|b1|False|24,|K6103|neither 0 nor 1",
      })
  void whatIsWrongIsAnErrorAndLeavesNothing(String line) throws IOException {
    var f = line.split("\\|", -1);
    int skip = line.startsWith("|") ? 1 : 0;
    var type = skip == 1 ? "|" + f[1] : f[0];
    var description =
        "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }\n"
            .formatted(type, f[1 + skip], f[2 + skip]);
    var file = npy(description, doubles(ByteOrder.LITTLE_ENDIAN, 1, 2, 3));
    var code = f[3 + skip].equals("K6103") ? K6103 : K6105;
    assertFault(code, "a.npy", () -> imported(file, 0));
    assertFalse(Files.exists(folder.resolve("out")));
  }

  @Test
  void recordsAreNamedAsSuch() {
    var description = "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }\n";
    assertFault(K6105, "has records", () -> imported(npy(description, new byte[8]), 0));
  }
}
