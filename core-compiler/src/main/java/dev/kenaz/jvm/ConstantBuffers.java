package dev.kenaz.jvm;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Slot;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The buffers of a frame whose sizes are known and small. They are parts of one block, which the
 * frame makes at its start, and of which its regions are handed the addresses. A task that runs for
 * a few points, or a region that a loop calls, would take longer to make and free each of them than
 * to do what they are for.
 *
 * @param places where each begins in the block, in bytes
 * @param bytes of the block
 */
record ConstantBuffers(Map<Slot, Long> places, long bytes) {
  static final ConstantBuffers NONE = new ConstantBuffers(Map.of(), 0);

  private static final long SMALL = 1 << 14;

  /** All of them together. */
  private static final long ALL = 1 << 18;

  private static final long ALIGNMENT = 64;

  /** Finds those of some code, which has these slots of its own. */
  static ConstantBuffers of(List<Code> code, List<Slot> own) {
    var sizes = new LinkedHashMap<Slot, Long>();
    var others = new HashSet<Slot>();
    collect(code, sizes, others);
    sizes.keySet().removeAll(others);
    sizes.keySet().retainAll(own);
    long end = 0;
    for (var e : sizes.entrySet()) {
      long size = e.getValue();
      e.setValue(end);
      end += (Math.max(size, 1) + ALIGNMENT - 1) & -ALIGNMENT;
    }
    return end > ALL ? NONE : new ConstantBuffers(sizes, end);
  }

  private static void collect(List<Code> code, Map<Slot, Long> sizes, Set<Slot> others) {
    for (var c : code) {
      switch (c) {
        case Code.Ensure(var slot, Expr.Lit(var bytes)) when bytes.bits() <= SMALL ->
            sizes.merge(slot, bytes.bits(), Math::max);
        case Code.Ensure(var slot, _) -> others.add(slot);
        case Code.Free(var slot) -> others.add(slot);
        case Code.Swap(var a, var b) -> others.addAll(List.of(a, b));
        case Code.Call call -> others.addAll(call.slots());
        // a frame of its own
        case Code.Parallel _ -> {}
        default -> CodeWalk.inner(c).forEach(body -> collect(body, sizes, others));
      }
    }
  }
}
