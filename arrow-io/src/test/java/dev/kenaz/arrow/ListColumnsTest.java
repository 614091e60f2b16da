package dev.kenaz.arrow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.BaseRepeatedValueVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.types.Types.MinorType;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Elements and lengths of lists, as Arrow's own writer writes them. */
final class ListColumnsTest {
  @TempDir Path folder;
  private final RootAllocator allocator = new RootAllocator();

  @AfterEach
  void nothingLeaks() {
    allocator.close();
  }

  private static Field lists(ArrowType type) {
    var cell = new Field("x", FieldType.nullable(MinorType.FLOAT8.getType()), List.of());
    return new Field("v", FieldType.nullable(type), List.of(cell));
  }

  /** Writes a batch of one column for each list of lists. */
  private String written(ArrowType type, CodecType codec, List<List<List<Double>>> batches)
      throws IOException {
    var file = folder.resolve("lists.arrow");
    var schema = new Schema(List.of(lists(type)));
    try (var root = VectorSchemaRoot.create(schema, allocator);
        var out = new FileOutputStream(file.toFile());
        var writer =
            new ArrowFileWriter(
                root,
                null,
                out.getChannel(),
                null,
                IpcOption.DEFAULT,
                codec == CodecType.NO_COMPRESSION
                    ? NoCompressionCodec.Factory.INSTANCE
                    : CommonsCompressionFactory.INSTANCE,
                codec)) {
      writer.start();
      for (var rows : batches) {
        if (rows.isEmpty() && codec != CodecType.NO_COMPRESSION) {
          continue; // Arrow's writer can't compress it.
        }
        root.clear();
        fill(root.getVector("v"), rows);
        root.setRowCount(rows.size());
        writer.writeBatch();
      }
      writer.end();
    }
    return file.toString();
  }

  private static void fill(FieldVector vector, List<List<Double>> rows) {
    int at = 0;
    for (int row = 0; row < rows.size(); row++) {
      var list = rows.get(row);
      if (list == null) {
        vector.setNull(row);
        continue;
      }
      switch (vector) {
        case ListVector v -> v.startNewValue(row);
        case LargeListVector v -> v.startNewValue(row);
        case FixedSizeListVector v -> v.setNotNull(row);
        default -> throw new IllegalArgumentException();
      }
      var cells =
          switch (vector) {
            case BaseRepeatedValueVector v -> v.getDataVector();
            case FixedSizeListVector v -> v.getDataVector();
            case LargeListVector v -> v.getDataVector();
            default -> throw new IllegalArgumentException();
          };
      for (var x : list) {
        if (x != null) {
          ((Float8Vector) cells).setSafe(at, x);
        } else {
          cells.setNull(at);
        }
        at++;
      }
      switch (vector) {
        case ListVector v -> v.endValue(row, list.size());
        case LargeListVector v -> v.endValue(row, list.size());
        default -> {}
      }
    }
    vector.setValueCount(rows.size());
  }

  private static final List<List<List<Double>>> RAGGED =
      List.of(
          List.of(List.of(1.0, 2.0), List.of(), List.of(3.0)),
          List.of(),
          List.of(List.of(), List.of()),
          List.of(List.of(4.0, 5.0, 6.0), List.of(7.0)));

  @ParameterizedTest
  @EnumSource(
      value = CodecType.class,
      names = {"NO_COMPRESSION", "ZSTD"})
  void elementsAndLengths(CodecType codec) throws IOException {
    for (var type : List.of(ArrowType.List.INSTANCE, ArrowType.LargeList.INSTANCE)) {
      var file = written(type, codec, RAGGED);
      var elements = ArrowDataset.open(List.of(file), ReadOptions.columns("elements(v)"));
      assertEquals(7, elements.rowCount());
      assertArrayEquals(
          new double[] {1, 2, 3, 4, 5, 6, 7}, elements.toVector(Prim.F64).toDoubleArray());
      var lengths = ArrowDataset.open(List.of(file), ReadOptions.columns("lengths(v)"));
      assertEquals(7, lengths.rowCount());
      assertArrayEquals(new long[] {2, 0, 1, 0, 0, 3, 1}, lengths.toVector(Prim.I64).toLongArray());
      for (int from = 0; from <= 7; from++) {
        for (int to = from; to <= 7; to++) {
          var part = elements.rows(from, to);
          var again = ArrowDataset.openRanges(part.ranges(), elements.options());
          assertEquals(part.toVector(Prim.F64), again.toVector(Prim.F64));
          assertEquals(to - from, again.rowCount());
          if (from < to) {
            assertEquals(from + 1, again.toVector(Prim.F64).getDouble(0));
          }
          var some = lengths.rows(from, to).toVector(Prim.I64).toLongArray();
          var before = lengths.elementsBefore("v", new long[] {0, from, to});
          assertEquals(0, before[0]);
          assertEquals(before[2] - before[1], Arrays.stream(some).sum());
        }
      }
      assertArrayEquals(
          new long[] {0, 2, 3, 3, 3, 6, 7},
          lengths.elementsBefore("v", new long[] {0, 1, 3, 4, 5, 6, 7}));
    }
  }

  @Test
  void listsOfOneSizeAreListsToo() throws IOException {
    var file =
        written(
            new ArrowType.FixedSizeList(2),
            CodecType.NO_COMPRESSION,
            List.of(List.of(List.of(1.0, 2.0)), List.of(List.of(3.0, 4.0), List.of(5.0, 6.0))));
    var elements = ArrowDataset.open(List.of(file), ReadOptions.columns("elements(v)"));
    assertArrayEquals(
        new double[] {2, 3, 4, 5}, elements.rows(1, 5).toVector(Prim.F64).toDoubleArray());
    var lengths = ArrowDataset.open(List.of(file), ReadOptions.columns("lengths(v)"));
    assertArrayEquals(new long[] {2, 2, 2}, lengths.toVector(Prim.I64).toLongArray());
    assertArrayEquals(new long[] {2, 6}, lengths.elementsBefore("v", new long[] {1, 3}));
  }

  private static void fails(String message, Runnable read) {
    var e = assertThrows(UserError.class, read::run);
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }

  @Test
  void nullsAndOtherColumnsAreErrors() throws IOException {
    var lists = new ArrayList<List<Double>>(List.of(List.of(1.0), List.of(2.0)));
    lists.set(1, null);
    var file = written(ArrowType.List.INSTANCE, CodecType.NO_COMPRESSION, List.of(lists));
    fails("is null in row 1", () -> open(file, "elements(v)"));
    fails("\"lengths(v)\" is null in row 1", () -> open(file, "lengths(v)").toVector(Prim.I64));
    fails("may have different lengths", () -> open(file, "v").toVector(Prim.F64));
    fails("has no column \"w\"", () -> open(file, "elements(w)"));
    fails("has no column \"lengths(w)\"", () -> open(file, "lengths(w)"));
    fails("has other rows", () -> open(file, "elements(v)", "lengths(v)"));
    var cells = new ArrayList<>(List.of(1.0, 2.0));
    cells.set(0, null);
    var gap = written(ArrowType.List.INSTANCE, CodecType.NO_COMPRESSION, List.of(List.of(cells)));
    fails("element 0 of elements(v) is null", () -> open(gap, "elements(v)").toVector(Prim.F64));
    var plain = folder.resolve("plain.arrow");
    try (var out = ArrowOutput.create(plain, List.of(ColumnInfo.scalar("v", Prim.F64)), false)) {
      out.commit();
    }
    fails("not lists", () -> open(plain.toString(), "elements(v)"));
  }

  private static ArrowDataset open(String file, String... columns) {
    return ArrowDataset.open(List.of(file), ReadOptions.columns(columns));
  }

  /** Whatever is in the buffers, reading ends with numbers or with an error of Kenaz. */
  @Test
  void damagedListsAreErrors() throws IOException {
    var file = written(ArrowType.List.INSTANCE, CodecType.NO_COMPRESSION, RAGGED);
    var bytes = Files.readAllBytes(Path.of(file));
    var random = new Random(5);
    int faults = 0;
    for (int i = 0; i < 4000; i++) {
      var damaged = bytes.clone();
      damaged[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      Files.write(Path.of(file), damaged);
      try {
        open(file, "elements(v)").toVector(Prim.F64);
        var lengths = open(file, "lengths(v)");
        lengths.toVector(Prim.I64);
        lengths.elementsBefore("v", new long[] {0, lengths.rowCount()});
      } catch (UserError e) {
        faults++;
      }
    }
    assertTrue(faults > 100, "" + faults);
  }
}
