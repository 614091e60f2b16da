package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Slot;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Loop code that leaves its buffers is told where accesses are checked. */
@Isolated
final class CheckedMemoryTest {
  private static final int N = 100;
  private static final JvmOptions CHECKED = JvmOptions.defaults().withWorkers(1).withChecks(true);

  private final Slot xs = Slot.fresh("xs");
  private final Slot ys = Slot.fresh("ys");
  private final Reg argument = Reg.index("argument");

  /** Runs code that has buffers of {@code N} and {@code 2 N} numbers, and an argument of N. */
  private long run(JvmOptions options, Prim prim, Expr result, Code... code) {
    return run(options, prim, result, List.of(), code);
  }

  private long run(
      JvmOptions options, Prim prim, Expr result, List<MemorySegment> constants, Code... code) {
    var all = new ArrayList<Code>();
    all.add(new Code.Ensure(xs, Expr.i64((long) N * prim.byteSize())));
    all.add(new Code.Ensure(ys, Expr.i64(2L * N * prim.byteSize())));
    all.addAll(List.of(code));
    var type = Type.of(prim, List.of(Atom.i64(N)));
    var parameter = new Var("argument", 1, type);
    var given = new EntryPoint.Param("argument", false, new EntryPoint.Transparent(prim, 1));
    var entry = new EntryPoint("main", "main", 0, List.of(given), 0, List.of());
    var function =
        new LoopFun(
            entry,
            List.of(new LoopFun.Param(parameter, argument, List.of(Expr.i64(N)))),
            all,
            List.of(new LoopFun.ScalarResult(result)));
    try (var addresses = new Constants(constants, options.checks())) {
      var compiled =
          new JvmEntry(
              entry,
              () -> EntryCode.of(function, Map.of(), options, addresses, Map.of()),
              options,
              Workers.of(1));
      var numbers = ArrayValue.ofDoubles(prim, new double[N]);
      return ((ScalarValue) compiled.call(List.of(numbers)).getFirst()).bits();
    }
  }

  private void broken(String message, Prim prim, Code... code) {
    for (var options : List.of(CHECKED, CHECKED.withVectors(JvmOptions.Vectors.OFF))) {
      long live = NativeMemory.live();
      var bug =
          assertThrows(CompilerBug.class, () -> run(options, prim, Expr.i64(0), code), message);
      assertTrue(bug.getMessage().contains(message), bug.getMessage());
      assertTrue(
          bug.getMessage().matches("(?s).*entry main, (vector_)?entry0.*"), bug.getMessage());
      assertTrue(NativeMemory.live() <= live, "leaks");
    }
  }

  private static Expr base(Slot slot) {
    return Expr.use(slot.base());
  }

  private static Code loop(long n, Prim prim, Expr to, Expr from, long shift, long sign) {
    var i = Reg.index("i");
    var at = Expr.add(Expr.mul(Expr.i64(sign), Expr.use(i)), Expr.i64(shift));
    var index = sign == 1 ? Expr.add(Expr.use(i), Expr.i64(shift)) : at;
    var value = new Expr.Load(prim, from, index);
    var store = new Code.Store(prim, to, Expr.use(i), value);
    return new Code.For(i, Expr.i64(n), List.of(store), true, List.of());
  }

  @Test
  void accessesWithinBoundsAreFine() {
    for (var prim : List.of(Prim.F64, Prim.F32, Prim.I32, Prim.U8)) {
      run(
          CHECKED,
          prim,
          Expr.i64(0),
          loop(N, prim, base(xs), Expr.use(argument), 0, 1),
          loop(N, prim, base(ys), base(xs), N - 1, -1),
          new Code.CopyBytes(base(xs), base(ys), Expr.i64((long) N * prim.byteSize())));
    }
  }

  @Test
  void scalarAccessesPastTheEnd() {
    for (long at : new long[] {-1, N, Long.MAX_VALUE / 8, Long.MIN_VALUE / 8}) {
      var load = new Expr.Load(Prim.F64, base(xs), Expr.i64(at));
      broken("reads 8 bytes at ", Prim.F64, new Code.Set(Reg.fresh("x", Prim.F64), load));
      broken(
          "writes 8 bytes at ",
          Prim.F64,
          new Code.Store(Prim.F64, base(xs), Expr.i64(at), Expr.zero(Prim.F64)));
    }
    var last = new Expr.Load(Prim.F64, base(xs), Expr.i64(N));
    broken("byte 800 of xs.", Prim.F64, new Code.Set(Reg.fresh("x", Prim.F64), last));
  }

  @Test
  void vectorsPastTheEnd() {
    for (var prim : List.of(Prim.F64, Prim.F32, Prim.I32, Prim.U8)) {
      broken("writes ", prim, loop(N + 1, prim, base(xs), base(ys), 0, 1));
      broken("reads ", prim, loop(N, prim, base(ys), Expr.use(argument), 1, 1));
      broken("reads ", prim, loop(N, prim, base(ys), Expr.use(argument), -1, 1));
      broken("reads ", prim, loop(N, prim, base(ys), base(xs), N, -1));
      broken("reads ", prim, loop(N, prim, base(ys), base(xs), N - 2, -1));
    }
  }

  @Test
  void copiesPastTheEnd() {
    long bytes = 4 * N;
    broken("writes ", Prim.F32, new Code.CopyBytes(base(xs), base(ys), Expr.i64(bytes + 4)));
    broken("reads ", Prim.F32, new Code.CopyBytes(base(ys), base(xs), Expr.i64(bytes + 1)));
    var next = Expr.add(base(ys), Expr.i64(4));
    broken("overlaps", Prim.F32, new Code.CopyBytes(next, base(ys), Expr.i64(bytes)));
    var itself = new Code.CopyBytes(base(ys), base(ys), Expr.i64(bytes));
    assertEquals(7, run(CHECKED, Prim.I64, Expr.i64(7), itself));
  }

  @Test
  void argumentsAreNotWritten() {
    broken(
        "may only be read",
        Prim.F32,
        new Code.Store(Prim.F32, Expr.use(argument), Expr.i64(0), Expr.zero(Prim.F32)));
    broken("may only be read", Prim.F32, loop(N, Prim.F32, Expr.use(argument), base(xs), 0, 1));
  }

  @Test
  void useAfterFree() {
    var old = Reg.index("old");
    var keep = new Code.Set(old, base(xs));
    var load = new Expr.Load(Prim.F64, Expr.use(old), Expr.i64(0));
    var use = new Code.Set(Reg.fresh("x", Prim.F64), load);
    broken("was freed", Prim.F64, keep, new Code.Free(xs), use);
    broken("was freed", Prim.F64, keep, new Code.Ensure(xs, Expr.i64(16)), use);
    var empty = new Expr.Load(Prim.F64, base(xs), Expr.i64(0));
    broken("no buffer", Prim.F64, new Code.Free(xs), new Code.Set(Reg.fresh("x", Prim.F64), empty));
  }

  @Test
  void whatIsNotWrittenIsGarbage() {
    var load = new Expr.Load(Prim.I64, base(xs), Expr.i64(3));
    assertEquals(0xcdcdcdcdcdcdcdcdL, run(CHECKED, Prim.I64, load));
  }

  @Test
  void matrixProducts() {
    // 10 x 10 each; xs holds one, ys two
    for (var prim : List.of(Prim.F32, Prim.F64)) {
      for (boolean add : new boolean[] {false, true}) {
        run(CHECKED, prim, Expr.i64(0), product(prim, base(xs), 10, 10, 10, 1, add));
        broken(
            "bytes at byte",
            prim,
            product(prim, Expr.add(base(xs), Expr.i64(8)), 10, 10, 10, 1, add));
        broken("bytes at byte", prim, product(prim, base(xs), 11, 10, 10, 1, add));
        broken("reads ", prim, product(prim, base(xs), 10, 10, 11, 1, add));
        broken("reads ", prim, product(prim, base(xs), 10, 10, 10, 13, add));
      }
    }
  }

  /** Of the argument and ys. */
  private Code product(
      Prim prim, Expr c, long rows, long columns, long depth, long stride, boolean add) {
    var ten = Expr.i64(10);
    var one = Expr.i64(1);
    return new Code.MatrixProduct(
        prim,
        Code.MatrixProduct.Term.PRODUCT,
        new Code.Matrix(c, ten, one),
        new Code.Matrix(Expr.use(argument), ten, one),
        new Code.Matrix(base(ys), ten, Expr.i64(stride)),
        Expr.i64(rows),
        Expr.i64(columns),
        Expr.i64(depth),
        add,
        Optional.empty());
  }

  @Test
  void constantArrays() {
    var memory = Arena.ofAuto().allocate(80, 64);
    memory.set(ValueLayout.JAVA_LONG, 72, 7);
    var last = new Expr.Load(Prim.I64, Expr.i64(memory.address()), Expr.i64(9));
    assertEquals(7, run(CHECKED, Prim.I64, last, List.of(memory)));
    var past = new Expr.Load(Prim.I64, Expr.i64(memory.address()), Expr.i64(10));
    var bug = assertThrows(CompilerBug.class, () -> run(CHECKED, Prim.I64, past, List.of(memory)));
    assertTrue(bug.getMessage().contains("a constant array"), bug.getMessage());
  }
}
