package dev.kenaz.kernels;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.Slot;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Translates an entry's host code, once, to functions of a run. Between two launches the host has
 * only as long as the first kernel takes, which may be a few microseconds; so registers have
 * numbers, kernels are found beforehand, and nothing is looked up by name.
 */
final class HostSteps {
  private final GpuProgram program;
  private final Expressions expressions = new Expressions();

  /** Does what a statement says. */
  @FunctionalInterface
  interface Step {
    void run(HostCode host);
  }

  /**
   * A translated entry.
   *
   * @param registers how many registers a run has
   * @param params the registers that the caller sets, in the parameters' order
   * @param results the results' scalars, or their addresses and sizes
   */
  record Entry(LoopFun function, int registers, int[] params, Step body, List<Result> results) {}

  /**
   * A result.
   *
   * @param value the scalar, or the array's address
   * @param dims the array's sizes
   */
  record Result(Eval value, List<Eval> dims) {}

  private HostSteps(GpuProgram program) {
    this.program = program;
  }

  static Entry entry(GpuProgram program, LoopFun f) {
    var steps = new HostSteps(program);
    var params = f.params().stream().mapToInt(p -> steps.expressions.number(p.reg())).toArray();
    var body = steps.all(f.body());
    var results = f.results().stream().map(steps::result).toList();
    return new Entry(f, steps.expressions.registers(), params, body, results);
  }

  private Result result(LoopFun.Result result) {
    return switch (result) {
      case LoopFun.ScalarResult(var e) -> new Result(expressions.of(e), List.of());
      case LoopFun.ArrayResult(_, _, var address, var dims) ->
          new Result(expressions.of(address), dims.stream().map(expressions::of).toList());
    };
  }

  private Step all(List<Code> code) {
    var steps = new ArrayList<Step>();
    for (int k = 0; k < code.size(); ) {
      int n = together(code, k);
      steps.add(n > 1 ? readTogether(code.subList(k, k + n)) : step(code.get(k)));
      k += n;
    }
    var array = steps.toArray(Step[]::new);
    return host -> {
      for (var s : array) {
        s.run(host);
      }
    };
  }

  private Step step(Code c) {
    return switch (c) {
      case Code.Set(var reg, var e) -> {
        int to = expressions.number(reg);
        var value = expressions.of(e);
        yield host -> host.set(to, host.eval(value));
      }
      case Code.Store(var prim, var base, var index, var value) -> {
        var address = expressions.address(prim, base, index);
        var bits = expressions.of(value);
        yield host -> host.store(prim, host.eval(address), host.eval(bits));
      }
      case Code.AtomicUpdate(var op, var prim, var base, var index, var value) -> {
        var updated = new Expr.Bin(op, new Expr.Load(prim, base, index), value);
        yield step(new Code.Store(prim, base, index, updated));
      }
      case Code.Ensure(var slot, var size) -> {
        int base = expressions.number(slot.base());
        int capacity = expressions.number(slot.capacity());
        var bytes = expressions.of(size);
        yield host -> host.ensure(base, capacity, host.eval(bytes));
      }
      case Code.Free(var slot) -> {
        int base = expressions.number(slot.base());
        yield host -> host.free(base);
      }
      case Code.Swap(var a, var b) -> swap(a, b);
      case Code.CopyBytes(var to, var from, var bytes) -> copy(to, from, bytes);
      case Code.If branch -> branch(branch);
      case Code.For loop -> loop(loop);
      case Code.While loop -> loop(loop);
      case Code.Check check -> check(check);
      case Code.Print(var label, var value) -> {
        var bits = expressions.of(value);
        yield host ->
            System.err.println(label + ": " + new ScalarValue(value.prim(), host.eval(bits)));
      }
      case Code.Gpu(GpuCode.Launch l) -> launch(l);
      case Code.Gpu(GpuCode.Memory(var reg)) -> {
        int to = expressions.number(reg);
        yield host -> host.set(to, host.deviceMemory());
      }
      case Code.Gpu _, Code.Plan _, Code.Parallel _, Code.MatrixProduct _, Code.Call _ ->
          throw new CompilerBug("kernels", "not for the host: " + c);
    };
  }

  private Step swap(Slot a, Slot b) {
    int base = expressions.number(a.base());
    int base2 = expressions.number(b.base());
    int capacity = expressions.number(a.capacity());
    int capacity2 = expressions.number(b.capacity());
    return host -> {
      host.exchange(base, base2);
      host.exchange(capacity, capacity2);
    };
  }

  private Step copy(Expr to, Expr from, Expr bytes) {
    var target = expressions.of(to);
    var source = expressions.of(from);
    var count = expressions.of(bytes);
    return host -> host.copy(host.eval(target), host.eval(source), host.eval(count));
  }

  private Step branch(Code.If c) {
    var condition = expressions.of(c.condition());
    var then = all(c.then());
    var otherwise = all(c.otherwise());
    return host -> (host.holds(condition) ? then : otherwise).run(host);
  }

  private Step loop(Code.For loop) {
    int i = expressions.number(loop.i());
    var bound = expressions.of(loop.bound());
    var body = all(loop.body());
    return host -> {
      long n = host.eval(bound);
      for (long k = 0; k < n; k++) {
        host.set(i, k);
        body.run(host);
        host.nowAndThen(k);
      }
    };
  }

  private Step loop(Code.While loop) {
    var condition = expressions.of(loop.condition());
    var body = all(loop.body());
    return host -> {
      for (long k = 0; host.holds(condition); k++) {
        body.run(host);
        host.nowAndThen(k);
      }
    };
  }

  private Step check(Code.Check c) {
    var condition = expressions.of(c.condition());
    var prims = c.arguments().stream().map(Expr::prim).toList();
    var arguments = evals(c.arguments());
    return host -> {
      if (!host.holds(condition)) {
        host.checkFaults();
        throw HostCode.error(c.fault(), prims, values(host, arguments));
      }
    };
  }

  private Step launch(GpuCode.Launch l) {
    var kernel = program.kernel(l.kernel());
    var blocks = expressions.of(l.blocks());
    var threads = expressions.of(l.threads());
    var shared = expressions.of(l.sharedBytes());
    var arguments = evals(l.arguments());
    return host -> {
      long n = host.eval(blocks);
      var bits = values(host, arguments);
      host.launch(kernel, n, host.eval(threads), host.eval(shared), bits);
    };
  }

  private Eval[] evals(List<Expr> es) {
    return es.stream().map(expressions::of).toArray(Eval[]::new);
  }

  private static long[] values(HostCode host, Eval[] evals) {
    var values = new long[evals.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = host.eval(evals[i]);
    }
    return values;
  }

  // Reads of several elements

  /** Returns the read of an element at a constant place, if the code is one. */
  private static Optional<Expr.Load> element(Code c) {
    return c instanceof Code.Set(_, Expr.Load load)
            && load.base() instanceof Expr.Use
            && load.index() instanceof Expr.Lit
        ? Optional.of(load)
        : Optional.empty();
  }

  /** Returns how many statements from here on read one element each of one array. */
  private static int together(List<Code> code, int from) {
    var base = element(code.get(from)).map(Expr.Load::base);
    int n = 1;
    while (base.isPresent()
        && from + n < code.size()
        && element(code.get(from + n)).map(Expr.Load::base).equals(base)
        && !(code.get(from + n - 1) instanceof Code.Set(var reg, _)
            && Expr.use(reg).equals(base.get()))) {
      n++;
    }
    return n;
  }

  /**
   * An element that is read with others.
   *
   * @param offset from the array's address, in bytes
   */
  private record Element(int to, Prim prim, long offset) {}

  private Element element(Code.Set set) {
    var load = element((Code) set).orElseThrow();
    long index = ((Expr.Lit) load.index()).value().bits();
    return new Element(expressions.number(set.reg()), load.prim(), index * load.prim().byteSize());
  }

  /** Reads the elements together, so that the host waits for the device once. */
  private Step readTogether(List<Code> sets) {
    var base = expressions.of(element(sets.getFirst()).orElseThrow().base());
    var elements = sets.stream().map(c -> element((Code.Set) c)).toList();
    long from = elements.stream().mapToLong(Element::offset).min().orElseThrow();
    long to =
        elements.stream().mapToLong(e -> e.offset() + e.prim().byteSize()).max().orElseThrow();
    return host -> {
      // A whole word is taken at each element, also at the last.
      var values = MemorySegment.ofArray(new long[(int) ((to - from) / 8 + 2)]);
      host.copyOut(values.asSlice(0, to - from), host.eval(base) + from);
      for (var e : elements) {
        long word = values.get(ValueLayout.JAVA_LONG_UNALIGNED, e.offset() - from);
        host.set(e.to(), e.prim().normalise(word));
      }
    };
  }
}
