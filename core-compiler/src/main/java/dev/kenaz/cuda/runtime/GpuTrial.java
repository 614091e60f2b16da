package dev.kenaz.cuda.runtime;

import dev.kenaz.cuda.CudaText;
import java.lang.foreign.MemorySegment;
import java.util.OptionalInt;

/**
 * Compiles and runs a small kernel, because a search can only find that everything is there, not
 * that it works. The kernel uses what generated kernels use: shared memory, more of it than a block
 * has without asking, and barriers.
 */
final class GpuTrial {
  private static final String KERNEL =
      """
      KZ_KERNEL void trial(i64 *xs, i64 n) {
        KZ_DYNAMIC_SHARED(i64, all);
        i64 first = (i64)blockIdx.x * blockDim.x, last = blockDim.x - 1;
        all[threadIdx.x] = first + threadIdx.x;
        __syncthreads();
        if (first + threadIdx.x < n) xs[first + threadIdx.x] = 3 * all[last - threadIdx.x];
      }
      """;

  private static final int THREADS = 256;
  private static final int BLOCKS = 100;
  private static final int SHARED = 60 << 10;
  private static final long COPIED = 100L << 20;

  private GpuTrial() {}

  /** Returns the text that is compiled. */
  static String source() {
    return CudaText.prelude() + KERNEL;
  }

  /** The outcome of a trial: what happened, as it is printed, and whether the trial went well. */
  record Outcome(String words, boolean good) {}

  static Outcome on(DeviceInfo info) {
    try (var device = CudaDevice.open(OptionalInt.of(info.index()))) {
      long start = System.nanoTime();
      var module = device.load(source(), NvidiaDevice.OPTIONS);
      long millis = (System.nanoTime() - start) / 1_000_000;
      boolean right = right(device, module.kernel("trial"));
      module.unload();
      if (!right) {
        return new Outcome("the trial kernel's result is wrong", false);
      }
      var rate = device.copyRate(Math.min(COPIED, info.memory() / 32)) / 1e9;
      var words = "ran, compiled or found in %d ms; memory is copied at %.0f GB/s";
      return new Outcome(words.formatted(millis, rate), true);
    } catch (RuntimeException | LinkageError e) {
      return new Outcome("fails: " + e.getMessage(), false);
    }
  }

  private static boolean right(CudaDevice device, CudaDevice.Kernel kernel) {
    int n = BLOCKS * THREADS - 7;
    long xs = device.allocate(8L * n);
    int shared = Math.min(SHARED, device.info().sharedPerBlock());
    device.launch(kernel, BLOCKS, THREADS, shared, xs, n);
    var out = new long[n];
    device.copyOut(MemorySegment.ofArray(out), xs);
    device.free(xs);
    for (int i = 0; i < n; i++) {
      int first = i / THREADS * THREADS;
      if (out[i] != 3L * (first + THREADS - 1 - (i - first))) {
        return false;
      }
    }
    return true;
  }
}
