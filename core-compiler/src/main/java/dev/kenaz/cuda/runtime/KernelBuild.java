package dev.kenaz.cuda.runtime;

import dev.kenaz.cache.CacheFolder;
import dev.kenaz.cuda.CudaProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Compiles kernels for devices that aren't here, into a folder that travels to where they are. What
 * was compiled once is kept, so that a build that was interrupted goes on where it ended. Several
 * threads may use an object of this class at once.
 */
public final class KernelBuild {
  private static final long KEPT_BYTES = 1L << 30;
  private static final int[] ELF = {0x7F, 'E', 'L', 'F'};

  /** How many kernels are compiled together: a program may have hundreds, and a call needs few. */
  private static final int TOGETHER = 24;

  private final ShippedKernels target;
  private final KernelCache cache;

  /** What became of a module. */
  public enum Outcome {
    KEPT,
    COMPILED,
    /** It would have to be compiled, but only kept modules were asked for. */
    LEFT,
    /** No compiler here knows the device. */
    UNKNOWN_DEVICE
  }

  /**
   * Makes a build that puts its modules into a folder.
   *
   * @throws IOException if nothing can be kept
   */
  public KernelBuild(Path folder) throws IOException {
    this.target = new ShippedKernels(Files.createDirectories(folder));
    this.cache = new KernelCache(CacheFolder.of("shipped-kernels"), KEPT_BYTES);
  }

  /** Names the first compiler that can be used here. */
  public static Optional<String> compiler() {
    return CompilerSearch.candidates().stream()
        .flatMap(c -> c.compiler().stream())
        .map(KernelCompiler::name)
        .findFirst();
  }

  /** Returns the text of the module that {@code kenaz gpu} tries a device with. */
  public static String trial() {
    return GpuTrial.source();
  }

  /** Returns how many modules a program's kernels are divided into. */
  static int count(CudaProgram program) {
    return (program.kernels().size() + TOGETHER - 1) / TOGETHER;
  }

  /** Returns the number of the module that has a program's kernel of that number. */
  static int moduleOf(int kernel) {
    return kernel / TOGETHER;
  }

  /** Returns the text of a module. */
  static String module(CudaProgram program, int number) {
    int end = Math.min(program.kernels().size(), (number + 1) * TOGETHER);
    return program.module(number * TOGETHER, end);
  }

  /** Returns the texts of all modules of a program. */
  public static List<String> modules(CudaProgram program) {
    return IntStream.range(0, count(program)).mapToObj(i -> module(program, i)).toList();
  }

  /**
   * Puts a module into the folder.
   *
   * @param capability the device's compute capability, 90 for 9.0
   * @param compile whether the module may be compiled if no earlier build kept it
   * @throws RuntimeException if a compiler refuses the text
   */
  public Outcome build(String source, int capability, boolean compile) throws IOException {
    var file = target.file(source, capability, NvidiaDevice.OPTIONS);
    var key = KernelCache.key(source, capability, NvidiaDevice.OPTIONS);
    var kept = cache.get(key);
    if (kept.isPresent()) {
      Files.write(file, kept.get());
      return Outcome.KEPT;
    }
    if (!compile) {
      return Outcome.LEFT;
    }
    for (var candidate : CompilerSearch.candidates()) {
      var compiler = candidate.compiler();
      var image = compiler.flatMap(c -> cubin(c, source, capability));
      if (image.isPresent()) {
        cache.put(key, image.get());
        Files.write(file, image.get());
        return Outcome.COMPILED;
      }
    }
    return Outcome.UNKNOWN_DEVICE;
  }

  /**
   * Compiles for exactly that device. Returns nothing if the compiler doesn't know the device: what
   * it would make for an older one isn't worth shipping.
   */
  private static Optional<byte[]> cubin(KernelCompiler compiler, String source, int capability) {
    try {
      var image = compiler.compile(source, capability, NvidiaDevice.OPTIONS);
      for (int i = 0; i < ELF.length; i++) {
        if (image.length <= i || image[i] != ELF[i]) {
          return Optional.empty();
        }
      }
      return Optional.of(image);
    } catch (KernelCompiler.UnknownArchitecture e) {
      return Optional.empty();
    }
  }
}
