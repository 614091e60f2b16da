package dev.kenaz.cuda.runtime;

import dev.kenaz.ir.Lists;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * NVIDIA's run-time compiler, in whichever version there is. JCuda's own binding needs the version
 * that it was built with, as the library's symbols carry a version. This class finds functions by
 * name, so that any version will do.
 */
final class Nvrtc implements KernelCompiler {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private final ForeignLibrary library;
  private final int major;
  private final int minor;

  private Nvrtc(ForeignLibrary library, int major, int minor) {
    this.library = library;
    this.major = major;
    this.minor = minor;
  }

  /**
   * Returns the compiler in that file, once it has compiled something. The libraries of its folder
   * that it needs are loaded first: it looks for the table of built-in functions by name alone, and
   * would not find it.
   *
   * @throws RuntimeException or {@link LinkageError} if it can't be used
   */
  static Nvrtc load(Path file) throws IOException {
    try (var siblings = Files.newDirectoryStream(file.toAbsolutePath().getParent())) {
      for (var sibling : siblings) {
        if (sibling.getFileName().toString().matches("libnvrtc-builtins\\.so\\.[0-9.]+")) {
          ForeignLibrary.load(sibling);
        }
      }
    }
    var library = ForeignLibrary.load(file);
    try (var arena = Arena.ofConfined()) {
      var major = arena.allocate(INT);
      var minor = arena.allocate(INT);
      check(library, "nvrtcVersion", library.call("nvrtcVersion", major, minor));
      var found = new Nvrtc(library, major.get(INT, 0), minor.get(INT, 0));
      found.compile(TRIAL, found.newest(), List.of());
      return found;
    }
  }

  private int newest() {
    return architectures().stream().max(Integer::compare).orElse(DeviceInfo.OLDEST);
  }

  @Override
  public String name() {
    return "NVRTC " + major + "." + minor + " (" + library.name() + ")";
  }

  /**
   * Makes a cubin for the device itself, so that the driver need not be as new as the compiler. If
   * the compiler doesn't know the device, it makes PTX for the newest architecture that it knows.
   */
  @Override
  public byte[] compile(String source, int capability, List<String> options) {
    var known = architectures();
    if (known.isEmpty() || known.contains(capability)) {
      return compile(source, "sm_" + capability, options, "nvrtcGetCUBIN");
    }
    int older =
        known.stream()
            .filter(a -> a < capability)
            .max(Integer::compare)
            .orElseThrow(() -> new UnknownArchitecture(name(), capability));
    return compile(source, "compute_" + older, options, "nvrtcGetPTX");
  }

  /** The compute capabilities that the compiler knows; empty if it can't list them. */
  List<Integer> architectures() {
    if (!library.has("nvrtcGetSupportedArchs")) {
      return List.of();
    }
    try (var arena = Arena.ofConfined()) {
      var count = arena.allocate(INT);
      check("nvrtcGetNumSupportedArchs", library.call("nvrtcGetNumSupportedArchs", count));
      int n = count.get(INT, 0);
      var list = arena.allocate(INT, n);
      check("nvrtcGetSupportedArchs", library.call("nvrtcGetSupportedArchs", list));
      return IntStream.range(0, n).mapToObj(i -> list.getAtIndex(INT, i)).toList();
    }
  }

  private byte[] compile(String source, String architecture, List<String> options, String get) {
    try (var arena = Arena.ofConfined()) {
      var handle = arena.allocate(ValueLayout.ADDRESS);
      check(
          "nvrtcCreateProgram",
          library.call(
              "nvrtcCreateProgram",
              handle,
              arena.allocateFrom(source),
              arena.allocateFrom("kenaz.cu"),
              0,
              MemorySegment.NULL,
              MemorySegment.NULL));
      var program = handle.get(ValueLayout.ADDRESS, 0);
      try {
        var all = Lists.with(options, "--gpu-architecture=" + architecture);
        var words = arena.allocate(ValueLayout.ADDRESS, all.size());
        for (int i = 0; i < all.size(); i++) {
          words.setAtIndex(ValueLayout.ADDRESS, i, arena.allocateFrom(all.get(i)));
        }
        int status = library.call("nvrtcCompileProgram", program, all.size(), words);
        if (status != 0) {
          var log = new String(bytes("nvrtcGetProgramLog", program, arena)).trim();
          throw new CompilationFailure(
              name() + ": " + words(library, status) + (log.isEmpty() ? "" : "\n" + log));
        }
        return bytes(get, program, arena);
      } finally {
        library.call("nvrtcDestroyProgram", handle);
      }
    }
  }

  /**
   * Returns what a function writes. A function of the same name with the suffix Size says how many
   * bytes that is.
   */
  private byte[] bytes(String function, MemorySegment program, Arena arena) {
    var size = arena.allocate(LONG);
    check(function + "Size", library.call(function + "Size", program, size));
    var out = arena.allocate(Math.max(1, size.get(LONG, 0)));
    check(function, library.call(function, program, out));
    var content = new byte[(int) size.get(LONG, 0)];
    MemorySegment.ofArray(content).copyFrom(out.asSlice(0, content.length));
    return content;
  }

  private void check(String function, int status) {
    check(library, function, status);
  }

  private static void check(ForeignLibrary library, String function, int status) {
    if (status != 0) {
      throw new CompilationFailure(
          library.name() + ": " + function + ": " + words(library, status));
    }
  }

  private static String words(ForeignLibrary library, int status) {
    var type = FunctionDescriptor.of(ValueLayout.ADDRESS, INT);
    return Optional.ofNullable((MemorySegment) library.invoke("nvrtcGetErrorString", type, status))
        .filter(s -> s.address() != 0)
        .map(s -> s.reinterpret(1000).getString(0))
        .orElse("error " + status);
  }
}
