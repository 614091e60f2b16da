package dev.kenaz.dataset;

import static dev.kenaz.dataset.FormatTesting.assertFault;
import static dev.kenaz.dataset.FormatTesting.rows;
import static dev.kenaz.error.ErrorCode.K6103;
import static dev.kenaz.error.ErrorCode.K6104;
import static dev.kenaz.error.ErrorCode.K6105;
import static dev.kenaz.error.ErrorCode.K6107;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Archives of NumPy's arrays, whose bytes are put together here as NumPy's format says. */
final class NpzTest {
  @TempDir Path folder;

  private static byte[] array(String type, boolean fortran, String shape, ByteBuffer elements)
      throws IOException {
    var header =
        "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }\n"
            .formatted(type, fortran ? "True" : "False", shape)
            .getBytes(StandardCharsets.US_ASCII);
    var out = new ByteArrayOutputStream();
    out.write(0x93);
    out.writeBytes("NUMPY".getBytes(StandardCharsets.US_ASCII));
    out.write(1);
    out.write(0);
    out.write(header.length);
    out.write(header.length >> 8);
    out.write(header);
    out.write(elements.array());
    return out.toByteArray();
  }

  private static ByteBuffer doubles(int from, int to) {
    var bytes = ByteBuffer.allocate(8 * (to - from)).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = from; i < to; i++) {
      bytes.putDouble(i);
    }
    return bytes;
  }

  private DataFile archive(boolean stored, Object... namesAndBytes) throws IOException {
    var file = folder.resolve("a.npz");
    try (var zip = new ZipOutputStream(Files.newOutputStream(file))) {
      for (int i = 0; i < namesAndBytes.length; i += 2) {
        var entry = new ZipEntry((String) namesAndBytes[i]);
        var bytes = (byte[]) namesAndBytes[i + 1];
        if (stored) {
          var sum = new CRC32();
          sum.update(bytes);
          entry.setMethod(ZipEntry.STORED);
          entry.setSize(bytes.length);
          entry.setCrc(sum.getValue());
        }
        zip.putNextEntry(entry);
        zip.write(bytes);
      }
    }
    return DataFile.of(file);
  }

  private static RowReader open(DataFile file, String... arrays) {
    return NpzReader.open(file, FormatOptions.DEFAULT.withArrays(List.of(arrays)));
  }

  @Test
  void arraysOfOneLengthAreColumns() throws IOException {
    var big = ByteBuffer.allocate(6).putShort((short) 1).putShort((short) -2).putShort((short) 3);
    var flags = ByteBuffer.wrap(new byte[] {1, 0, 1});
    for (boolean stored : new boolean[] {true, false}) {
      var file =
          archive(
              stored,
              "x.npy",
              array("<f8", false, "3, 2", doubles(0, 6)),
              "in/y.npy",
              array(">i2", false, "3,", big),
              "b.npy",
              array("|b1", false, "3,", flags));
      assertEquals(
          List.of(
              List.of(List.of(0.0, 1.0), (short) 1, true),
              List.of(List.of(2.0, 3.0), (short) -2, false),
              List.of(List.of(4.0, 5.0), (short) 3, true)),
          rows(open(file)));
      assertEquals(List.of(List.of(true), List.of(false), List.of(true)), rows(open(file, "b")));
      try (var reader = open(file, "in/y", "x")) {
        assertEquals("in/y", reader.schema().getFields().getFirst().getName());
      }
      assertFault(K6104, "no column \"yy\"", () -> open(file, "yy"));
    }
  }

  /** Wide rows come in other batches than narrow ones, and are put together again. */
  @Test
  void batchesOfDifferentLengths() throws IOException {
    int n = 150_000;
    var wide = doubles(0, 100 * n / 10);
    var narrow = doubles(0, n / 10);
    var file =
        archive(
            false,
            "narrow.npy",
            array("<f8", false, n / 10 + ",", narrow),
            "wide.npy",
            array("<f8", false, n / 10 + ", 100", wide));
    var rows = rows(open(file));
    assertEquals(n / 10, rows.size());
    for (int i = 0; i < rows.size(); i += 997) {
      assertEquals((double) i, rows.get(i).get(0));
      assertEquals(100.0 * i + 99, ((List<?>) rows.get(i).get(1)).get(99));
    }
  }

  @Test
  void whatIsNoTable() throws IOException {
    var x = array("<f8", false, "3, 2", doubles(0, 6));
    var y = array("<f8", false, "6,", doubles(0, 6));
    var different = archive(true, "x.npy", x, "y.npy", y);
    assertFault(K6107, "x [3, 2], y [6]", () -> open(different));
    assertEquals(6, rows(open(different, "y")).size());
    var scalar = archive(true, "x.npy", array("<f8", false, "", doubles(0, 1)));
    assertFault(K6105, "a single number", () -> open(scalar));
    var fortran = archive(true, "x.npy", array("<f8", true, "3, 2", doubles(0, 6)));
    assertFault(K6105, "columns, not its rows", () -> open(fortran));
    var text = archive(true, "x.npy", array("<U3", false, "3,", doubles(0, 6)));
    assertFault(K6105, "type <U3, not numbers", () -> open(text));
    var other = archive(true, "x.npy", x, "readme.txt", x);
    assertFault(K6105, "readme.txt is no array", () -> open(other));
    assertEquals(3, rows(open(other, "x")).size());
    var cut = archive(false, "x.npy", Arrays.copyOf(x, x.length - 3));
    assertFault(K6103, "ends too early", () -> rows(open(cut)));
    var more = archive(false, "x.npy", Arrays.copyOf(x, x.length + 3));
    assertFault(K6103, "goes on after", () -> rows(open(more)));
  }

  @Test
  void damagedArchives() throws IOException {
    var file = archive(false, "x.npy", array("<f8", false, "3, 2", doubles(0, 6)));
    var bytes = Files.readAllBytes(file.path().orElseThrow());
    Files.write(folder.resolve("a.npz"), Arrays.copyOf(bytes, bytes.length / 2));
    assertFault(K6103, "is damaged", () -> open(file));
    // One that is not on this machine is copied.
    assertEquals(3, rows(open(BytesFile.of("far.npz", bytes))).size());
  }
}
