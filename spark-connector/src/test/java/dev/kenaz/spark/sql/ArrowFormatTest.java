package dev.kenaz.spark.sql;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.hex;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.value.Prim;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Arrow files as a format of Spark: what is written is read again, and what others have written.
 */
final class ArrowFormatTest {
  /** A column of each type that Spark can write, with nulls. */
  private static final String ALL_TYPES =
      """
      select id, if(id % 7 = 3, null, cast(id % 100 as tinyint)) as i8, cast(id as smallint) as i16,
        cast(id as int) as i32, id % 2 = 0 as b, cast(id as float) / 3 as f32,
        if(id % 5 = 1, null, id / 7D) as f64, if(id % 3 = 0, null, concat('row ', id)) as s,
        cast(concat('b', id) as binary) as bin, cast(id / 100 as decimal(12, 3)) as d,
        date_add(date'2020-01-01', cast(id as int)) as day,
        timestamp_micros(id * 1000003) as at,
        cast(timestamp_micros(id) as timestamp_ntz) as wall,
        if(id % 4 = 2, null, sequence(1, 1 + id % 5)) as list,
        array(cast(id as float), 0.5F) as pair,
        named_struct('x', id, 'y', array('a', string(id))) as st,
        map('k', id) as m
      from range(ROWS)
      """;

  private static SparkSession spark;
  @TempDir Path folder;

  @BeforeAll
  static void start() {
    spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", false)
            .config("spark.sql.shuffle.partitions", 2)
            .config("spark.sql.warehouse.dir", "target/warehouse")
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

  private static Dataset<Row> table(long rows) {
    return spark.sql(ALL_TYPES.replace("ROWS", Long.toString(rows))).repartition(3, col("id"));
  }

  private static List<String> rows(Dataset<Row> data) {
    return data.withColumn("bin", hex(col("bin"))).orderBy("id").collectAsList().stream()
        .map(Row::toString)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "lz4", "zstd"})
  void whatIsWrittenIsReadAgain(String compression) {
    var table = table(2500);
    table
        .write()
        .format("arrow")
        .option("rows", 300)
        .option("compression", compression)
        .option("lists", "pair=2")
        .save(place("t"));
    var again = spark.read().format("arrow").load(place("t"));
    assertEquals(table.schema().simpleString(), again.schema().simpleString());
    assertEquals(rows(table), rows(again));
  }

  @Test
  void rowsAndBatchesAreTheSame() {
    table(500).write().format("arrow").save(place("t"));
    var batches = rows(spark.read().format("arrow").load(place("t")));
    spark.conf().set("spark.sql.codegen.maxFields", 1);
    spark.conf().set("spark.sql.codegen.wholeStage", false);
    try {
      assertEquals(batches, rows(spark.read().format("arrow").load(place("t"))));
    } finally {
      spark.conf().unset("spark.sql.codegen.maxFields");
      spark.conf().unset("spark.sql.codegen.wholeStage");
    }
  }

  @Test
  void aFileIsDividedWhereBatchesBegin() {
    spark.range(0, 100_000, 1, 1).write().format("arrow").option("rows", 1000).save(place("t"));
    spark.conf().set("spark.sql.files.maxPartitionBytes", "50000");
    spark.conf().set("spark.sql.files.openCostInBytes", "1");
    try {
      var read = spark.read().format("arrow").load(place("t"));
      assertTrue(read.rdd().getNumPartitions() > 10);
      assertEquals(4_999_950_000L, read.selectExpr("sum(id)").first().getLong(0));
      assertEquals(100_000, read.count());
    } finally {
      spark.conf().unset("spark.sql.files.maxPartitionBytes");
      spark.conf().unset("spark.sql.files.openCostInBytes");
    }
  }

  @Test
  void onlyNeededColumnsAreRead() {
    table(100).write().format("arrow").save(place("t"));
    var read = spark.read().format("arrow").load(place("t"));
    var plan = read.select("f64").queryExecution().executedPlan().toString();
    assertTrue(plan.contains("ReadSchema: struct<f64:double>"), plan);
    assertTrue(plan.contains("Batched: true"), plan);
    assertEquals(100, read.count());
  }

  /** Rows are counted by the files; what else says how many there are may be old. */
  @Test
  void rowsAreCountedWhateverAManifestSays() throws Exception {
    table(100).write().format("arrow").save(place("t"));
    var wrong = "{\"version\": 1, \"rows\": 7, \"columns\": [], \"files\": []}";
    Files.writeString(folder.resolve("t/_manifest.json"), wrong);
    spark.sql("create table counted using arrow location '" + place("t") + "'");
    var read = spark.table("counted");
    assertEquals(100L, spark.sql("select count(*) from counted").first().getLong(0));
    var joined = spark.range(1 << 20).join(read, "id").queryExecution().executedPlan();
    assertTrue(joined.toString().contains("BroadcastHashJoin"), "the sizes of files are known");
    spark.sql("analyze table counted compute statistics");
    spark.conf().set("spark.sql.cbo.enabled", true);
    try {
      var plan = spark.table("counted").queryExecution().optimizedPlan();
      assertEquals("100", plan.stats().rowCount().get().toString());
    } finally {
      spark.conf().unset("spark.sql.cbo.enabled");
    }
    spark.sql("drop table counted");
  }

  @Test
  void partialResultsGiveMemoryBack() {
    table(5000).write().format("arrow").option("rows", 100).save(place("t"));
    assertEquals(3, spark.read().format("arrow").load(place("t")).limit(3).collectAsList().size());
  }

  @Test
  void tablesAreMadeAndExtendedBySql() {
    spark.sql("drop table if exists houses");
    spark.sql(
        "create table houses (id bigint, price double, year int) using arrow partitioned by (year)"
            + " location '"
            + place("h")
            + "'");
    spark.sql("insert into houses values (1, 2.5, 2020), (2, 3.5, 2021)");
    spark.sql("insert into houses select id, 1D, 2021 from range(10, 13)");
    assertEquals(5, spark.sql("select * from houses").count());
    assertEquals(4, spark.sql("select * from houses where year = 2021").count());
    assertEquals(6.5, spark.sql("select sum(price) from houses where year = 2021").first().get(0));
    spark.sql("insert overwrite houses partition (year = 2021) values (7, 7D)");
    assertEquals(2, spark.table("houses").count());
    assertTrue(Files.isDirectory(folder.resolve("h/year=2021")));
    spark.sql("drop table houses");
  }

  @Test
  void modesAreThoseOfSpark() {
    var some = spark.range(5).toDF();
    some.write().format("arrow").save(place("t"));
    some.write().format("arrow").mode(SaveMode.Append).save(place("t"));
    assertEquals(10, spark.read().format("arrow").load(place("t")).count());
    assertThrows(Exception.class, () -> some.write().format("arrow").save(place("t")));
    some.write().format("arrow").mode(SaveMode.Overwrite).save(place("t"));
    assertEquals(5, spark.read().format("arrow").load(place("t")).count());
  }

  @Test
  void streamsWriteAndReadFolders() throws Exception {
    spark.range(40).write().format("arrow").save(place("in"));
    var in = spark.readStream().format("arrow").schema("id bigint").load(place("in"));
    in.selectExpr("id", "id * 2 as twice")
        .writeStream()
        .format("arrow")
        .option("checkpointLocation", place("c"))
        .trigger(org.apache.spark.sql.streaming.Trigger.AvailableNow())
        .start(place("out"))
        .awaitTermination();
    assertEquals(
        1560L,
        spark.read().format("arrow").load(place("out")).selectExpr("sum(twice)").first().get(0));
  }

  @Test
  void listsOfOneSizeAreMatricesOfKenaz() {
    spark
        .sql("select id, array(id + 0.5D, -1D, 3D * id) as features from range(0, 1000, 1, 2)")
        .write()
        .format("arrow")
        .option("lists", "features=3")
        .save(place("t"));
    var data = ArrowDataset.open(place("t")).column("features").toMatrix(Prim.F64);
    assertEquals(List.of(1000L, 3L), Arrays.stream(data.shape()).boxed().toList());
    // Spark knows the size again when it writes what it has read.
    spark.read().format("arrow").load(place("t")).write().format("arrow").save(place("u"));
    assertEquals(3, ArrowDataset.open(place("u")).column("features").columns().getFirst().width());
  }

  @Test
  void listsOfAnotherSizeAreRefused() {
    var ragged = spark.sql("select sequence(1, id) as xs from range(2, 5, 1, 1)");
    assertFails(
        "K6112", () -> ragged.write().format("arrow").option("lists", "xs=2").save(place("t")));
    assertFails(
        "K6113", () -> ragged.write().format("arrow").option("lists", "ys=2").save(place("u")));
    assertFails(
        "K6113", () -> ragged.write().format("arrow").option("lists", "xs=0").save(place("v")));
    assertFails(
        "K6113", () -> ragged.write().format("arrow").option("compression", "gz").save(place("w")));
  }

  @Test
  void filesMustAgree() throws Exception {
    spark.sql("select 1L as a, 2D as b").coalesce(1).write().format("arrow").save(place("t"));
    spark.sql("select 1L as a, 'x' as b").coalesce(1).write().format("arrow").save(place("u"));
    for (var file : arrows("u")) {
      Files.copy(file, folder.resolve("t/zz.arrow"));
    }
    var both = spark.read().format("arrow").load(place("t"));
    assertFails("K6107", both::collectAsList);
    assertEquals(2, both.select("a").collectAsList().size());
    var named = spark.read().format("arrow").schema("a bigint, c int").load(place("u"));
    assertFails("K6107", named::collectAsList);
  }

  @Test
  void damagedFilesAreErrors() throws Exception {
    spark.range(0, 1000, 1, 1).write().format("arrow").save(place("t"));
    var file = arrows("t").getFirst();
    var bytes = Files.readAllBytes(file);
    Files.delete(file.resolveSibling("." + file.getFileName() + ".crc"));
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 100));
    assertFails("K6103", () -> spark.read().format("arrow").load(place("t")).collectAsList());
    Files.writeString(file, "this is no Arrow file at all");
    assertFails("K6102", () -> spark.read().format("arrow").load(place("t")).collectAsList());
  }

  private List<Path> arrows(String name) throws Exception {
    try (Stream<Path> files = Files.list(folder.resolve(name))) {
      return files.filter(f -> f.toString().endsWith(".arrow")).toList();
    }
  }

  private static void assertFails(String code, org.junit.jupiter.api.function.Executable run) {
    Throwable e = assertThrows(Exception.class, run);
    var all = new StringBuilder();
    for (; e != null; e = e.getCause()) {
      all.append(e).append('\n');
    }
    assertTrue(all.toString().contains(code), all::toString);
    assertFalse(all.toString().contains("NullPointer"), all::toString);
  }
}
