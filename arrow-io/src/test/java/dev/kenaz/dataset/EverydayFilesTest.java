package dev.kenaz.dataset;

import static dev.kenaz.dataset.FormatTesting.assertFault;
import static dev.kenaz.dataset.FormatTesting.rows;
import static dev.kenaz.dataset.FormatTesting.text;
import static dev.kenaz.error.ErrorCode.K6103;
import static dev.kenaz.error.ErrorCode.K6104;
import static dev.kenaz.error.ErrorCode.K6120;
import static dev.kenaz.error.ErrorCode.K6123;
import static dev.kenaz.error.ErrorCode.K6143;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.Progress;
import dev.kenaz.value.Prim;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float2Vector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.TimeStampMilliVector;
import org.apache.arrow.vector.TimeStampNanoVector;
import org.apache.arrow.vector.TimeStampSecVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files as other programs leave them: spreadsheets, Spark's folders, Arrow files of pandas. */
final class EverydayFilesTest {
  private static final CsvOptions NULLS = CsvOptions.DEFAULT.withMissing(CsvOptions.Missing.NULL);

  @TempDir private Path folder;

  private static RowReader csv(DataFile file) {
    return new CsvFiles(List.of(file), NULLS).open(0);
  }

  /** Returns what a reader gives as CSV. */
  private static DataFile written(RowReader reader) throws IOException {
    var out = new ByteArrayOutputStream();
    try (reader) {
      var sink = new CsvSink(reader.schema(), out, ',');
      for (var batch = reader.next(); batch != null; batch = reader.next()) {
        sink.write(batch);
      }
      sink.end();
    }
    return BytesFile.of("file", out.toByteArray());
  }

  /** Strings that look like missing values, and a name that looks like several, come back. */
  @Test
  void stringsThatLookMissingAreStrings() throws IOException {
    var words = text("\"a;b\"", "\"NA\"", "NA", "\"\"", "\"null\"", "N/A", "\"NULL\"", "x");
    var expected = rows(csv(words));
    assertEquals(
        Arrays.asList("NA", null, "", "null", null, "NULL", "x"),
        expected.stream().map(List::getFirst).toList());
    assertEquals(expected, rows(csv(written(csv(words)))));
  }

  /** Identifiers of 20 digits keep all of them, also if they come late; numbers are numbers. */
  @Test
  void integersBeyondLongsAreStrings() {
    var large = "12345678901234567890";
    var lines = new ArrayList<String>(List.of("id,x,y"));
    for (int i = 0; i < 6_000; i++) {
      lines.add("1,2," + large);
    }
    lines.add(large + ",-1e3,1.5");
    var columns = new CsvFiles(List.of(text(lines.toArray(String[]::new))), NULLS);
    assertEquals(
        "[id: Utf8, x: FloatingPoint(DOUBLE), y: FloatingPoint(DOUBLE)]",
        types(columns).toString());
    assertEquals(List.of("1", 2.0, 1.2345678901234567e19), rows(columns.open(0)).getFirst());
    assertEquals(List.of(large, -1000.0, 1.5), rows(columns.open(0)).getLast());
  }

  private static List<Field> types(CsvFiles files) {
    // A reader that finds a contradiction asks for all lines, as transfers do.
    try {
      rows(files.open(0));
    } catch (RowSource.Contradiction _) {
      files.settle();
    }
    return files.schema().getFields();
  }

  @Test
  void bytesThatAreNoTextAreErrors() {
    var latin = "a,b\n1,M\u00fcller\n".getBytes(StandardCharsets.ISO_8859_1);
    assertFault(K6120, 2, "field 2 is no text", () -> rows(csv(BytesFile.of("file", latin))));
    var name = "\u00fc,b\n1,2\n".getBytes(StandardCharsets.ISO_8859_1);
    assertFault(K6120, 1, "field 1 is no text", () -> csv(BytesFile.of("file", name)));
    var doubled = "a\n\"\"\"\u00fc\"\n".getBytes(StandardCharsets.ISO_8859_1);
    assertFault(K6120, 2, "field 1 is no text", () -> rows(csv(BytesFile.of("file", doubled))));
    assertEquals(
        List.of(List.of("\u00fc\ud83d\ude00")), rows(csv(text("a", "\u00fc\ud83d\ude00"))));
  }

  @Test
  void anotherSeparatorIsNoticed() {
    assertFault(K6123, 1, "\"a;b\"", () -> csv(text("a;b", "1;2")));
    assertFault(K6123, 1, "only column", () -> csv(text("a\tb", "1\t2")));
    var commas = NULLS.withSeparator(';');
    assertFault(K6123, 1, "\"a,b\"", () -> new CsvFiles(List.of(text("a,b", "1,2")), commas));
    assertEquals(List.of(List.of(1L)), rows(csv(text("\"a;b\"", "1"))));
  }

  /** Spark marks a folder that is complete by an empty file. */
  @Test
  void marksOfSparkAreNoData() throws IOException {
    Files.createFile(folder.resolve("_SUCCESS"));
    var part = Files.writeString(folder.resolve("part-00000.csv"), "a\n1\n");
    var found = SourceFiles.resolve(List.of(folder.toString()));
    assertEquals(List.of(part.toString()), found.stream().map(DataFile::name).toList());
  }

  /** A column that nobody wants is not read, because it may be of a type that can't be. */
  @Test
  void onlyColumnsThatAreWantedAreRead() {
    var plan = new RowPlan(List.of(), new GroupedColumns(List.of()), List.of("b"), Map.of());
    var source =
        plan.of(
            names -> {
              assertEquals(List.of("b"), names);
              return new CsvFiles(List.of(text("a,b", "1,2")), NULLS.withColumns(names));
            },
            false);
    assertEquals(List.of(List.of(2L)), rows(source.open(0)));
  }

  @Test
  void listsAreChosenByTheirNames() {
    var groups = new GroupedColumns(List.of(new GroupedColumns.Group("v", "a", "b")));
    var plan = new RowPlan(List.of(), groups, List.of("v"), Map.of());
    var source =
        plan.of(
            names -> new CsvFiles(List.of(text("a,b,c", "1,2,3")), NULLS.withColumns(names)),
            false);
    assertEquals(List.of(List.of(List.of(1L, 2L))), rows(source.open(0)));
    var same = new GroupedColumns(List.of(new GroupedColumns.Group("c", "a", "b")));
    var table = new CsvFiles(List.of(text("a,b,c", "1,2,3")), NULLS);
    assertFault(K6104, "two columns are called \"c\"", () -> same.schema(table.schema()));
  }

  /** Days and points of time are compared in any unit that Arrow has. */
  @ParameterizedTest
  @CsvSource({
    "d == 1969-12-31, true",
    "d < 1969-12-31, false",
    "s > 1969-12-31T23:59:57.999999, true",
    "s == 1969-12-31T23:59:58, true",
    "ms == 1969-12-31T23:59:59.998, true",
    "ms < 1969-12-31T23:59:59.998001, true",
    "ns > 1969-12-31T23:59:59.999999, true",
    "ns < 1970-01-01, true",
    "ns == 1969-12-31T23:59:59.999999, false",
  })
  void timesOfAllUnits(String condition, boolean holds) {
    try (var memory = BatchMemory.of("test");
        var d = new DateMilliVector("d", memory);
        var s = new TimeStampSecVector("s", memory);
        var ms = new TimeStampMilliVector("ms", memory);
        var ns = new TimeStampNanoVector("ns", memory)) {
      d.setSafe(0, -86_400_000L);
      s.setSafe(0, -2);
      ms.setSafe(0, -2);
      ns.setSafe(0, -2);
      var batch = VectorSchemaRoot.of(d, s, ms, ns);
      batch.setRowCount(1);
      var test = RowCondition.of(condition).bind(batch.getSchema());
      assertEquals(holds, test.holds(batch, 0));
      assertEquals("1969-12-31", CellText.of(d).orElseThrow().printer().text(0));
    }
  }

  /** Arrow's own validation knows neither half floats nor lists of one length. */
  @Test
  void halfFloatsAndListsAreValidated() throws IOException {
    var list = Field.nullable("v", new ArrowType.FixedSizeList(2));
    var fields =
        List.of(
            Field.nullable("h", Columns.type(Prim.F16)),
            new Field(
                "v", list.getFieldType(), List.of(Field.nullable("e", Columns.type(Prim.F16)))));
    var schema = new Schema(fields);
    var file = folder.resolve("h.arrow");
    try (var memory = BatchMemory.of("test");
        var batch = VectorSchemaRoot.create(schema, memory);
        var writer = new ArrowFile(file, schema)) {
      ((Float2Vector) batch.getVector("h")).setSafe(0, (short) 0x3C00);
      batch.getVector("h").setValueCount(1);
      batch.getVector("v").setNull(0);
      ((FixedSizeListVector) batch.getVector("v")).setValueCount(1);
      batch.setRowCount(1);
      writer.write(batch);
      writer.commit();
    }
    var done = Validation.files(List.of(DataFile.of(file)), ArrowReader::open, Progress.NONE);
    assertEquals(1, done.rows());
  }

  /** Arrow files of pandas and Polars have strings and lists in other forms. */
  @Test
  void longListsAndViewsOfStrings() throws IOException {
    var list = Field.nullable("l", ArrowType.LargeList.INSTANCE);
    var item = Field.nullable("item", Columns.type(Prim.I64));
    var schema =
        new Schema(
            List.of(
                new Field("l", list.getFieldType(), List.of(item)),
                Field.nullable("s", ArrowType.LargeUtf8.INSTANCE),
                Field.nullable("v", ArrowType.Utf8View.INSTANCE)));
    var file = folder.resolve("l.parquet");
    try (var memory = BatchMemory.of("test");
        var batch = VectorSchemaRoot.create(schema, memory)) {
      var lists = (LargeListVector) batch.getVector("l");
      lists.startNewValue(0);
      ((BigIntVector) lists.getDataVector()).setSafe(0, 7);
      ((BigIntVector) lists.getDataVector()).setSafe(1, 8);
      lists.endValue(0, 2);
      ((LargeVarCharVector) batch.getVector("s")).setSafe(0, new byte[] {'a'});
      ((ViewVarCharVector) batch.getVector("v"))
          .setSafe(0, "more than twelve".getBytes(StandardCharsets.UTF_8));
      batch.setRowCount(1);
      for (var v : batch.getFieldVectors()) {
        v.setValueCount(1);
      }
      var test = RowCondition.of("s == 'a' and v > 'more' and v < 'n'").bind(schema);
      assertTrue(test.holds(batch, 0));
      var text = CellText.of(batch.getVector("v")).orElseThrow();
      assertEquals("more than twelve", text.printer().text(0));
      var lone = new VectorSchemaRoot(List.<FieldVector>of(lists));
      try (var writer =
          Formats.create(
              DataFormat.PARQUET, file, lone.getSchema(), FormatOptions.DEFAULT, Packing.NONE)) {
        writer.write(lone);
        writer.commit();
      }
    }
    var read = ParquetReader.open(DataFile.of(file), List.of());
    assertEquals(List.of(List.of(List.of(7L, 8L))), rows(read));
  }

  /** Arrow allows columns of one name; the files of others would lose one of them. */
  @Test
  void columnsOfOneNameAreWrittenAsArrowAlone() {
    var a = Columns.scalar("a", Prim.I64);
    var twice = new Schema(List.of(a, a));
    for (var format : List.of(DataFormat.CSV, DataFormat.JSON, DataFormat.PARQUET)) {
      var file = folder.resolve("a" + format.ending());
      assertFault(
          K6104,
          "two columns are called \"a\"",
          () -> Formats.create(format, file, twice, FormatOptions.DEFAULT, Packing.NONE));
    }
    var places =
        new Schema(List.of(Columns.vector("a", Prim.I64, 2), Columns.scalar("a_1", Prim.I64)));
    assertFault(
        K6143, "two columns a_1", () -> new CsvSink(places, OutputStream.nullOutputStream(), ','));
  }

  @Test
  void aParquetFileThatWasCutOffIsNamedSo() throws IOException {
    var whole = folder.resolve("a.parquet");
    try (var reader = csv(text("a", "1"));
        var writer =
            Formats.create(
                DataFormat.PARQUET, whole, reader.schema(), FormatOptions.DEFAULT, Packing.NONE)) {
      writer.write(reader.next());
      writer.commit();
    }
    var bytes = Files.readAllBytes(whole);
    var cut = Files.write(folder.resolve("b.parquet"), Arrays.copyOf(bytes, bytes.length - 9));
    assertFault(K6103, "cut off", () -> ParquetReader.open(DataFile.of(cut), List.of()));
  }
}
