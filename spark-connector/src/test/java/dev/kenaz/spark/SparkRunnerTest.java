package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K5001;
import static dev.kenaz.error.ErrorCode.K8202;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SparkRunnerTest {
  private static JavaSparkContext spark;

  @BeforeAll
  static void start() {
    spark =
        new JavaSparkContext(
            new SparkConf()
                .setMaster("local[2]")
                .setAppName("test")
                .set("spark.ui.enabled", "false")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.driver.host", "127.0.0.1"));
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  @BeforeEach
  void forget() {
    ShardCache.OF_PROCESS.clear();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8, 40, 150})
  void anyNumberOfShardsGivesTheSameInTheSameOrder(int shards) {
    var runner = new SparkRunner(spark, new Numbers(100, shards), 1 << 20);
    var result = runner.run(new ScaledSum(false), List.of(ScalarValue.f64(2)));
    assertEquals(ScalarValue.f64(9900), result.values().getFirst());
    var ends = ((ArrayValue) result.values().get(1)).toDoubleArray();
    assertEquals(0, ends[0]);
    assertEquals(99, ends[ends.length - 1]);
    for (int i = 1; i < ends.length; i++) {
      assertEquals(true, ends[i - 1] <= ends[i], "stretches joined out of order");
    }
  }

  @Test
  void shardsAreReadOnceAndKept() {
    var runner = new SparkRunner(spark, new Numbers(100, 5), 1 << 20);
    var loads =
        IntStream.range(0, 3)
            .map(i -> runner.run(new ScaledSum(false), List.of(ScalarValue.f64(i))).loads())
            .boxed()
            .toList();
    assertEquals(List.of(5, 0, 0), loads);
  }

  @Test
  void withoutRoomShardsAreReadAgain() {
    var runner = new SparkRunner(spark, new Numbers(100, 5), 0);
    List<Value> scale = List.of(ScalarValue.f64(1));
    var first = runner.run(new ScaledSum(false), scale);
    var second = runner.run(new ScaledSum(false), scale);
    assertEquals(first.values(), second.values());
    assertEquals(true, second.loads() >= 3);
  }

  @Test
  void faultOfTheProgramArrivesAsItIs() {
    var runner = new SparkRunner(spark, new Numbers(10, 2), 1 << 20);
    var failure =
        assertThrows(
            UserError.class, () -> runner.run(new ScaledSum(true), List.of(ScalarValue.f64(1))));
    var fault = failure.diagnostics().getFirst();
    assertEquals(K5001, fault.code());
    assertEquals("f.fut:3:4", fault.span().toString());
    assertEquals(List.of("look"), fault.hints());
  }

  @Test
  void memoryRunningOutIsExplained() {
    var runner = new SparkRunner(spark, new TooLarge(), 1 << 20);
    var failure =
        assertThrows(
            UserError.class, () -> runner.run(new ScaledSum(false), List.of(ScalarValue.f64(1))));
    assertEquals(K8202, failure.diagnostics().getFirst().code());
    var lost =
        SparkFaults.explain(
            new RuntimeException("Task 0 failed 4 times: java.lang.OutOfMemoryError: Java heap"),
            new SparkFaults.State(true, true, true, "local[2]"));
    assertEquals(K8202, ((UserError) lost).diagnostics().getFirst().code());
  }

  /** A shard that no executor has room for. */
  private record TooLarge() implements ShardSource {
    @Override
    public String key() {
      return "too large";
    }

    @Override
    public int shards() {
      return 2;
    }

    @Override
    public List<Value> load(int shard) {
      var heap = new long[16][];
      for (int i = 0; i < heap.length; i++) {
        heap[i] = new long[1 << 27];
      }
      return List.of(ArrayValue.ofLongs(heap[0]));
    }
  }
}
