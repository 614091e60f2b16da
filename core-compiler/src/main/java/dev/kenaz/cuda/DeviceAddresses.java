package dev.kenaz.cuda;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.loopir.Reg;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Tells which addresses of a kernel are surely in device memory: those that nothing makes of an
 * address of shared memory, or of a thread's own. The GPU's compiler can't tell this by itself,
 * because addresses are numbers. It matters most for atomic updates: where the memory may be of
 * another kind, each update waits for an answer, instead of being sent off.
 */
final class DeviceAddresses {
  /** What may hold an address of another kind of memory. */
  private final Set<Reg> others = new HashSet<>();

  private DeviceAddresses() {}

  static DeviceAddresses of(Kernel kernel) {
    var d = new DeviceAddresses();
    kernel.shared().forEach(s -> d.others.add(s.base()));
    kernel.locals().forEach(l -> d.others.add(l.base()));
    kernel.heap().forEach(s -> d.others.add(s.base()));
    int before;
    do {
      before = d.others.size();
      CodeWalk.code(kernel.body(), d::statement, _ -> {});
    } while (d.others.size() > before);
    return d;
  }

  boolean contains(Expr base) {
    return !mayBeOther(base);
  }

  private void statement(Code c) {
    switch (c) {
      case Code.Set(var reg, var e) when mayBeOther(e) -> others.add(reg);
      case Code.Gpu(GpuCode.Shuffle(var to, _, var value, _)) when mayBeOther(value) ->
          others.add(to);
      case Code.Swap(var a, var b) -> {
        if (others.contains(a.base()) || others.contains(b.base())) {
          others.addAll(List.of(a.base(), b.base()));
        }
      }
      default -> {}
    }
  }

  private boolean mayBeOther(Expr e) {
    return e instanceof Expr.Use(var reg)
        ? others.contains(reg)
        : e.operands().stream().anyMatch(this::mayBeOther);
  }
}
