package dev.kenaz.kernels;

import dev.kenaz.loopir.GpuEntries;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.loops.Lowering;
import dev.kenaz.pass.Pass;
import dev.kenaz.segir.SegProgram;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/** The passes from seg IR to a GPU program. */
public final class GpuLowering {
  /** Points of an operator that keep a device busy, so that what is inside them need not. */
  public static final long ENOUGH = 1 << 16;

  /** See {@link HostPass}. */
  public static final Pass<GpuEntries, GpuEntries> HOST_KERNELS =
      Pass.of(
          "host-kernels",
          "Makes kernels of what is left of work on arrays in the host's code.",
          p -> p.map(HostPass::entry).withoutParallel());

  /** See {@link DeviceLoops}. */
  public static final Pass<GpuEntries, GpuEntries> DEVICE_LOOPS =
      Pass.of(
          "device-loops",
          "Makes one kernel of a loop that launches small kernels.",
          p -> p.map(DeviceLoops::entry));

  /** See {@link LastUses}. */
  public static final Pass<GpuEntries, GpuEntries> LAST_USES =
      Pass.of("last-uses", "Frees device memory after its last use.", p -> p.map(LastUses::entry));

  /** See {@link Guards}. */
  public static final Pass<GpuEntries, GpuProgram> GUARDS =
      Pass.of("guards", "Numbers what can fail in the kernels of all entries.", Guards::program);

  private GpuLowering() {}

  /**
   * Translates a program; the host's code has parallel loops left.
   *
   * @param enough how many points decide for the wider of two versions
   * @param deterministic whether results are the same whatever the order of blocks
   */
  public static Pass<SegProgram, GpuEntries> kernels(long enough, boolean deterministic) {
    return Pass.of(
        "kernels",
        "Translates seg IR to kernels, and to host code that launches them.",
        p -> program(p, enough, deterministic));
  }

  private static GpuEntries program(SegProgram program, long enough, boolean deterministic) {
    var entries = new ArrayList<GpuEntries.Entry>();
    var prefixes = new HashSet<String>();
    for (var f : program.functions()) {
      var name = f.entry().name().replaceAll("[^A-Za-z0-9]", "_");
      var prefix = name;
      for (int k = 2; !prefixes.add(prefix); k++) {
        prefix = name + "_" + k;
      }
      var kernels = new Kernels(prefix, List.of());
      var alone = new SegProgram(List.of(f), List.of());
      var loops = Lowering.program(alone, l -> new GpuTarget(l, kernels, enough, deterministic));
      entries.add(kernels.entry(loops.functions().getFirst()));
    }
    return new GpuEntries(entries, true);
  }
}
