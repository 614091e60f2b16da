package dev.kenaz.ml;

import static org.apache.spark.sql.types.DataTypes.DoubleType;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.ml.tuning.CrossValidator;
import dev.kenaz.spark.sql.KenazFunctions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.SparkException;
import org.apache.spark.ml.evaluation.RegressionEvaluator;
import org.apache.spark.ml.tuning.ParamGridBuilder;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.jdk.javaapi.CollectionConverters;

/** What somebody cancels ends soon and says so, and leaves nothing that is in the way. */
final class CancelledJobsTest {
  private static final String RIDGE =
      """
      type model = {w: [2]f64, b: f64}
      def init : model = {w = [0, 0], b = 0}
      def value (m: model) (x: [2]f64) = f64.sum (map2 (*) m.w x) + m.b
      def loss [n] (lambda: f64) (m: model) (x: [n][2]f64) (y: [n]f64) : f64 =
        f64.sum (map2 (\\x y -> (value m x - y) ** 2) x y) / f64.i64 n
        + lambda * f64.sum (map (** 2) m.w)
      def predict [n] (m: model) (x: [n][2]f64) : [n]f64 = map (value m) x
      """;

  /** For a row, it takes a millisecond or so. */
  private static final String SLOW =
      "entry f (x: f64): f64 = loop s = x for i < 50000i32 do f64.sin (s + f64.i32 i)";

  /** After so many milliseconds, a fit has done many iterations. */
  private static final int LATER = 500;

  private static final CountDownLatch SLOWLY = new CountDownLatch(1);

  @TempDir static Path folder;
  private static SparkSession spark;
  private static Dataset<Row> rows;
  private static KenazEstimator ridge;
  private static String temporary;

  @BeforeAll
  static void open() throws IOException {
    spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .getOrCreate();
    spark.sparkContext().setLogLevel("OFF");
    temporary = System.getProperty("java.io.tmpdir");
    System.setProperty("java.io.tmpdir", Files.createDirectory(folder.resolve("tmp")).toString());
    rows =
        spark
            .range(0, 20000, 1, 3)
            .selectExpr("array(id % 97 / 97D, id % 31 / 31D) x", "id % 7 / 7D y");
    ridge =
        new KenazEstimator()
            .setProgram(Files.writeString(folder.resolve("ridge.fut"), RIDGE).toString())
            .setParameter("lambda", 0.1)
            .setOptimiser("gradient-descent")
            .setSetting("optimiser.rate", 1e-9)
            .setSetting("tolerance", 0)
            .setIterations(10_000_000);
  }

  @AfterAll
  static void close() {
    System.setProperty("java.io.tmpdir", temporary);
    spark.stop();
  }

  /**
   * Cancels some work a while after a task of it has begun, and returns how the work ends. Tasks
   * that stay for later runs aren't begun again, so nothing here counts tasks.
   */
  private static <E extends Throwable> E during(
      Class<E> type, int millis, Runnable cancel, Runnable work) throws InterruptedException {
    var begun = new CountDownLatch(1);
    var listener =
        new SparkListener() {
          @Override
          public void onTaskStart(SparkListenerTaskStart start) {
            begun.countDown();
          }
        };
    spark.sparkContext().addSparkListener(listener);
    var canceller =
        new Thread(
            () -> {
              try {
                begun.await();
                TimeUnit.MILLISECONDS.sleep(millis);
                // Between jobs there is nothing to cancel.
                for (boolean ended = false; !ended; ended = Thread.interrupted()) {
                  cancel.run();
                  TimeUnit.MILLISECONDS.sleep(20);
                }
              } catch (InterruptedException e) {
                // The work has ended.
              }
            });
    canceller.start();
    try {
      return assertThrows(type, work::run);
    } finally {
      Thread.interrupted();
      canceller.interrupt();
      canceller.join();
      spark.sparkContext().removeSparkListener(listener);
    }
  }

  private static void assertCancelled(UserError e) throws Exception {
    assertEquals(ErrorCode.K8205, e.diagnostics().getFirst().code(), e.getMessage());
    assertNothingIsLeft();
  }

  private static void assertNothingIsLeft() throws Exception {
    var tracker = spark.sparkContext().statusTracker();
    for (int i = 0; i < 500 && tracker.getActiveJobIds().length > 0; i++) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
    assertEquals(0, tracker.getActiveJobIds().length);
    assertEquals(0, spark.sparkContext().getPersistentRDDs().size());
    try (var left = Files.list(folder.resolve("tmp"))) {
      var ours = left.map(p -> p.getFileName().toString()).filter(n -> n.startsWith("kenaz-rows"));
      assertEquals(List.of(), ours.toList());
    }
  }

  @Test
  void fitsEndWhenTheirJobsAreCancelled() throws Exception {
    var few = ridge.copy(new org.apache.spark.ml.param.ParamMap()).setIterations(3);
    var before = few.fit(rows).summary().losses();
    var sc = spark.sparkContext();
    assertCancelled(during(UserError.class, LATER, sc::cancelAllJobs, () -> ridge.fit(rows)));
    assertCancelled(
        during(
            UserError.class,
            LATER,
            () -> sc.cancelJobGroup("mine"),
            () -> {
              sc.setJobGroup("mine", "a fit", true);
              try {
                ridge.fit(rows);
              } finally {
                sc.clearJobGroup();
              }
            }));
    var me = Thread.currentThread();
    assertCancelled(during(UserError.class, LATER, me::interrupt, () -> ridge.fit(rows)));
    assertEquals(before, few.fit(rows).summary().losses());
  }

  /** A fit of a new program compiles first, on threads that no job of Spark has. */
  @ParameterizedTest
  @ValueSource(ints = {0, 3, 20, 80, 200, 500})
  void compilationsEnd(int millis) throws Exception {
    var file = Files.writeString(folder.resolve("new.fut"), RIDGE + "\n-- " + millis);
    var fit = ridge.copy(new org.apache.spark.ml.param.ParamMap()).setProgram(file.toString());
    var me = Thread.currentThread();
    var later =
        new Thread(
            () -> {
              LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
              me.interrupt();
            });
    if (millis == 0) {
      me.interrupt();
    } else {
      later.start();
    }
    try {
      var e = assertThrows(UserError.class, () -> fit.fit(rows));
      assertTrue(Thread.interrupted() || millis > 0, "the thread is told that it is interrupted");
      assertFalse(e.getMessage().contains("kenaz job"), e.getMessage());
      assertCancelled(e);
    } finally {
      later.join();
      Thread.interrupted();
    }
  }

  @Test
  void copiesAreRemoved() throws Exception {
    var moved = rows.repartition(2);
    var sc = spark.sparkContext();
    assertCancelled(during(UserError.class, LATER, sc::cancelAllJobs, () -> ridge.fit(moved)));
    var ofCopy = during(UserError.class, 0, sc::cancelAllJobs, () -> ridge.fit(moved));
    assertCancelled(ofCopy);
  }

  /** Tasks of a cancelled job run on for a while, and must not write again what was removed. */
  @Test
  void tasksThatRunOnLeaveNothing() throws Exception {
    spark.udf().register("slowly", (UDF1<Double, Double>) CancelledJobsTest::slowly, DoubleType);
    var slowly = rows.limit(4).repartition(2).selectExpr("x", "slowly(y) y");
    var sc = spark.sparkContext();
    Runnable cancel =
        () -> {
          if (SLOWLY.getCount() == 0) {
            sc.cancelAllJobs();
          }
        };
    var e = during(UserError.class, 0, cancel, () -> ridge.fit(slowly));
    TimeUnit.MILLISECONDS.sleep(1500);
    assertCancelled(e);
  }

  /** Takes a while, even if it is interrupted. */
  private static double slowly(double y) {
    SLOWLY.countDown();
    long start = System.nanoTime();
    while (System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(700)) {
      Thread.onSpinWait();
    }
    return y;
  }

  @Test
  void validationsEnd() throws Exception {
    var lambda = ridge.setting("parameters.lambda");
    var values = CollectionConverters.asScala(List.<Object>of(0.0, 0.1));
    var validator =
        new CrossValidator()
            .setEstimator(ridge)
            .setEvaluator(new RegressionEvaluator().setLabelCol("y"))
            .setEstimatorParamMaps(new ParamGridBuilder().addGrid(lambda, values).build());
    var sc = spark.sparkContext();
    assertCancelled(during(UserError.class, LATER, sc::cancelAllJobs, () -> validator.fit(rows)));
  }

  @Test
  void functionsOfSqlEnd() throws Exception {
    KenazFunctions.registerText(spark, "slow", SLOW, "f");
    KenazFunctions.registerAggregateText(
        spark, "slow_sum", SLOW + "\nentry g [n] (xs: [n]f64): f64 = f64.sum (map f xs)", "g");
    var sc = spark.sparkContext();
    for (var query : List.of("sum(slow(id))", "slow_sum(id)")) {
      var all = "SELECT " + query + " FROM (SELECT id * 0.1D id FROM range(0, 100000, 1, 2))";
      var e =
          during(SparkException.class, 0, sc::cancelAllJobs, () -> spark.sql(all).collectAsList());
      assertTrue(e.getMessage().contains("cancelled"), e.getMessage());
    }
    // The cores are free soon: tasks would have computed for a minute.
    var one = spark.sql("SELECT slow(1.0D)").first().getDouble(0);
    assertNothingIsLeft();
    assertArrayEquals(
        new double[] {one}, new double[] {spark.sql("SELECT slow(1.0D)").first().getDouble(0)});
  }
}
