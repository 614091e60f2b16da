package dev.kenaz.spark.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Spark knows of columns and files beside the rows: {@code _metadata}, and defaults. */
final class MetadataColumnsTest {
  private static final String ALLOWED = "spark.sql.defaultColumn.allowedProviders";

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
    for (var key : List.of("codegen.wholeStage", "files.maxPartitionBytes")) {
      spark.conf().unset("spark.sql." + key);
    }
    spark.conf().unset(ALLOWED);
    assertEquals(0, ForeignFilesTest.allocated());
  }

  /** Writes one file in batches of 100 rows for each value of p; v is 10 times the row's number. */
  private Dataset<Row> written() {
    var at = folder.resolve("t").toString();
    spark
        .range(0, 2000, 1, 1)
        .selectExpr("(id % 1000) * 10 as v", "cast(id div 1000 as int) as p")
        .write()
        .format("arrow")
        .option("rows", 100)
        .partitionBy("p")
        .save(at);
    return spark.read().format("arrow").load(at);
  }

  private Path file(int p) throws IOException {
    try (var all = Files.list(folder.resolve("t/p=" + p))) {
      return all.filter(f -> f.toString().endsWith(".arrow")).findFirst().orElseThrow();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void filesAreKnown(boolean batches) throws IOException {
    spark.conf().set("spark.sql.codegen.wholeStage", batches);
    var table = written();
    assertEquals(List.of("v", "p"), List.of(table.columns()));
    for (int p = 0; p < 2; p++) {
      var of =
          table
              .where("p = " + p)
              .selectExpr(
                  "_metadata.file_name",
                  "v",
                  "_metadata.file_path",
                  "_metadata.file_size",
                  "unix_millis(_metadata.file_modification_time)",
                  "_metadata.file_block_start",
                  "_metadata.file_block_length")
              .where("v = 500")
              .collectAsList();
      var file = file(p);
      assertEquals(1, of.size());
      var row = of.getFirst();
      assertEquals(file.getFileName().toString(), row.getString(0));
      assertEquals(500, row.getLong(1));
      assertTrue(row.getString(2).endsWith("/t/p=" + p + "/" + row.getString(0)));
      assertEquals(Files.size(file), row.getLong(3));
      assertEquals(Files.getLastModifiedTime(file).toMillis(), row.getLong(4));
      assertEquals(0, row.getLong(5));
      assertEquals(Files.size(file), row.getLong(6));
    }
    var one = table.where("_metadata.file_path like '%/p=1/%'");
    assertEquals("[[1]]", one.select("p").distinct().collectAsList().toString());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void rowsHaveTheirNumbersInTheFile(boolean batches) {
    spark.conf().set("spark.sql.codegen.wholeStage", batches);
    var table = written();
    spark.conf().set("spark.sql.files.maxPartitionBytes", "2000"); // Some parts have few batches.
    assertTrue(table.rdd().getNumPartitions() > 4);
    var numbers = table.selectExpr("_metadata.row_index as i", "p", "v", "_metadata.file_name");
    assertEquals(2000, numbers.where("v = 10 * i").count());
    assertEquals(2000, numbers.select("i", "p").distinct().count());
    // Batches that a filter skips count, too.
    assertEquals(
        LongStream.range(951, 1000).boxed().toList(),
        numbers.where("v > 9500 and p = 1").orderBy("i").collectAsList().stream()
            .map(r -> r.getLong(0))
            .toList());
    assertEquals(70, table.where("_metadata.row_index = 7 and p = 0").first().getLong(0));
    assertEquals(
        1_998_000L,
        table.selectExpr("_metadata.row_index as i").selectExpr("sum(i) * 2").first().getLong(0));
    assertEquals(7, table.selectExpr("_metadata").first().getStruct(0).size());
  }

  @Test
  void functionsTakeRowsNumbers() {
    var table = written();
    KenazFunctions.registerText(
        spark, "off", "entry off (i: i64) (v: i64) : i64 = v - 10 * i", "off");
    assertEquals(
        List.of(0L),
        table.selectExpr("off(_metadata.row_index, v) as o").distinct().collectAsList().stream()
            .map(r -> r.getLong(0))
            .toList());
  }

  /** A reader knows the numbers of rows by a name, which a column may have, too. */
  @Test
  void aColumnOfTheSameNameIsItself() {
    var at = folder.resolve("n").toString();
    var name = "_tmp_metadata_row_index";
    spark.range(3, 5, 1, 1).toDF(name).write().format("arrow").save(at);
    var table = spark.read().format("arrow").load(at);
    assertEquals("[[3], [4]]", table.select(name).collectAsList().toString());
    var numbers = table.selectExpr("_metadata.row_index").collectAsList();
    assertEquals("[[0], [1]]", numbers.toString());
  }

  /** Spark has a list of the formats whose tables may have defaults. */
  @Test
  void defaultsAreOfTablesWhereSparkAllowsThem() {
    var create = "create table with_defaults (a int, b int default 3) using arrow";
    var e = assertThrows(Exception.class, () -> spark.sql(create));
    assertTrue(e.getMessage().contains("DEFAULT_UNSUPPORTED"), e.getMessage());
    spark.conf().set(ALLOWED, "csv,json,orc,parquet,arrow");
    spark.sql("drop table if exists with_defaults");
    spark.sql(create + " location '" + folder.resolve("d") + "'");
    spark.sql("insert into with_defaults (a) values (1)");
    spark.sql("insert into with_defaults values (2, default), (3, 5)");
    spark.sql("alter table with_defaults alter column b set default 9");
    spark.sql("insert into with_defaults (a) values (4)");
    var rows = spark.sql("select a, b from with_defaults order by a").collectAsList();
    assertEquals("[[1,3], [2,3], [3,5], [4,9]]", rows.toString());
    spark.sql("drop table with_defaults");
    assertEquals(
        20,
        spark
            .read()
            .format("arrow")
            .load(folder.resolve("d").toString())
            .selectExpr("sum(b)")
            .first()
            .getLong(0));
  }
}
