package dev.kenaz.spark.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FilterFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows of tables in the memory of executors: they are those of the same table in Arrow files. */
final class TablePartsTest {
  private static final String NUMBERS =
      """
      select id %% 2 = 0 as b, cast(id %% 100 as tinyint) as i8, cast(id as smallint) as i16,
        cast(id as int) as i32, id * 1000000007 as i64, cast(id as float) / 3 as f32,
        if(id %% 11 = 3, double('NaN'), id / 7D) as f64, array(id / 3D, -id, 0.5D) as xs,
        array(id %% 3 = 0, id %% 2 = 0) as bs
      from range(0, %d, 1, 3)
      """;

  private static SparkSession spark;
  @TempDir static Path folder;

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

  private static JavaSparkContext context() {
    return JavaSparkContext.fromSparkContext(spark.sparkContext());
  }

  private static TableRows.Kept keep(Dataset<Row> table, boolean drops) {
    table.createOrReplaceTempView("kept");
    var source = new TableRows.Source(Optional.of("kept"), null, null, null, null);
    return TableRows.keep(context(), source, List.of(), "table kept", drops, 1);
  }

  /** Returns the rows of all parts, one part after the other, as they are loaded anew. */
  private static List<ArrowDataset> parts(TableRows.Kept kept) {
    assertEquals("", kept.obstacle());
    var facts = kept.parts().inParts().parts();
    var table = kept.parts();
    LOADED.clear();
    try {
      context()
          .parallelize(IntStream.range(0, facts.size()).boxed().toList())
          .foreach(i -> LOADED.put(i, table.open(i, table.load(i))));
    } catch (Exception e) {
      for (Throwable t = e; t != null; t = t.getCause()) {
        if (t instanceof UserError u) {
          throw u;
        }
      }
      throw e;
    }
    for (int i = 0; i < facts.size(); i++) {
      assertEquals(facts.get(i).rows(), LOADED.get(i).rowCount());
    }
    return List.copyOf(LOADED.values());
  }

  /** What tasks have loaded; they are in this process. */
  private static final Map<Integer, ArrowDataset> LOADED = new ConcurrentSkipListMap<>();

  private static String shown(List<ArrowDataset> parts, List<String> columns, Prim type) {
    var text = new StringBuilder();
    for (var part : parts) {
      if (part.rowCount() > 0) {
        var options = new ReadOptions(columns, ReadOptions.Nulls.DROP);
        var numbers = part.withOptions(options).toMatrix(type);
        for (long i = 0; i < numbers.count(); i++) {
          text.append(Long.toHexString(numbers.bits(i))).append(' ');
        }
      }
    }
    return text.toString();
  }

  private void assertSameAsFiles(Dataset<Row> table, boolean drops) {
    var copy = folder.resolve("copy-" + System.nanoTime());
    TableRows.write(table, copy, "the test");
    var file = ArrowDataset.open(copy.toString());
    var kept = parts(keep(table, drops));
    for (var column : file.schema()) {
      for (var names : List.of(List.of(column.name()))) {
        var type = column.prim().orElseThrow();
        assertEquals(shown(List.of(file), names, type), shown(kept, names, type), names.toString());
      }
    }
    assertEquals(file.rowCount(), kept.stream().mapToLong(ArrowDataset::rowCount).sum());
  }

  private Dataset<Row> stored(String format, Dataset<Row> rows, String... options) {
    var place = folder.resolve(format + System.nanoTime()).toString();
    var writer = rows.write().format(format);
    for (int i = 0; i < options.length; i += 2) {
      writer.option(options[i], options[i + 1]);
    }
    writer.save(place);
    return spark.read().format(format).load(place);
  }

  @ParameterizedTest
  @ValueSource(strings = {"parquet", "orc", "arrow", "none", "cached", "filtered"})
  void theCellsAreThoseOfFiles(String how) {
    var rows = spark.sql(NUMBERS.formatted(10_000));
    assertSameAsFiles(
        switch (how) {
          case "none" -> rows;
          case "cached" -> rows.cache();
          case "filtered" ->
              stored("parquet", rows).where("i32 % 3 <> 0").select("f64", "i8", "xs");
          default -> stored(how, rows);
        },
        false);
    rows.unpersist();
  }

  @Test
  void mappedColumnsStayWhereTheyAre() {
    var rows = spark.sql(NUMBERS.formatted(10_000)).drop("b", "bs");
    var plain = stored("arrow", rows, "lists", "xs=3", "rows", "1500");
    assertSameAsFiles(plain, false);
    assertSameAsFiles(plain.select("xs"), false);
    assertSameAsFiles(plain.select("f32", "i8", "f64"), false);
    assertSameAsFiles(stored("arrow", rows, "lists", "xs=3", "compression", "lz4"), false);
  }

  @Test
  void columnsChangePlaces() {
    var rows = stored("parquet", spark.sql(NUMBERS.formatted(5000)));
    assertSameAsFiles(rows.select("f64", "i32", "b"), false);
  }

  @ParameterizedTest
  @ValueSource(strings = {"parquet", "none", "arrow"})
  void rowsWithNullsAreLeftOutOrKept(String format) {
    var rows =
        spark.sql(
            "select id, if(id % 7 = 2, null, id / 3D) as x, if(id % 5 = 1, null, id % 2 = 0) as b,"
                + " if(id % 4 = 3, null, cast(id as int)) as k from range(0, 3000, 1, 4)");
    var table = format.equals("none") ? rows : stored(format, rows);
    assertSameAsFiles(table, false);
    var kept = keep(table, true);
    var whole = table.na().drop();
    long left = kept.parts().inParts().parts().stream().mapToLong(r -> r.rows()).sum();
    assertEquals(whole.count(), left);
    assertEquals(3000 - left, kept.parts().inParts().leftOut());
    var sum = parts(kept).stream().mapToDouble(p -> sum(p, "x")).sum();
    assertEquals(
        whole.agg(org.apache.spark.sql.functions.sum("x")).first().getDouble(0), sum, 1e-6);
  }

  private static double sum(ArrowDataset data, String column) {
    return data.rowCount() == 0
        ? 0
        : Arrays.stream(data.column(column).toVector(Prim.F64).toDoubleArray()).sum();
  }

  @Test
  void arraysWithNulls() {
    var rows =
        spark.sql(
            "select if(id < 900, null, if(id % 3 = 0, array(1D, null), array(id, 2D))) as xs"
                + " from range(0, 1000, 1, 2)");
    var dropped = keep(rows, true);
    assertEquals(66, dropped.parts().inParts().parts().stream().mapToLong(r -> r.rows()).sum());
    var kept = parts(keep(rows, false));
    assertEquals(1000, kept.stream().mapToLong(ArrowDataset::rowCount).sum());
    assertEquals(
        shown(parts(dropped), List.of("xs"), Prim.F64), shown(kept, List.of("xs"), Prim.F64));
    var e = assertThrows(UserError.class, () -> kept.getFirst().column("xs").toMatrix(Prim.F64));
    assertEquals(ErrorCode.K6106, e.diagnostics().getFirst().code());
    assertTrue(e.getMessage().contains("table kept, partition 0"), e.getMessage());
  }

  @Test
  void arraysOfDifferentLengthsAreNoMatrix() {
    var rows = spark.sql("select sequence(1, 1 + id % 3) as xs from range(0, 100, 1, 2)");
    var kept = keep(rows, false);
    var field = kept.parts().inParts().schema().getFields().getFirst();
    assertEquals("List", field.getType().toString());
  }

  @Test
  void partsMayBeEmptyAndUneven() {
    var rows = spark.sql("select id / 3D as x from range(0, 20000, 1, 5) where id > 15000");
    assertSameAsFiles(rows, false);
    var none = keep(spark.sql("select 1D as x").where("x > 2"), false);
    assertEquals(0, none.parts().inParts().parts().stream().mapToLong(r -> r.rows()).sum());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select id + rand() as x from range(10)",
        "select max(id) as x from range(10) group by id % 3",
        "select id as x from range(10) order by id % 3",
        "select id as x from range(10) limit 5",
        "select distinct id % 3 as x from range(10)"
      })
  void whatMayComeInAnotherOrderIsCopied(String query) {
    assertFalse(keep(spark.sql(query), false).obstacle().isEmpty());
    var inMemory = spark.sql(query).persist(StorageLevel.MEMORY_ONLY());
    // A random number is made of a seed that the cached table has.
    assertEquals(query.contains("rand"), keep(inMemory, false).obstacle().isEmpty());
    inMemory.unpersist(true);
    // In this process nothing is lost of what is cached with a disk.
    var cached = spark.sql(query).cache();
    assertTrue(keep(cached, false).obstacle().isEmpty());
    cached.unpersist(true);
  }

  @Test
  void aSmallTableIsJoinedWithoutMovingRows() {
    spark.range(100).selectExpr("id", "id * 2D as rate").createOrReplaceTempView("rates");
    spark.range(0, 5000, 1, 3).selectExpr("id % 100 as k").createOrReplaceTempView("facts");
    assertSameAsFiles(
        spark.sql("select /*+ broadcast(rates) */ rate from facts join rates on k = id"), false);
  }

  private static int calls;

  @Test
  void rowsThatChangeAreAnError() {
    calls = 0;
    var rows =
        spark
            .range(0, 100, 1, 1)
            .filter((FilterFunction<Long>) i -> i > 0 || calls++ == 0)
            .selectExpr("id / 1D as x");
    var kept = keep(rows, false);
    var e = assertThrows(UserError.class, () -> parts(kept));
    assertEquals(ErrorCode.K6117, e.diagnostics().getFirst().code());
    assertTrue(e.getMessage().contains("table kept, partition 0"), e.getMessage());
  }

  @Test
  void aFaultOfTheQueryIsTold() {
    var rows = spark.sql("select 1 / (id - 5) as x, assert_true(id < 7) from range(0, 10, 1, 2)");
    var e = assertThrows(UserError.class, () -> keep(rows, false));
    assertEquals(ErrorCode.K6114, e.diagnostics().getFirst().code());
  }
}
