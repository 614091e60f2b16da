package dev.kenaz.simulate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.kernels.Device;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.loopir.Reg;
import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels by hand: right ones give what they should, and each planted fault is found. */
final class SimulatedDeviceTest {
  private static final int THREADS = 64;

  private final Kernel.Grid grid = Kernel.Grid.fresh();
  private final Reg xs = Reg.index("xs");
  private final Reg out = Reg.index("out");
  private final Reg n = Reg.index("n");
  private final Reg shared = Reg.index("shared");
  private final Reg sum = Reg.index("sum");

  private static Expr i(long x) {
    return Expr.i64(x);
  }

  private static Expr use(Reg r) {
    return Expr.use(r);
  }

  private static Expr less(Expr a, Expr b) {
    return new Expr.Cmp(CompareOp.LT, a, b);
  }

  private static Expr equal(Expr a, Expr b) {
    return new Expr.Cmp(CompareOp.EQ, a, b);
  }

  private static Expr load(Reg base, Expr index) {
    return new Expr.Load(Prim.I64, use(base), index);
  }

  private static Code store(Reg base, Expr index, Expr value) {
    return new Code.Store(Prim.I64, use(base), index, value);
  }

  private static Code barrier() {
    return new Code.Gpu(new GpuCode.Barrier());
  }

  private static Code when(Expr condition, Code... then) {
    return new Code.If(condition, List.of(then), List.of());
  }

  private Expr me() {
    return use(grid.thread());
  }

  private Expr everywhere() {
    return Expr.add(Expr.mul(use(grid.block()), use(grid.threads())), me());
  }

  /** With xs, out and n as parameters and 64 words of shared memory. */
  private Kernel kernel(Code... body) {
    return new Kernel(
        "planted",
        Span.NONE,
        "a test",
        List.of(
            new Kernel.Param(xs, true), new Kernel.Param(out, true), new Kernel.Param(n, false)),
        grid,
        List.of(new Kernel.Shared(shared, Prim.I64, THREADS)),
        List.of(),
        List.of(),
        List.of(body));
  }

  /** Runs over 0, 1, 2, ..., and gives what is left in out. */
  private static long[] run(Kernel kernel, long seed, long blocks, int size, int results) {
    try (var device = new SimulatedDevice(seed)) {
      var input = new long[size];
      for (int k = 0; k < size; k++) {
        input[k] = k;
      }
      long a = device.allocate(8L * size);
      device.copyIn(a, MemorySegment.ofArray(input));
      long b = device.allocate(8L * results);
      var found = new long[results];
      device.copyIn(b, MemorySegment.ofArray(found));
      long faults = device.allocate(Device.FAULT_BYTES);
      device.copyIn(faults, MemorySegment.ofArray(new long[(int) Device.FAULT_BYTES / 8]));
      device.launch(kernel, blocks, THREADS, 0, faults, new long[] {a, b, size});
      device.copyOut(MemorySegment.ofArray(found), b);
      List.of(a, b, faults).forEach(device::free);
      assertEquals(0, device.live());
      return found;
    }
  }

  private static String finding(Kernel kernel, long seed) {
    return assertThrows(CompilerBug.class, () -> run(kernel, seed, 2, 128, 128)).getMessage();
  }

  /** The sum of a block's part, by halves. */
  private Kernel reduction(boolean barrierInLoop, boolean barrierBefore) {
    var body = new ArrayList<Code>();
    body.add(store(shared, me(), load(xs, everywhere())));
    if (barrierBefore) {
      body.add(barrier());
    }
    var step = Reg.index("step");
    body.add(new Code.Set(step, i(THREADS / 2)));
    var halving = new ArrayList<Code>();
    var other = load(shared, Expr.add(me(), use(step)));
    halving.add(
        when(less(me(), use(step)), store(shared, me(), Expr.add(load(shared, me()), other))));
    if (barrierInLoop) {
      halving.add(barrier());
    }
    halving.add(new Code.Set(step, new Expr.Bin(BinaryOp.QUOT, use(step), i(2))));
    body.add(new Code.While(less(i(0), use(step)), halving));
    body.add(when(equal(me(), i(0)), store(out, use(grid.block()), load(shared, i(0)))));
    return kernel(body.toArray(Code[]::new));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void reductionInSharedMemory(long seed) {
    assertArrayEquals(
        new long[] {63 * 32, 127 * 64 - 63 * 32}, run(reduction(true, true), seed, 2, 128, 2));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void missingBarrier(long seed) {
    for (var k : List.of(reduction(true, false), reduction(false, true))) {
      var said = finding(k, seed);
      assertTrue(said.contains("a race") || said.contains("never written"), said);
      assertTrue(said.contains("kernel planted, block"), said);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void race(long seed) {
    var k =
        kernel(store(shared, i(0), me()), barrier(), store(out, everywhere(), load(shared, i(0))));
    assertTrue(finding(k, seed).contains("a race at byte 0 of shared array shared"));
    // the same value by all is none
    var same = kernel(store(shared, i(0), i(7)), barrier(), store(out, i(0), load(shared, i(0))));
    assertArrayEquals(new long[] {7}, run(same, seed, 1, 1, 1));
  }

  @Test
  void offByOne() {
    var past = kernel(store(out, everywhere(), load(xs, Expr.add(everywhere(), i(1)))));
    var said = finding(past, 1);
    assertTrue(said.contains("8 bytes at byte 1024 of an array, which has 1024"), said);
    var before = kernel(store(out, Expr.sub(everywhere(), i(1)), i(0)));
    assertTrue(finding(before, 1).contains("at byte -8 of an array"));
    var atEnd = kernel(when(less(everywhere(), use(n)), store(shared, Expr.add(me(), i(1)), i(0))));
    assertTrue(finding(atEnd, 1).contains("at byte 512 of shared array shared"));
  }

  @Test
  void freedMemory() {
    try (var device = new SimulatedDevice()) {
      long a = device.allocate(8);
      device.free(a);
      assertThrows(CompilerBug.class, () -> device.copyIn(a, MemorySegment.ofArray(new long[1])));
      assertThrows(CompilerBug.class, () -> device.free(a));
    }
  }

  @Test
  void sharedMemoryThatNobodyWrote() {
    var k = kernel(store(out, everywhere(), load(shared, me())));
    assertTrue(finding(k, 1).contains("never written"));
  }

  @Test
  void divergentBarrier() {
    var someLanes = kernel(when(less(me(), i(7)), barrier()));
    assertTrue(finding(someLanes, 1).contains("only some threads of a warp"));
    var oneWarp = kernel(when(less(me(), i(32)), barrier()));
    assertTrue(finding(oneWarp, 1).contains("ended without a barrier"));
    var two = kernel(new Code.If(less(me(), i(32)), List.of(barrier()), List.of(barrier())));
    assertTrue(finding(two, 1).contains("different barriers"));
  }

  @Test
  void shuffles() {
    var r = Reg.index("r");
    var ok =
        kernel(
            new Code.Gpu(new GpuCode.Shuffle(r, GpuCode.Lane.UP, load(xs, everywhere()), i(1))),
            store(out, everywhere(), use(r)));
    var result = run(ok, 1, 1, 64, 64);
    assertEquals(0, result[0]);
    assertEquals(30, result[31]);
    assertEquals(32, result[32]); // the next warp's first lane
    var half =
        kernel(
            when(
                less(me(), i(5)),
                new Code.Gpu(new GpuCode.Shuffle(r, GpuCode.Lane.DOWN, me(), i(1)))));
    assertTrue(finding(half, 1).contains("a shuffle that only some threads"));
  }

  /** The left matrix has 10 at row and column 3 alone, so that the right one's row 3 remains. */
  @Test
  void productsOfTiles() {
    var sums = IntStream.range(0, 4).mapToObj(k -> Reg.fresh("sum", Prim.F64)).toList();
    var lane = new Expr.Bin(BinaryOp.REM, me(), i(32));
    var ten = new Expr.Select(equal(lane, i(15)), i(10), i(0));
    var left = List.of(real(ten), real(i(0)), real(i(0)), real(i(0)));
    var right = List.<Expr>of(real(lane), real(i(7)));
    var body = new ArrayList<Code>();
    sums.forEach(s -> body.add(new Code.Set(s, real(i(1)))));
    body.add(new Code.Gpu(new GpuCode.MultiplyTile(sums, left, right)));
    for (int k = 0; k < 4; k++) {
      var at = Expr.add(Expr.mul(everywhere(), i(4)), i(k));
      body.add(store(out, at, new Expr.Conv(Prim.I64, use(sums.get(k)))));
    }
    var found = run(kernel(body.toArray(Code[]::new)), 1, 1, 64, 256);
    for (int at = 0; at < 256; at++) {
      int row = at / 16 % 8 + at % 4 / 2 * 8;
      int column = at / 4 % 4 * 2 + at % 2;
      assertEquals(row == 3 ? 1 + 10 * (column * 4 + 3) : 1, found[at]);
    }
    var some = when(less(me(), i(5)), body.toArray(Code[]::new));
    assertTrue(finding(kernel(some), 1).contains("a product of tiles that only some threads"));
  }

  private static Expr real(Expr e) {
    return new Expr.Conv(Prim.F64, e);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void locksTakeTurns(long seed) {
    var locked =
        new GpuCode.Locked(
            use(out), i(0), List.of(store(out, i(1), Expr.add(load(out, i(1)), i(1)))));
    var k = kernel(new Code.Gpu(locked));
    assertArrayEquals(new long[] {0, 4 * THREADS}, run(k, seed, 4, 1, 2));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void spinningBlocksSeeOthersGoOn(long seed) {
    // numbers drawn in order of arrival; each waits for the one before, then adds to the sum
    var number = Reg.index("number");
    var seen = Reg.index("seen");
    var draw =
        new Code.Gpu(new GpuCode.Fetch(number, BinaryOp.ADD, Prim.I64, use(out), i(0), i(1)));
    var look = new Code.Gpu(new GpuCode.ReadShared(seen, Prim.I64, use(out), i(1)));
    var k =
        kernel(
            when(
                equal(me(), i(0)),
                draw,
                look,
                new Code.While(less(use(seen), use(number)), List.of(look)),
                new Code.Gpu(
                    new GpuCode.WriteShared(
                        Prim.I64, use(out), i(1), Expr.add(use(number), i(1))))));
    assertArrayEquals(new long[] {50, 50}, run(k, seed, 50, 1, 2));
  }

  @Test
  void waitingWithoutEnd() {
    var seen = Reg.index("seen");
    var look = new Code.Gpu(new GpuCode.ReadShared(seen, Prim.I64, use(out), i(0)));
    var k = kernel(look, new Code.While(equal(use(seen), i(0)), List.of(look)));
    assertTrue(finding(k, 1).contains("without end"));
  }

  @Test
  void guardsLeaveTheAttempt() {
    var guard = new GpuCode.Guard(less(load(xs, everywhere()), i(5)), 3, List.of(me()));
    var k =
        kernel(
            new Code.Gpu(
                new GpuCode.Attempt(List.of(new Code.Gpu(guard), store(out, everywhere(), i(1))))),
            barrier(),
            new Code.Gpu(new GpuCode.Fetch(sum, BinaryOp.ADD, Prim.I64, use(out), i(63), i(1))));
    try (var device = new SimulatedDevice()) {
      long a = device.allocate(8 * THREADS);
      var input = new long[THREADS];
      input[9] = 5;
      device.copyIn(a, MemorySegment.ofArray(input));
      long b = device.allocate(8 * THREADS);
      device.copyIn(b, MemorySegment.ofArray(new long[THREADS]));
      long faults = device.allocate(Device.FAULT_BYTES);
      device.copyIn(faults, MemorySegment.ofArray(new long[(int) Device.FAULT_BYTES / 8]));
      device.launch(k, 1, THREADS, 0, faults, new long[] {a, b, THREADS});
      var result = new long[THREADS];
      device.copyOut(MemorySegment.ofArray(result), b);
      assertEquals(1, result[8]);
      assertEquals(0, result[9]);
      assertEquals(1 + THREADS, result[63]); // all came on after the attempt
      var fault = new long[2];
      device.copyOut(MemorySegment.ofArray(fault), faults);
      assertArrayEquals(new long[] {4, 9}, fault);
      device.launch(k, 1, THREADS, 0, faults, new long[] {0, 0, 0}); // does nothing any more
    }
  }

  @Test
  void updatesThatGetLost() {
    // a histogram of four bins: what one thread adds another overwrites
    var bin = new Expr.Bin(BinaryOp.REM, me(), i(4));
    var lost = kernel(store(out, bin, Expr.add(load(out, bin), i(1))));
    var said = finding(lost, 1);
    assertTrue(said.contains("a race at byte") && said.contains("with no order"), said);
    var update = new Code.AtomicUpdate(BinaryOp.ADD, Prim.I64, use(out), bin, i(1));
    assertArrayEquals(new long[] {32, 32, 32, 32}, run(kernel(update), 1, 2, 1, 4));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void neighboursInDeviceMemory(long seed) {
    // each thread reads what the thread before wrote, of this block or of the block before
    var before = Expr.sub(everywhere(), i(1));
    var read = store(xs, everywhere(), load(out, new Expr.Bin(BinaryOp.MAX, before, i(0))));
    var write = store(out, everywhere(), everywhere());
    assertTrue(finding(kernel(write, read), seed).contains("a race"));
    assertTrue(finding(kernel(write, barrier(), read), seed).contains("a race"));
    assertEquals(64, run(kernel(write, barrier(), read), seed, 1, 64, 64).length);
  }

  /**
   * Block 1 waits for a flag of block 0, and hands on what block 0 had written before.
   *
   * @param watched whether both know that others may be reading, or writing
   */
  private Kernel message(boolean writersFence, boolean readersFence, boolean watched) {
    var fence = new Code.Gpu(new GpuCode.Fence());
    var flag = Reg.index("flag");
    var found = Reg.index("found");
    var look = new Code.Gpu(new GpuCode.ReadShared(flag, Prim.I64, use(out), i(1)));
    var sender = new ArrayList<Code>();
    sender.add(
        watched
            ? new Code.Gpu(new GpuCode.WriteShared(Prim.I64, use(out), i(0), i(42)))
            : store(out, i(0), i(42)));
    if (writersFence) {
      sender.add(fence);
    }
    sender.add(new Code.Gpu(new GpuCode.WriteShared(Prim.I64, use(out), i(1), i(1))));
    var receiver = new ArrayList<Code>();
    receiver.add(look);
    receiver.add(new Code.While(equal(use(flag), i(0)), List.of(look)));
    if (readersFence) {
      receiver.add(fence);
    }
    receiver.add(
        watched
            ? new Code.Gpu(new GpuCode.ReadShared(found, Prim.I64, use(out), i(0)))
            : new Code.Set(found, load(out, i(0))));
    receiver.add(store(out, i(2), use(found)));
    return kernel(
        when(equal(me(), i(0)), new Code.If(equal(use(grid.block()), i(0)), sender, receiver)));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void fencesOfBothSidesOrderBlocks(boolean watched) {
    for (long seed = 1; seed <= 30; seed++) {
      assertEquals(42, run(message(true, true, watched), seed, 2, 1, 3)[2]);
    }
    for (boolean writers : new boolean[] {true, false}) {
      for (boolean readers : new boolean[] {true, false}) {
        if (!writers || !readers) {
          assertTrue(missed(message(writers, readers, watched), watched) > 0);
        }
      }
    }
  }

  /** Of 30 runs those that go wrong, all of them where the simulator can tell by itself. */
  private static int missed(Kernel kernel, boolean watched) {
    int wrong = 0;
    for (long seed = 1; seed <= 30; seed++) {
      if (watched) {
        wrong += run(kernel, seed, 2, 1, 3)[2] == 42 ? 0 : 1;
      } else {
        assertTrue(finding(kernel, seed).contains("a race"));
        wrong++;
      }
    }
    return wrong;
  }

  @Test
  void launchesThatNoGpuTakes() {
    var device = new SimulatedDevice();
    var k = kernel();
    assertThrows(CompilerBug.class, () -> device.launch(k, 1, 2000, 0, 0, new long[3]));
    assertThrows(CompilerBug.class, () -> device.launch(k, 1, 32, 300_000, 0, new long[3]));
    assertThrows(UserError.class, () -> device.allocate(1L << 40));
  }
}
