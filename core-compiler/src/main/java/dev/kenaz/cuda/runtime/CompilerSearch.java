package dev.kenaz.cuda.runtime;

import dev.kenaz.error.UserError;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;

/** Finds compilers for kernels: NVRTC in any version and, where there is none, {@code nvcc}. */
public final class CompilerSearch {
  /**
   * The property that names an NVRTC library, or a folder that has one; it is tried before all
   * others.
   */
  static final String NVRTC = "kenaz.cuda.nvrtc";

  private CompilerSearch() {}

  /**
   * What the search found.
   *
   * @param compilers the compilers, the best first
   * @param faults what is wrong with each compiler that was found but can't be used
   * @param looked the places that were searched
   */
  public record Found(List<KernelCompiler> compilers, List<String> faults, List<Path> looked) {
    public Found {
      compilers = List.copyOf(compilers);
      faults = List.copyOf(faults);
      looked = List.copyOf(looked);
    }
  }

  /** A file that may be a compiler. It is opened when it is first asked for. */
  static final class Candidate {
    private final Path file;
    private final boolean library;
    private Optional<KernelCompiler> compiler = Optional.empty();
    private String fault = "";

    private Candidate(Path file, boolean library) {
      this.file = file;
      this.library = library;
    }

    /** The compiler; nothing if it can't be used. */
    synchronized Optional<KernelCompiler> compiler() {
      if (compiler.isEmpty() && fault.isEmpty()) {
        try {
          compiler = Optional.of(library ? Nvrtc.load(file) : Nvcc.at(file));
        } catch (UserError e) {
          throw e; // An interruption says nothing about the compiler.
        } catch (Throwable e) { // A broken library may throw anything.
          fault = words(e);
        }
      }
      return compiler;
    }

    private String words(Throwable e) {
      return switch (e) {
        case IllegalArgumentException _ -> ForeignLibrary.whyNot(file.toString());
        case KernelCompiler.CompilationFailure f -> f.getMessage().strip();
        default -> file + ": " + e;
      };
    }

    /** Why it can't be used. */
    synchronized String fault() {
      return fault;
    }
  }

  private static final class Once {
    static final List<Candidate> CANDIDATES = List.copyOf(search());
  }

  /** Files that might be compilers, the best first. The search is done once. */
  static List<Candidate> candidates() {
    return Once.CANDIDATES;
  }

  /** Returns the best NVRTC and the best nvcc. */
  public static Found all() {
    var compilers = new ArrayList<KernelCompiler>();
    var faults = new ArrayList<String>();
    for (boolean library : new boolean[] {true, false}) {
      for (var c : search()) {
        if (c.library == library) {
          var compiler = c.compiler();
          if (compiler.isPresent()) {
            compilers.add(compiler.get());
            break;
          }
          faults.add(c.fault());
        }
      }
    }
    var looked = libraryFolders();
    looked.addAll(programFolders());
    return new Found(compilers, faults, List.copyOf(looked));
  }

  private static List<Candidate> search() {
    var found = new ArrayList<Candidate>();
    nvrtcFiles(libraryFolders()).forEach(f -> found.add(new Candidate(f, true)));
    programFolders().stream()
        .map(f -> f.resolve("nvcc"))
        .filter(Files::isExecutable)
        .forEach(f -> found.add(new Candidate(f, false)));
    return found;
  }

  private static List<Path> nvrtcFiles(SequencedSet<Path> folders) {
    var files = new ArrayList<Path>();
    for (var folder : folders) {
      var here = list(folder, "libnvrtc.so*");
      // The newest version in a folder comes first. A file that has several links is taken once.
      here.sort(Comparator.comparing((Path p) -> p.getFileName().toString()).reversed());
      files.addAll(here);
    }
    var distinct = new ArrayList<Path>();
    for (var f : files) {
      if (distinct.stream().noneMatch(d -> same(d, f))) {
        distinct.add(f);
      }
    }
    return distinct;
  }

  private static boolean same(Path a, Path b) {
    try {
      return Files.isSameFile(a, b);
    } catch (IOException e) {
      return false;
    }
  }

  private static List<Path> list(Path folder, String glob) {
    var found = new ArrayList<Path>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, glob)) {
      files.forEach(found::add);
    } catch (IOException | RuntimeException e) {
      return found; // A folder that isn't there or can't be read has no compiler.
    }
    return found;
  }

  private static SequencedSet<Path> libraryFolders() {
    var folders = new LinkedHashSet<Path>();
    var named = System.getProperty(NVRTC, System.getenv("KENAZ_NVRTC"));
    if (named != null) {
      var place = Path.of(named);
      folders.add(Files.isDirectory(place) ? place : place.toAbsolutePath().getParent());
    }
    words("LD_LIBRARY_PATH").forEach(folders::add);
    for (var toolkit : toolkits()) {
      folders.add(toolkit.resolve("lib64"));
      folders.add(toolkit.resolve("targets/x86_64-linux/lib"));
    }
    for (var root : pythonRoots()) {
      for (var python : list(root, "python3*")) {
        for (var packages : List.of("site-packages", "dist-packages")) {
          for (var part : list(python.resolve(packages).resolve("nvidia"), "{cu*,cuda_nvrtc}")) {
            folders.add(part.resolve("lib"));
          }
        }
      }
    }
    folders.add(Path.of("/usr/lib/x86_64-linux-gnu"));
    folders.add(Path.of("/usr/lib64"));
    return folders;
  }

  private static SequencedSet<Path> programFolders() {
    var folders = new LinkedHashSet<Path>();
    words("PATH").forEach(folders::add);
    toolkits().forEach(t -> folders.add(t.resolve("bin")));
    return folders;
  }

  private static List<Path> toolkits() {
    var found = new ArrayList<Path>();
    List.of("CUDA_HOME", "CUDA_PATH").forEach(variable -> words(variable).forEach(found::add));
    found.add(Path.of("/usr/local/cuda"));
    var versions = list(Path.of("/usr/local"), "cuda-*");
    versions.sort(Comparator.reverseOrder());
    found.addAll(versions);
    return found;
  }

  private static List<Path> pythonRoots() {
    var found = new ArrayList<Path>();
    for (var variable : List.of("VIRTUAL_ENV", "CONDA_PREFIX")) {
      words(variable).forEach(p -> found.add(p.resolve("lib")));
    }
    // The Python environment that has the first python3 on the path may have an NVRTC.
    for (var folder : words("PATH")) {
      if (Files.isExecutable(folder.resolve("python3"))) {
        found.add(folder.resolveSibling("lib"));
      }
    }
    found.add(Path.of(System.getProperty("user.home", "/"), ".local/lib"));
    found.add(Path.of("/usr/local/lib"));
    found.add(Path.of("/usr/lib"));
    list(Path.of("/opt"), "*").forEach(p -> found.add(p.resolve("lib")));
    return found;
  }

  private static List<Path> words(String variable) {
    var value = System.getenv(variable);
    return value == null
        ? List.of()
        : Arrays.stream(value.split(File.pathSeparator))
            .filter(w -> !w.isBlank())
            .map(Path::of)
            .toList();
  }
}
