package dev.kenaz.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Work in lockstep shares jobs and shards, and computes what it computes alone. */
final class LockstepTest {
  private static final int SLOTS = 4;
  private static final AtomicInteger LOADS = new AtomicInteger();
  private static JavaSparkContext spark;
  private static final Jobs JOBS = new Jobs();

  private static final class Jobs extends SparkListener {
    private final List<String> titles = new ArrayList<>();
    private int tasks;

    @Override
    public synchronized void onJobStart(SparkListenerJobStart start) {
      titles.add(start.properties().getProperty("spark.job.description"));
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
      tasks++;
    }
  }

  /** Counts how often a shard is read. */
  private record Counted(ShardSource all) implements ShardSource {
    @Override
    public String key() {
      return "counted " + all.key();
    }

    @Override
    public int shards() {
      return all.shards();
    }

    @Override
    public List<Value> load(int shard) {
      LOADS.incrementAndGet();
      return all.load(shard);
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
    JOBS.titles.clear();
    JOBS.tasks = 0;
    LOADS.set(0);
    ShardCache.OF_PROCESS.clear();
  }

  private static SparkRunner runner(int shards, long cache) {
    return new SparkRunner(spark, new Counted(new Numbers(1000, shards)), cache);
  }

  /** Runs a program so many times, each with what the run before gave. */
  private static Supplier<List<Value>> repeated(SparkRunner runner, double first, int times) {
    return () -> {
      double scale = first;
      List<Value> last = List.of();
      for (int i = 0; i < times; i++) {
        last = runner.run(new ScaledSum(false), List.of(ScalarValue.f64(scale))).values();
        scale = 1 / ((ScalarValue) last.getFirst()).asDouble();
      }
      return last;
    };
  }

  private static <T> List<T> values(List<Lockstep.End<T>> ends) {
    ends.forEach(e -> assertNull(e.failure(), () -> e.failure().toString()));
    return ends.stream().map(Lockstep.End::value).toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 8, 70})
  void whatIsComputedIsTheSameAsAlone(int shards) throws Exception {
    var alone = new ArrayList<List<Value>>();
    for (int i = 1; i <= 5; i++) {
      alone.add(repeated(runner(shards, 1 << 20), 0.1 * i, 2 * i).get());
    }
    spark.sc().listenerBus().waitUntilEmpty(10_000);
    JOBS.titles.clear();
    var runner = runner(shards, 1 << 20);
    var works =
        IntStream.rangeClosed(1, 5).mapToObj(i -> repeated(runner, 0.1 * i, 2 * i)).toList();
    assertEquals(alone, values(Lockstep.run(works, _ -> true)));
    spark.sc().listenerBus().waitUntilEmpty(10_000);
    // With so many shards, the first run is alone: it isn't known yet how much it gives.
    assertEquals(shards > 32 ? 11 : 10, JOBS.titles.size(), JOBS.titles.toString());
    assertTrue(JOBS.titles.stream().anyMatch(t -> t.endsWith(", and 4 more")));
  }

  @Test
  void aShardIsReadOnceForAll() {
    var runner = runner(3, 0);
    var works = IntStream.range(0, 6).mapToObj(i -> repeated(runner, 1 + i, 4)).toList();
    values(Lockstep.run(works, _ -> true));
    assertTrue(LOADS.get() <= 3 * 4, LOADS + " loads");
  }

  /** One shard keeps one slot busy; several programs keep several busy. */
  @Test
  void programsAreDividedWhereShardsAreFew() throws Exception {
    var runner = runner(1, 1 << 20);
    values(
        Lockstep.run(
            IntStream.range(0, 6).mapToObj(i -> repeated(runner, i, 1)).toList(), _ -> true));
    spark.sc().listenerBus().waitUntilEmpty(10_000);
    assertEquals(1, JOBS.titles.size());
    assertEquals(SLOTS, JOBS.tasks);
    assertEquals(1, LOADS.get());
  }

  /** Rows of a training and rows of its validation are in one job too. */
  @Test
  void runnersMayDiffer() throws Exception {
    var one = runner(3, 1 << 20);
    var other = new SparkRunner(spark, new Numbers(50, 2), 1 << 20);
    var works = List.of(repeated(one, 1, 2), repeated(other, 1, 3), repeated(one, 2, 1));
    var expected =
        List.of(
            repeated(runner(3, 1 << 20), 1, 2).get(),
            repeated(new SparkRunner(spark, new Numbers(50, 2), 1 << 20), 1, 3).get(),
            repeated(runner(3, 1 << 20), 2, 1).get());
    spark.sc().listenerBus().waitUntilEmpty(10_000);
    JOBS.titles.clear();
    assertEquals(expected, values(Lockstep.run(works, _ -> true)));
    spark.sc().listenerBus().waitUntilEmpty(10_000);
    assertEquals(3, JOBS.titles.size());
    assertTrue(one.spent().jobs() > 0 && other.spent().jobs() > 0);
  }

  private static Supplier<List<Value>> failing(SparkRunner runner, int after) {
    return () -> {
      repeated(runner, 1, after).get();
      return runner.run(new ScaledSum(true), List.of(ScalarValue.f64(1))).values();
    };
  }

  @Test
  void whatFailsLeavesTheOthersAlone() {
    var runner = runner(5, 1 << 20);
    var works = List.of(repeated(runner, 1, 4), failing(runner, 2), repeated(runner, 2, 6));
    var ends = Lockstep.run(works, _ -> false);
    assertEquals(repeated(runner(5, 1 << 20), 1, 4).get(), ends.get(0).value());
    assertInstanceOf(UserError.class, ends.get(1).failure());
    assertEquals(repeated(runner(5, 1 << 20), 2, 6).get(), ends.get(2).value());
  }

  @Test
  void whatMattersForAllEndsAll() {
    var runner = runner(5, 1 << 20);
    var works = List.of(repeated(runner, 1, 1000), failing(runner, 2), repeated(runner, 2, 1));
    var ends = Lockstep.run(works, _ -> true);
    assertInstanceOf(Lockstep.Abandoned.class, ends.get(0).failure());
    assertInstanceOf(UserError.class, ends.get(1).failure());
    assertNull(ends.get(2).failure(), "it had ended before");
  }

  /** An error that isn't the program's own: work that fails by itself, and none at all. */
  @Test
  void anyFailureIsTold() {
    Supplier<List<Value>> broken =
        () -> {
          throw new StackOverflowError();
        };
    var ends = Lockstep.run(List.of(broken, repeated(runner(2, 0), 1, 1)), _ -> false);
    assertInstanceOf(StackOverflowError.class, ends.get(0).failure());
    assertNull(ends.get(1).failure());
    assertEquals(List.of(), Lockstep.run(List.<Supplier<String>>of(), _ -> true));
  }

  /** Programs that need too much memory in one job are in several. */
  @Test
  void largeValuesAreInJobsOfTheirOwn() throws Exception {
    var runner = runner(2, 1 << 20);
    var large = ArrayValue.ofDoubles(new double[5 << 20], 5 << 20);
    Supplier<List<Value>> work =
        () -> runner.run(new ScaledSum(false), List.of(ScalarValue.f64(1), large)).values();
    var found = values(Lockstep.run(List.of(work, work, work), _ -> true));
    assertEquals(1, found.stream().distinct().count());
    spark.sc().listenerBus().waitUntilEmpty(10_000);
    assertEquals(3, JOBS.titles.size());
  }
}
