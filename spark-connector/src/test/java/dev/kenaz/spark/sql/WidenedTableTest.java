package dev.kenaz.spark.sql;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.arrow.RowRange;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables with columns behind their own, which belong to the rows that Spark gave at first. */
final class WidenedTableTest {
  private static final int ROWS = 5000;

  /** How often {@code counted} was computed. */
  private static final AtomicInteger CALLS = new AtomicInteger();

  private static SparkSession spark;
  @TempDir static Path folder;

  @BeforeAll
  static void start() {
    spark =
        SparkSession.builder()
            .master("local[2,3]") // A task may fail twice.
            .config("spark.ui.enabled", false)
            .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toString())
            .config("spark.sql.files.maxPartitionBytes", "20000")
            .getOrCreate();
    spark
        .udf()
        .register(
            "failing",
            (UDF1<Long, Long>)
                x -> {
                  var task = TaskContext.get();
                  if (x % 1000 == 999 && task.attemptNumber() < 2) {
                    throw new IllegalStateException("a machine fails");
                  }
                  return x;
                },
            DataTypes.LongType);
    spark
        .udf()
        .register(
            "counted", (UDF1<Long, Long>) x -> x + CALLS.incrementAndGet(), DataTypes.LongType);
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  private static WidenedTable.Opened open(String query, String column, boolean drops) {
    var source = new TableRows.Source(null, Optional.of(query), null, null, null);
    var context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    var table = TableRows.open(context, source, List.of());
    return WidenedTable.of(table, source, List.of(column), "the query", drops);
  }

  /** Writes the table with a column that counts the rows, and returns where. */
  private static Path widened(WidenedTable.Opened opened, boolean drops) throws IOException {
    assertEquals("", opened.obstacle());
    var out = Files.createTempDirectory(folder, "out");
    var numbers = new ArrayList<List<List<RowRange>>>();
    long at = 0;
    for (long rows : opened.table().rows()) {
      var file = out.resolve("numbers-" + at + "-" + numbers.size() + ".values");
      var column = ArrayValue.ofLongs(LongStream.range(at, at + rows).toArray(), rows);
      ArrowOutput.write(file, new LinkedHashMap<>(Map.of("n", column)), true);
      numbers.add(List.of(List.of(new RowRange(file.toString(), 0, rows))));
      at += rows;
    }
    var to = Files.createDirectory(out.resolve("table"));
    opened
        .table()
        .write(
            TableOutput.ARROW,
            List.of(new WidenedTable.Added("n", Prim.I64, 0, drops)),
            numbers,
            List.of(0),
            to);
    return to;
  }

  private static long[] column(Path table, String name) {
    return ArrowDataset.open(table.toString()).column(name).toVector(Prim.I64).toLongArray();
  }

  private static String stored(String format) {
    var path = folder.resolve("stored." + format);
    if (!Files.exists(path)) {
      spark
          .sql(
              "select id, -id as k, concat('row ', id) as s from range(0, %d, 1, 4)"
                  .formatted(ROWS))
          .write()
          .format(format)
          .save(path.toString());
    }
    return format + ".`" + path + "`";
  }

  /** All rows are there in the order in which Spark gives them, which the new column counts. */
  private static void assertCounts(Path table, String query) {
    var given = spark.sql("select id from (" + query + ")").collectAsList();
    assertArrayEquals(given.stream().mapToLong(r -> r.getLong(0)).toArray(), column(table, "id"));
    assertArrayEquals(LongStream.range(0, ROWS).toArray(), column(table, "n"));
  }

  /** Columns are read with other columns, by batches or by rows, in several stretches of a file. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "select * from PARQUET",
        "select *, array(id) as list from PARQUET",
        "select s, k, id from PARQUET where id >= 0",
        "select * from ORC",
        "select * from ARROW",
        "select *, array(id) as list from ARROW",
        "select s, k, id from ARROW",
        "select * from CSV",
        "select a.id, a.k, b.s from PARQUET a join ORC b on a.id = b.id",
        "select a.*, b.x from PARQUET a left join values (1, 2) b(y, x) on a.id = b.y"
      })
  void theRowsAreThoseOfTheFirstTime(String query) throws IOException {
    var all = query.replace("PARQUET", stored("parquet")).replace("ORC", stored("orc"));
    all = all.replace("ARROW", stored("arrow"));
    if (all.contains("CSV")) {
      var csv = folder.resolve("rows.csv");
      spark.sql("select id, -id as k from range(" + ROWS + ")").coalesce(1).write().csv(csv + "");
      all = "select cast(_c0 as bigint) id, cast(_c1 as bigint) k from csv.`" + csv + "`";
    }
    var opened = open(all, "k", false);
    if (opened.obstacle().isEmpty()) {
      assertCounts(widened(opened, false), all);
    } else {
      assertTrue(query.contains("join ORC"), opened.obstacle()); // Spark may sort for it.
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"select id, failing(id) as k", "select failing(id) as id, id as k"})
  void tasksMayFailTwice(String query) throws IOException {
    var all = query + " from " + stored("parquet");
    assertCounts(widened(open(all, "k", false), false), "table " + stored("parquet"));
  }

  @Test
  void rowsThatChangeAreAnError() throws IOException {
    var opened = open("select id, counted(id) as k from " + stored("parquet"), "k", false);
    assertChanged(opened);
    spark.sql("select id, id as k from range(0, 9, 1, 1)").write().parquet(folder + "/changes");
    opened = open("select * from parquet.`" + folder + "/changes`", "k", false);
    try (var files = Files.list(folder.resolve("changes"))) {
      var file = files.filter(f -> f.toString().endsWith(".parquet")).findFirst().orElseThrow();
      spark.sql("select id, 2 * id as k from range(0, 9, 1, 1)").write().parquet(folder + "/other");
      try (var others = Files.list(folder.resolve("other"))) {
        var other = others.filter(f -> f.toString().endsWith(".parquet")).findFirst().orElseThrow();
        Files.delete(file);
        Files.deleteIfExists(file.resolveSibling("." + file.getFileName() + ".crc"));
        Files.move(other, file);
      }
    }
    assertChanged(opened);
  }

  private static void assertChanged(WidenedTable.Opened opened) {
    var fault = assertThrows(UserError.class, () -> widened(opened, false));
    var said = fault.diagnostics().getFirst();
    assertEquals(ErrorCode.K6117, said.code(), fault.toString());
    assertTrue(said.message().startsWith("the query, partition "), said.message());
  }

  @Test
  void rowsWithNullsHaveNullsInNewColumns() throws IOException {
    var query = "select id, if(id % 3 = 1, null, id) as k from " + stored("parquet");
    var opened = open(query, "k", true);
    assertEquals(ROWS, opened.table().allRows());
    var table = widened(opened, true);
    var rows = spark.read().format("arrow").load(table.toString());
    assertEquals(ROWS, rows.count());
    assertEquals(0, rows.where("(n is null) <> (id % 3 = 1)").count());
    assertEquals(ROWS - (ROWS + 1) / 3, rows.select("n").where("n >= 0").distinct().count());
  }

  @Test
  void onlyNeededColumnsAreReadFirst() throws IOException {
    var context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    for (var format : List.of("parquet", "orc")) {
      var source =
          new TableRows.Source(null, Optional.of("table " + stored(format)), null, null, null);
      var all = TableRows.open(context, source, List.of());
      assertTrue(Repetition.haveSameRows(all, all.select("k")), format);
      assertTrue(Repetition.haveSameRows(all.where("id > 7"), all.where("id > 7").select("k")));
      assertFalse(Repetition.haveSameRows(all, all.limit(3).select("k")));
      var now = all.selectExpr("*", "now() as at");
      assertFalse(Repetition.haveSameRows(now, now.select("at")));
    }
  }

  @Test
  void namesAreNew() {
    var table = spark.sql("select 1 as a, 2 as b");
    WidenedTable.requireNew(table, List.of("c", "d"), "name it");
    for (var names : List.of(List.of("A"), List.of("c", "C"))) {
      var fault =
          assertThrows(
              UserError.class, () -> WidenedTable.requireNew(table, names, "name it otherwise"));
      assertEquals(ErrorCode.K6112, fault.diagnostics().getFirst().code());
    }
  }
}
