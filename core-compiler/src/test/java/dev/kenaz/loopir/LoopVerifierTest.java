package dev.kenaz.loopir;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.testing.Blame;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that come out of lowering are well formed; broken ones are not, whatever is broken. */
final class LoopVerifierTest {
  private static final String SUM = "def main [n] (xs: [n]f64) = f64.sum (map f64.sin xs)";
  private static final String SCAN =
      "def main [n] (xs: [n]f64) = scan (+) 0 (map (\\x -> if x > 2 then x else 1 / x) xs)";
  private static final String LOOP =
      "def main [n] (xs: [n]f64) (k: i64) = loop ys = copy xs for i < k do"
          + " ys with [i % n] = f64.i64 i + (loop y = ys[0] while y < 9 do y * 2)";
  private static final String RECURSIVE =
      "def f (k: i64) (x: f64): f64 = if k == 0 then x else f (k - 1) (x * 2)\n"
          + "def main [n] (xs: [n]f64) = map (f n) xs";

  private static LoopProgram loops(String text) {
    return Pipelines.loops(2).apply(Optimised.text(text));
  }

  private static GpuProgram kernels(String text) {
    return Pipelines.gpu().apply(Optimised.text(text));
  }

  private static void rejects(LoopProgram program, String message) {
    blames(() -> LoopVerifier.verify(program, "some pass"), message);
  }

  private static void rejects(GpuProgram program, String message) {
    blames(() -> LoopVerifier.verify(program, "some pass"), message);
  }

  private static void blames(Runnable verifier, String message) {
    var blame = Blame.of("some pass", verifier);
    assertTrue(blame.contains(message), blame);
  }

  private static LoopProgram with(LoopProgram p, Function<List<Code>, List<Code>> change) {
    var f = p.functions().getFirst();
    var changed = new LoopFun(f.entry(), f.params(), change.apply(f.body()), f.results());
    return new LoopProgram(List.of(changed), p.callees(), p.constants(), p.places());
  }

  private static GpuProgram host(GpuProgram p, Function<List<Code>, List<Code>> change) {
    var f = p.functions().getFirst();
    var changed = new LoopFun(f.entry(), f.params(), change.apply(f.body()), f.results());
    return new GpuProgram(List.of(changed), p.kernels(), p.faults());
  }

  private static GpuProgram kernel(GpuProgram p, int at, Function<List<Code>, List<Code>> change) {
    var all = new ArrayList<>(p.kernels());
    var k = all.get(at);
    all.set(
        at,
        new Kernel(
            k.name(),
            k.span(),
            k.what(),
            k.params(),
            k.grid(),
            k.shared(),
            k.locals(),
            k.heap(),
            change.apply(k.body())));
    return new GpuProgram(p.functions(), all, p.faults());
  }

  // Every assignment of a real program

  /** Code with one statement replaced, wherever it stands. */
  private static List<Code> replace(List<Code> code, Code old, List<Code> by) {
    var all = new ArrayList<Code>();
    for (var c : code) {
      if (c == old) {
        all.addAll(by);
        continue;
      }
      all.add(
          switch (c) {
            case Code.If(var x, var then, var otherwise) ->
                new Code.If(x, replace(then, old, by), replace(otherwise, old, by));
            case Code.For(var i, var n, var body, var independent, var reductions) ->
                new Code.For(i, n, replace(body, old, by), independent, reductions);
            case Code.While(var x, var body) -> new Code.While(x, replace(body, old, by));
            case Code.Parallel p ->
                new Code.Parallel(
                    p.extent(),
                    p.work(),
                    p.chunks(),
                    p.divisible(),
                    p.chunk(),
                    p.lo(),
                    p.hi(),
                    replace(p.body(), old, by));
            case Code.Gpu(GpuCode.Attempt(var body)) ->
                new Code.Gpu(new GpuCode.Attempt(replace(body, old, by)));
            case Code.Gpu(GpuCode.Locked(var base, var index, var body)) ->
                new Code.Gpu(new GpuCode.Locked(base, index, replace(body, old, by)));
            default -> c;
          });
    }
    return all;
  }

  /** The assignments without which a register is read that is set nowhere. */
  private static List<Code.Set> needed(List<Code> code) {
    Map<Reg, List<Code.Set>> sets = new HashMap<>();
    var used = new HashSet<Reg>();
    CodeWalk.code(
        code,
        c -> {
          if (c instanceof Code.Set s) {
            sets.computeIfAbsent(s.reg(), _ -> new ArrayList<>()).add(s);
          }
        },
        e -> {
          if (e instanceof Expr.Use(var reg)) {
            used.add(reg);
          }
        });
    return sets.entrySet().stream()
        .filter(e -> e.getValue().size() == 1 && used.contains(e.getKey()))
        .map(e -> e.getValue().getFirst())
        .toList();
  }

  private static Expr otherType(Expr e) {
    return Expr.zero(e.prim() == Prim.I64 ? Prim.F64 : Prim.I64);
  }

  @ParameterizedTest
  @ValueSource(strings = {SUM, SCAN, LOOP, RECURSIVE})
  void everyAssignmentIsNeededAndTyped(String text) {
    var program = loops(text);
    assertDoesNotThrow(() -> LoopVerifier.verify(program, "loops"));
    var sets = needed(program.functions().getFirst().body());
    assertFalse(sets.isEmpty());
    for (var s : sets) {
      rejects(with(program, b -> replace(b, s, List.of())), "is read, but not set");
      var wrong = new Code.Set(s.reg(), otherType(s.value()));
      rejects(with(program, b -> replace(b, s, List.of(wrong))), "expected");
      var some = new Code.If(Expr.bool(true), List.of(s), List.of());
      rejects(with(program, b -> replace(b, s, List.of(some))), "is read, but not set");
      var loop = new Code.While(Expr.bool(false), List.of(s));
      rejects(with(program, b -> replace(b, s, List.of(loop))), "is read, but not set");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {SUM, SCAN, LOOP})
  void everyAssignmentOfKernels(String text) {
    var program = kernels(text);
    assertDoesNotThrow(() -> LoopVerifier.verify(program, "kernels"));
    for (int k = 0; k < program.kernels().size(); k++) {
      int at = k;
      for (var s : needed(program.kernels().get(k).body())) {
        rejects(kernel(program, at, b -> replace(b, s, List.of())), "is read, but not set");
        var wrong = new Code.Set(s.reg(), otherType(s.value()));
        rejects(kernel(program, at, b -> replace(b, s, List.of(wrong))), "expected");
      }
    }
  }

  // Statements

  private static void rejectsFirst(String message, Code... code) {
    rejects(
        with(
            loops(SUM),
            b -> {
              var all = new ArrayList<>(List.of(code));
              all.addAll(b);
              return all;
            }),
        message);
  }

  private static final Reg I = Reg.index("i");
  private static final Reg X = Reg.fresh("x", Prim.F64);
  private static final Expr ONE = Expr.i64(1);
  private static final Expr REAL = Expr.zero(Prim.F64);

  @Test
  void expressions() {
    for (Expr e :
        List.of(
            new Expr.Bin(BinaryOp.ADD, ONE, REAL),
            new Expr.Bin(BinaryOp.AND, REAL, REAL),
            new Expr.Bin(BinaryOp.LDEXP, REAL, REAL),
            new Expr.Cmp(CompareOp.LT, ONE, REAL),
            new Expr.Un(UnaryOp.SIN, ONE, Prim.I64),
            new Expr.Un(UnaryOp.ISNAN, REAL, Prim.F64),
            new Expr.Size(ONE, REAL),
            new Expr.MulAdd(REAL, REAL, ONE),
            new Expr.Select(ONE, ONE, ONE),
            new Expr.Select(Expr.bool(true), ONE, REAL),
            new Expr.Load(Prim.F64, REAL, ONE),
            new Expr.Load(Prim.F64, ONE, REAL))) {
      rejectsFirst("", new Code.Print("", e));
    }
  }

  @Test
  void statements() {
    var slot = Slot.fresh("s");
    var other = Slot.fresh("t");
    rejectsFirst("the value", new Code.Set(I, REAL));
    rejectsFirst("the stored value", new Code.Store(Prim.F32, ONE, ONE, REAL));
    rejectsFirst("an address", new Code.Store(Prim.F64, REAL, ONE, REAL));
    rejectsFirst("SUB", new Code.AtomicUpdate(BinaryOp.SUB, Prim.F64, ONE, ONE, REAL));
    rejectsFirst("a number of bytes", new Code.Ensure(slot, REAL));
    rejectsFirst(
        "a loop's or a slot's", new Code.Ensure(slot, ONE), new Code.Set(slot.base(), ONE));
    rejectsFirst("is read", new Code.Print("", Expr.use(other.base())));
    rejectsFirst("a condition", new Code.If(ONE, List.of(), List.of()));
    rejectsFirst("a condition", new Code.While(ONE, List.of()));
    rejectsFirst("a bound", new Code.For(I, REAL, List.of(), false, List.of()));
    rejectsFirst(
        "a loop's or a slot's",
        new Code.For(I, ONE, List.of(new Code.Set(I, ONE)), false, List.of()));
    var inner = new Code.For(I, ONE, List.of(), false, List.of());
    rejectsFirst("a loop around", new Code.For(I, ONE, List.of(inner), false, List.of()));
    rejectsFirst("is read", inner, new Code.Print("", Expr.use(I)));
    var sum = List.of(new Code.Reduction(X, BinaryOp.ADD));
    rejectsFirst("is read", new Code.For(I, ONE, List.of(), true, sum));
    rejectsFirst(
        "a reduction",
        new Code.Set(X, REAL),
        new Code.For(I, ONE, List.of(), true, List.of(new Code.Reduction(X, BinaryOp.SUB))));
    rejectsFirst(
        "a condition", new Code.Check(ONE, new Fault(ErrorCode.K5002, Span.NONE, ""), List.of()));
    rejectsFirst("a plan's operand", new Code.Plan(I, REAL, ONE, ONE));
    rejectsFirst("there is no function", new Code.Call("g", List.of(), List.of()));
    rejectsFirst("for the JVM", new Code.Gpu(new GpuCode.Barrier()));
  }

  private static Code.Parallel parallel(Code... body) {
    return new Code.Parallel(
        ONE, ONE, ONE, false, Reg.index("chunk"), Reg.index("lo"), Reg.index("hi"), List.of(body));
  }

  @Test
  void parallelLoops() {
    rejectsFirst(
        "is assigned", new Code.Set(I, ONE), parallel(new Code.Set(I, Expr.add(Expr.use(I), ONE))));
    rejectsFirst("is read", parallel(new Code.Set(I, ONE)), new Code.Print("", Expr.use(I)));
    var slot = Slot.fresh("s");
    rejectsFirst("slot", new Code.Ensure(slot, ONE), parallel(new Code.Ensure(slot, ONE)));
    var p = parallel();
    rejectsFirst(
        "is assigned",
        new Code.Parallel(ONE, ONE, ONE, false, I, p.lo(), p.hi(), List.of(new Code.Set(I, ONE))));
  }

  @Test
  void calls() {
    var program = loops(RECURSIVE);
    var calls = new ArrayList<Code.Call>();
    CodeWalk.code(
        program.functions().getFirst().body(),
        c -> {
          if (c instanceof Code.Call call) {
            calls.add(call);
          }
        },
        _ -> {});
    var call = calls.getFirst();
    for (var wrong :
        List.of(
            new Code.Call("g", call.arguments(), call.outputs()),
            new Code.Call(call.function(), List.of(), call.outputs()),
            new Code.Call(call.function(), call.arguments(), List.of()),
            new Code.Call(call.function(), call.arguments().reversed(), call.outputs()),
            new Code.Call(call.function(), call.arguments(), List.of(new Code.ScalarOutput(I))))) {
      rejects(with(program, b -> replace(b, call, List.of(wrong))), "");
    }
  }

  // GPU programs

  private static void rejectsInKernel(String message, Code... code) {
    var program = kernels(SUM);
    rejects(
        kernel(
            program,
            0,
            b -> {
              var all = new ArrayList<>(List.of(code));
              all.addAll(b);
              return all;
            }),
        message);
  }

  @Test
  void launches() {
    var program = kernels(SUM);
    var launches = new ArrayList<Code>();
    CodeWalk.code(
        program.functions().getFirst().body(),
        c -> {
          if (c instanceof Code.Gpu(GpuCode.Launch _)) {
            launches.add(c);
          }
        },
        _ -> {});
    var code = launches.getFirst();
    var l = (GpuCode.Launch) ((Code.Gpu) code).code();
    var wrongTypes = l.arguments().stream().map(LoopVerifierTest::otherType).toList();
    for (var wrong :
        List.of(
            new GpuCode.Launch(l.kernel(), REAL, l.threads(), l.sharedBytes(), l.arguments()),
            new GpuCode.Launch(l.kernel(), l.blocks(), l.threads(), l.sharedBytes(), wrongTypes),
            new GpuCode.Launch(l.kernel(), l.blocks(), l.threads(), l.sharedBytes(), List.of()),
            new GpuCode.Launch("none", l.blocks(), l.threads(), l.sharedBytes(), l.arguments()))) {
      var broken = host(program, b -> replace(b, code, List.of(new Code.Gpu(wrong))));
      Blame.of("some pass", () -> LoopVerifier.verify(broken, "some pass"));
    }
    rejects(host(program, b -> List.of(parallel())), "the host doesn't have");
    rejects(host(program, b -> List.of(new Code.Gpu(new GpuCode.Barrier()))), "the host doesn't");
  }

  private static Code tile(List<Reg> sums, List<Expr> left, List<Expr> right) {
    return new Code.Gpu(new GpuCode.MultiplyTile(sums, left, right));
  }

  @Test
  void kernelsHaveTheirOwnStatements() {
    rejectsInKernel("kernels don't have", parallel());
    rejectsInKernel(
        "no guard",
        new Code.Check(Expr.bool(true), new Fault(ErrorCode.K5002, Span.NONE, ""), List.of()));
    rejectsInKernel("the device's heap", new Code.Ensure(Slot.fresh("s"), ONE));
    rejectsInKernel(
        "there is no fault", new Code.Gpu(new GpuCode.Guard(Expr.bool(true), 99, List.of())));
    rejectsInKernel("is no u32", new Code.Gpu(new GpuCode.Ballot(I, Expr.bool(true))));
    rejectsInKernel("is no f64", new Code.Gpu(new GpuCode.ReadShared(I, Prim.F64, ONE, ONE)));
    var sums = Stream.generate(() -> Reg.fresh("sum", Prim.F64)).limit(4).toList();
    rejectsInKernel("four sums", tile(sums.subList(0, 3), List.of(REAL, REAL), List.of(REAL)));
    rejectsInKernel("on the left as", tile(sums, List.of(REAL, REAL), List.of(REAL, REAL)));
    rejectsInKernel("on the right", tile(sums, List.of(REAL, REAL), List.of(ONE)));
    rejectsInKernel("sum", tile(sums, List.of(REAL, REAL), List.of(REAL)));
  }

  @Test
  void barriers() {
    var barrier = new Code.Gpu(new GpuCode.Barrier());
    var grid = kernels(SUM).kernels().getFirst().grid();
    assertDoesNotThrow(
        () -> {
          var p = kernel(kernels(SUM), 0, b -> List.of(barrier));
          LoopVerifier.verify(p, "kernels");
        });
    rejectsInKernel("a barrier", new Code.Gpu(new GpuCode.Attempt(List.of(barrier))));
    rejectsInKernel("a barrier", new Code.Gpu(new GpuCode.Locked(ONE, ONE, List.of(barrier))));
    var program = kernels(SUM);
    var thread = Expr.use(program.kernels().getFirst().grid().thread());
    var first = new Expr.Cmp(CompareOp.EQ, thread, ONE);
    rejects(
        kernel(program, 0, b -> List.of(new Code.If(first, List.of(barrier), List.of()))),
        "a barrier");
    var some = Reg.fresh("some", Prim.BOOL);
    rejects(
        kernel(
            program,
            0,
            b ->
                List.of(
                    new Code.Set(some, first), new Code.While(Expr.use(some), List.of(barrier)))),
        "a barrier");
    assertFalse(grid.thread().equals(grid.block()));
  }
}
