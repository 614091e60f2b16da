package dev.kenaz.loopir;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A program for a GPU while it is made. Each entry has kernels of its own, so that passes take one
 * entry after the other. A kernel may have {@code Check}s, and has no {@code Guard}.
 *
 * @param parallel whether the host's code has {@code Plan} and {@code Parallel}
 */
public record GpuEntries(List<Entry> entries, boolean parallel) {
  public GpuEntries {
    entries = List.copyOf(entries);
  }

  /**
   * An entry with its kernels.
   *
   * @param prefix how the names of its kernels begin; no other entry has the same
   * @param host the code for the host, see {@link GpuProgram}
   */
  public record Entry(String prefix, LoopFun host, List<Kernel> kernels) {
    public Entry {
      kernels = List.copyOf(kernels);
    }
  }

  /** The program with changed entries; itself if none of them is another than before. */
  public GpuEntries map(UnaryOperator<Entry> change) {
    var changed = new ArrayList<Entry>();
    boolean same = true;
    for (var e : entries) {
      changed.add(change.apply(e));
      same &= changed.getLast().equals(e);
    }
    return same ? this : new GpuEntries(changed, parallel);
  }

  /** Returns the same entries, marked as those whose parallel loops have become kernels. */
  public GpuEntries withoutParallel() {
    return new GpuEntries(entries, false);
  }
}
