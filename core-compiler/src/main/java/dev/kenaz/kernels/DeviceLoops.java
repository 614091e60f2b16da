package dev.kenaz.kernels;

import dev.kenaz.ir.CompareOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.GpuEntries;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loops.Scope;
import java.util.ArrayList;
import java.util.List;

/**
 * Moves loops to the device. A loop of the host whose every iteration launches kernels that are too
 * small to keep a device busy becomes one kernel of one block, in which the threads do one after
 * the other what each of the kernels does, and wait for each other in between: a launch takes as
 * long as thousands of operations. Whether the kernels are small is known when the loop begins; if
 * they aren't, it runs as before.
 *
 * <p>The host then repeats what else it did in the loop, so that it knows where arrays are, or the
 * device tells it, if that depends on what the loop computes.
 */
record DeviceLoops(LoopFun function, Kernels kernels) {
  /** One block may as well do the work of this many blocks of a kernel, one after the other. */
  static final long MOST_BLOCKS = 2;

  static GpuEntries.Entry entry(GpuEntries.Entry e) {
    var kernels = new Kernels(e.prefix(), e.kernels());
    var pass = new DeviceLoops(e.host(), kernels);
    return kernels.entry(e.host().with(pass.code(e.host().body())));
  }

  private List<Code> code(List<Code> code) {
    var all = new ArrayList<Code>();
    for (var c : code) {
      switch (c) {
        case Code.For f -> all.addAll(loop(f, f.body()));
        case Code.While w -> all.addAll(loop(w, w.body()));
        default -> all.add(CodeWalk.withInner(c, this::code));
      }
    }
    return all;
  }

  private List<Code> loop(Code loop, List<Code> body) {
    if (!launches(body)) {
      return List.of(loop);
    }
    var facts = HostLoop.of(loop, HostPass.mentions(function));
    var kernel = facts.flatMap(f -> LoopKernel.of(f, kernels));
    if (kernel.isEmpty()) {
      return List.of(CodeWalk.withInner(loop, this::code));
    }
    var then = new ArrayList<Code>();
    Expr small = Expr.bool(true);
    for (var blocks : kernel.get().blocks()) {
      small = Scope.and(small, new Expr.Cmp(CompareOp.LE, blocks, Expr.i64(MOST_BLOCKS)));
    }
    for (var memory : facts.get().memory().entrySet()) {
      var slot = memory.getKey();
      // a slot that grows loses its contents
      var empty = Scope.equal(Expr.use(slot.base()), Expr.i64(0));
      var room = new Expr.Cmp(CompareOp.LE, memory.getValue(), Expr.use(slot.capacity()));
      small = Scope.and(small, Cooperation.or(empty, room));
      then.add(new Code.Ensure(slot, memory.getValue()));
    }
    then.addAll(kernel.get().before());
    then.add(kernel.get().launch());
    then.addAll(kernel.get().after());
    then.addAll(facts.get().shadow());
    return List.of(new Code.If(small, then, List.of(loop)));
  }

  private static boolean launches(List<Code> code) {
    var found = new boolean[1];
    CodeWalk.code(code, c -> found[0] |= c instanceof Code.Gpu(GpuCode.Launch _), _ -> {});
    return found[0];
  }
}
