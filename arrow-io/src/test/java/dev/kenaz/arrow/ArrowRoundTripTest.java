package dev.kenaz.arrow;

import static dev.kenaz.error.ErrorCode.K6108;
import static dev.kenaz.error.ErrorCode.K6109;
import static dev.kenaz.error.ErrorCode.K6110;
import static dev.kenaz.error.ErrorCode.K6111;
import static dev.kenaz.error.ErrorCode.K6112;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Elements;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ArrowRoundTripTest {
  @TempDir Path folder;

  static SequencedMap<String, Value> columns(Object... namesAndValues) {
    var map = new LinkedHashMap<String, Value>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      map.put((String) namesAndValues[i], (Value) namesAndValues[i + 1]);
    }
    return map;
  }

  static ArrayValue random(Prim p, long seed, long... shape) {
    var data = ArrayValue.allocate(p, shape);
    var random = new Random(seed);
    for (long i = 0; i < ArrayValue.count(shape); i++) {
      Elements.setBits(data, p, i, random.nextLong());
    }
    return ArrayValue.of(p, data, shape);
  }

  /** Vectors and matrices of up to 20 a dimension, empty ones too. */
  @ParameterizedTest
  @EnumSource
  void everyTypeAndShapeReadsBack(Prim prim) throws IOException {
    var lengths = new long[] {0, 1, 2, 7, 8, 9, 20};
    for (long n : lengths) {
      readsBack(random(prim, n, n));
      for (long m : lengths) {
        readsBack(random(prim, 100 * n + m, n, m));
      }
    }
  }

  private void readsBack(ArrayValue a) throws IOException {
    var file = folder.resolve("x.arrow");
    ArrowOutput.write(file, columns("x", a), true);
    assertEquals(a, ArrowDataset.open(file.toString()).toValue(a.elem()));
    try (var in = Files.newInputStream(file)) {
      assertEquals(a, ArrowDataset.read(in, "stream", ReadOptions.ALL).toValue(a.elem()));
    }
  }

  @Test
  void columnsBecomeAMatrixSideBySide() {
    var file = folder.resolve("m.arrow");
    ArrowOutput.write(
        file,
        columns(
            "a", ArrayValue.ofInts(new int[] {1, 2}),
            "b", ArrayValue.ofFloats(new float[] {1.5f, 2.5f, 3.5f, 4.5f}, 2, 2),
            "c", ArrayValue.ofBooleans(new boolean[] {true, false})),
        false);
    var d = ArrowDataset.open(file.toString());
    assertEquals(
        ArrayValue.ofDoubles(new double[] {1, 1.5, 2.5, 1, 2, 3.5, 4.5, 0}, 2, 4),
        d.toMatrix(Prim.F64));
    assertEquals(Prim.F64, d.commonType());
    assertEquals(ArrayValue.ofLongs(new long[] {1, 0}), d.column("c").toVector(Prim.I64));
    assertEquals(
        ArrayValue.ofFloats(new float[] {0, 2, 1, 1}, 2, 2).rows(0, 1),
        d.withOptions(ReadOptions.columns("c", "a")).rows(1, 2).toMatrix(Prim.F32));
  }

  @Test
  void manyBatchesAndAnyPartitionGiveTheSameRows() {
    var file = folder.resolve("big.arrow");
    long n = 3 * ArrowOutput.BATCH_ROWS + 7;
    var a = random(Prim.I32, 1, n);
    var b = random(Prim.I64, 2, n, 3);
    ArrowOutput.write(file, columns("a", a, "b", b), false);
    var d = ArrowDataset.open(file.toString());
    assertEquals(4, d.batchCount());
    assertEquals(n, d.rowCount());
    assertEquals(b, d.column("b").toMatrix(Prim.I64));
    long row = 0;
    for (var part : d.column("b").partitions(5)) {
      var elsewhere = ArrowDataset.openRanges(part.ranges(), part.options());
      assertEquals(b.rows(row, row + part.rowCount()), elsewhere.toMatrix(Prim.I64));
      row += part.rowCount();
    }
    assertEquals(n, row);
  }

  @Test
  void oneBatchOfTheRightTypeIsReadInPlace() {
    var file = folder.resolve("v.arrow");
    var a = random(Prim.F32, 3, 1000, 4);
    ArrowOutput.write(file, columns("x", a), false);
    var d = ArrowDataset.open(file.toString());
    var first = d.toMatrix(Prim.F32);
    var second = d.rows(10, 20).toMatrix(Prim.F32);
    assertEquals(a, first);
    assertEquals(first.data().address() + 10 * 16, second.data().address());
  }

  @Test
  void scalarsAreColumnsOfOneRow() {
    var file = folder.resolve("s.arrow");
    ArrowOutput.write(file, columns("loss", ScalarValue.f64(1.5), "n", ScalarValue.u64(-1)), false);
    var d = ArrowDataset.open(file.toString());
    assertEquals(ArrayValue.ofDoubles(new double[] {1.5}), d.column("loss").toValue(Prim.F64));
    assertEquals(ArrayValue.ofLongs(Prim.U64, new long[] {-1}), d.column("n").toValue(Prim.U64));
  }

  @Test
  void whatDoesNotFitATypeIsAnError() {
    var file = folder.resolve("f.arrow");
    ArrowOutput.write(
        file,
        columns(
            "whole", ArrayValue.ofDoubles(new double[] {1, -2, 3}),
            "half", ArrayValue.ofDoubles(new double[] {1, 2.5, 3}),
            "big", ArrayValue.ofLongs(new long[] {1, 2, 1L << 40}),
            "huge", ArrayValue.ofDoubles(new double[] {0x1p63, 0x1p63, 0x1p63}),
            "negative", ArrayValue.ofInts(new int[] {1, -1, 1})),
        false);
    var d = ArrowDataset.open(file.toString());
    assertEquals(ArrayValue.ofInts(new int[] {1, -2, 3}), d.column("whole").toVector(Prim.I32));
    assertFault(K6108, "column \"half\", row 1", () -> d.column("half").toVector(Prim.I32));
    assertFault(K6108, "column \"big\", row 2", () -> d.column("big").toVector(Prim.I32));
    assertFault(K6108, "row 0", () -> d.column("huge").toVector(Prim.I64));
    assertFault(K6108, "row 1", () -> d.column("negative").toVector(Prim.U64));
    assertFault(K6108, "row 1", () -> d.column("whole").toVector(Prim.BOOL));
    assertFault(
        K6109,
        "half, big",
        () -> d.withOptions(ReadOptions.columns("half", "big")).toVector(Prim.F64));
  }

  static void assertFault(
      ErrorCode code, String part, org.junit.jupiter.api.function.Executable e) {
    var error = assertThrows(UserError.class, e);
    assertEquals(code, error.diagnostics().getFirst().code(), error.getMessage());
    assertTrue(error.getMessage().contains(part), error.getMessage());
  }

  @Test
  void nothingIsOverwrittenUnasked() {
    var file = folder.resolve("o.arrow");
    var one = columns("x", ArrayValue.ofInts(new int[] {1}));
    var two = columns("x", ArrayValue.ofInts(new int[] {2}));
    ArrowOutput.write(file, one, false);
    assertFault(K6110, "exists", () -> ArrowOutput.write(file, two, false));
    assertEquals(one.get("x"), ArrowDataset.open(file.toString()).toValue(Prim.I32));
    ArrowOutput.write(file, two, true);
    assertEquals(two.get("x"), ArrowDataset.open(file.toString()).toValue(Prim.I32));
  }

  @Test
  void anAbandonedFileLeavesNothing() throws IOException {
    var file = folder.resolve("gone.arrow");
    try (var out = ArrowOutput.create(file, List.of(ColumnInfo.scalar("x", Prim.I32)), false)) {
      out.write(List.of(ArrayValue.ofInts(new int[] {1, 2, 3})));
    }
    try (var left = Files.list(folder)) {
      assertEquals(0, left.count());
    }
  }

  @Test
  void unequalOrUnfitColumnsAreErrors() {
    var file = folder.resolve("u.arrow");
    assertFault(
        K6112,
        "\"b\" has 1",
        () ->
            ArrowOutput.write(
                file,
                columns("a", ArrayValue.ofInts(new int[2]), "b", ArrayValue.ofInts(new int[1])),
                false));
    assertFault(
        K6112,
        "[][][]i32",
        () -> ArrowOutput.write(file, columns("a", ArrayValue.ofInts(new int[8], 2, 2, 2)), false));
    assertFalse(Files.exists(file));
  }

  /** A disk that is full after so many bytes. */
  private record FullDisk(int[] left) implements WritableByteChannel {
    @Override
    public int write(ByteBuffer from) throws IOException {
      left[0] -= from.remaining();
      if (left[0] < 0) {
        throw new IOException("No space left on device");
      }
      int n = from.remaining();
      from.position(from.limit());
      return n;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  @Test
  void aFullDiskIsAClearErrorAtEveryPoint() {
    for (int size = 0; size < 1200; size += 40) {
      var disk = new FullDisk(new int[] {size});
      assertFault(
          K6111,
          "No space left on device",
          () -> {
            var infos = List.of(ColumnInfo.scalar("x", Prim.I64));
            try (var out = new ArrowOutput(infos, null, disk)) {
              out.write(List.of(ArrayValue.ofLongs(new long[100])));
              out.commit();
            }
          });
    }
  }

  @Test
  void inspectionCountsWhatIsThere() {
    var file = folder.resolve("i.arrow");
    ArrowOutput.write(
        file,
        columns(
            "x", ArrayValue.ofDoubles(new double[] {1, Double.NaN, 3, 1e16}),
            "e",
                ArrayValue.ofDoubles(new double[] {Double.NaN, Double.NaN, Double.NaN, Double.NaN}),
            "l", ArrayValue.ofInts(new int[] {1, 2, 3, 4, 5, 6, 7, 8}, 4, 2)),
        false);
    var d = ArrowDataset.open(file.toString());
    var columns = new DatasetInspect(d).columns();
    assertEquals(3, columns.get(0).count());
    assertEquals(1, columns.get(0).nans());
    assertEquals((1e16 + 4) / 3, columns.get(0).mean());
    assertTrue(Double.isNaN(columns.get(1).min()));
    assertEquals(4.5, columns.get(2).mean());
    assertTrue(columns.get(2).bytes() >= 32 && columns.get(2).bytes() < 40);
    assertEquals(Map.of("x", 1L, "e", 4L, "l", 0L), d.nanCounts());
  }
}
