package dev.kenaz.spark.sql;

import static org.apache.spark.sql.functions.call_function;
import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.pipeline.ProgramSource;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Entry points as aggregate functions: a group has what a call for its rows gives. */
final class GroupFunctionsTest {
  private static final String PROGRAM =
      """
      entry total [n] (x: [n]f64) : f64 = f64.sum x
      entry mean [n] (x: [n]f64) : f64 = f64.sum x / f64.i64 n
      entry variance [n] (x: [n]f64) : f64 =
        let m = f64.sum x / f64.i64 n
        in f64.sum (map (\\v -> (v - m) * (v - m)) x) / f64.i64 n
      entry counts [n] (k: i64) (x: [n]i64) : [k]i64 =
        hist (+) 0 k x (replicate n 1)
      entry extremes [n] (x: [n]i32) : {least: i32, most: i32} =
        {least = reduce i32.min i32.highest x, most = reduce i32.max i32.lowest x}
      entry centre [n][d] (x: [n][d]f32) : [d]f32 =
        map (/ f32.i64 n) (reduce (map2 (+)) (replicate d 0) x)
      entry loss [n][d] (w: [d]f64) (b: f64) (x: [n][d]f64) (y: [n]f64) : f64 =
        f64.sum (map2 (\\r t -> let e = f64.sum (map2 (*) w r) + b - t in e * e) x y) / f64.i64 n
      entry squares [n] (w: f64) (x: [n]f64) : f64 = f64.sum (map (\\v -> (w - v) ** 2) x)
      entry root [n] (w: f64) (x: [n]f64) : f64 = f64.sqrt (f64.sum (map (\\v -> (w - v) ** 2) x))
      entry sorted [n] (x: [n]i32) : i32 = x[n - 1] - x[0]
      entry zero [n] (x: [n]i32) : i32 = reduce (+) 0 (map (10 /) x)
      entry scalar (x: f64) : f64 = x
      entry whole [n] (x: [n]f64) : i64 = n
      entry normal [n] (mu: f64) (sigma: f64) (x: [n]f64) : f64 =
        f64.sum (map (\\v -> (v - mu) ** 2) x) / (2 * sigma ** 2) + f64.i64 n * f64.log sigma
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
        List.of("total", "mean", "variance", "extremes", "centre", "sorted", "zero", "whole")) {
      KenazFunctions.registerAggregateText(spark, "k_" + name, PROGRAM, name);
    }
    KenazFunctions.registerAggregateText(spark, "k_counts", PROGRAM, "counts", 4L);
    KenazFunctions.registerAggregateText(
        spark, "k_loss", PROGRAM, "loss", new double[] {1, -2}, 0.5);
    KenazFunctions.registerGradientText(
        spark, "k_gradient", PROGRAM, "loss", new double[] {1, -2}, 0.5);
    KenazFunctions.registerGradientText(spark, "k_slope", PROGRAM, "squares", 3.0);
    KenazFunctions.registerGradientText(spark, "k_normal", PROGRAM, "normal", 400.0, 10.0);
    KenazFunctions.registerGradientText(spark, "k_root", PROGRAM, "root", 3.0);
    spark
        .range(0, 20_000, 1, 3)
        .selectExpr(
            "id % 7 as k",
            "cast(id * 1237 % 1000 as double) as x",
            "id % 4 as i",
            "cast(id % 100 as float) as f",
            "id")
        .createOrReplaceTempView("t");
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

  private static String plan(String query) {
    return spark.sql(query).queryExecution().executedPlan().toString();
  }

  private static void assertAlike(String one, String other, String from) {
    var table =
        spark.sql("select " + one + " as a, " + other + " as b from " + from).collectAsList();
    assertFalse(table.isEmpty());
    for (var r : table) {
      assertEquals(r.getDouble(1), r.getDouble(0), 1e-9 * Math.abs(r.getDouble(1)), one);
    }
  }

  @Test
  void groupsAreComputed() {
    assertAlike("k_total(x)", "sum(x)", "t group by k");
    assertAlike("k_mean(x)", "avg(x)", "t group by k");
    assertAlike("k_variance(x)", "var_pop(x)", "t group by k");
    assertAlike("k_mean(x)", "avg(x)", "t");
    assertAlike("k_variance(x + k)", "var_pop(x + k)", "t group by k having k > 2");
    assertEquals(
        List.of("[[0,96],0]", "[[1,97],1]"),
        rows("select k_extremes(id % 100), id % 4 as k from t group by 2 order by 2")
            .subList(0, 2));
    assertEquals("[ArraySeq(5000, 5000, 5000, 5000)]", row("select k_counts(i) from t"));
    assertEquals(
        "[ArraySeq(49.5, 1.0)]", row("select k_centre(array(f, 1F)) from t where id < 20000"));
  }

  @Test
  void explainSaysHowItIsComputed() {
    var parts = plan("select k, k_mean(x) from t group by k");
    assertTrue(parts.contains("partial_k_mean"), parts);
    assertTrue(parts.contains("Kenaz, by parts: mean of k_mean.fut"), parts);
    assertTrue(plan("select k_variance(x) from t").contains("Kenaz, keeps rows: variance of"));
    assertTrue(plan("select k_gradient(array(x, f), i) from t").contains("by parts: gradient of"));
    assertTrue(plan("select k_root(x) from t").contains("keeps rows: gradient of"));
    assertTrue(plan("select k_sorted(x) from t").contains("keeps rows"));
    assertTrue(plan("select k_whole(x) from t").contains("Kenaz"));
  }

  @Test
  void gradientsAreComputed() {
    var error = "(x - 2 * f + 0.5 - i)";
    assertAlike("k_loss(array(x, f), i)", "avg(" + error + " * " + error + ")", "t group by k");
    for (var from : List.of("t group by k", "t", "t where id < 9 group by k")) {
      assertAlike("k_gradient(array(x, f), i).w[0]", "2 * avg(" + error + " * x)", from);
      assertAlike("k_gradient(array(x, f), i).w[1]", "2 * avg(" + error + " * f)", from);
      assertAlike("k_gradient(array(x, f), i).b", "2 * avg(" + error + ")", from);
    }
    assertAlike("k_slope(x)", "2 * sum(3 - x)", "t group by k");
    assertAlike("k_root(x)", "sum(3 - x) / sqrt(sum((3 - x) * (3 - x)))", "t group by k");
  }

  @Test
  void nullsAreLeftOut() {
    assertEquals("[null]", row("select k_total(x) from t where id < 0"));
    assertEquals(List.of(), rows("select k, k_total(x) from t where id < 0 group by k"));
    assertEquals(
        List.of("[1,3.0,2]", "[2,null,null]", "[3,NaN,1]"),
        rows(
            "select k, k_total(x), k_whole(x) from values (1, 1D), (1, null), (1, 2D), (2, null),"
                + " (3, double('NaN')) as t(k, x) group by k order by k"));
    assertEquals(
        "[ArraySeq(1.0)]",
        row("select k_centre(a) from values (array(1F)), (array(null)), (null) as t(a)"));
  }

  @Test
  void arraysOfAGroupHaveOneSize() {
    assertEquals(
        List.of("[ArraySeq(1.0, 2.0)]", "[ArraySeq(3.0)]"),
        rows(
            "select k_centre(a) from values (1, array(1F, 2F)), (2, array(3F)) as t(k, a)"
                + " group by k order by k"));
    assertFails("K6302", "select k_centre(a) from values (array(1F, 2F)), (array(3F)) as t(a)");
    assertFails("K6302", "select k_loss(array(x), i) from t");
  }

  @Test
  void sparksOwnFormsOfAggregatesWork() {
    assertEquals(
        "[499500.0,6.0]",
        row("select k_total(distinct x), k_total(x) filter (where id < 3) - 705 from t"));
    assertEquals(
        List.of("[0,0.0]", "[1,1.0]", "[2,3.0]", "[3,6.0]"),
        rows("select id, k_total(id) over (order by id) from t where id < 4 order by id"));
    assertEquals(
        List.of("[null,6.0]", "[0,2.0]", "[1,4.0]"),
        rows(
            "select id % 2 as p, k_total(id) from t where id < 4 group by rollup(id % 2)"
                + " order by p nulls first"));
    spark.sql("create or replace temp view v as select k, k_mean(x) as m from t group by k");
    assertEquals("[7]", row("select count(m) from v"));
    Dataset<Row> table = spark.table("t").where("id < 4");
    assertEquals(
        6.0, table.groupBy().agg(call_function("k_total", col("id")).as("s")).first().getDouble(0));
    assertEquals("[2]", row("select k_sorted(id) from (select * from t where id < 3 order by id)"));
  }

  @Test
  void manyGroupsAreComputed() {
    var table = "(select id % 10000 as g, x, f, i from t)";
    assertAlike("k_total(x)", "sum(x)", table + " group by g");
    assertAlike("k_variance(x) + 1", "var_pop(x) + 1", table + " group by g");
    spark.conf().set("spark.sql.adaptive.enabled", "false");
    spark.conf().set("spark.sql.codegen.wholeStage", "false");
    try {
      assertAlike(
          "k_mean(x)", "avg(x)", "(select if(id < 19990, 0, id) as g, x from t) group by g");
    } finally {
      spark.conf().unset("spark.sql.adaptive.enabled");
      spark.conf().unset("spark.sql.codegen.wholeStage");
    }
  }

  private static final String TABLES =
      """
      entry positive [n] (least: f64) (x: [n]f64) (k: [n]i64) =
        let kept = filter (\\(v, _) -> v > least) (zip x k)
        in {x = map (.0) kept, twice = map (\\(v, _) -> [v, v]) kept, k = map (.1) kept}
      entry totals [n] (k: [n]i64) (x: [n]f64) : [3]f64 = hist (+) 0 3 k x
      entry uneven [n] (x: [n]f64) : ([n]f64, [2]f64) = (map f64.sqrt x, [1, 2])
      entry number [n] (x: [n]f64) : f64 = f64.sum x
      entry at [n] (x: [n]i64) : [n]i64 = map (\\i -> x[i]) x
      """;

  @Test
  void tablesBecomeTables() throws IOException {
    var file = Files.writeString(folder.resolve("tables.fut"), TABLES);
    KenazFunctions.registerTable(spark, "k_positive", file, "positive", 19_000.0);
    KenazFunctions.registerTable(spark, "k_totals", file, "totals");
    KenazFunctions.registerTable(spark, "k_uneven", file, "uneven");
    KenazFunctions.registerTable(spark, "k_at", file, "at");
    var query = "select * from k_positive(table(select cast(id as float), k from t))";
    assertTrue(plan(query).contains("Kenaz table [k_positive = positive of "), plan(query));
    var table = spark.sql(query);
    assertEquals(List.of("k", "twice", "x"), List.of(table.columns()));
    assertEquals(999, table.count());
    assertEquals("[" + 999 * 19_500.0 + "]", table.selectExpr("sum(twice[1])").first().toString());
    assertEquals(0, table.where("k <> x % 7").count());
    assertEquals("[999]", row("select count(*) from (" + query + ")"));
    assertEquals(
        List.of("[5000.0]", "[5000.0]", "[10000.0]"),
        rows("select * from k_totals(table(select least(i, 2), 1 from t)) order by 1"));
    assertEquals(
        List.of("[0.0]", "[0.0]", "[0.0]"),
        rows("select result from k_totals(table(select i, x from t where id < 0))"));
    var same = KenazFunctions.table(spark.table("t").selectExpr("i % 3", "1"), file, "totals");
    assertEquals("[20000.0]", same.selectExpr("sum(result)").first().toString());
    assertFails("K6115", "select * from k_uneven(table(select x from t))");
    assertFails("K6115", "select * from k_totals(table(select x from t))");
    assertFails("K6115", "select * from k_totals(1, 2)");
    assertFails("K6115", "select * from k_uneven(table(select x, k from t) partition by k)");
    assertFails("K6106", "select * from k_totals(table(select i, if(id = 9, null, x) from t))");
    assertFails("k_at of a table of 20000 rows", "select * from k_at(table(select id + 5 from t))");
    assertTrue(
        assertThrows(
                UserError.class, () -> KenazFunctions.registerTable(spark, "r", file, "number"))
            .toString()
            .contains("K6115"));
    // Spark's own function of rows
    assertTrue(
        assertThrows(
                UserError.class,
                () -> KenazFunctions.registerTable(spark, "positive", file, "totals"))
            .toString()
            .contains("take another name"));
  }

  private static final String DIFFERENCES =
      """
      -- The first row of a partition has no row before it.
      entry steps [n] (x: [n]f64) : {at: [n]i64, step: [n]f64} =
        {at = iota n, step = tabulate n (\\i -> if i == 0 then 0 else x[i] - x[i - 1])}
      entry sizes [n] (_: [n]f64) : [1]i64 = [n]
      """;

  @Test
  void tablesAreDividedIntoPartitions() throws IOException {
    var file = Files.writeString(folder.resolve("differences.fut"), DIFFERENCES);
    KenazFunctions.registerTable(spark, "k_steps", file, "steps");
    KenazFunctions.registerTable(spark, "k_sizes", file, "sizes");
    var rows = "table(select if(id % 4 = 3, null, concat('k', id % 4)) as name, x from t)";
    var query = "select * from k_sizes(" + rows + " partition by name)";
    assertTrue(plan(query).contains(" by name]"), plan(query));
    assertEquals(
        List.of("[k0,5000]", "[k1,5000]", "[k2,5000]", "[null,5000]"),
        rows("select * from (" + query + ") order by name nulls last"));
    assertEquals(
        "[0]",
        row(
            "select count(*) from k_sizes(table(select * from ("
                + "select k, x from t) where k > 100) partition by k)"));
    // Rows come in their order, so all steps but the first one of a partition are 4.
    var steps =
        "select * from k_steps(table(select id % 4 as a, id % 2 as b, double(id) as x from t)"
            + " partition by (b, a) order by x desc)";
    assertEquals(List.of("b", "a", "at", "step"), List.of(spark.sql(steps).columns()));
    assertEquals(
        List.of("[0.0,4]", "[-4.0,19996]"),
        rows("select step, count(*) from (" + steps + ") group by step order by step desc"));
    assertEquals("[0]", row("select count(*) from (" + steps + ") where b <> a % 2"));
    // What is equal is one key.
    var zeros =
        "table(select if(id % 2 = 0, 0.0D, -0.0D) as k, if(id % 3 = 0, 1D, 2D) as x from t)";
    assertEquals("[0.0,20000]", row("select * from k_sizes(" + zeros + " partition by k)"));
    assertEquals(
        "[-1.0]",
        row(
            "select min(step) from k_steps(table(select double(id % 5) as x from t)"
                + " with single partition order by x desc)"));
    assertEquals(
        List.of("[k0,10000]", "[k1,10000]"),
        rows(
                "select * from k_sizes(table(select concat('k', id % 2) as n, x from t)"
                    + " partition by n) join (select 'k0' as m union all select 'k1') on n = m"
                    + " order by n")
            .stream()
            .map(r -> r.replaceFirst(",k.]$", "]"))
            .toList());
    assertFails("K6115", "select * from k_sizes(" + rows + " partition by length(name))");
    var arrays = "table(select array(k) as a, x from t)";
    assertFails("K6115", "select * from k_sizes(" + arrays + " partition by a)");
    assertFails("K6115", "select * from k_sizes(" + rows + " partition by no_such_column)");
    assertFails(
        "K6106",
        "select * from k_sizes(table(select k, if(id = 9, null, x) from t) partition by k)");
  }

  @Test
  void tooManyRowsOfAGroupAreAnError() {
    var function =
        GroupFunction.of("k_var", ProgramSource.of("p.fut", PROGRAM), "variance", List.of());
    assertFalse(function.parts());
    var rows = new GroupRows(new GroupFolds(function), 1 << 20);
    var row = new GenericInternalRow(new Object[] {1.5});
    var e =
        assertThrows(
            UserError.class,
            () -> {
              for (int i = 0; i < 200_000; i++) {
                rows.add(row);
              }
            });
    assertEquals(ErrorCode.K6116, e.diagnostics().getFirst().code());
    assertTrue(e.getMessage().contains("k_var needs all rows"), e.getMessage());
    // Two parts of a group that can be kept alone, but not together.
    var parts = new ArrayList<GroupRows>();
    for (int p = 0; p < 2; p++) {
      parts.add(new GroupRows(new GroupFolds(function), 1 << 20));
      for (int i = 0; i < 100_000; i++) {
        parts.getLast().add(row);
      }
    }
    assertThrows(UserError.class, () -> parts.getFirst().addAll(parts.getLast()));
    assertEquals("[0.0f64]", parts.getLast().results().toString());
  }

  @Test
  void functionsAreReplaced() {
    KenazFunctions.registerAggregateText(spark, "k_again", PROGRAM, "total");
    assertEquals("[3.0]", row("select k_again(id) from t where id < 3"));
    KenazFunctions.registerAggregateText(spark, "k_again", PROGRAM, "mean");
    assertEquals("[1.0]", row("select k_again(id) from t where id < 3"));
  }

  @Test
  void aFaultNamesItsPlaceAndTheFunction() {
    var e = failure("select k_zero(i) from t where k = 1 group by k");
    assertTrue(e.contains("k_zero.fut:17"), e);
    assertTrue(e.contains("k_zero of"), e);
  }

  /** The sum is multiplied by the derivatives of its factor, too. */
  @Test
  void gradientsOfMultiplesOfSumsByTheParametersOfTheirFactors() {
    assertTrue(plan("select k_normal(x) from t group by k").contains("by parts"));
    assertAlike("k_normal(x).mu", "sum(400 - x) / 100", "t group by k");
    assertAlike(
        "k_normal(x).sigma", "count(x) / 10D - sum((x - 400) * (x - 400)) / 1000", "t group by k");
  }

  /** SQL would call those, whatever else has the name. */
  @Test
  void namesOfFunctionsOfSparkAreRefused() {
    for (var name : List.of("Sqrt", "range")) {
      for (var kind : KenazFunctions.Kind.values()) {
        var text = kind == KenazFunctions.Kind.TABLE ? "entry f [n] (x: [n]f64) = x" : PROGRAM;
        var entry =
            switch (kind) {
              case ROW -> "scalar";
              case AGGREGATE -> "mean";
              case GRADIENT -> "squares";
              case TABLE -> "f";
            };
        List<Serializable> first = kind == KenazFunctions.Kind.GRADIENT ? List.of(3.0) : List.of();
        var source = ProgramSource.of("own.fut", text);
        var e =
            assertThrows(
                UserError.class,
                () -> KenazFunctions.register(spark, kind, name, source, entry, first));
        assertTrue(e.toString().contains("K6115"), e.toString());
      }
    }
  }

  @Test
  void whatIsNoFunctionOfAGroupIsRefused() {
    assertRefused("K6303", "no_such_entry");
    assertRefused("K6115", "scalar");
    assertRefused("K6115", "counts");
    assertFails("K6115", "select k_total(x, x) from t");
    assertTrue(
        assertThrows(
                UserError.class,
                () -> KenazFunctions.registerGradientText(spark, "r", PROGRAM, "counts", 3L))
            .toString()
            .contains("K6115"));
  }

  private static void assertRefused(String code, String entry) {
    var e =
        assertThrows(
            UserError.class,
            () -> KenazFunctions.registerAggregateText(spark, "refused", PROGRAM, entry));
    assertTrue(e.toString().contains(code), e.toString());
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
