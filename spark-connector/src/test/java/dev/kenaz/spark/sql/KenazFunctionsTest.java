package dev.kenaz.spark.sql;

import static java.util.stream.Collectors.joining;
import static org.apache.spark.sql.functions.call_function;
import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Entry points as functions of SQL: each row has what a call for it alone gives. */
final class KenazFunctionsTest {
  private static final String PROGRAM =
      """
      entry half (x: f64) : f64 = x / 2
      entry larger (a: i64) (b: i64) : bool = a > b
      entry dot [d] (w: [d]f64) (x: [d]f64) : f64 = f64.sum (map2 (*) w x)
      entry scaled [d] (k: f32) (x: [d]f32) : [d]f32 = map (* k) x
      entry steps (x: f64) : i32 = loop n = 0 while f64.i32 n < x do n + 1
      entry at (xs: []i32) (i: i64) : i32 = xs[i]
      entry seven (a: f64) (b: f64) (c: f64) (d: f64) (e: f64) (f: f64) (g: i64) : f64 =
        a + 2*b + 3*c + 4*d + 5*e + 6*f + 7 * f64.i64 g
      entry slope (x: f64) : f64 = vjp (\\x -> x * f64.sin x) x 1
      entry byte (x: u8) : u8 = x + 1
      entry pair (x: f64) : (f64, []i32) = (x, [1, 2])
      entry nested (x: f64) : {a: f64, b: (bool, f32)} = {a = x, b = (x > 1, f32.f64 x)}
      entry long (x: u64) : u64 = x + 1
      entry outer [d] (x: [d]f64) : [d][d]f64 = map (\\a -> map (* a) x) x
      type kind = #one | #two
      entry sum (x: f64) : kind = if x > 0 then #one else #two
      entry unit (x: f64) : f64 = x
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
            .getOrCreate();
    for (var name :
        List.of(
            "half", "larger", "dot", "steps", "at", "seven", "slope", "byte", "pair", "nested",
            "long", "outer")) {
      KenazFunctions.registerText(spark, name, PROGRAM, name);
    }
    KenazFunctions.registerText(spark, "weighted", PROGRAM, "dot", new double[] {1, 10, 100});
    KenazFunctions.registerText(spark, "tripled", PROGRAM, "scaled", 3f);
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  private static List<String> rows(String query) {
    return spark.sql(query).collectAsList().stream().map(Row::toString).toList();
  }

  private static String row(String query) {
    return rows(query).getFirst();
  }

  @Test
  void everyRowIsComputed() {
    var table =
        spark
            .range(0, 50_000, 1, 3)
            .selectExpr("id", "half(id) as h", "seven(id,1,1,1,1,1,id) as s");
    assertEquals(0, table.where("h <> id / 2 or s <> id * 8 + 20").count());
    assertEquals(50_000, table.count());
    assertEquals(50_000L * 49_999 / 4, table.selectExpr("sum(h)").first().getDouble(0));
  }

  @Test
  void argumentsMayBeTheSameForAllRows() {
    assertEquals("[1020.5]", row("select weighted(array(0.5, 2, 10))"));
    assertEquals("[ArraySeq(3.0, 4.5)]", row("select tripled(array(1F, 1.5F))"));
    assertEquals("[11.0]", row("select dot(array(1, 2), array(3, 4))"));
  }

  @Test
  void nullsGiveNull() {
    assertEquals(
        List.of("[1.0]", "[null]", "[2.0]"),
        rows("select half(x) from values (2D), (null), (4D) as t(x)"));
    assertEquals("[null]", row("select weighted(array(1, null, 3))"));
    assertEquals("[null]", row("select weighted(cast(null as array<double>))"));
  }

  @Test
  void recordsAndTuplesAreStructs() {
    assertEquals("[[2.0,ArraySeq(1, 2)]]", row("select pair(2)"));
    assertEquals("[2.0,2]", row("select p._1, p._2[1] from (select pair(2) as p)"));
    assertEquals("[1.5,true,1.5]", row("select nested(1.5).a, nested(1.5).b._1, nested(1.5).b._2"));
    assertEquals(
        List.of("[null]", "[1.0]"), rows("select nested(x).a from values (null), (1D) as t(x)"));
  }

  @Test
  void resultsMayBeMatrices() {
    assertEquals(
        List.of(
            "[ArraySeq(ArraySeq(1.0, 2.0), ArraySeq(2.0, 4.0)),1]", "[ArraySeq(ArraySeq(9.0)),2]"),
        rows(
            "select outer(a), i from values (array(1D, 2D), 1), (array(3D), 2) as t(a, i) order by i"));
  }

  @Test
  void longUnsignedNumbersAreDecimals() {
    assertEquals("[18446744073709551615]", row("select long(18446744073709551614BD)"));
    assertFails("K6108", "select long(-1BD)");
  }

  @Test
  void columnsAreReadWithoutRows() {
    var wide =
        spark
            .range(0, 30_000, 1, 2)
            .selectExpr(
                "id",
                "id / 3D as a",
                "cast(id as float) as f",
                "cast(id % 7 as int) as i",
                "if(id % 1000 = 5, null, id / 7D) as n",
                "id % 2 = 0 as b");
    wide.cache().count();
    wide.createOrReplaceTempView("wide");
    var calls =
        List.of(
            "half(a)",
            "half(f)",
            "half(i)",
            "half(n)",
            "larger(id, i)",
            "dot(array(a, f, i), array(a, a, a))",
            "dot(array(a, n), array(n, a))",
            "nested(a).b._2",
            "tripled(array(f, f))[1]");
    for (var call : calls) {
      assertTrue(plan(spark.sql("select " + call + " from wide")).contains("Kenaz columnar"), call);
    }
    var sums = calls.stream().map(c -> "sum(hash(id, " + c + "))").collect(joining(", "));
    var columnar = spark.sql("select " + sums + " from wide");
    var byRows = spark.sql("select " + sums + " from wide where id >= 0");
    assertTrue(plan(columnar).contains("Kenaz columnar"), plan(columnar));
    assertFalse(plan(byRows).contains("Kenaz columnar"), plan(byRows));
    assertEquals(byRows.first(), columnar.first());
    assertEquals(30, spark.sql("select id from wide where half(n) is null").count());
    assertFails("at(array[1, 2, 3], 3)", "select at(array(1, 2, 3), i) from wide where id < 9");
    wide.unpersist();
  }

  @Test
  void parquetIsReadWithoutRows() {
    var file = folder.resolve("t.parquet").toString();
    spark
        .range(0, 5000, 1, 1)
        .selectExpr("id", "id * 1D as a", "array(id * 1D, 2D) as xs", "sequence(0, id % 3) as s")
        .write()
        .parquet(file);
    spark.read().parquet(file).createOrReplaceTempView("p");
    for (var call : List.of("half(a)", "dot(xs, xs)", "outer(xs)[1][1]")) {
      assertTrue(plan(spark.sql("select " + call + " from p")).contains("Kenaz columnar"), call);
    }
    assertEquals("[" + 4999.0 * 4999.0 + "]", row("select max(dot(xs, xs)) - 4 from p"));
    assertEquals("[4.0]", row("select max(outer(xs)[1][1]) from p"));
    spark.conf().set("spark.sql.codegen.wholeStage", "false");
    try {
      assertEquals("[" + 4999.0 * 5000 / 4 + "]", row("select sum(half(a)) from p"));
    } finally {
      spark.conf().unset("spark.sql.codegen.wholeStage");
    }
    spark.conf().set("spark.sql.columnVector.offheap.enabled", "true");
    try {
      assertEquals("[" + 4999.0 * 5000 / 4 + "]", row("select sum(half(a)) from p"));
      assertEquals("[4.0]", row("select max(outer(xs)[1][1]) from p"));
    } finally {
      spark.conf().unset("spark.sql.columnVector.offheap.enabled");
    }
  }

  @Test
  void arrowFilesAreReadWithoutRows() {
    var file = folder.resolve("arrow").toString();
    spark
        .range(0, 5000, 1, 1)
        .selectExpr("id", "array(id * 1D, 2D) as xs", "if(id = 7, null, id) as n")
        .write()
        .format("arrow")
        .save(file);
    spark.read().format("arrow").load(file).createOrReplaceTempView("arrows");
    var table = spark.sql("select dot(xs, xs) as d, half(n) as h, half(id) as i from arrows");
    assertTrue(plan(table).contains("Kenaz columnar"), plan(table));
    assertEquals(
        "[" + (4999.0 * 4999.0 + 4) + ",1," + 4999.0 * 5000 / 4 + "]",
        table.selectExpr("max(d)", "count_if(h is null)", "sum(i)").first().toString());
  }

  @Test
  void nullsInArraysOfArrowFilesGiveNull() {
    var file = folder.resolve("nulls").toString();
    spark
        .range(0, 100, 1, 1)
        .selectExpr(
            "id",
            "array(id * 1D, if(id % 10 = 7, null, 2D)) as xs",
            "if(id = 5, null, id) as n",
            "array(named_struct('a', null, 'b', array(id, null))) as unused")
        .write()
        .format("arrow")
        .save(file);
    spark.read().format("arrow").load(file).createOrReplaceTempView("nulls");
    var table = spark.sql("select dot(xs, xs) as d, half(n) as h, unused from nulls");
    assertTrue(plan(table).contains("Kenaz columnar"), plan(table));
    assertEquals(
        "[10,1,90]",
        table.selectExpr("count_if(d is null)", "count_if(h is null)", "count(d)").first() + "");
    assertEquals(100, table.collectAsList().size());
  }

  @Test
  void argumentsMayBeRandom() {
    assertEquals(
        rows("select rand(3) / 2 from range(0, 20, 1, 2)"),
        rows("select half(rand(3)) from range(0, 20, 1, 2)"));
  }

  private static String plan(Dataset<Row> table) {
    return table.queryExecution().executedPlan().toString();
  }

  @Test
  void arraysMayHaveSeveralSizes() {
    assertEquals(
        List.of("[5.0]", "[1.0]", "[0.0]", "[14.0]"),
        rows(
            "select dot(a, a) from values (array(1D, 2D)), (array(1D)), (array()),"
                + " (array(1D, 2D, 3D)) as t(a)"));
  }

  @Test
  void callsStandAnywhere() {
    spark.range(10).createOrReplaceTempView("ten");
    assertEquals("[2.25]", row("select half(half(9))"));
    assertEquals(List.of("[8]", "[9]"), rows("select id from ten where half(id) >= 4 order by id"));
    assertEquals("[22.5]", row("select sum(half(id)) from ten"));
    assertEquals("[4.5,10]", row("select max(half(id)), count(*) from ten"));
    assertEquals(
        List.of("[false,6]", "[true,4]"),
        rows("select larger(id, 5), count(*) from ten group by larger(id, 5) order by 1"));
    assertEquals("[9]", row("select id from ten order by half(id) desc limit 1"));
    assertEquals(
        "[2.0]", row("select half(a.id) from ten a join ten b on a.id = b.id where b.id = 4"));
    assertEquals("[9.0]", row("select half(id) + half(id) from ten where id = 9"));
    assertEquals("[2.5,10]", row("select half(5), count(*) from ten"));
    assertEquals("[22.5,2.5]", row("select half(sum(id)), half(min(id)) + half(5) from ten"));
    assertEquals(
        List.of("[0.0,0,9.0]", "[0.5,1,12.75]"),
        rows(
            "select half(id % 2), id % 2 as k, half(sum(half(id)) + sum(id) - 12) from ten"
                + " group by id % 2 order by k"));
    assertEquals(
        List.of("[1.0,2.5]", "[2.0,2.5]"),
        rows(
            "select half(k), half(count(*)) from (select id % 2 * 2 + 2 as k from ten) group by k"
                + " order by 1"));
    assertEquals("[5]", row("select count(*) from ten a join ten b on half(a.id) = b.id"));
    assertEquals(
        "[4]", row("select count(*) from ten where exists (select 1 where half(ten.id) > 2.5)"));
  }

  @Test
  void derivativesAreFunctions() {
    assertEquals(
        Math.sin(0.5) + 0.5 * Math.cos(0.5),
        spark.sql("select slope(0.5)").first().getDouble(0),
        1e-12);
  }

  @Test
  void unsignedNumbersAreChecked() {
    assertEquals("[200]", row("select byte(199)"));
    assertFails("K6108", "select byte(300)");
  }

  @Test
  void dataFramesCallThem() {
    Dataset<Row> table = spark.range(4).toDF();
    assertEquals(
        3.0,
        table.select(call_function("half", col("id")).as("h")).selectExpr("sum(h)").first().get(0));
  }

  @Test
  void cachedTablesAndExplanationsWork() {
    var table = spark.range(1000).selectExpr("id", "half(id) as h").cache();
    assertEquals(1000, table.count());
    assertEquals(249_750.0, table.selectExpr("sum(h)").first().get(0));
    table.unpersist();
    assertTrue(spark.range(5).selectExpr("half(id)").queryExecution().toString().contains("Kenaz"));
  }

  @Test
  void aFaultNamesItsRow() {
    var e = failure("select at(array(1, 2, 3), id) from range(0, 10, 1, 1)");
    assertTrue(e.contains("at(array[1, 2, 3], 3)"), e);
    assertTrue(e.contains("at.fut:6"), e);
  }

  @Test
  void programsAreFiles() throws Exception {
    Files.writeString(folder.resolve("base.fut"), "def twice (x: f64) = 2 * x");
    Files.writeString(
        folder.resolve("main.fut"), "import \"base\"\nentry four (x: f64) = twice (twice x)");
    KenazFunctions.register(spark, "four", folder.resolve("main.fut"), "four");
    assertEquals("[10.0]", row("select four(2.5)"));
  }

  /** A size is that of a row, and parameters have the program's names. */
  @Test
  void aWrongSizeNamesTheParametersOfTheProgram() {
    var program = "entry dot [d] (w: [d]f64) (x': [d]f64) : f64 = f64.sum (map2 (*) w x')";
    KenazFunctions.registerText(spark, "dot_of", program, "dot", new double[] {1, 2});
    var told = failure("select dot_of(array(1D, 2D, 3D))");
    assertTrue(told.contains("parameter x' has 3 elements in dimension 1"), told);
    assertTrue(told.contains("but the size d is 2, as parameter w says"), told);
    assertFalse(told.contains("kenaz_"), told);
  }

  @Test
  void whatIsNoFunctionOfARowIsRefused() {
    assertRefused("K6303", "no_such_entry");
    assertRefused("K6115", "sum");
    assertRefused("K6115", "unit", 1.0);
    assertFails("K6115", "select half(1, 2)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "entry odd (x: i64) : []i64 = iota x | another size for each row",
        "entry odd [n] (x: [n]f64) : {a: []f64} = {a = filter (> 0) x} | another size for each row",
        "entry odd (x: *[]i64) : []i64 = x with [0] = 5 | consumes an argument"
      })
  void whatCannotBeMappedIsToldInTheProgramsWords(String program, String words) {
    var e =
        assertThrows(
            UserError.class, () -> KenazFunctions.registerText(spark, "odd", program, "odd"));
    assertTrue(e.toString().contains("K6115: odd is no function of a row"), e.toString());
    assertTrue(e.toString().contains(words), e.toString());
  }

  private static void assertRefused(String code, String entry, Double... first) {
    var e =
        assertThrows(
            UserError.class,
            () ->
                KenazFunctions.registerText(
                    spark, "refused", PROGRAM, entry, (java.io.Serializable[]) first));
    assertTrue(e.toString().contains(code), e.toString());
  }

  @Test
  void aCallOfTwoTablesColumnsIsALimitation() {
    assertFails(
        "K9000",
        "select count(*) from range(3) a left join range(3) b on larger(a.id, b.id) and a.id < 2");
  }

  private static String failure(String query) {
    var all = new StringBuilder();
    for (Throwable e = assertThrows(Exception.class, () -> rows(query));
        e != null;
        e = e.getCause()) {
      all.append(e).append('\n');
    }
    return all.toString();
  }

  private static void assertFails(String code, String query) {
    var e = failure(query);
    assertTrue(e.contains(code), e);
  }
}
