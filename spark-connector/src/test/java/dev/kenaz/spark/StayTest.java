package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K5001;
import static dev.kenaz.error.ErrorCode.K8205;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tasks that stay for later runs give what tasks of one run give, whatever happens between. */
final class StayTest {
  private static final int SHARDS = 8;
  private static final AtomicInteger JOBS = new AtomicInteger();
  private static JavaSparkContext spark;

  /** Counted down when slow work begins. */
  private static volatile CountDownLatch begun = new CountDownLatch(1);

  @BeforeAll
  static void start() {
    spark =
        new JavaSparkContext(
            new SparkConf()
                .setMaster("local[2, 3]") // a task that fails is repeated
                .setAppName("test")
                .set("spark.ui.enabled", "false")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.driver.host", "127.0.0.1"));
    spark
        .sc()
        .addSparkListener(
            new SparkListener() {
              @Override
              public void onJobStart(SparkListenerJobStart job) {
                JOBS.incrementAndGet();
              }
            });
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  /**
   * A sum whose work fails for negative scales, once for 50, and doesn't end for very large ones
   * until the task is killed.
   */
  private record Moody(String key) implements ShardProgram {
    @Override
    public String title() {
      return key;
    }

    @Override
    public ShardFunction open() {
      var sum = new ScaledSum(false).open();
      var failing = new ScaledSum(true).open();
      return new ShardFunction() {
        @Override
        public List<Value> local(int shard, List<Value> rows, List<Value> replicated, int cores) {
          double scale = ((ScalarValue) replicated.getFirst()).asDouble();
          if (scale == 50 && shard == 5 && TaskContext.get().attemptNumber() == 0) {
            throw new IllegalStateException("once");
          }
          if (scale > 1e6) {
            begun.countDown();
            for (int i = 0; i < 600 && !TaskContext.get().isInterrupted(); i++) {
              sleep(100);
            }
          }
          return (scale < 0 ? failing : sum).local(shard, rows, replicated, cores);
        }

        @Override
        public List<Value> combine(List<Value> left, List<Value> right, List<Value> replicated) {
          return sum.combine(left, right, replicated);
        }
      };
    }
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Moody moody(String key) {
    return new Moody(key);
  }

  private static SparkRunner runner() {
    return new SparkRunner(spark, new Numbers(1000, SHARDS), 1 << 20);
  }

  private static double sum(SparkRunner runner, ShardProgram program, double scale) {
    var sum = runner.run(program, List.of(ScalarValue.f64(scale))).values().getFirst();
    return ((ScalarValue) sum).asDouble();
  }

  /** The sum of 0 to 999 times the scale; all numbers are integers, so there is no rounding. */
  private static void check(SparkRunner runner, ShardProgram program, int scale) {
    assertEquals(499_500.0 * scale, sum(runner, program, scale));
  }

  @Test
  void runsShareAJob() throws Exception {
    spark.sc().listenerBus().waitUntilEmpty(10_000);
    JOBS.set(0);
    var runner = runner();
    for (int i = 0; i < 100; i++) {
      check(runner, moody("shared"), i);
    }
    spark.sc().listenerBus().waitUntilEmpty(10_000);
    assertTrue(JOBS.get() < 100, "each run had a job");
  }

  @Test
  void worksInLockstepShareAJob() throws Exception {
    var one = runner();
    var other = runner();
    var works = new ArrayList<Supplier<Boolean>>();
    for (int w = 0; w < 6; w++) {
      int number = w;
      works.add(
          () -> {
            for (int i = 0; i < 10 + 5 * number; i++) {
              check(number % 3 == 0 ? other : one, moody("in lockstep " + number % 2), i + number);
            }
            return true;
          });
    }
    spark.sc().listenerBus().waitUntilEmpty(10_000);
    JOBS.set(0);
    for (var end : Lockstep.run(works, _ -> true)) {
      assertEquals(true, end.value(), String.valueOf(end.failure()));
    }
    spark.sc().listenerBus().waitUntilEmpty(10_000);
    assertTrue(JOBS.get() < 35, "each round had a job");
  }

  @Test
  void tasksEndWhileNothingComesAndWhileOtherProgramsRun() {
    var runner = runner();
    for (int i = 0; i < 12; i++) {
      check(runner, moody("a"), i);
      check(runner, moody("a"), i + 1);
      if (i % 3 == 0) {
        check(runner, moody("b"), i);
      }
      if (i % 4 == 0) {
        sleep(30); // longer than tasks wait
      }
      if (i % 5 == 0) {
        assertEquals(3, spark.parallelize(List.of(1, 2, 3), 2).count());
      }
    }
  }

  @Test
  void aRunThatFailsLeavesTheNextAlone() {
    var runner = runner();
    for (int i = 1; i < 10; i++) {
      check(runner, moody("failing"), i);
      int scale = -i;
      var e = assertThrows(UserError.class, () -> sum(runner, moody("failing"), scale));
      assertEquals(K5001, e.diagnostics().getFirst().code());
    }
  }

  @Test
  void aTaskThatIsRepeatedDoesTheSameRun() {
    var runner = runner();
    for (int i = 40; i < 60; i++) {
      check(runner, moody("repeated"), i);
    }
  }

  @Test
  void aRunIsCancelledInAnyJob() throws Exception {
    var runner = runner();
    var program = moody("cancelled");
    for (int i = 0; i < 5; i++) {
      check(runner, program, i);
    }
    var slow =
        new FutureTask<>(() -> assertThrows(UserError.class, () -> sum(runner, program, 1e9)));
    Thread.ofPlatform().start(slow);
    begun.await();
    spark.sc().cancelAllJobs();
    assertEquals(K8205, slow.get().diagnostics().getFirst().code());
    check(runner, program, 7);
  }

  @Test
  void whoWaitsForARunCanBeInterrupted() throws Exception {
    var runner = runner();
    var program = moody("interrupted");
    for (int i = 0; i < 5; i++) {
      check(runner, program, i);
    }
    var slow =
        new FutureTask<>(() -> assertThrows(UserError.class, () -> sum(runner, program, 1e9)));
    var thread = Thread.ofPlatform().start(slow);
    begun.await();
    thread.interrupt();
    assertEquals(K8205, slow.get().diagnostics().getFirst().code());
    check(runner, program, 7);
  }

  @Test
  void threadsHaveJobsOfTheirOwn() throws Exception {
    var all = new ArrayList<FutureTask<Void>>();
    for (int t = 0; t < 3; t++) {
      var program = moody("of thread " + t);
      Runnable work =
          () -> {
            var runner = runner();
            for (int i = 0; i < 100; i++) {
              check(runner, program, i);
            }
          };
      all.add(new FutureTask<>(work, null));
      Thread.ofPlatform().start(all.getLast());
    }
    for (var done : all) {
      done.get();
    }
  }
}
