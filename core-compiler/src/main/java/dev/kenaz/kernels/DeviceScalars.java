package dev.kenaz.kernels;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Slot;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Chooses registers of the host's code that live in device memory: those computed from elements of
 * arrays, for which the host itself has no use, as it decides nothing by them. Kernels read them
 * where they lie, so that the host need not wait for them.
 */
final class DeviceScalars {
  private static final long CELL = 8;

  private final SerialCode serial;
  private final Slot slot = Slot.fresh("scalars");
  private final Map<Reg, Integer> cells = new LinkedHashMap<>();
  private final Set<Reg> wanted = new HashSet<>();

  /**
   * The registers are in the order of the code, so that the same program always gets the same
   * cells.
   */
  private final Set<Reg> computed = new LinkedHashSet<>();

  private final Map<Reg, List<Expr>> sets = new HashMap<>();

  private DeviceScalars(SerialCode serial) {
    this.serial = serial;
  }

  static DeviceScalars of(LoopFun f, SerialCode serial) {
    var h = new DeviceScalars(serial);
    CodeWalk.code(f.body(), h::collect, _ -> {});
    h.hostUses(f.body());
    h.results(f);
    h.addresses(f);
    h.computed(f.body());
    h.computed.stream().filter(r -> !h.wanted.contains(r)).forEach(h::home);
    return h;
  }

  private void home(Reg reg) {
    cells.put(reg, cells.size());
  }

  /** Forgets a register that is used in one stretch of the host's code alone. */
  void drop(Reg reg) {
    cells.remove(reg);
  }

  boolean has(Reg reg) {
    return cells.containsKey(reg);
  }

  private long index(Reg reg) {
    return cells.get(reg) * CELL / reg.prim().byteSize();
  }

  /** Reads the register's value where it lies. */
  Expr load(Reg reg) {
    return new Expr.Load(reg.prim(), Expr.use(slot.base()), Expr.i64(index(reg)));
  }

  Code store(Reg reg, Expr value) {
    return new Code.Store(reg.prim(), Expr.use(slot.base()), Expr.i64(index(reg)), value);
  }

  /** Returns the code that comes before everything else. */
  List<Code> prologue() {
    return cells.isEmpty()
        ? List.of()
        : List.of(new Code.Ensure(slot, Expr.i64(CELL * (Collections.max(cells.values()) + 1))));
  }

  // What the host must know

  private void collect(Code c) {
    if (c instanceof Code.Set(var reg, var e)) {
      sets.computeIfAbsent(reg, _ -> new ArrayList<>()).add(e);
    }
  }

  private void want(Expr e) {
    uses(e, wanted::add);
  }

  private static void uses(Expr e, Consumer<Reg> action) {
    CodeWalk.expr(
        e,
        x -> {
          if (x instanceof Expr.Use(var reg)) {
            action.accept(reg);
          }
        });
  }

  private void hostUses(List<Code> code) {
    code.forEach(this::hostUses);
  }

  private void hostUses(Code c) {
    if (serial.oneThread(c)) {
      sizes(List.of(c));
      return;
    }
    switch (c) {
      case Code.Set _, Code.Store _, Code.AtomicUpdate _, Code.Check _ -> {}
      case Code.If i when serial.absorbs(i) -> {}
      case Code.If(var condition, var then, var otherwise) -> {
        want(condition);
        hostUses(then);
        hostUses(otherwise);
      }
      case Code.For f -> {
        want(f.bound());
        wanted.add(f.i());
        hostUses(f.body());
      }
      case Code.While(var condition, var body) -> {
        want(condition);
        hostUses(body);
      }
      case Code.Gpu(GpuCode.Launch l) -> {
        List.of(l.blocks(), l.threads(), l.sharedBytes()).forEach(this::want);
        l.arguments().stream().filter(a -> !(a instanceof Expr.Use)).forEach(this::want);
      }
      case Code.Parallel p -> {
        List.of(p.extent(), p.work(), p.chunks()).forEach(this::want);
        sizes(p.body());
      }
      case Code.Plan p -> {
        wanted.add(p.chunks());
        CodeWalk.operands(p).forEach(this::want);
      }
      case Code.CopyBytes copy -> want(copy.bytes());
      case Code.Ensure _,
          Code.Free _,
          Code.Swap _,
          Code.MatrixProduct _,
          Code.Call _,
          Code.Print _,
          Code.Gpu _ ->
          CodeWalk.operands(c).forEach(this::want);
    }
  }

  /** Notes what the sizes of threads' memory may be computed from, which the host does. */
  private void sizes(List<Code> kernel) {
    var found = new boolean[1];
    CodeWalk.code(kernel, c -> found[0] |= c instanceof Code.Ensure, _ -> {});
    if (found[0]) {
      var all = Registers.of(kernel);
      all.read().stream().filter(r -> r.prim() == Prim.I64).forEach(wanted::add);
    }
  }

  /**
   * Notes results that the code's end computes, after all kernels: they are read when they are
   * computed.
   */
  private void results(LoopFun f) {
    int tail = f.body().size();
    while (tail > 0 && !launches(f.body().get(tail - 1))) {
      tail--;
    }
    var last = Registers.of(f.body().subList(tail, f.body().size())).assigned();
    var before = Registers.of(f.body().subList(0, tail)).assigned();
    for (var r : f.results()) {
      switch (r) {
        case LoopFun.ScalarResult(var e) ->
            uses(
                e,
                reg -> {
                  if (last.contains(reg) && !before.contains(reg)) {
                    wanted.add(reg);
                  }
                });
        case LoopFun.ArrayResult(_, _, var address, var dims) -> {
          want(address);
          dims.forEach(this::want);
        }
      }
    }
  }

  private static boolean launches(Code c) {
    var found = new boolean[1];
    CodeWalk.code(
        List.of(c),
        x ->
            found[0] |=
                x instanceof Code.Gpu
                    || x instanceof Code.Parallel
                    || x instanceof Code.For
                    || x instanceof Code.While,
        _ -> {});
    return found[0];
  }

  /** Keeps addresses with the host, which frees what they point to. */
  private void addresses(LoopFun f) {
    var known = new HashSet<Reg>();
    Registers.of(f.body()).slots().forEach(s -> known.addAll(List.of(s.base(), s.capacity())));
    f.params().stream().filter(p -> !p.dims().isEmpty()).forEach(p -> known.add(p.reg()));
    for (boolean more = true; more; ) {
      more = false;
      for (var e : sets.entrySet()) {
        boolean address =
            e.getKey().prim() == Prim.I64
                && !known.contains(e.getKey())
                && e.getValue().stream().anyMatch(x -> mentions(x, known));
        if (address) {
          more |= known.add(e.getKey());
        }
      }
    }
    wanted.addAll(known);
  }

  /** Whether the expression mentions one of the registers, except in what is loaded. */
  private static boolean mentions(Expr e, Set<Reg> regs) {
    return switch (e) {
      case Expr.Use(var reg) -> regs.contains(reg);
      case Expr.Bin(_, var x, var y) -> mentions(x, regs) || mentions(y, regs);
      case Expr.Select(_, var x, var y) -> mentions(x, regs) || mentions(y, regs);
      case Expr.Size(var x, var y) -> mentions(x, regs) || mentions(y, regs);
      case Expr.Lit _, Expr.Un _, Expr.Cmp _, Expr.MulAdd _, Expr.Conv _, Expr.Load _ -> false;
    };
  }

  // What is computed from elements

  private void computed(List<Code> code) {
    for (int before = -1; before != computed.size(); ) {
      before = computed.size();
      code.forEach(this::computed);
    }
  }

  private void computed(Code c) {
    switch (c) {
      case Code.Set(var reg, var e) -> {
        if (onDevice(e)) {
          computed.add(reg);
        }
      }
      case Code.If _, Code.For _, Code.While _ -> {
        if (works(c)) {
          computed.addAll(Registers.of(List.of(c)).assigned());
        } else {
          CodeWalk.inner(c).forEach(b -> b.forEach(this::computed));
        }
      }
      default -> {}
    }
  }

  private boolean onDevice(Expr e) {
    var found = new boolean[1];
    CodeWalk.expr(
        e,
        x ->
            found[0] |=
                x instanceof Expr.Load
                    || x instanceof Expr.Use(var r) && computed.contains(r) && !wanted.contains(r));
    return found[0];
  }

  /** Whether the statement is for a thread of the device: it accesses memory, or such scalars. */
  boolean works(Code c) {
    return switch (c) {
      case Code.Set(var reg, var e) -> has(reg) || onDevice(e);
      case Code.Store _, Code.AtomicUpdate _ -> true;
      case Code.Check(var condition, _, var arguments) ->
          onDevice(condition) || arguments.stream().anyMatch(this::onDevice);
      case Code.If i ->
          serial.absorbs(i)
              && (onDevice(i.condition())
                  || i.then().stream().anyMatch(this::works)
                  || i.otherwise().stream().anyMatch(this::works));
      case Code.For _, Code.While _ -> serial.oneThread(c);
      default -> false;
    };
  }

  /** Whether the host doesn't know what to copy to where. */
  boolean somewhere(Code.CopyBytes copy) {
    return onDevice(copy.to()) || onDevice(copy.from());
  }

  // Rewriting

  /** Returns the host's code, with such registers read where they live. */
  List<Code> rewrite(List<Code> code, Kernels kernels) {
    return code.stream().map(c -> rewrite(c, kernels)).toList();
  }

  private Code rewrite(Code c, Kernels kernels) {
    return switch (c) {
      case Code.Set(var reg, var e) -> has(reg) ? store(reg, read(e)) : new Code.Set(reg, read(e));
      case Code.Store(var prim, var base, var index, var value) ->
          new Code.Store(prim, read(base), read(index), read(value));
      case Code.AtomicUpdate(var op, var prim, var base, var index, var value) ->
          new Code.AtomicUpdate(op, prim, read(base), read(index), read(value));
      case Code.If(var condition, var then, var otherwise) ->
          new Code.If(read(condition), rewrite(then, kernels), rewrite(otherwise, kernels));
      case Code.For(var i, var bound, var body, var independent, var reductions) ->
          new Code.For(i, read(bound), rewrite(body, kernels), independent, reductions);
      case Code.While(var condition, var body) ->
          new Code.While(read(condition), rewrite(body, kernels));
      case Code.Check(var condition, var fault, var arguments) ->
          new Code.Check(read(condition), fault, arguments.stream().map(this::read).toList());
      case Code.Print(var label, var value) -> new Code.Print(label, read(value));
      case Code.Gpu(GpuCode.Launch l) -> new Code.Gpu(launch(l, kernels));
      case Code.Ensure _,
          Code.Free _,
          Code.Swap _,
          Code.CopyBytes _,
          Code.MatrixProduct _,
          Code.Call _,
          Code.Plan _,
          Code.Parallel _,
          Code.Gpu _ ->
          c;
    };
  }

  private GpuCode.Launch launch(GpuCode.Launch l, Kernels kernels) {
    var kept = new ArrayList<Expr>();
    var homes = new LinkedHashMap<Reg, Expr>();
    for (var a : l.arguments()) {
      if (a instanceof Expr.Use(var reg) && has(reg)) {
        homes.put(reg, load(reg));
      } else {
        kept.add(a);
      }
    }
    if (homes.isEmpty()) {
      return l;
    }
    if (kernels.reading(l.kernel(), homes, slot.base())) {
      kept.add(Expr.use(slot.base()));
    }
    return new GpuCode.Launch(l.kernel(), l.blocks(), l.threads(), l.sharedBytes(), kept);
  }

  Expr read(Expr e) {
    return e instanceof Expr.Use(var reg) && has(reg) ? load(reg) : e.map(this::read);
  }
}
