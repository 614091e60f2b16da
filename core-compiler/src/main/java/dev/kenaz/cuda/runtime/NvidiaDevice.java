package dev.kenaz.cuda.runtime;

import dev.kenaz.cuda.CudaProgram;
import dev.kenaz.cuda.KernelParameters;
import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.kernels.Device;
import dev.kenaz.kernels.ResidentArrays;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.options.CompileOptions;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;

/**
 * This is a GPU with one program's kernels. The GPU itself, its memory included, is shared by all
 * programs of the process.
 */
public final class NvidiaDevice implements Device {
  private static final Map<Integer, Opened> OPEN = new ConcurrentHashMap<>();

  /** The options for the compiler of kernels. */
  static final List<String> OPTIONS = List.of("--std=c++17");

  private final CudaDevice device;
  private final ResidentArrays residents;
  private final CudaProgram program;
  private final Map<Integer, CudaDevice.Module> modules = new HashMap<>();
  private final Map<String, CudaDevice.Kernel> kernels = new HashMap<>();

  private record Opened(CudaDevice device, ResidentArrays residents) {
    static Opened of(int index) {
      var device = CudaDevice.open(OptionalInt.of(index));
      return new Opened(device, new ResidentArrays(device));
    }
  }

  private NvidiaDevice(Opened opened, CudaProgram program) {
    this.device = opened.device;
    this.residents = opened.residents;
    this.program = program;
  }

  /**
   * Compiles a program's first kernels, unless an earlier run did, and loads them. The other
   * kernels are compiled and loaded when they are launched first; the kernels of an entry stand
   * together.
   *
   * @param index the number of the GPU, or {@link CompileOptions#ANY_DEVICE}
   * @throws dev.kenaz.error.UserError (K7601, K7602, K7603) if there is no such GPU, or no compiler
   */
  public static NvidiaDevice of(CudaProgram program, int index) {
    int chosen = require(index);
    var gpu = new NvidiaDevice(OPEN.computeIfAbsent(chosen, Opened::of), program);
    if (!program.kernels().isEmpty()) {
      gpu.module(0);
    }
    return gpu;
  }

  @Override
  public long memory() {
    return device.info().memory();
  }

  private CudaDevice.Module module(int part) {
    return modules.computeIfAbsent(part, n -> device.load(KernelBuild.module(program, n), OPTIONS));
  }

  private CudaDevice.Kernel find(Kernel kernel) {
    for (int i = 0; i < program.kernels().size(); i++) {
      if (program.program().kernels().get(i).name().equals(kernel.name())) {
        var span = kernel.span().known() ? ", " + kernel.span() : "";
        var title = "%s (%s%s)".formatted(kernel.name(), kernel.what(), span);
        return module(KernelBuild.moduleOf(i)).kernel(kernel.name(), title);
      }
    }
    throw new CompilerBug("cuda", "no kernel " + kernel.name());
  }

  /**
   * Returns the number of the GPU to use.
   *
   * @throws dev.kenaz.error.UserError (K7601, K7602) as {@link #of} does
   */
  public static int require(int index) {
    var wanted = index == CompileOptions.ANY_DEVICE ? OptionalInt.empty() : OptionalInt.of(index);
    return CudaDevice.choose(DriverProbe.report(), wanted).index();
  }

  /** Says why a GPU that this process has used can't be used by it any more; "" if all can. */
  public static String lost() {
    return OPEN.values().stream()
        .map(o -> o.device.lost())
        .filter(l -> !l.isEmpty())
        .findFirst()
        .orElse("");
  }

  /** Describes which GPU it is, and how fast it copies: its kernels can be judged by that. */
  public static String description(int index) {
    var device = OPEN.computeIfAbsent(require(index), Opened::of).device;
    var info = device.info();
    var name = "GPU %d, %s".formatted(info.index(), info.name());
    try {
      double rate = device.copyRate(Math.min(400_000_000, info.memory() / 8));
      return "%s: copies %.0f GB/s (read and written)".formatted(name, rate / 1e9);
    } catch (UserError e) { // Other processes use the GPU's memory.
      return name + ": " + e.getMessage();
    }
  }

  /** Whether only one process at a time may use the GPU. */
  public static boolean exclusive(int index) {
    return DriverProbe.report().devices().get(require(index)).mode() == DeviceInfo.Mode.EXCLUSIVE;
  }

  @Override
  public ResidentArrays residents() {
    return residents;
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
  public void copyOut(MemorySegment to, long from, MemorySegment to2, long from2) {
    device.copyOut(to, from, to2, from2);
  }

  @Override
  public void copy(long to, long from, long bytes) {
    device.copy(to, from, bytes);
  }

  @Override
  public void launch(
      Kernel kernel, long blocks, int threads, long sharedBytes, long faults, long[] arguments) {
    var handle = kernels.computeIfAbsent(kernel.name(), _ -> find(kernel));
    var all = KernelParameters.of(kernel, faults, arguments);
    device.launch(handle, blocks, threads, Math.toIntExact(sharedBytes), all);
  }

  @Override
  public void close() {
    modules.values().forEach(CudaDevice.Module::unload);
    modules.clear();
    kernels.clear();
  }
}
