package dev.kenaz.loopir;

import dev.kenaz.error.Span;
import dev.kenaz.value.Prim;
import java.util.List;

/**
 * This is the code that every thread of every block runs. It does nothing if the fault record (see
 * {@code dev.kenaz.kernels.Device}) holds a failure when it starts.
 *
 * <p>The body has no {@code Plan}, {@code Parallel} or launch, and in a {@link GpuProgram} no
 * {@code Check}. An {@code Ensure} in it gets memory from the device's heap for {@link #heap}
 * slots. Registers are private to a thread.
 *
 * @param name unique in the program, an identifier
 * @param span of what it computes
 * @param what it computes, in a few words
 * @param params in the order of a launch's arguments; the body may set them
 * @param shared arrays that a block's threads have in common, of unspecified contents
 * @param locals arrays that each thread has for itself, of unspecified contents
 * @param heap slots that are empty ({@code base} 0, {@code capacity} -1) at the start and freed at
 *     the end
 */
public record Kernel(
    String name,
    Span span,
    String what,
    List<Param> params,
    Grid grid,
    List<Shared> shared,
    List<Local> locals,
    List<Slot> heap,
    List<Code> body) {
  /**
   * What kernels compute that work on tiles: a block has 256 threads, which keep so much in
   * registers that only one block might find room on a multiprocessor.
   */
  public static final String TILED = "map tiled";

  public Kernel {
    params = List.copyOf(params);
    shared = List.copyOf(shared);
    locals = List.copyOf(locals);
    heap = List.copyOf(heap);
    body = List.copyOf(body);
  }

  /** Returns the kernel with other parameters and another body. */
  public Kernel with(List<Param> params, List<Code> body) {
    return new Kernel(name, span, what, params, grid, shared, locals, heap, body);
  }

  /** Whether threads of a block wait for each other. */
  public boolean together() {
    var found = new boolean[1];
    CodeWalk.code(
        body,
        c ->
            found[0] |=
                c instanceof Code.Gpu(var g)
                    && (g instanceof GpuCode.Barrier
                        || g instanceof GpuCode.Shuffle
                        || g instanceof GpuCode.Ballot
                        || g instanceof GpuCode.MultiplyTile),
        _ -> {});
    return found[0];
  }

  /**
   * @param pointer whether loads and stores use it as base: an address in device memory
   */
  public record Param(Reg reg, boolean pointer) {}

  /**
   * i64 registers that are set at the start: the thread's number in its block, the block's number,
   * and how many there are of each.
   */
  public record Grid(Reg thread, Reg block, Reg threads, Reg blocks) {
    public static Grid fresh() {
      return new Grid(
          Reg.index("thread"), Reg.index("block"), Reg.index("threads"), Reg.index("blocks"));
    }
  }

  /**
   * @param base register that is set to the array's address; the body doesn't set it
   * @param count elements; 0: as many as the launch says (one such array at most)
   */
  public record Shared(Reg base, Prim prim, long count) {}

  /**
   * @param base register that is set to the array's address, 16-byte aligned
   */
  public record Local(Reg base, long bytes) {}
}
