package dev.kenaz.cuda;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.loopir.Reg;
import dev.kenaz.value.Prim;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds what each of a kernel's pointer parameters points to, where that is one type throughout.
 */
final class PointerTypes {
  private final Map<Reg, Set<Prim>> found = new HashMap<>();

  static Map<Reg, Prim> of(Kernel kernel) {
    var t = new PointerTypes();
    t.code(kernel.body());
    var types = new HashMap<Reg, Prim>();
    for (var p : kernel.params()) {
      var prims = t.found.getOrDefault(p.reg(), Set.of());
      if (p.pointer() && prims.size() == 1) {
        types.put(p.reg(), prims.iterator().next());
      }
    }
    return types;
  }

  private void code(List<Code> code) {
    CodeWalk.code(
        code,
        c -> {
          switch (c) {
            case Code.Store(var prim, var base, _, _) -> base(prim, base);
            case Code.AtomicUpdate(_, var prim, var base, _, _) -> base(prim, base);
            case Code.Gpu(GpuCode.ReadShared(_, var prim, var base, _)) -> base(prim, base);
            case Code.Gpu(GpuCode.WriteShared(var prim, var base, _, _)) -> base(prim, base);
            case Code.Gpu(GpuCode.Fetch(_, _, var prim, var base, _, _)) -> base(prim, base);
            case Code.Gpu(GpuCode.Locked(var base, _, _)) -> base(Prim.I32, base);
            default -> {}
          }
        },
        e -> {
          if (e instanceof Expr.Load(var prim, var base, _)) {
            base(prim, base);
          }
        });
  }

  private void base(Prim prim, Expr base) {
    if (base instanceof Expr.Use(var reg)) {
      found.computeIfAbsent(reg, _ -> new HashSet<>()).add(prim);
    }
  }
}
