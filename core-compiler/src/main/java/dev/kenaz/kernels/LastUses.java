package dev.kenaz.kernels;

import dev.kenaz.loopir.Addresses;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuEntries;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.LoopFun.ArrayResult;
import dev.kenaz.loopir.LoopFun.ScalarResult;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Slot;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Frees device memory early: a slot is freed after the last statement of the function's outermost
 * block that mentions it or a register that may hold an address within it. Slots that may exchange
 * buffers go together.
 */
final class LastUses {
  /** A register is mapped to those whose values may have been computed from its value. */
  private final Map<Reg, Set<Reg>> derived = new HashMap<>();

  private LastUses() {}

  /** Adds the statements that free slots. What an address is made of, a kernel may have found. */
  static GpuEntries.Entry entry(GpuEntries.Entry e) {
    var u = new LastUses();
    e.kernels().forEach(k -> CodeWalk.code(k.body(), u::statement, _ -> {}));
    CodeWalk.code(e.host().body(), u::statement, _ -> {});
    return new GpuEntries.Entry(e.prefix(), e.host().with(u.free(e.host())), e.kernels());
  }

  private List<Code> free(LoopFun f) {
    var slots = Registers.of(f.body()).slots();
    var kept = new HashSet<Reg>();
    for (var r : f.results()) {
      switch (r) {
        case ScalarResult(var e) -> kept.addAll(used(e));
        case ArrayResult(_, var slot, var address, var dims) -> {
          kept.add(slot.base());
          kept.addAll(used(address));
          dims.forEach(d -> kept.addAll(used(d)));
        }
      }
    }
    var mentioned = f.body().stream().map(LastUses::mentioned).toList();
    var after = new HashMap<Integer, List<Slot>>();
    for (var slot : slots) {
      var all = closure(slot.base());
      if (all.stream().anyMatch(kept::contains)) {
        continue;
      }
      for (int k = mentioned.size() - 1; k >= 0; k--) {
        if (mentioned.get(k).stream().anyMatch(all::contains)) {
          after.computeIfAbsent(k, _ -> new ArrayList<>()).add(slot);
          break;
        }
      }
    }
    var code = new ArrayList<Code>();
    for (int k = 0; k < f.body().size(); k++) {
      code.add(f.body().get(k));
      after.getOrDefault(k, List.of()).forEach(s -> code.add(new Code.Free(s)));
    }
    return code;
  }

  private static Set<Reg> mentioned(Code c) {
    var r = Registers.of(List.of(c));
    var all = new HashSet<>(r.assigned());
    all.addAll(r.read());
    return all;
  }

  private static Set<Reg> used(Expr e) {
    var regs = new HashSet<Reg>();
    CodeWalk.expr(
        e,
        x -> {
          if (x instanceof Expr.Use(var reg)) {
            regs.add(reg);
          }
        });
    return regs;
  }

  private void statement(Code c) {
    switch (c) {
      case Code.Set(var reg, var e) when reg.prim() == Prim.I64 ->
          Addresses.madeOf(e, source -> edge(source, reg));
      case Code.Swap(var a, var b) -> {
        edge(a.base(), b.base());
        edge(b.base(), a.base());
      }
      default -> {}
    }
  }

  private void edge(Reg from, Reg to) {
    derived.computeIfAbsent(from, _ -> new HashSet<>()).add(to);
  }

  private Set<Reg> closure(Reg reg) {
    var all = new HashSet<Reg>();
    var open = new ArrayList<Reg>();
    open.add(reg);
    while (!open.isEmpty()) {
      var next = open.removeLast();
      if (all.add(next)) {
        open.addAll(derived.getOrDefault(next, Set.of()));
      }
    }
    return all;
  }
}
