package dev.kenaz.arrow;

import static dev.kenaz.error.ErrorCode.K6105;
import static dev.kenaz.error.ErrorCode.K6112;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.NativeLimit;
import dev.kenaz.value.Prim;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.ipc.ArrowWriter;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.types.Types.MinorType;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files with added columns, as Arrow's own reader sees them. */
final class AddedColumnsTest {
  private static final int ROWS = 100;
  private static final int BATCHES = 3;

  @TempDir Path folder;
  private final RootAllocator allocator = new RootAllocator();

  @AfterEach
  void nothingLeaks() {
    allocator.close();
  }

  /** Writes strings, views, lists, structures and a dictionary; id is null in each seventh row. */
  private Path written(boolean stream, CodecType codec) throws IOException {
    var words = new VarCharVector("words", allocator);
    List.of("red", "blue", "green")
        .forEach(w -> words.setSafe(words.getValueCount(), text(words, w)));
    var encoding = new DictionaryEncoding(5, false, null);
    var dictionary = new Dictionary(words, encoding);
    var provider = new MapDictionaryProvider(dictionary);
    var file = folder.resolve("däta 1.arrow");
    var fields =
        List.of(
            new Field("id", FieldType.nullable(MinorType.INT.getType()), List.of()),
            new Field("name", FieldType.nullable(MinorType.VARCHAR.getType()), List.of()),
            new Field("view", FieldType.nullable(MinorType.VIEWVARCHAR.getType()), List.of()),
            new Field("colour", new FieldType(true, MinorType.INT.getType(), encoding), List.of()),
            new Field(
                "some",
                FieldType.nullable(new ArrowType.List()),
                List.of(new Field("x", FieldType.nullable(MinorType.INT.getType()), List.of()))),
            new Field(
                "pair",
                FieldType.nullable(new ArrowType.Struct()),
                List.of(new Field("a", FieldType.nullable(MinorType.INT.getType()), List.of()))));
    var schema = new Schema(fields, Map.of("made", "by hand"));
    var factory =
        codec == CodecType.NO_COMPRESSION
            ? NoCompressionCodec.Factory.INSTANCE
            : CommonsCompressionFactory.INSTANCE;
    try (words;
        var root = VectorSchemaRoot.create(schema, allocator);
        var out = new FileOutputStream(file.toFile());
        ArrowWriter writer =
            stream
                ? new ArrowStreamWriter(
                    root, provider, out.getChannel(), IpcOption.DEFAULT, factory, codec)
                : new ArrowFileWriter(
                    root, provider, out.getChannel(), null, IpcOption.DEFAULT, factory, codec)) {
      writer.start();
      for (int b = 0; b < BATCHES; b++) {
        fill(root, b * ROWS);
        writer.writeBatch();
      }
      writer.end();
    }
    return file;
  }

  private static byte[] text(VarCharVector words, String word) {
    words.setValueCount(words.getValueCount() + 1);
    return word.getBytes(StandardCharsets.UTF_8);
  }

  private static void fill(VectorSchemaRoot root, int first) {
    root.clear();
    var list = (ListVector) root.getVector("some");
    var item = list.getWriter();
    var pair = (StructVector) root.getVector("pair");
    for (int i = 0; i < ROWS; i++) {
      int row = first + i;
      if (row % 7 != 0) {
        ((IntVector) root.getVector("id")).setSafe(i, row);
      }
      var name = ("row " + row + " of a rather long text").getBytes(StandardCharsets.UTF_8);
      ((VarCharVector) root.getVector("name")).setSafe(i, name);
      ((ViewVarCharVector) root.getVector("view")).setSafe(i, name);
      ((IntVector) root.getVector("colour")).setSafe(i, row % 3);
      item.setPosition(i);
      item.startList();
      for (int j = 0; j < row % 4; j++) {
        item.writeInt(row + j);
      }
      item.endList();
      if (row % 5 != 0) {
        pair.setIndexDefined(i);
        ((IntVector) pair.getChild("a")).setSafe(i, -row);
      }
    }
    root.setRowCount(ROWS);
  }

  /** Returns all rows as Arrow's reader sees them; dictionaries are decoded. */
  private List<Map<String, Object>> rows(List<Path> files) throws IOException {
    var rows = new ArrayList<Map<String, Object>>();
    for (var file : files) {
      try (var in = new FileInputStream(file.toFile());
          var reader =
              new ArrowFileReader(in.getChannel(), allocator, CommonsCompressionFactory.INSTANCE)) {
        assertEquals(
            "by hand", reader.getVectorSchemaRoot().getSchema().getCustomMetadata().get("made"));
        while (reader.loadNextBatch()) {
          var columns = new LinkedHashMap<String, FieldVector>();
          for (var v : reader.getVectorSchemaRoot().getFieldVectors()) {
            columns.put(v.getName(), v);
          }
          var colours = DictionaryEncoder.decode(columns.get("colour"), reader.lookup(5));
          for (int i = 0; i < reader.getVectorSchemaRoot().getRowCount(); i++) {
            var row = new LinkedHashMap<String, Object>();
            int at = i;
            columns.forEach((name, v) -> row.put(name, String.valueOf(v.getObject(at))));
            row.put("colour", colours.getObject(i).toString());
            rows.add(row);
          }
          colours.close();
        }
      }
    }
    return rows;
  }

  @ParameterizedTest
  @CsvSource({
    "false, NO_COMPRESSION, true",
    "false, NO_COMPRESSION, false",
    "true, NO_COMPRESSION, true",
    "false, ZSTD, true",
    "true, LZ4_FRAME, false"
  })
  void columnsOfAnyKindAreCopied(boolean stream, CodecType codec, boolean nulls)
      throws IOException {
    var data = written(stream, codec).toString();
    var ranges = BatchRange.of(data, Cuts.even(BATCHES * ROWS, 2));
    assertEquals(List.of(200L, 100L), ranges.stream().map(BatchRange::rows).toList());
    int n = nulls ? 257 : 300;
    var values = new double[n];
    for (int row = 0, i = 0; row < 300; row++) {
      if (!nulls || row % 7 != 0) {
        values[i++] = row / 2.0;
      }
    }
    var p = ArrayValue.ofDoubles(values, n);
    var there = List.of(kept("p", p), kept("q", ArrayValue.joined(List.of(p, p)).reshape(n, 2)));
    var needed = new ArrayList<>(nulls ? List.of("id") : List.<String>of());
    var added = new AddedColumns(new ArrayList<>(List.of("p", "q")), needed);
    var files = new ArrayList<Path>();
    int from = 0;
    for (var r : ranges) {
      int to = nulls ? (files.isEmpty() ? 171 : 257) : from + (int) r.rows();
      int first = from;
      files.add(folder.resolve("part-" + files.size() + ".arrow"));
      added.write(r, there.stream().map(c -> c.rows(first, to).ranges()).toList(), files.getLast());
      from = to;
    }
    var rows = rows(files);
    assertEquals(300, rows.size());
    int i = 0;
    for (int row = 0; row < 300; row++) {
      boolean isNull = row % 7 == 0;
      var r = rows.get(row);
      var name = "row " + row + " of a rather long text";
      assertEquals(isNull ? "null" : "" + row, r.get("id"));
      assertEquals(name, r.get("name"));
      assertEquals(name, r.get("view"));
      assertEquals(List.of("red", "blue", "green").get(row % 3), r.get("colour"));
      assertEquals(row % 4, r.get("some").toString().split("\\d+", -1).length - 1);
      assertEquals(row % 5 == 0 ? "null" : "{\"a\":" + -row + "}", r.get("pair"));
      assertEquals(nulls && isNull ? "null" : "" + row / 2.0, r.get("p"));
      if (nulls && isNull) {
        assertEquals("null", r.get("q"));
      } else {
        assertEquals("[" + values[2 * i % n] + "," + values[(2 * i + 1) % n] + "]", r.get("q"));
        i++;
      }
    }
    var mine = ArrowDataset.open(files.stream().map(Path::toString).toList(), ReadOptions.ALL);
    var dropped = ReadOptions.columns("p").withNulls(ReadOptions.Nulls.DROP);
    assertEquals(p, mine.withOptions(dropped).toVector(Prim.F64));
  }

  private ArrowDataset kept(String name, ArrayValue values) {
    var file = folder.resolve("kept-" + name + ".arrow");
    ArrowOutput.write(file, new LinkedHashMap<>(Map.of(name, values)), false);
    return ArrowDataset.open(file.toString());
  }

  /** Arrays of a batch would take 384 MB, with nulls or without. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void aLargeBatchNeedsLittleMemory(boolean nulls) throws IOException {
    int n = 3_000_000;
    int width = 16;
    var data = folder.resolve("large.arrow");
    try (var column = new IntVector("id", allocator);
        var out = new FileOutputStream(data.toFile());
        var root = new VectorSchemaRoot(List.<FieldVector>of(column));
        var writer = new ArrowFileWriter(root, null, out.getChannel())) {
      column.allocateNew(n);
      for (int i = 0; i < n; i++) {
        if (i % 3 == 0 && nulls) {
          column.setNull(i);
        } else {
          column.set(i, i);
        }
      }
      root.setRowCount(n);
      writer.start();
      writer.writeBatch();
      writer.end();
    }
    long rows = nulls ? n - n / 3 : n;
    var target = folder.resolve("target.arrow");
    long before = NativeLimit.atMost(NativeLimit.used() + (64L << 20));
    try {
      var values = folder.resolve("values.arrow");
      try (var out =
          ArrowOutput.create(values, List.of(ColumnInfo.list("p", Prim.F64, width)), false)) {
        for (long from = 0; from < rows; from += 100_000) {
          long to = Math.min(rows, from + 100_000);
          var numbers = new double[(int) (to - from) * width];
          for (int i = 0; i < numbers.length; i++) {
            numbers[i] = from * width + i;
          }
          out.write(List.of(ArrayValue.ofDoubles(numbers, to - from, width)));
        }
        out.commit();
      }
      var needed = new ArrayList<>(nulls ? List.of("id") : List.<String>of());
      var added = new AddedColumns(new ArrayList<>(List.of("p")), needed);
      var ranges = BatchRange.of(data.toString(), Cuts.even(n, 2));
      assertEquals(1, ranges.size());
      var there = ArrowDataset.open(values.toString());
      added.write(ranges.getFirst(), List.of(there.ranges()), target);
    } finally {
      NativeLimit.atMost(before);
    }
    var written = ArrowDataset.open(target.toString());
    assertEquals(1, written.batchCount());
    var options = ReadOptions.columns("p").withNulls(ReadOptions.Nulls.DROP);
    for (long first : new long[] {0, 65_530, 1_999_990}) {
      var some = written.rows(first, first + 20).withOptions(options).toMatrix(Prim.F64);
      long row = nulls ? first - (first + 2) / 3 : first;
      for (int i = 0; i < some.count(); i++) {
        assertEquals(row * width + i, some.getDouble(i));
      }
    }
  }

  @Test
  void withoutBatchesThereIsASchema() throws IOException {
    var empty = folder.resolve("empty.arrow");
    try (var out = ArrowOutput.create(empty, List.of(ColumnInfo.scalar("x", Prim.I32)), false)) {
      out.commit();
    }
    var ranges = BatchRange.of(empty.toString(), Cuts.even(0, 3));
    assertEquals(1, ranges.size());
    var added = new AddedColumns(new ArrayList<>(List.of("y")), new ArrayList<>());
    var target = folder.resolve("target.arrow");
    added.write(ranges.getFirst(), List.of(List.of(new RowRange(empty.toString(), 0, 0))), target);
    var names = ArrowDataset.open(target.toString()).columns().stream().map(ColumnInfo::name);
    assertEquals(List.of("x", "y"), names.toList());
  }

  @Test
  void namesClash() throws IOException {
    var data = written(false, CodecType.NO_COMPRESSION).toString();
    var e = assertThrows(UserError.class, () -> AddedColumns.requireNew(data, List.of("id"), "no"));
    assertEquals(K6112, e.diagnostics().getFirst().code());
    assertThrows(UserError.class, () -> AddedColumns.requireNew(data, List.of("p", "p"), "no"));
    AddedColumns.requireNew(data, List.of("p", "q"), "no");
  }

  /** What a fault leaves is nothing. */
  @Test
  void aStreamWithDictionariesThatChangeIsAnError() throws IOException {
    var bytes = Files.readAllBytes(written(true, CodecType.NO_COMPRESSION));
    // The dictionary is the second message; it is put once more behind itself.
    int first = length(bytes, 0, 0);
    int second = length(bytes, first, -1);
    var twice = folder.resolve("twice.arrow");
    try (var out = Files.newOutputStream(twice)) {
      out.write(bytes, 0, second);
      out.write(bytes, first, bytes.length - first);
    }
    var ranges = BatchRange.of(twice.toString(), Cuts.even(300, 1));
    var added = new AddedColumns(new ArrayList<>(), new ArrayList<>());
    var target = folder.resolve("target.arrow");
    var e = assertThrows(UserError.class, () -> added.write(ranges.getFirst(), List.of(), target));
    assertEquals(K6105, e.diagnostics().getFirst().code());
    assertFalse(Files.exists(target));
  }

  /** Returns where the message at a place of a stream ends. */
  private static int length(byte[] bytes, int at, long body) {
    var buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int metadata = buffer.getInt(at + 4);
    var message =
        org.apache.arrow.flatbuf.Message.getRootAsMessage(
            buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN).position(at + 8));
    return at + 8 + metadata + (int) (body == 0 ? 0 : message.bodyLength());
  }
}
