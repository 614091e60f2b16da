package dev.kenaz.spark.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.VectorFile;
import dev.kenaz.dataset.Manifest;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.arrow.vector.util.Text;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Unusual and damaged files, folders and places of Spark's format {@code arrow}: they are read
 * right, or refused by an error that names what is wrong.
 */
final class OddFilesTest {
  private static final DictionaryProvider NONE = new DictionaryProvider.MapDictionaryProvider();

  private static SparkSession spark;
  @TempDir Path folder;

  /** A file system whose files are those of this machine, under addresses of its own. */
  public static final class Mirror extends RawLocalFileSystem {
    @Override
    public URI getUri() {
      return URI.create("mirror:///");
    }

    @Override
    public String getScheme() {
      return "mirror";
    }
  }

  @BeforeAll
  static void start() {
    spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", false)
            .config("spark.sql.shuffle.partitions", 2)
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.warehouse.dir", "target/warehouse")
            .config("spark.hadoop.fs.mirror.impl", Mirror.class.getName())
            .getOrCreate();
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  @AfterEach
  void allMemoryIsGivenBack() {
    assertEquals(0, ForeignFilesTest.allocated());
  }

  private String place(String name) {
    return folder.resolve(name).toString();
  }

  private static Dataset<Row> load(String... places) {
    return spark.read().format("arrow").load(places);
  }

  private static void save(Dataset<Row> data, String place) {
    data.coalesce(1).write().format("arrow").save(place);
  }

  private Path only(String name) throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve(name))) {
      return files.filter(f -> f.toString().endsWith(".arrow")).findFirst().orElseThrow();
    }
  }

  private static Field field(String name, ArrowType type, Field... children) {
    return new Field(name, FieldType.nullable(type), List.of(children));
  }

  /** Writes a batch with columns that are only allocated. */
  private String empty(int rows, Field... fields) throws IOException {
    var file = folder.resolve("foreign.arrow");
    try (var memory = new RootAllocator();
        var root = VectorSchemaRoot.create(new Schema(List.of(fields)), memory)) {
      root.allocateNew();
      write(file, root, rows, NONE);
    }
    return file.toString();
  }

  private static void write(Path file, VectorSchemaRoot root, int rows, DictionaryProvider d)
      throws IOException {
    root.setRowCount(rows);
    try (var out = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        var writer = new ArrowFileWriter(root, d, out)) {
      writer.writeBatch();
      writer.end();
    }
  }

  @Test
  void textsOfDamagedFilesAreNotReadElsewhere() throws IOException {
    var whole = folder.resolve("texts.arrow");
    try (var memory = new RootAllocator();
        var texts = new VarCharVector("t", memory)) {
      IntStream.range(0, 9).forEach(i -> texts.setSafe(i, new Text("text " + i)));
      texts.setValueCount(9);
      write(whole, new VectorSchemaRoot(List.of((FieldVector) texts)), 9, NONE);
    }
    var bytes = Files.readAllBytes(whole);
    int offsets = (int) VectorFile.map(whole).position(0) + 8;
    assertEquals(6, bytes[offsets + 4]);
    int n = 0;
    for (int at : new int[] {4, 7, 32, 36, 38, 39}) {
      var damaged = bytes.clone();
      damaged[offsets + at] = (byte) 0xC0;
      var file = Files.write(folder.resolve("damaged" + n++), damaged);
      assertFails("K6103", "\"t\"", () -> load(file.toString()).collectAsList());
    }
  }

  @Test
  void foldersWithoutRowsOrColumns() throws IOException {
    Files.createDirectories(folder.resolve("none"));
    assertFails("UNABLE_TO_INFER_SCHEMA", "Arrow", () -> load(place("none")));
    assertEquals(0, spark.read().format("arrow").schema("a int").load(place("none")).count());
    save(spark.sql("select 1 as a, 'x' as b where 1 = 0"), place("zero"));
    assertEquals("struct<a:int,b:string>", load(place("zero")).schema().simpleString());
    assertEquals(0, load(place("zero")).collectAsList().size());
    Files.createFile(folder.resolve("zero/empty.arrow"));
    assertEquals(0, load(place("zero")).count());
    var file = empty(5);
    assertEquals("struct<>", load(file).schema().simpleString());
    assertEquals(5, load(file).count());
    assertEquals(5L, load(file).selectExpr("sum(1)").first().get(0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"with blanks", "ünï/çødé 数", "a%20b#c", "100%+b&c=d;'x"})
  void namesMayHaveAnyLetters(String name) throws IOException {
    save(spark.range(3).toDF(), place(name));
    var file = only(name);
    Files.copy(file, file.resolveSibling("ein ä%20#.arrow"));
    assertEquals(6, load(place(name)).collectAsList().size());
    assertEquals(3, load(file.resolveSibling("ein ä%20#.arrow").toString()).count());
    assertEquals(6, load("mirror://" + place(name)).collectAsList().size());
  }

  @Test
  void foldersInFolders() {
    save(spark.range(3).toDF(), place("deep/a"));
    save(spark.range(4).toDF(), place("deep/b/c"));
    var read = spark.read().format("arrow").option("recursiveFileLookup", true);
    assertEquals(7, read.load(place("deep")).count());
    assertEquals(7, load(place("deep/a"), place("deep/b/c")).count());
    assertEquals(3, load(place("deep/[a]")).count());
  }

  @Test
  void valuesOfFoldersMayBeAnything() {
    var data =
        spark.sql(
            "select * from values (1, 'a/b', date'2020-01-01'), (2, null, null),"
                + " (3, ' ü=%', date'1999-12-31') as t(id, k, d)");
    data.write().format("arrow").partitionBy("k", "d").save(place("p"));
    var read = load(place("p")).orderBy("id").selectExpr("id", "k", "d");
    assertEquals(data.orderBy("id").collectAsList().toString(), read.collectAsList().toString());
    var one = load(place("p")).where("k = 'a/b'");
    assertEquals(1, one.inputFiles().length == 0 ? 0 : one.collectAsList().size());
    assertTrue(
        one.queryExecution().executedPlan().toString().contains("PartitionFilters: [isnotnull(k"));
    assertThrows(
        Exception.class,
        () -> data.write().format("arrow").partitionBy("id", "k", "d").save(place("q")));
  }

  @Test
  void modesKeepWhatIsThere() {
    var five = spark.range(5).toDF();
    save(five, place("m"));
    five.write().format("arrow").mode(SaveMode.Ignore).save(place("m"));
    assertEquals(5, load(place("m")).count());
    assertFails(
        "PATH_ALREADY_EXISTS",
        "m",
        () -> five.write().format("arrow").mode(SaveMode.ErrorIfExists).save(place("m")));
    var bad =
        spark.sql("select if(id = 900, raise_error('oh'), id) as id from range(0, 1000, 1, 2)");
    assertThrows(
        Exception.class, () -> bad.write().format("arrow").mode(SaveMode.Append).save(place("m")));
    assertEquals(5, load(place("m")).count());
  }

  @Test
  void otherFileSystemsAreReadAndWritten() throws IOException {
    var data = spark.range(0, 1000, 1, 3).selectExpr("id", "concat('n', id) as s", "id % 3 as k");
    data.write().format("arrow").option("rows", 100).save("mirror://" + place("r s"));
    assertEquals(1000, load("mirror://" + place("r s")).count());
    assertEquals(499_500L, load("mirror://" + place("r s")).selectExpr("sum(id)").first().get(0));
    var file = only("r s");
    Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 300));
    assertFails("K6103", "mirror:", () -> load("mirror://" + file).collectAsList());
    assertFails(
        "K6103",
        "mirror:",
        () ->
            spark
                .read()
                .format("arrow")
                .schema("id bigint")
                .load("mirror://" + file)
                .collectAsList());
    Files.writeString(file, "no Arrow file at all, but text");
    assertFails("K6102", "mirror:", () -> load("mirror://" + file).collectAsList());
  }

  @Test
  void dictionariesInListsAreRefused() throws IOException {
    try (var memory = new RootAllocator();
        var entries = new VarCharVector("entries", memory)) {
      entries.setSafe(0, new Text("red"));
      entries.setValueCount(1);
      var encoding = new DictionaryEncoding(3, false, new ArrowType.Int(8, true));
      var dictionary = new Dictionary(entries, encoding);
      var item = new Field("item", new FieldType(true, new ArrowType.Int(8, true), encoding), null);
      try (var root =
          VectorSchemaRoot.create(
              new Schema(
                  List.of(
                      field("colours", new ArrowType.FixedSizeList(1), item),
                      field("k", new ArrowType.Int(32, true)))),
              memory)) {
        root.allocateNew();
        IntStream.range(0, 2).forEach(i -> ((IntVector) root.getVector("k")).setSafe(i, i));
        write(
            folder.resolve("d.arrow"),
            root,
            2,
            new DictionaryProvider.MapDictionaryProvider(dictionary));
      }
    }
    assertFails("K6105", "colours", () -> load(place("d.arrow")).collectAsList());
    assertEquals(2, load(place("d.arrow")).select("k").collectAsList().size());
  }

  static List<ArrowType> kindsThatSparkLacks() {
    return List.of(
        new ArrowType.Decimal(50, 2, 256),
        new ArrowType.Decimal(20, 2, 256),
        new ArrowType.Decimal(10, -2, 128),
        new ArrowType.Time(TimeUnit.SECOND, 32),
        new ArrowType.Duration(TimeUnit.SECOND),
        ArrowType.Utf8View.INSTANCE,
        ArrowType.BinaryView.INSTANCE);
  }

  @ParameterizedTest
  @MethodSource("kindsThatSparkLacks")
  void columnsThatSparkLacksAreNamed(ArrowType kind) throws IOException {
    var file = empty(2, field("odd", kind), field("k", new ArrowType.Int(32, true)));
    assertFails("K6105", "\"odd\"", () -> load(file));
    assertEquals(2, spark.read().format("arrow").schema("k int").load(file).count());
  }

  @Test
  void unusualTypesOfSparkAreReadAgain() {
    var all =
        spark.sql(
            """
            select interval '1' month as m, interval '3' second as s, null as n,
              parse_json('{"a": 1}') as v, array(null) as an, array(array(1, null), null) as aa,
              map('a', array(named_struct('x', 1))) as ma, cast(1.5 as decimal(38, 18)) as d,
              cast(-1.5 as decimal(38, 37)) as e, date'0001-01-01' as day,
              timestamp'9999-12-31 23:59:59.999999' as at, 'ü' as `a.b ``c`
            """);
    save(all, place("t"));
    assertEquals(all.collectAsList().toString(), load(place("t")).collectAsList().toString());
    for (var type : List.of("make_interval(1, 2, 3)", "named_struct()", "time'12:13:14'")) {
      assertFails(
          "NOT_SUPPORT|UNSUPPORTED", "", () -> save(spark.sql("select " + type), place("u")));
    }
  }

  @Test
  void tensorsKeepTheirShapes() throws IOException {
    var shape = "{\"shape\":[2,3]}";
    var names =
        Map.of(
            "ARROW:extension:name", "arrow.fixed_shape_tensor", "ARROW:extension:metadata", shape);
    var type = new FieldType(true, new ArrowType.FixedSizeList(6), null, names);
    var item = field("item", new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE));
    try (var memory = new RootAllocator();
        var root =
            VectorSchemaRoot.create(
                new Schema(List.of(new Field("x", type, List.of(item)))), memory)) {
      root.allocateNew();
      var lists = (FixedSizeListVector) root.getVector("x");
      IntStream.range(0, 3).forEach(lists::setNotNull);
      write(folder.resolve("x.arrow"), root, 3, NONE);
    }
    save(load(place("x.arrow")), place("again"));
    assertEquals(names, VectorFile.map(only("again")).schema().findField("x").getMetadata());
    // Lists of another size are no such tensors any more.
    var longer = load(place("x.arrow")).selectExpr("concat(x, x) as x");
    longer.write().format("arrow").option("lists", "x=12").save(place("longer"));
    var found = VectorFile.map(only("longer")).schema().findField("x");
    assertEquals(new ArrowType.FixedSizeList(12), found.getType());
    assertEquals(Map.of(), found.getMetadata());
  }

  @Test
  void foldersOfKenazHaveAManifest() throws IOException {
    save(spark.range(3).selectExpr("id", "id / 2D as x"), place("made"));
    var file = only("made");
    var entry =
        new Manifest.Entry(file.getFileName().toString(), 3, Files.size(file), "0", Map.of());
    var columns = Manifest.columns(VectorFile.map(file).schema());
    Files.write(
        folder.resolve("made").resolve(Manifest.NAME),
        new Manifest(columns, List.of(entry)).json());
    assertEquals(3, load(place("made")).count());
    assertEquals(3, load("mirror://" + place("made")).collectAsList().size());
    spark
        .range(2)
        .selectExpr("id", "id / 2D as x")
        .write()
        .format("arrow")
        .mode(SaveMode.Append)
        .save(place("made"));
    assertEquals(5, load(place("made")).count());
  }

  @Test
  void plansShowFiltersColumnsAndSizes() throws IOException {
    save(spark.range(1000).selectExpr("id", "id % 7 as k", "'x' as s"), place("f"));
    var some = load(place("f")).where("k = 3 and id > 500").select("id");
    var plan = some.queryExecution().executedPlan().toString();
    assertTrue(plan.contains("DataFilters: [isnotnull(k"), plan);
    assertTrue(plan.contains("ReadSchema: struct<id:bigint,k:bigint>"), plan);
    assertEquals(71, some.count());
    assertEquals(
        Files.size(only("f")),
        load(place("f")).queryExecution().optimizedPlan().stats().sizeInBytes().toLong());
    var count = load(place("f")).groupBy().count();
    plan = count.queryExecution().executedPlan().toString();
    assertTrue(plan.contains("ReadSchema: struct<>"), plan);
    assertEquals(1000L, count.first().get(0));
  }

  @Test
  void tablesOfCatalogs() {
    spark.sql("drop table if exists odd_a");
    spark.sql("drop table if exists odd_b");
    spark.sql(
        "create table odd_a using arrow options (compression 'zstd') location '"
            + place("ctas")
            + "' as select id, array(id, 1L) as xs from range(10)");
    assertEquals(10, spark.table("odd_a").count());
    spark.sql("create table odd_b using arrow location '" + place("ctas") + "'");
    assertEquals(
        "struct<id:bigint,xs:array<bigint>>", spark.table("odd_b").schema().simpleString());
    spark.sql("insert into odd_b values (11, array(4L, 5L))");
    spark.sql("refresh table odd_a");
    assertEquals(11, spark.table("odd_a").count());
    spark.sql("analyze table odd_a compute statistics for columns id");
    var told = spark.sql("describe extended odd_a").collectAsList().toString();
    assertTrue(told.contains("11 rows") && told.contains("arrow"), told);
    assertFails(
        "does not support", "Arrow", () -> spark.sql("alter table odd_a add columns (y int)"));
    spark.sql("drop table odd_a");
    spark.sql("drop table odd_b");
  }

  /** Arrow knows neither collations nor which fields an interval has; the table's schema does. */
  @Test
  void tablesKeepTypesThatArrowLacks() {
    spark.sql("drop table if exists odd_types");
    spark.sql(
        """
        create table odd_types (a string collate UTF8_LCASE, b interval hour to minute,
          c array<struct<x: interval year, y: string collate UNICODE_CI>>) using arrow
        """);
    spark.sql(
        """
        insert into odd_types values ('aB', null, null),
          ('Ab', interval '10:30' hour to minute, array(named_struct('x', interval '3' year, 'y', 'Q')))
        """);
    var table = spark.table("odd_types");
    assertEquals(2, table.where("a = 'AB'").count());
    assertEquals(
        "[INTERVAL '10:30' HOUR TO MINUTE,INTERVAL '3' YEAR]",
        table.where("c[0].y = 'q'").selectExpr("string(b)", "string(c[0].x)").first().toString());
    spark.sql("drop table odd_types");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "mirror://"})
  void filesThatAreGoneAreSparksToJudge(String system) throws IOException {
    save(spark.range(3).toDF(), place("gone"));
    var gone = only("gone");
    save(spark.range(4).toDF(), place("there"));
    Files.copy(only("there"), gone.resolveSibling("there.arrow"));
    var strict = load(system + place("gone"));
    var lenient = spark.read().format("arrow").option("ignoreMissingFiles", true);
    var rest = lenient.load(system + place("gone"));
    Files.delete(gone);
    assertFails("FILE_NOT_EXIST", "REFRESH TABLE", strict::collectAsList);
    assertEquals(4, rest.collectAsList().size());
  }

  private static void assertFails(String code, String part, Executable run) {
    Throwable e = assertThrows(Exception.class, run);
    var all = new StringBuilder();
    for (; e != null; e = e.getCause()) {
      all.append(e).append('\n');
    }
    assertTrue(
        Stream.of(code.split("\\|")).anyMatch(all.toString()::contains)
            && all.toString().contains(part),
        all::toString);
    assertFalse(all.toString().contains("NullPointer"), all::toString);
  }
}
