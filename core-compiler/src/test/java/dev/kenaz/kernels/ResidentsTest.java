package dev.kenaz.kernels;

import static dev.kenaz.error.ErrorCode.K5006;
import static dev.kenaz.error.ErrorCode.K8205;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.simulate.SimulatedDevice;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What stays on a device between calls, and what happens when its memory is short. */
final class ResidentsTest {
  private static final CoreProgram CORE =
      Optimised.text(
          """
          entry step [n] (xs: [n]i64) : [n]i64 = map (* 3) xs
          entry same [n] (xs: [n]i64) : [n]i64 = xs
          entry both [n] (xs: [n]i64) : ([n]i64, [n]i64) = (map (+ 1) xs, map (+ 2) xs)
          entry own [n] (xs: *[n]i64) : [n]i64 = xs with [0] = 7
          entry rows (ns: []i64) : []i64 =
            map (\\n -> let m = loop m = n while m > 1000 && m % 2 == 0 do m / 2
                       let a = loop a = replicate m 1i64 for i < m do
                                 loop a for j < i do a with [j] = a[j] + a[i] * i
                       in a[m - 1] + a[0])
                ns
          """);
  private static final GpuProgram GPU = Pipelines.gpu().apply(CORE);

  private static List<Value> call(GpuRun run, String entry, Value... arguments) {
    return run.call(entry, List.of(arguments));
  }

  private static Value numbers(int n) {
    var xs = new long[n];
    for (int i = 0; i < n; i++) {
      xs[i] = i;
    }
    return ArrayValue.ofLongs(xs, n);
  }

  @Test
  void whatIsOnlyPassedOnDoesNotTravel() {
    var device = new CountingDevice();
    var run = new GpuRun(GPU, device);
    var xs = numbers(1000);
    var ys = call(run, "step", xs).getFirst();
    long first = device.asked().in();
    assertTrue(first >= 8000 && first < 8500, first + " bytes");
    assertTrue(device.asked().out() < 500);
    device.reset();
    var zs = call(run, "both", ys).getFirst();
    call(run, "step", xs);
    assertTrue(device.asked().in() < 500, device.asked().in() + " bytes");
    assertTrue(device.asked().out() < 500);
    assertEquals(8000, ((ArrayValue) zs).data().byteSize());
    assertTrue(device.asked().out() >= 8000);
  }

  @Test
  void resultsAreRightHoweverTheyArePassedOn() {
    List<Value> both;
    try (var run = new GpuRun(GPU, new SimulatedDevice())) {
      var xs = numbers(10);
      var same = call(run, "same", xs).getFirst();
      var own = call(run, "own", same).getFirst();
      assertEquals("[7i64, 1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64, 8i64, 9i64]", "" + own);
      assertEquals(xs, same);
      assertEquals(numbers(10), xs);
      var step = call(run, "step", same).getFirst();
      run.release(same);
      assertEquals(ScalarValue.i64(27), ((ArrayValue) step).at(9));
      both = call(run, "both", call(run, "step", step).getFirst());
    }
    // results stay valid
    assertEquals(ScalarValue.i64(82), ((ArrayValue) both.getFirst()).at(9));
    assertEquals(ScalarValue.i64(83), ((ArrayValue) both.getLast()).at(9));
  }

  @Test
  void releasedArraysAreFreed() {
    var device = new SimulatedDevice();
    try (var run = new GpuRun(GPU, device)) {
      var xs = numbers(1000);
      for (int i = 0; i < 100; i++) {
        run.release(call(run, "step", xs).getFirst());
      }
      assertEquals(8000, device.live());
      run.release(xs);
      assertEquals(0, device.live());
    }
  }

  @Test
  void whatIsKeptMakesRoomForWhatIsNeeded() {
    // room for the argument, and two or three results
    var device = new SimulatedDevice(1, 35_000);
    try (var run = new GpuRun(GPU, device)) {
      var xs = numbers(1000);
      long power = 1;
      for (var ys : steps(run, xs, 8)) {
        power *= 3;
        assertEquals(ScalarValue.i64(999 * power), ((ArrayValue) ys).at(999));
      }
      var e = assertThrows(UserError.class, () -> call(run, "step", numbers(10_000)));
      assertEquals(K5006, e.diagnostics().getFirst().code());
      assertTrue(e.getMessage().contains("80000 bytes"), e.getMessage());
      assertEquals( // goes on
          ScalarValue.i64(3), ((ArrayValue) call(run, "step", xs).getFirst()).at(1));
    }
  }

  /** What a call needs takes the place of what other tasks keep, and of nothing that is in use. */
  @Test
  void tasksTakeTurnsWithADeviceThatHasRoomForOne() throws Exception {
    try (var run = new GpuRun(GPU, new SimulatedDevice(1, 35_000));
        var threads = Executors.newFixedThreadPool(3)) {
      var tasks = new ArrayList<Future<List<Value>>>();
      for (int task = 0; task < 3; task++) {
        var xs = numbers(1000 - task);
        tasks.add(threads.submit(() -> steps(run, xs, 6)));
      }
      for (int task = 0; task < 3; task++) {
        long power = 1;
        for (var ys : tasks.get(task).get()) {
          power *= 3;
          long last = 999 - task;
          assertEquals(ScalarValue.i64(last * power), ((ArrayValue) ys).at(last));
        }
      }
    }
  }

  private static List<Value> steps(GpuRun run, Value xs, int n) {
    var kept = new ArrayList<Value>();
    for (int i = 0; i < n; i++) {
      kept.add(call(run, "step", i == 0 ? xs : kept.getLast()).getFirst());
    }
    return kept;
  }

  /** Room for four blocks of a thousand bytes; counts what travels to the host. */
  private static final class Small implements DeviceMemory {
    private long next = 1;
    private int live;
    private int travelled;

    @Override
    public long allocate(long bytes) {
      if (live == 4) {
        throw new UserError(K5006, Span.NONE, "no memory");
      }
      live++;
      return next++;
    }

    @Override
    public void free(long address) {
      live--;
    }

    @Override
    public void copyIn(long to, MemorySegment from) {}

    @Override
    public void copyOut(MemorySegment to, long from) {
      travelled++;
    }

    @Override
    public void copy(long to, long from, long bytes) {}
  }

  @Test
  void garbageMakesRoomWithoutATravelToTheHost() {
    var device = new Small();
    var residents = new ResidentArrays(device);
    for (int i = 0; i < 100; i++) {
      residents.result(Prim.I8, residents.allocate(1000), 1000); // nobody keeps it
    }
    assertEquals(0, device.travelled);
    var kept = new ArrayList<ArrayValue>();
    for (int i = 0; i < 6; i++) {
      kept.add(residents.result(Prim.I8, residents.allocate(1000), 1000));
    }
    assertTrue(device.travelled > 0);
    assertEquals(6, kept.size());
  }

  @Test
  void aThreadThatGetsNoMemoryEndsTheProgramWithAnError() {
    try (var run = new GpuRun(GPU, new SimulatedDevice(1, 200_000))) {
      assertEquals(1, call(run, "rows", ArrayValue.ofLongs(new long[] {3, 4, 5})).size());
      var many = ArrayValue.ofLongs(new long[] {5, 999_999, 7});
      var e = assertThrows(UserError.class, () -> call(run, "rows", many));
      assertEquals(K5006, e.diagnostics().getFirst().code());
      assertTrue(e.getMessage().contains("a thread of a kernel"), e.getMessage());
      assertEquals(1, call(run, "rows", ArrayValue.ofLongs(new long[] {3, 4, 5})).size());
    }
  }

  @Test
  void anInterruptedCallEndsBetweenKernels() {
    try (var run = new GpuRun(GPU, new SimulatedDevice())) {
      Thread.currentThread().interrupt();
      var e = assertThrows(UserError.class, () -> call(run, "step", numbers(10)));
      assertTrue(Thread.interrupted());
      assertEquals(K8205, e.diagnostics().getFirst().code());
      assertEquals(
          List.of(ArrayValue.ofLongs(new long[] {0, 3}, 2)), call(run, "step", numbers(2)));
    }
  }
}
