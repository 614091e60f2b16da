package dev.kenaz.kernels;

import dev.kenaz.flatten.SegProgram;
import dev.kenaz.loops.Lowering;

/** Translates seg IR to a GPU program. */
public final class GpuLowering {
  private GpuLowering() {}

  public static GpuProgram program(SegProgram program) {
    var kernels = new Kernels();
    var functions =
        Lowering.program(program, false).functions().stream()
            .map(f -> HostPass.function(f, kernels))
            .toList();
    return new GpuProgram(functions, kernels.kernels(), kernels.faults());
  }
}
