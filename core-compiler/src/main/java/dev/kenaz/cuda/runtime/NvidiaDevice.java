package dev.kenaz.cuda.runtime;

import dev.kenaz.cuda.CudaText;
import dev.kenaz.cuda.KernelParameters;
import dev.kenaz.kernels.Device;
import dev.kenaz.kernels.GpuProgram;
import dev.kenaz.kernels.Kernel;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A GPU with one program's kernels. The GPU itself, its memory included, is shared by all programs
 * of the process.
 */
public final class NvidiaDevice implements Device {
  /** Stands for the first GPU that can be used. */
  public static final int ANY = -1;

  private static final Map<Integer, CudaDevice> OPEN = new ConcurrentHashMap<>();

  private static final List<String> OPTIONS = List.of("--std=c++17");

  private final CudaDevice device;
  private final CudaDevice.Module module;
  private final Map<String, CudaDevice.Kernel> kernels = new HashMap<>();

  private NvidiaDevice(CudaDevice device, CudaDevice.Module module) {
    this.device = device;
    this.module = module;
  }

  /**
   * Compiles a program's kernels, unless an earlier run did, and loads them.
   *
   * @param index of the GPU, or {@link #ANY}
   * @throws dev.kenaz.error.UserError (K7601, K7602, K7603) if there is none, not that one, or no
   *     compiler
   */
  public static NvidiaDevice of(GpuProgram program, int index) {
    int chosen = require(index);
    var device = OPEN.computeIfAbsent(chosen, i -> CudaDevice.open(OptionalInt.of(i)));
    return new NvidiaDevice(device, device.load(CudaText.program(program), OPTIONS));
  }

  /**
   * The GPU to use.
   *
   * @throws dev.kenaz.error.UserError (K7601, K7602) as {@link #of} does
   */
  public static int require(int index) {
    var wanted = index == ANY ? OptionalInt.empty() : OptionalInt.of(index);
    return CudaDevice.choose(DriverProbe.report(), wanted).index();
  }

  @Override
  public String name() {
    return device.info().name();
  }

  @Override
  public long allocate(long bytes) {
    return device.allocate(bytes);
  }

  @Override
  public void free(long address) {
    device.free(address);
  }

  @Override
  public void copyIn(long to, MemorySegment from) {
    device.copyIn(to, from);
  }

  @Override
  public void copyOut(MemorySegment to, long from) {
    device.copyOut(to, from);
  }

  @Override
  public void copy(long to, long from, long bytes) {
    device.copy(to, from, bytes);
  }

  @Override
  public void launch(
      Kernel kernel, long blocks, int threads, long sharedBytes, long faults, long[] arguments) {
    var handle = kernels.computeIfAbsent(kernel.name(), module::kernel);
    var all = KernelParameters.of(kernel, faults, arguments);
    device.launch(handle, blocks, threads, Math.toIntExact(sharedBytes), all);
  }

  @Override
  public void close() {
    module.unload();
  }
}
