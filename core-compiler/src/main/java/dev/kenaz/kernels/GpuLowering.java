package dev.kenaz.kernels;

import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loops.Lowering;
import dev.kenaz.pass.Pass;
import dev.kenaz.segir.SegProgram;
import java.util.ArrayList;
import java.util.List;

/** Translates seg IR to a GPU program. */
public final class GpuLowering {
  /** Points of an operator that keep a device busy, so that what is inside them need not. */
  public static final long ENOUGH = 1 << 16;

  private GpuLowering() {}

  /**
   * Translates a program.
   *
   * @param enough how many points decide for the wider of two versions
   */
  public static Pass<SegProgram, GpuProgram> pass(long enough) {
    return Pass.of("kernels", "seg IR to host code and kernels", p -> program(p, enough));
  }

  private static GpuProgram program(SegProgram program, long enough) {
    var kernels = new Kernels();
    var functions = new ArrayList<LoopFun>();
    for (var f : program.functions()) {
      kernels.startEntry(f.entry().name());
      var alone = new SegProgram(List.of(f), List.of());
      var loops =
          Lowering.program(alone, l -> new GpuTarget(l, kernels, enough)).functions().getFirst();
      functions.add(HostPass.function(loops, kernels));
    }
    return new GpuProgram(functions, kernels.kernels(), kernels.faults());
  }
}
