package dev.kenaz.dataset;

import static dev.kenaz.dataset.FormatTesting.assertFault;
import static dev.kenaz.dataset.FormatTesting.rows;
import static dev.kenaz.error.ErrorCode.K6143;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is written in a format and read again is the same, for each type that the format can hold;
 * other types are refused, and the column is named.
 */
final class FormatsRoundTripTest {
  private static final int SEEDS = 12;

  @TempDir Path folder;

  static Field of(ArrowType type, Field... children) {
    return new Field("item", FieldType.notNullable(type), List.of(children));
  }

  private static Field nullable(Field field) {
    return new Field(field.getName(), FieldType.nullable(field.getType()), field.getChildren());
  }

  private static List<Field> numbers() {
    return Stream.of(Prim.values()).map(p -> Columns.scalar("item", p)).toList();
  }

  private static final Field TEXT = of(ArrowType.Utf8.INSTANCE);

  static List<Field> scalars() {
    var all = new ArrayList<>(numbers());
    all.add(TEXT);
    all.add(of(ArrowType.Binary.INSTANCE));
    all.add(of(new ArrowType.FixedSizeBinary(5)));
    all.add(of(new ArrowType.Decimal(10, 2, 128)));
    all.add(of(new ArrowType.Decimal(38, 7, 128)));
    all.add(of(new ArrowType.Date(DateUnit.DAY)));
    all.add(of(new ArrowType.Time(TimeUnit.MILLISECOND, 32)));
    all.add(of(new ArrowType.Time(TimeUnit.MICROSECOND, 64)));
    all.add(of(new ArrowType.Time(TimeUnit.NANOSECOND, 64)));
    for (var unit : List.of(TimeUnit.MILLISECOND, TimeUnit.MICROSECOND, TimeUnit.NANOSECOND)) {
      all.add(of(new ArrowType.Timestamp(unit, null)));
      all.add(of(new ArrowType.Timestamp(unit, "UTC")));
    }
    return all;
  }

  /** Returns these types, lists of them, and all that with nulls. */
  static List<Field> withLists(List<Field> scalars) {
    var all = new ArrayList<Field>(scalars);
    scalars.forEach(s -> all.add(of(new ArrowType.List(), s)));
    scalars.forEach(s -> all.add(of(new ArrowType.FixedSizeList(3), s)));
    return withNulls(all);
  }

  private static List<Field> withNulls(List<Field> fields) {
    var all = new ArrayList<>(fields);
    fields.forEach(f -> all.add(nullable(f)));
    return all;
  }

  /** Writes batches of random rows, and returns the rows. */
  private static List<List<Object>> write(
      Path file, DataFormat format, Schema schema, FormatOptions options, RandomBatches random) {
    var all = new ArrayList<List<Object>>();
    try (var memory = BatchMemory.of("test");
        var batch = VectorSchemaRoot.create(schema, memory);
        var writer =
            Formats.create(format, file, schema, options, Packing.ofName(file.toString()))) {
      for (int b = random.random().nextInt(3); b >= 0; b--) {
        random.fill(batch, 1 + random.random().nextInt(20));
        all.addAll(FormatTesting.rows(batch));
        writer.write(batch);
      }
      writer.commit();
    }
    return all;
  }

  private interface Reading {
    RowSource source(DataFile file, Schema schema);
  }

  private void check(
      DataFormat format, List<Field> kinds, int columns, FormatOptions options, Reading reading) {
    for (int seed = 0; seed < SEEDS; seed++) {
      var random = new RandomBatches(seed);
      var schema = random.schema(kinds, columns);
      boolean packs =
          List.of(DataFormat.ARROW, DataFormat.PARQUET, DataFormat.NPZ).contains(format);
      var ending = packs ? "" : List.of("", ".gz", ".zst").get(seed % 3);
      var file = folder.resolve(format.text() + seed + ending);
      var written = write(file, format, schema, options, random);
      var source = reading.source(DataFile.of(file), schema);
      var told = format + ", seed " + seed + ": " + schema;
      assertEquals(types(schema.getFields()), types(source.schema().getFields()), told);
      assertEquals(written, rows(source.open(0)), told);
    }
  }

  /** Returns names and types, without what children are called and without nullability. */
  private static List<String> types(List<Field> fields) {
    return fields.stream().map(f -> f.getName() + " " + type(f)).toList();
  }

  private static String type(Field field) {
    return field.getType() + field.getChildren().stream().map(c -> type(c)).toList().toString();
  }

  private static Reading plain(DataFormat format) {
    return (file, _) -> Formats.source(format, List.of(file), FormatOptions.DEFAULT);
  }

  @Test
  void arrow() {
    check(
        DataFormat.ARROW, withLists(scalars()), 8, FormatOptions.DEFAULT, plain(DataFormat.ARROW));
  }

  @Test
  void parquet() {
    check(
        DataFormat.PARQUET,
        withLists(scalars()),
        8,
        FormatOptions.DEFAULT,
        plain(DataFormat.PARQUET));
  }

  @Test
  void csv() {
    var types = new LinkedHashMap<Field, CsvType>();
    for (var p : Prim.values()) {
      types.put(Columns.scalar("item", p), new CsvType.Number(p));
    }
    for (var name : List.of("date", "timestamp", "timestamp(utc)", "decimal(10,2)", "string")) {
      var field = CsvType.named(name).orElseThrow().field("item", true);
      types.put(field, CsvType.named(name).orElseThrow());
    }
    check(
        DataFormat.CSV,
        withNulls(List.copyOf(types.keySet())),
        8,
        FormatOptions.DEFAULT,
        (file, schema) -> {
          var told = new LinkedHashMap<String, CsvType>();
          for (var field : schema.getFields()) {
            types.forEach(
                (f, t) -> {
                  if (f.getType().equals(field.getType())) {
                    told.put(field.getName(), t);
                  }
                });
          }
          var options = CsvOptions.DEFAULT.withTypes(told).withMissing(CsvOptions.Missing.NULL);
          return new CsvFiles(List.of(file), options);
        });
  }

  @Test
  void json() {
    var scalars =
        List.of(
            Columns.scalar("item", Prim.BOOL),
            Columns.scalar("item", Prim.I64),
            Columns.scalar("item", Prim.F64),
            TEXT);
    var kinds = new ArrayList<Field>(scalars);
    scalars.forEach(s -> kinds.add(of(new ArrowType.FixedSizeList(3), s)));
    var struct = of(ArrowType.Struct.INSTANCE, named("a", scalars.get(1)), named("b", TEXT));
    kinds.add(struct);
    kinds.add(of(new ArrowType.FixedSizeList(2), struct));
    check(
        DataFormat.JSON,
        withNulls(kinds),
        8,
        FormatOptions.DEFAULT,
        (file, _) -> new JsonFiles(List.of(file), Map.of(), Long.MAX_VALUE));
  }

  private static Field named(String name, Field field) {
    return new Field(name, field.getFieldType(), field.getChildren());
  }

  @Test
  void numpy() {
    var arrays = new ArrayList<>(numbers());
    numbers().forEach(n -> arrays.add(of(new ArrowType.FixedSizeList(3), n)));
    check(DataFormat.NPZ, arrays, 8, FormatOptions.DEFAULT, plain(DataFormat.NPZ));
    var named = FormatOptions.DEFAULT.withName("c0");
    check(
        DataFormat.NUMPY,
        arrays,
        1,
        named,
        (file, _) -> Formats.source(DataFormat.NUMPY, List.of(file), named));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void futhark(boolean binary) {
    var arrays = new ArrayList<>(numbers());
    numbers().forEach(n -> arrays.add(of(new ArrowType.FixedSizeList(3), n)));
    check(
        DataFormat.FUTHARK,
        arrays,
        5,
        FormatOptions.DEFAULT.withBinary(binary),
        (file, schema) -> {
          var name = schema.getFields().size() == 1 ? "c0" : "c";
          var options = FormatOptions.DEFAULT.withName(name);
          return Formats.source(DataFormat.FUTHARK, List.of(file), options);
        });
  }

  /** Rows with increasing indices, which the formats of sparse data demand. */
  private void sparse(DataFormat format, Schema schema, FormatOptions options) throws IOException {
    var random = new RandomBatches(9).random();
    var file = folder.resolve(format.text() + schema.getFields().size() + options.indexBase());
    List<List<Object>> written;
    try (var memory = BatchMemory.of("test");
        var batch = VectorSchemaRoot.create(schema, memory);
        var writer = Formats.create(format, file, schema, options, Packing.NONE)) {
      for (var vector : batch.getFieldVectors()) {
        if (vector instanceof org.apache.arrow.vector.complex.ListVector lists) {
          var fill = new ListFiller(lists);
          for (int row = 0; row < 50; row++) {
            fill.begin();
            for (int i = 0; i < row % 4; i++) {
              boolean index = vector.getName().equals("indices");
              fill.add(index ? 10 * i + row : Double.doubleToRawLongBits(random.nextDouble()));
            }
          }
          fill.end();
        } else {
          var numbers = NumberVector.of(vector).orElseThrow();
          for (int row = 0; row < 50; row++) {
            numbers.set(row, row);
          }
        }
      }
      batch.setRowCount(50);
      written = FormatTesting.rows(batch);
      writer.write(batch);
      writer.commit();
    }
    var source = Formats.source(format, List.of(DataFile.of(file)), options);
    assertEquals(schema.getFields(), source.schema().getFields());
    assertEquals(written, rows(source.open(0)));
    assertEquals(format, DataFormat.of(DataFile.of(file)));
  }

  @Test
  void sparseRows() throws IOException {
    var indices = Columns.list("indices", Prim.I64);
    var values = Columns.list("values", Prim.F64);
    var label = Columns.scalar("label", Prim.I64);
    var query = Columns.scalar("qid", Prim.I64);
    var plain = FormatOptions.DEFAULT;
    sparse(DataFormat.LIBSVM, new Schema(List.of(label, query, indices, values)), plain);
    sparse(DataFormat.LIBSVM, new Schema(List.of(label, indices, values)), plain.withIndexBase(0));
    sparse(DataFormat.MATRIX_MARKET, new Schema(List.of(indices, values)), plain.withCsr(true));
    sparse(DataFormat.MATRIX_MARKET, new Schema(List.of(indices)), plain.withCsr(true));
  }

  @Test
  void matrices() {
    var options = FormatOptions.DEFAULT.withName("c0");
    var kinds =
        Stream.of(Prim.I64, Prim.F64)
            .map(p -> of(new ArrowType.FixedSizeList(3), Columns.scalar("item", p)))
            .toList();
    check(
        DataFormat.MATRIX_MARKET,
        kinds,
        1,
        options,
        (file, _) -> Formats.source(DataFormat.MATRIX_MARKET, List.of(file), options));
  }

  /** The elements of a dense matrix go to disk and back in windows of any size. */
  @ParameterizedTest
  @ValueSource(ints = {1, 5, 16, 1000})
  void denseMatricesInWindows(int window) throws IOException {
    var schema = new Schema(List.of(Columns.vector("x", Prim.F64, 4)));
    var column = NumberColumn.of(schema.getFields().getFirst(), "test");
    var file = folder.resolve("dense.mtx");
    List<List<Object>> written;
    try (var memory = BatchMemory.of("test");
        var batch = VectorSchemaRoot.create(schema, memory);
        var out = Files.newOutputStream(file);
        var sink = new DenseMatrixSink(column, out, folder, window)) {
      new RandomBatches(4).fill(batch, 23);
      written = FormatTesting.rows(batch);
      sink.write(batch);
      sink.end();
    }
    var options = FormatOptions.DEFAULT;
    assertEquals(written, rows(Formats.matrix(DataFile.of(file), options)));
  }

  /** Formats that can't hold a column refuse it before a row is written, and leave no file. */
  @ParameterizedTest
  @EnumSource(
      value = DataFormat.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"ARROW"})
  void whatAFormatCantHoldIsRefused(DataFormat format) {
    var unions =
        new Schema(
            List.of(
                Columns.scalar("fine", Prim.I64),
                new Field(
                    "odd", FieldType.nullable(new ArrowType.Duration(TimeUnit.SECOND)), null)));
    var file = folder.resolve("refused");
    var words =
        switch (format) {
          case IDX, ADBENCH -> "doesn't write";
          case NUMPY -> "2 columns";
          case LIBSVM, MATRIX_MARKET -> "the columns fine, odd";
          default -> "\"odd\"";
        };
    assertFault(
        K6143,
        words,
        () -> Formats.create(format, file, unions, FormatOptions.DEFAULT, Packing.NONE).close());
    assertFalse(Files.exists(file));
  }

  @Test
  void nulIsRefusedByCsv() {
    var field = new Field("s", FieldType.nullable(ArrowType.Utf8.INSTANCE), List.of());
    var file = folder.resolve("nul");
    try (var memory = BatchMemory.of("test");
        var batch = VectorSchemaRoot.create(new Schema(List.of(field)), memory);
        var writer =
            Formats.create(
                DataFormat.CSV, file, batch.getSchema(), FormatOptions.DEFAULT, Packing.NONE)) {
      ((VarCharVector) batch.getVector("s")).setSafe(0, "a\0b".getBytes(StandardCharsets.UTF_8));
      batch.setRowCount(1);
      assertFault(K6143, "a NUL, which a text of column \"s\" has", () -> writer.write(batch));
    }
  }

  /** Formats without nulls name the first one. */
  @Test
  void nullsAreRefusedWhereThereAreNone() {
    var field = new Field("x", FieldType.nullable(Columns.type(Prim.F64)), List.of());
    var file = folder.resolve("nulls");
    for (var format : List.of(DataFormat.NUMPY, DataFormat.NPZ, DataFormat.FUTHARK)) {
      try (var memory = BatchMemory.of("test");
          var batch = VectorSchemaRoot.create(new Schema(List.of(field), Map.of()), memory);
          var writer =
              Formats.create(
                  format, file, batch.getSchema(), FormatOptions.DEFAULT, Packing.NONE)) {
        var numbers = NumberVector.of(batch.getVector("x")).orElseThrow();
        numbers.set(0, 0);
        numbers.set(1, 0);
        batch.setRowCount(2);
        writer.write(batch);
        numbers.setNull(1);
        assertFault(K6143, "the null of column \"x\" in row 3", () -> writer.write(batch));
      }
      assertFalse(Files.exists(file));
    }
  }
}
