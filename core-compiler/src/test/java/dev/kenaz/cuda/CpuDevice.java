package dev.kenaz.cuda;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.kernels.Device;
import dev.kenaz.kernels.ResidentArrays;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.value.Memory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The CUDA C text of programs, compiled by g++ behind a header that provides what CUDA has, and run
 * on the CPU. Guards of one word around each block show writes out of bounds.
 */
final class CpuDevice implements Device {
  /** Property: whether products and sums become one operation, as nvcc makes them. */
  private static final String CONTRACTED = "kenaz.contracted";

  private static final long GUARD = 64;
  private static final int FILL = 0x5A;
  private final SymbolLookup library;
  private final String prefix;
  private final Map<Long, Arena> blocks = new HashMap<>();
  private final Map<Long, MemorySegment> guarded = new HashMap<>();

  private final ResidentArrays residents = new ResidentArrays(this);

  @Override
  public long memory() {
    return 2L << 30;
  }

  private CpuDevice(SymbolLookup library, String prefix) {
    this.library = library;
    this.prefix = prefix;
  }

  /** Whether there is a compiler. */
  static boolean available() {
    return java.util.stream.Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(d -> Files.isExecutable(Path.of(d, "g++")));
  }

  /** Kernels that are compiled at once: a larger text takes g++ more memory than it saves time. */
  private static final int TOGETHER = 500;

  /**
   * Compiles several programs at once, as g++ takes most of its time for a small one for what all
   * share; on all cores.
   */
  static List<CpuDevice> compile(List<GpuProgram> programs, Path folder) {
    try (var header = CpuDevice.class.getResourceAsStream("/cuda/cpu.h");
        var pool = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors())) {
      Files.write(folder.resolve("cpu.h"), header.readAllBytes());
      var parts = new ArrayList<Future<SymbolLookup>>();
      int first = 0;
      int kernels = 0;
      for (int k = 0; k < programs.size(); k++) {
        kernels += programs.get(k).kernels().size();
        if (kernels >= TOGETHER || k == programs.size() - 1) {
          int from = first;
          int to = k + 1;
          var part = pool.submit(() -> library(programs, from, to, folder));
          for (; first < to; first++) {
            parts.add(part);
          }
          kernels = 0;
        }
      }
      var devices = new ArrayList<CpuDevice>();
      for (int k = 0; k < programs.size(); k++) {
        devices.add(new CpuDevice(parts.get(k).get(), "p" + k));
      }
      return devices;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  private static SymbolLookup library(List<GpuProgram> programs, int from, int to, Path folder)
      throws IOException, InterruptedException {
    var text = new StringBuilder("#include \"cpu.h\"\n").append(CudaText.prelude());
    for (int k = from; k < to; k++) {
      text.append("namespace p").append(k).append(" {\n");
      text.append(CudaText.PASS.apply(programs.get(k)).text()).append("}\n");
      for (var kernel : programs.get(k).kernels()) {
        text.append(wrapper("p" + k, kernel));
      }
    }
    var source = Files.writeString(folder.resolve("kernels" + from + ".cpp"), text);
    var object = folder.resolve("kernels" + from + ".so");
    var log = folder.resolve("log" + from + ".txt").toFile();
    var arguments = new ArrayList<>(List.of("g++", "-std=c++17", "-g0", "-w", "-fwrapv"));
    arguments.addAll(
        Boolean.getBoolean(CONTRACTED)
            ? List.of("-O1", "-ffp-contract=fast", "-mfma")
            : List.of("-O0", "-ffp-contract=off"));
    arguments.addAll(List.of("-fPIC", "-shared", "-pthread"));
    arguments.addAll(List.of("-o", object.toString(), source.toString()));
    int rc =
        new ProcessBuilder(arguments)
            .redirectErrorStream(true)
            .redirectOutput(log)
            .start()
            .waitFor();
    if (rc != 0) {
      throw new AssertionError("g++ fails on " + source + ":\n" + Files.readString(log.toPath()));
    }
    return SymbolLookup.libraryLookup(object, Arena.global());
  }

  private static String wrapper(String space, Kernel kernel) {
    var text = new StringBuilder();
    var body = space + "_" + kernel.name() + "_body";
    text.append("static void ").append(body).append("(i64 *f, const i64 *a) { ");
    text.append(space).append("::").append(kernel.name()).append("(f");
    var types = PointerTypes.of(kernel);
    for (int k = 0; k < kernel.params().size(); k++) {
      var reg = kernel.params().get(k).reg();
      var bits = "a[" + k + "]";
      var pointer = types.get(reg);
      text.append(", ")
          .append(
              pointer != null
                  ? "(" + CudaTypes.memory(pointer) + " *)" + bits
                  : switch (reg.prim()) {
                    case F16 -> "half_value((u16)" + bits + ")";
                    case F32 -> "bit_copy<f32>((u32)" + bits + ")";
                    case F64 -> "bit_copy<f64>(" + bits + ")";
                    default -> "(" + reg.prim().text() + ")" + bits;
                  });
    }
    text.append("); }\nextern \"C\" void run_").append(space).append('_').append(kernel.name());
    text.append("(i64 blocks, i32 threads, i64 shared, i64 *f, const i64 *a) { cpu_run(");
    text.append(body).append(", ").append(kernel.together());
    return text.append(", blocks, threads, shared, f, a); }\n").toString();
  }

  @Override
  public ResidentArrays residents() {
    return residents;
  }

  @Override
  public long allocate(long bytes) {
    var arena = Arena.ofShared();
    // Within the limit of arrays: Java's own error for memory that can't be had ends the whole run.
    var all = Memory.allocate(arena, bytes + 2 * GUARD);
    all.fill((byte) FILL);
    long address = all.address() + GUARD;
    blocks.put(address, arena);
    guarded.put(address, all);
    return address;
  }

  @Override
  public void free(long address) {
    check(address);
    blocks.remove(address).close();
    guarded.remove(address);
  }

  private void check(long address) {
    var all = guarded.get(address);
    for (long k = 0; k < GUARD; k++) {
      if (all.get(ValueLayout.JAVA_BYTE, k) != FILL
          || all.get(ValueLayout.JAVA_BYTE, all.byteSize() - 1 - k) != FILL) {
        throw new AssertionError("a kernel wrote outside a block of " + all.byteSize() + " bytes");
      }
    }
  }

  private static MemorySegment at(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  @Override
  public void copyIn(long to, MemorySegment from) {
    at(to, from.byteSize()).copyFrom(from);
  }

  @Override
  public void copyOut(MemorySegment to, long from) {
    to.copyFrom(at(from, to.byteSize()));
  }

  @Override
  public void copy(long to, long from, long bytes) {
    at(to, bytes).copyFrom(at(from, bytes));
  }

  @Override
  public void launch(
      Kernel kernel,
      long blockCount,
      int threads,
      long sharedBytes,
      long faults,
      long[] arguments) {
    var symbol = library.findOrThrow("run_" + prefix + "_" + kernel.name());
    var l = ValueLayout.JAVA_LONG;
    var type = FunctionDescriptor.ofVoid(l, ValueLayout.JAVA_INT, l, l, ValueLayout.ADDRESS);
    try (var arena = Arena.ofConfined()) {
      var a = arena.allocate(8L * Math.max(1, arguments.length), 8);
      a.copyFrom(MemorySegment.ofArray(arguments));
      Linker.nativeLinker()
          .downcallHandle(symbol, type)
          .invokeExact(blockCount, threads, sharedBytes, faults, a);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new CompilerBug("cuda", "a launch failed", e);
    }
  }

  @Override
  public void close() {
    residents.close();
    List.copyOf(blocks.keySet()).forEach(this::free);
  }
}
