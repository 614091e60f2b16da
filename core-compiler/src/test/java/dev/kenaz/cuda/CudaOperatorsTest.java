package dev.kenaz.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.error.UserError;
import dev.kenaz.flatten.FlattenOptions;
import dev.kenaz.jvm.JvmOptions;
import dev.kenaz.jvm.JvmProgram;
import dev.kenaz.kernels.CountingDevice;
import dev.kenaz.kernels.GpuRun;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.simulate.SimulatedDevice;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels of several blocks, as CUDA C on the CPU, against the JVM. */
@Execution(CONCURRENT)
final class CudaOperatorsTest {
  @TempDir static Path folder;
  private static GpuProgram program;
  private static GpuRun gpu;

  /** With the wider of two versions from two points on. */
  private static GpuRun wide;

  private static JvmProgram jvm;

  @BeforeAll
  static void compile() {
    Assumptions.assumeTrue(CpuDevice.available(), "there is no g++ here");
    var file = Path.of("src/test/resources/cuda/operators.fut");
    var core = Optimised.file(file);
    program = Pipelines.gpu().apply(core);
    var programs = List.of(program, Pipelines.gpu(FlattenOptions.gpu(), 2).apply(core));
    var devices = CpuDevice.compile(programs, folder);
    gpu = new GpuRun(programs.get(0), devices.get(0));
    wide = new GpuRun(programs.get(1), devices.get(1));
    jvm = Pipelines.jvm(JvmOptions.defaults().withWorkers(1)).apply(core);
  }

  private static ArrayValue numbers(int n) {
    var random = new Random(n);
    return ArrayValue.ofInts(random.ints(n, 0, 1000).toArray(), n);
  }

  private static List<Value> onGpu(String entry, List<Value> arguments) {
    return gpu.call(entry, arguments);
  }

  private static void same(String entry, Value... arguments) {
    var all = new ArrayList<>(List.of(arguments));
    var expected = jvm.call(entry, all);
    for (var run : List.of(gpu, wide)) {
      var difference = ValueComparison.difference(expected, run.call(entry, all));
      assertEquals(Optional.empty(), difference, entry);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sum",
        "sumf",
        "ordered",
        "argmax",
        "both",
        "prefix",
        "prefixordered",
        "evens",
        "permuted",
        "widescan"
      })
  void onOneArray(String entry) {
    for (int n : new int[] {0, 1, 255, 2304, 2305, 30_001}) {
      same(entry, numbers(n));
    }
  }

  /** So many that a thread has several. */
  @Test
  void manyPoints() {
    same("plain", numbers(100));
    same("plain", numbers((1 << 20) + 700));
    same("plain", numbers(1 << 20));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rows", "rowsordered", "rowscans", "transposed"})
  void onRows(String entry) {
    for (long m : new long[] {1, 3, 32, 33, 1000, 5000, 20_000}) {
      same(entry, ScalarValue.i64(m), numbers(20_000));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"histsum", "histmax", "histf", "histsmall", "vechist"})
  void histograms(String entry) {
    for (long k : new long[] {1, 10, 999, 40_000}) {
      same(entry, ScalarValue.i64(k), numbers(10_000));
    }
  }

  @Test
  void histogramsOfRows() {
    same("rowhist", ScalarValue.i64(50), ScalarValue.i64(9), numbers(10_000));
    same("rowhist", ScalarValue.i64(5000), ScalarValue.i64(999), numbers(10_000));
  }

  @ParameterizedTest
  @ValueSource(strings = {"powers", "powerand", "leftmost"})
  void operatorsOnArrays(String entry) {
    for (int n : new int[] {0, 1, 2, 3, 7, 100, 257}) {
      same(entry, numbers(n, n, 3, 3));
    }
    sameSimulated(entry, numbers(4, 33, 5, 5));
  }

  /** Columns: of a warp's width and others, in one step and in two. */
  @Test
  void columns() {
    for (var entry : List.of("columnsums", "columnsordered", "columnscans")) {
      same(entry, numbers(1, 5000, 7));
      same(entry, numbers(2, 300, 33));
      same(entry, numbers(3, 3, 2000));
    }
  }

  @Test
  void operatorsOnArraysOfRows() {
    same("rowpowers", numbers(1, 5, 40, 3, 3));
    same("rowpowers", numbers(2, 70, 3, 2, 2));
  }

  /** All pairs of a level in one kernel or two, and no thread for a part of the array. */
  @Test
  void operatorsOnArraysTakeALevelAtATime() {
    var device = new CountingDevice();
    new GpuRun(program, device).call("powers", List.of(numbers(1, 4096, 16, 16)));
    var asked = device.asked();
    assertTrue(
        asked.launches().keySet().stream().noneMatch(k -> k.contains("chunks")),
        asked.launches().toString());
    assertTrue(asked.total() <= 12 * 6, asked.launches().toString());
    assertEquals(1, asked.waits());
  }

  @Test
  void products() {
    same("matmul", ScalarValue.i64(100), numbers(10_000));
    same("matmul", ScalarValue.i64(7), numbers(700));
  }

  private static ArrayValue numbers(int seed, long... shape) {
    int n = (int) ArrayValue.count(shape);
    return ArrayValue.ofInts(new Random(seed).ints(n, -9, 9).toArray(), shape);
  }

  /** Several blocks at a time in any order, with races looked for. */
  @ParameterizedTest
  @ValueSource(
      strings = {"sum", "ordered", "argmax", "prefix", "prefixordered", "evens", "permuted"})
  void simulated(String entry) {
    sameSimulated(entry, numbers(9000));
  }

  @ParameterizedTest
  @ValueSource(strings = {"histsum", "histmax", "rows", "rowscans", "matmul"})
  void simulatedWithSize(String entry) {
    for (long m : new long[] {9, 70}) {
      sameSimulated(entry, ScalarValue.i64(m), numbers(6000));
    }
  }

  private static void sameSimulated(String entry, Value... arguments) {
    var all = List.of(arguments);
    try (var run = new GpuRun(program, new SimulatedDevice())) {
      assertEquals(
          Optional.empty(), ValueComparison.difference(jvm.call(entry, all), run.call(entry, all)));
    }
  }

  @Test
  void layouts() {
    same("softmax", numbers(1, 70, 130));
    same("nearest", numbers(1, 300, 70), numbers(2, 5, 70));
    same("turned", numbers(1, 40, 3, 50));
    same("turned", numbers(1, 3, 40, 2));
  }

  @Test
  void tiledProducts() {
    same("product", numbers(1, 300, 33), numbers(2, 33, 270));
    same("product", numbers(1, 520, 19), numbers(2, 19, 530));
    same("product", numbers(1, 30, 33), numbers(2, 33, 27));
    same("product", numbers(1, 1000, 16), numbers(2, 16, 25));
    same("realproduct", numbers(1, 35, 21), numbers(2, 21, 45));
    same("realproduct", numbers(1, 130, 9), numbers(2, 9, 70));
    same("distances", numbers(1, 290, 17), numbers(2, 301, 17));
    same("batched", numbers(1, 3, 150, 40), numbers(2, 150, 40));
  }

  @ParameterizedTest
  @ValueSource(strings = {"bad", "badscan"})
  void failureInSomeBlocks(String entry) {
    var xs = numbers(30_000);
    var good = List.<Value>of(xs, ScalarValue.i64(3));
    var bad = List.<Value>of(xs, ScalarValue.i64(30_000));
    assertEquals(
        Optional.empty(), ValueComparison.difference(jvm.call(entry, good), onGpu(entry, good)));
    var expected = assertThrows(UserError.class, () -> jvm.call(entry, bad));
    var actual = assertThrows(UserError.class, () -> onGpu(entry, bad));
    assertEquals(expected.getMessage(), actual.getMessage());
    // and the device is as good as before
    same(entry, xs, ScalarValue.i64(3));
  }
}
