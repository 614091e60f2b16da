package dev.kenaz.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.distribute.PlanRunner;
import dev.kenaz.options.Backend;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

/** How a run becomes a job: its tasks, its title, what is sent, and how results are combined. */
final class SparkJobsTest {
  private static final int SLOTS = 12;
  private static JavaSparkContext spark;
  private static final Jobs JOBS = new Jobs();

  /** What Spark tells of its jobs. */
  private static final class Jobs extends SparkListener {
    private final List<String> titles = new ArrayList<>();
    private final List<String> stages = new ArrayList<>();
    private final List<Map<String, Object>> counters = new ArrayList<>();
    private int tasks;

    @Override
    public synchronized void onStageCompleted(SparkListenerStageCompleted end) {
      var counted = new TreeMap<String, Object>();
      for (var a : CollectionConverters.asJava(end.stageInfo().accumulables()).values()) {
        if (a.name().getOrElse(() -> "").startsWith("kenaz: ")) {
          counted.put(a.name().get(), a.value().get());
        }
      }
      counters.add(counted);
    }

    @Override
    public synchronized void onJobStart(SparkListenerJobStart start) {
      titles.add(start.properties().getProperty("spark.job.description"));
      start.stageInfos().foreach(s -> stages.add(s.name()));
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
      tasks++;
    }

    synchronized void clear() {
      titles.clear();
      stages.clear();
      counters.clear();
      tasks = 0;
    }
  }

  @BeforeAll
  static void start() {
    spark =
        new JavaSparkContext(
            new SparkConf()
                .setMaster("local[" + SLOTS + "]")
                .setAppName("test")
                .set("spark.ui.enabled", "false")
                // Each run is a job, so that jobs can be counted.
                .set(KenazKey.STAY.key(), "false")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.driver.host", "127.0.0.1"));
    spark.sc().addSparkListener(JOBS);
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  @BeforeEach
  void forget() throws Exception {
    spark.sc().listenerBus().waitUntilEmpty(10_000);
    JOBS.clear();
    ShardCache.OF_PROCESS.clear();
  }

  private static Jobs jobs() throws Exception {
    spark.sc().listenerBus().waitUntilEmpty(10_000);
    return JOBS;
  }

  @Test
  void shortWorkTakesATaskForEachSlot() throws Exception {
    var runner = new SparkRunner(spark, new Numbers(100, 150), 1 << 20);
    var tasks = new ArrayList<Integer>();
    for (int i = 0; i < 3; i++) {
      runner.run(new ScaledSum(false), List.of(ScalarValue.f64(i)));
      tasks.add(jobs().tasks);
      jobs().clear();
    }
    assertTrue(tasks.get(0) > SLOTS && tasks.get(0) < 150, "no tasks to balance: " + tasks);
    assertEquals(SLOTS, tasks.get(2));
  }

  /** The first run has more tasks than the second: the sum is rounded in the same order. */
  @Test
  void floatingPointSumsDontDependOnTasks() {
    for (int shards : new int[] {1, 3, 7, 64, 101, 150}) {
      var runner = new SparkRunner(spark, new Numbers(1000, shards), 1 << 20);
      var scale = List.<Value>of(ScalarValue.f64(0.1));
      var first = runner.run(new ScaledSum(false), scale);
      assertEquals(first, again(runner, scale, first), shards + " shards");
      assertEquals(first.values(), runner.run(new ScaledSum(false), scale).values());
    }
  }

  private static SparkRunner.Result again(
      SparkRunner runner, List<Value> scale, SparkRunner.Result first) {
    var second = runner.run(new ScaledSum(false), scale);
    return new SparkRunner.Result(second.values(), first.loads());
  }

  /** With a large result for each shard, so that the driver doesn't take them all. */
  @Test
  void largeResultsAreCombinedInExecutors() throws Exception {
    var runner = new SparkRunner(spark, new Numbers(100, 150), 1 << 20);
    var result = runner.run(new ScaledSum(false), List.of(ScalarValue.f64(1)));
    assertEquals(ScalarValue.f64(4950), result.values().getFirst());
    assertEquals(2, jobs().stages.size(), "the first run knows nothing of the results' size");
    assertEquals(150, result.loads());
    var ends = ((ArrayValue) result.values().get(1)).toDoubleArray();
    assertArrayEquals(DoubleStream.of(ends).sorted().toArray(), ends);
  }

  @Test
  void jobsAndStagesAreCalledByTheProgramsOperators() throws Exception {
    var program =
        """
        entry gradient [n] (xs: [n]f64) (w: f64) =
          let mean = f64.sum xs / f64.i64 n
          in f64.maximum (map (\\x -> w * f64.abs (x - mean)) xs)
        """;
    var text =
        new SourceText(
            ProgramSource.of("a/deviation.fut", program), "gradient", Set.of(0), Backend.JVM);
    var data = new Numbers(10, 2);
    var engine = new SparkEngine(new SparkRunner(spark, data, 1 << 20), text, new long[] {5, 5});
    spark.setJobDescription("mine");
    var plan = new PlanRunner(text.plan(), engine, text.caller(1));
    for (int i = 0; i < 2; i++) {
      var results = plan.run(text.plan().arguments(List.of(), List.of(ScalarValue.f64(2))));
      assertEquals(ScalarValue.f64(9), results.getFirst().orElseThrow());
    }
    var expected =
        IntStream.of(1, 2)
            .boxed()
            .flatMap(
                i ->
                    List.of(
                        "deviation.fut:2 reduce - stage 0 of gradient, run " + i,
                        "deviation.fut:3 reduce - stage 1 of gradient, run " + i)
                        .stream())
            .toList();
    assertEquals(expected, jobs().titles);
    assertEquals(expected, jobs().stages);
    assertEquals("mine", spark.getLocalProperty("spark.job.description"));
    assertNull(spark.getLocalProperty("callSite.short"));
    spark.setJobDescription(null);
  }

  /** Each stage has what its own tasks did, and not what all tasks did so far. */
  @Test
  void stagesTellWhatTheirTasksDid() throws Exception {
    var runner = new SparkRunner(spark, new Numbers(100, 10), 1 << 20);
    for (int i = 0; i < 2; i++) {
      runner.run(new ScaledSum(false), List.of(ScalarValue.f64(1)));
    }
    var counted = jobs().counters;
    assertEquals(2, counted.size());
    assertEquals(List.of(100L, 100L), counted.stream().map(c -> c.get("kenaz: rows")).toList());
    assertEquals(800L, counted.getFirst().get("kenaz: bytes read"));
    assertFalse(counted.getLast().containsKey("kenaz: bytes read"), "Spark leaves out what is 0");
    assertEquals(10L, counted.getFirst().get("kenaz: shards read"));
    assertEquals(10L, counted.getLast().get("kenaz: shards in memory"));
    assertFalse(counted.getLast().containsKey("kenaz: µs with a GPU"));
  }

  @Test
  void theMetricsSystemHasTheNumbersOfTheProcess() {
    long before = rowsOfProcess();
    var runner = new SparkRunner(spark, new Numbers(100, 10), 160);
    for (int i = 0; i < 2; i++) {
      runner.run(new ScaledSum(false), List.of(ScalarValue.f64(1)));
    }
    assertEquals(200, rowsOfProcess() - before);
    // There is room for two of ten shards.
    assertTrue(number("cacheEvictions") > 0);
    assertTrue(number("shardsReadAgain") > 0);
    assertEquals(160, number("cacheBytes"));
    assertTrue(number("computeSeconds") >= 0);
  }

  private static long rowsOfProcess() {
    ProcessMetrics.register();
    return (long) number("rows");
  }

  private static double number(String gauge) {
    var sources = SparkEnv.get().metricsSystem().getSourcesByName(ProcessMetrics.NAME);
    assertEquals(1, sources.size());
    return ((Number) sources.head().metricRegistry().getGauges().get(gauge).getValue())
        .doubleValue();
  }

  @Test
  void largeValuesAreBroadcastWhenTheyChange() {
    var sent = SentValues.whileReachable(spark);
    var large = ArrayValue.ofDoubles(new double[1 << 14], 1 << 14);
    var same = ArrayValue.ofDoubles(new double[1 << 14], 1 << 14);
    var numbers = new double[1 << 14];
    numbers[numbers.length - 1] = 1;
    var other = ArrayValue.ofDoubles(numbers, numbers.length);
    var small = ScalarValue.f64(3);
    var first = sent.send(List.of(large, small));
    assertEquals(List.of(large, small), SentValues.Sent.read(first));
    assertEquals(1, sent.broadcasts());
    sent.send(List.of(small, same));
    assertEquals(1, sent.broadcasts());
    assertEquals(List.of(other), SentValues.Sent.read(sent.send(List.of(other))));
    assertEquals(2, sent.broadcasts());
    for (int i = 0; i < 20; i++) {
      sent.send(List.of(other));
    }
    assertEquals(1, sent.broadcasts());
    assertEquals(List.of(large), SentValues.Sent.read(sent.send(List.of(large))));
  }

  /** The driver is the only executor here. */
  @Test
  void largeValuesAreHandedOverForOneJob() {
    var sent = SentValues.whileUsed(spark);
    var large = ArrayValue.ofDoubles(new double[1 << 14], 1 << 14);
    var small = ScalarValue.f64(3);
    var first = sent.sendAll(List.of(List.of(large, small), List.of(large)));
    assertEquals(List.of(large, small), SentValues.Sent.read(first.getFirst()));
    assertSame(large, SentValues.Sent.read(first.getLast()).getFirst());
    assertEquals(0, sent.broadcasts());
    sent.send(List.of(small));
    assertThrows(IllegalStateException.class, () -> SentValues.Sent.read(first.getLast()));
  }
}
