package dev.kenaz.loopir;

import static dev.kenaz.ir.IllFormed.require;

import dev.kenaz.ir.IllFormed;
import dev.kenaz.loopir.GpuProgram.Site;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Checks a kernel. All threads of a block come to a barrier or none does: none is inside of an
 * {@link GpuCode.Attempt} or a lock, nor where control depends on what differs from thread to
 * thread.
 */
record KernelVerifier(Kernel kernel, List<Site> faults, boolean checks)
    implements FrameVerifier.Machine {
  private static final Set<Prim> FETCHED =
      Set.of(Prim.I32, Prim.I64, Prim.U32, Prim.U64, Prim.F32, Prim.F64);

  /**
   * @param faults that the kernel's guards may report
   * @param checks whether it may have checks, which are no guards yet
   */
  static void check(Kernel k, List<Site> faults, boolean checks) {
    var constant = new ArrayList<Reg>();
    var g = k.grid();
    constant.addAll(List.of(g.thread(), g.block(), g.threads(), g.blocks()));
    k.shared().forEach(s -> constant.add(s.base()));
    k.locals().forEach(l -> constant.add(l.base()));
    k.heap().forEach(s -> constant.addAll(List.of(s.base(), s.capacity())));
    var set = new ArrayList<>(constant);
    k.params().forEach(p -> set.add(p.reg()));
    require(new HashSet<>(set).size() == set.size(), "two parameters in one register");
    long open = k.shared().stream().filter(s -> s.count() == 0).count();
    require(open <= 1, "two shared arrays of sizes that the launch says");
    FrameVerifier.kernel(new KernelVerifier(k, faults, checks), set, constant, k.body());
    new Barriers(k).check();
  }

  @Override
  public void statement(Code c) {
    switch (c) {
      case Code.Check _ -> require(checks, "a check that is no guard");
      case Code.Plan _,
          Code.Parallel _,
          Code.MatrixProduct _,
          Code.Call _,
          Code.Gpu(GpuCode.Launch _) ->
          throw new IllFormed("a statement that kernels don't have");
      case Code.Ensure(var slot, _) -> onHeap(slot);
      case Code.Free(var slot) -> onHeap(slot);
      case Code.Swap(var a, var b) ->
          require(kernel.heap().contains(a) == kernel.heap().contains(b), "a swap of unlike slots");
      default -> {}
    }
  }

  private void onHeap(Slot slot) {
    require(kernel.heap().contains(slot), slot.base() + " isn't on the device's heap");
  }

  @Override
  public LoopProgram.Callee callee(String name) {
    throw new IllFormed("a call in a kernel");
  }

  @Override
  public void gpu(GpuCode g) {
    switch (g) {
      case GpuCode.ReadShared(var to, var prim, var base, var index) -> {
        ExprRules.words(List.of(base, index), "an address");
        same(to, prim);
      }
      case GpuCode.WriteShared(var prim, var base, var index, var value) -> {
        ExprRules.words(List.of(base, index), "an address");
        ExprRules.agree(prim, value, "the stored value");
      }
      case GpuCode.Fetch(var old, var op, var prim, var base, var index, var value) -> {
        ExprRules.words(List.of(base, index), "an address");
        require(FETCHED.contains(prim) && op.takes(prim), op + " of " + prim.text());
        ExprRules.agree(prim, value, "the operand");
        same(old, prim);
      }
      case GpuCode.Locked(var base, var index, _) ->
          ExprRules.words(List.of(base, index), "an address");
      case GpuCode.Shuffle(var to, _, var value, var lane) -> {
        require(lane.prim().isInteger(), "the lane is no integer");
        same(to, value.prim());
      }
      case GpuCode.Ballot(var to, var condition) -> {
        ExprRules.condition(condition);
        same(to, Prim.U32);
      }
      case GpuCode.MultiplyTile(var sums, var left, var right) -> {
        require(sums.size() == 4 && Set.copyOf(sums).size() == 4, "not four sums of a lane");
        require(
            !right.isEmpty() && left.size() == 2 * right.size(),
            "not twice as many elements on the left as on the right");
        sums.forEach(s -> same(s, Prim.F64));
        left.forEach(e -> ExprRules.agree(Prim.F64, e, "an element on the left"));
        right.forEach(e -> ExprRules.agree(Prim.F64, e, "an element on the right"));
      }
      case GpuCode.Guard(var condition, var site, var arguments) -> {
        ExprRules.condition(condition);
        require(site >= 0 && site < faults.size(), "there is no fault " + site);
        require(
            arguments.stream().map(Expr::prim).toList().equals(faults.get(site).arguments()),
            "arguments of other types than the fault " + site + " has");
      }
      case GpuCode.Failed(var to) -> same(to, Prim.BOOL);
      case GpuCode.Memory _ -> require(false, "a kernel asks for the device's memory");
      case GpuCode.Launch _, GpuCode.Barrier _, GpuCode.Fence _, GpuCode.Attempt _ -> {}
    }
  }

  private static void same(Reg to, Prim prim) {
    require(to.prim() == prim, to + " is no " + prim.text());
  }
}
