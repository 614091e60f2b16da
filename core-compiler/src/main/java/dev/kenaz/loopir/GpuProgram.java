package dev.kenaz.loopir;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.value.Prim;
import java.util.List;

/**
 * This is a program for a GPU.
 *
 * @param functions the entries' host code. Addresses in it, slots included, are device memory:
 *     {@code Load} reads a scalar back, {@code Store} writes one, {@code CopyBytes} copies on the
 *     device. There is no {@code Plan} or {@code Parallel}; parallel work is {@code
 *     GpuCode.Launch}.
 * @param kernels of all entries
 * @param faults what can go wrong in kernels
 */
public record GpuProgram(List<LoopFun> functions, List<Kernel> kernels, List<Site> faults) {
  public GpuProgram {
    functions = List.copyOf(functions);
    kernels = List.copyOf(kernels);
    faults = List.copyOf(faults);
  }

  /** A fault, and the types of its arguments. */
  public record Site(Fault fault, List<Prim> arguments) {
    public Site {
      arguments = List.copyOf(arguments);
    }
  }

  public Kernel kernel(String name) {
    return kernels.stream()
        .filter(k -> k.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new CompilerBug("kernels", "there is no kernel " + name));
  }
}
