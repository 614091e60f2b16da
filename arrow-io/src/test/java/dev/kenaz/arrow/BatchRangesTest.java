package dev.kenaz.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.dataset.ArrowFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.arrow.vector.util.Text;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What footers say of batches is what these have, or nothing. */
final class BatchRangesTest {
  private static final ArrowType F64 = new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
  private static final Schema COLUMNS =
      new Schema(
          List.of(
              new Field(
                  "l",
                  FieldType.nullable(new ArrowType.FixedSizeList(2)),
                  List.of(Field.nullable("item", F64))),
              Field.nullable("i", new ArrowType.Int(32, true)),
              Field.nullable("x", F64),
              Field.nullable("s", ArrowType.Utf8.INSTANCE)));

  @TempDir Path folder;

  /** Writes three batches of 100 rows; the second has a NaN and a long text, the third nulls. */
  private Path written() {
    var file = folder.resolve("a.arrow");
    try (var memory = new RootAllocator();
        var root = VectorSchemaRoot.create(COLUMNS, memory);
        var out = new ArrowFile(file, COLUMNS)) {
      for (int batch = 0; batch < 3; batch++) {
        root.allocateNew();
        ((FixedSizeListVector) root.getVector("l")).setNull(7);
        for (int row = 0; row < 100 && batch < 2; row++) {
          int n = (row + 50) % 100 + 100 * batch;
          var text = new Text(batch == 1 && row == 3 ? "z".repeat(300) : "t" + n);
          ((IntVector) root.getVector("i")).setSafe(row, n);
          ((Float8Vector) root.getVector("x")).setSafe(row, n == 150 ? Double.NaN : -n / 2.0);
          ((VarCharVector) root.getVector("s")).setSafe(row, text);
        }
        root.setRowCount(100);
        out.write(root);
        root.clear();
      }
      out.commit();
    }
    return file;
  }

  private static List<Object> extremes(BatchRanges ranges, int column) {
    try (var memory = new RootAllocator();
        var vector = ranges.extremes(column, memory)) {
      return Arrays.asList(
          IntStream.range(0, vector.getValueCount())
              .mapToObj(i -> vector.isNull(i) ? null : vector.getObject(i).toString())
              .toArray());
    }
  }

  @Test
  void rangesAreThoseOfTheCells() {
    var ranges = VectorFile.map(written()).ranges().orElseThrow();
    assertFalse(ranges.has(0));
    assertEquals(Arrays.asList("0", "99", "100", "199", null, null), extremes(ranges, 1));
    assertEquals(Arrays.asList("-49.5", "0.0", null, null, null, null), extremes(ranges, 2));
    assertEquals(Arrays.asList("t0", "t99", null, null, null, null), extremes(ranges, 3));
    for (int column = 1; column < 4; column++) {
      for (int batch = 0; batch < 3; batch++) {
        assertTrue(ranges.fits(column, batch), column + " " + batch);
        assertEquals(batch == 2 ? 100 : 0, ranges.nulls(column, batch));
      }
    }
  }

  /** Of a column whose bytes are others nothing is believed; others are as they were. */
  @Test
  void sealsTellOtherBytes() throws IOException {
    var file = written();
    var there = VectorFile.map(file);
    var bytes = Files.readAllBytes(file);
    // The batch begins with lists: their nulls, those of elements, and elements; then i.
    int cells = (int) there.position(0) + 16 + 32 + 200 * 8 + 16;
    assertEquals(50, bytes[cells]);
    for (int changed : new int[] {cells, cells + 399}) {
      var other = bytes.clone();
      other[changed] ^= 1;
      var ranges = VectorFile.map(Files.write(folder.resolve("b"), other)).ranges().orElseThrow();
      assertFalse(ranges.fits(1, 0));
      assertTrue(ranges.fits(1, 1) && ranges.fits(2, 0));
    }
  }

  @Test
  void othersSayNothing() throws IOException {
    var file = folder.resolve("c.arrow");
    try (var out = ArrowOutput.create(file, List.of(), false)) {
      out.commit();
    }
    assertTrue(VectorFile.map(file).ranges().isEmpty());
    try (var out = new ArrowFile(folder.resolve("d.arrow"), COLUMNS)) {
      out.commit();
    }
    assertTrue(VectorFile.map(folder.resolve("d.arrow")).ranges().isEmpty());
    new ArrowFile(folder.resolve("e.arrow"), COLUMNS).close();
    assertFalse(Files.exists(folder.resolve("e.arrow")), "what isn't complete is removed");
  }
}
