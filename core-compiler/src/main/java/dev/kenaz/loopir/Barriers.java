package dev.kenaz.loopir;

import static dev.kenaz.ir.IllFormed.require;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which of a kernel's registers may differ between the threads of a block, and whether a barrier
 * stands where control depends on one.
 *
 * <p>A register differs if a value is set that was made of the thread's number, of its own memory,
 * of what other threads may have changed meanwhile, or of another such register; or if it is set
 * where only some of the threads come. Whether something has failed is taken for the same in all
 * threads: code that goes by it asks between two barriers.
 */
final class Barriers {
  private final Kernel kernel;
  private final Set<Reg> differing = new HashSet<>();

  Barriers(Kernel kernel) {
    this.kernel = kernel;
  }

  void check() {
    differing.add(kernel.grid().thread());
    kernel.locals().forEach(l -> differing.add(l.base()));
    kernel.heap().forEach(s -> differing.addAll(List.of(s.base(), s.capacity())));
    block(kernel.body(), false, true);
  }

  private boolean differs(Expr e) {
    return e instanceof Expr.Use(var reg) && differing.contains(reg)
        || e.operands().stream().anyMatch(this::differs);
  }

  private void set(Reg reg, boolean differs) {
    if (differs) {
      differing.add(reg);
    } else {
      differing.remove(reg);
    }
  }

  /** A body that may run again after itself, or not at all. */
  private void loop(Runnable body, Runnable judged) {
    int before;
    do {
      before = differing.size();
      optional(body);
    } while (differing.size() > before);
    optional(judged);
  }

  private void optional(Runnable code) {
    var before = Set.copyOf(differing);
    code.run();
    differing.addAll(before);
  }

  /**
   * @param some whether only some threads come here
   * @param judge whether barriers are looked at
   */
  private void block(List<Code> code, boolean some, boolean judge) {
    for (var c : code) {
      switch (c) {
        case Code.Set(var reg, var e) -> set(reg, some || differs(e));
        case Code.If(var condition, var then, var otherwise) -> {
          boolean part = some || differs(condition);
          var before = Set.copyOf(differing);
          block(then, part, judge);
          var after = Set.copyOf(differing);
          differing.clear();
          differing.addAll(before);
          block(otherwise, part, judge);
          differing.addAll(after);
        }
        case Code.For(var i, var bound, var body, _, _) -> {
          boolean part = some || differs(bound);
          set(i, part);
          loop(() -> block(body, part, false), () -> block(body, part, judge));
        }
        case Code.While(var condition, var body) ->
            loop(
                () -> block(body, some || differs(condition), false),
                () -> block(body, some || differs(condition), judge));
        case Code.Swap(var a, var b) -> {
          boolean differ = some || differing.contains(a.base()) || differing.contains(b.base());
          List.of(a.base(), a.capacity(), b.base(), b.capacity()).forEach(r -> set(r, differ));
        }
        case Code.Gpu(GpuCode.Barrier _) ->
            require(!judge || !some, "a barrier where only some threads may come");
        case Code.Gpu(GpuCode.Attempt(var body)) -> block(body, true, judge);
        case Code.Gpu(GpuCode.Locked(_, _, var body)) -> block(body, true, judge);
        case Code.Gpu(GpuCode.Failed(var to)) -> set(to, some);
        case Code.Gpu(var g) -> g.sets().forEach(differing::add);
        default -> {}
      }
    }
  }
}
