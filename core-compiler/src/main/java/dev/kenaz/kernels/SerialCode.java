package dev.kenaz.kernels;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Slot;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds which of the host's code one thread of the device could run. */
final class SerialCode {
  /** A thread copies up to this many bytes as soon as the host has asked for a copy. */
  private static final long FEW_BYTES = 512;

  private final Map<Reg, Integer> mentions;
  private final Set<Slot> swapped = new HashSet<>();

  /**
   * Starts with the code of a function.
   *
   * @param mentions how often each register is read or set
   */
  SerialCode(List<Code> code, Map<Reg, Integer> mentions) {
    this.mentions = mentions;
    CodeWalk.code(
        code,
        c -> {
          if (c instanceof Code.Swap(var a, var b)) {
            swapped.addAll(List.of(a, b));
          }
        },
        _ -> {});
  }

  /** Whether the statement is a loop with accesses to memory that one thread can run. */
  boolean oneThread(Code c) {
    if (!(c instanceof Code.For || c instanceof Code.While)) {
      return false;
    }
    var accesses = new boolean[1];
    var unsuitable = new boolean[1];
    var slots = new HashSet<Slot>();
    CodeWalk.code(
        List.of(c),
        x -> {
          switch (x) {
            case Code.Store _, Code.AtomicUpdate _ -> accesses[0] = true;
            case Code.Parallel _,
                Code.Plan _,
                Code.Gpu _,
                Code.Print _,
                Code.CopyBytes _,
                Code.Call _ ->
                unsuitable[0] = true;
            case Code.Ensure(var slot, _) -> slots.add(slot);
            case Code.Free(var slot) -> slots.add(slot);
            case Code.Swap(var a, var b) -> slots.addAll(List.of(a, b));
            default -> {}
          }
        },
        e -> accesses[0] |= e instanceof Expr.Load);
    return accesses[0] && !unsuitable[0] && slots.stream().allMatch(s -> inside(s.base(), c));
  }

  /** Whether nothing else mentions the register. */
  private boolean inside(Reg reg, Code c) {
    var here = new HashMap<Reg, Integer>();
    HostPass.count(List.of(c), here);
    return here.getOrDefault(reg, 0).equals(mentions.getOrDefault(reg, 0));
  }

  /**
   * Whether a thread can run the branch, except for memory of constant size, which comes before.
   */
  boolean absorbs(Code.If branch) {
    return branch.then().stream().allMatch(this::within)
        && branch.otherwise().stream().allMatch(this::within);
  }

  private boolean within(Code c) {
    return switch (c) {
      case Code.Set _, Code.Store _, Code.AtomicUpdate _, Code.Check _ -> true;
      case Code.Ensure(var slot, var bytes) -> bytes instanceof Expr.Lit && !swapped.contains(slot);
      case Code.CopyBytes copy -> small(copy);
      case Code.If i -> absorbs(i);
      case Code.For _, Code.While _ -> oneThread(c);
      default -> false;
    };
  }

  /** Whether a thread may as well copy so little. */
  static boolean small(Code.CopyBytes copy) {
    return copy.bytes() instanceof Expr.Lit(var n) && n.bits() <= FEW_BYTES;
  }

  /** Whether code changes something that other code uses, or uses what it changes. */
  static boolean conflict(Registers a, Registers b) {
    return b.assigned().stream().anyMatch(a::mentions)
        || a.assigned().stream().anyMatch(b::mentions);
  }
}
