package dev.kenaz.cuda.runtime;

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
import java.util.SequencedSet;

/** Finds compilers for kernels: NVRTC in any version, else {@code nvcc}. */
public final class CompilerSearch {
  /** Names an NVRTC library, or a folder that has one, to be tried before all others. */
  static final String NVRTC = "kenaz.cuda.nvrtc";

  private CompilerSearch() {}

  /**
   * What was found.
   *
   * @param compilers the best first
   * @param faults of what was found but can't be used
   * @param looked where a library or program was looked for
   */
  public record Found(List<KernelCompiler> compilers, List<String> faults, List<Path> looked) {
    public Found {
      compilers = List.copyOf(compilers);
      faults = List.copyOf(faults);
      looked = List.copyOf(looked);
    }
  }

  private static final class Once {
    static final Found FIRST = search(false);
  }

  /** The first that works, or none; looked for once. */
  public static Found first() {
    return Once.FIRST;
  }

  /** The best NVRTC and the best nvcc. */
  public static Found all() {
    return search(true);
  }

  private static Found search(boolean all) {
    var compilers = new ArrayList<KernelCompiler>();
    var faults = new ArrayList<String>();
    var folders = libraryFolders();
    for (var file : nvrtcFiles(folders)) {
      try {
        compilers.add(Nvrtc.load(file));
        break;
      } catch (Throwable e) { // a broken library fails as it likes
        faults.add(
            e instanceof IllegalArgumentException
                ? ForeignLibrary.whyNot(file.toString())
                : file + ": " + e);
      }
    }
    var programs = programFolders();
    if (all || compilers.isEmpty()) {
      for (var folder : programs) {
        var file = folder.resolve("nvcc");
        if (Files.isExecutable(file)) {
          try {
            compilers.add(Nvcc.at(file));
            break;
          } catch (RuntimeException e) {
            faults.add(e.getMessage());
          }
        }
      }
    }
    folders.addAll(programs);
    return new Found(compilers, faults, List.copyOf(folders));
  }

  private static List<Path> nvrtcFiles(SequencedSet<Path> folders) {
    var files = new ArrayList<Path>();
    for (var folder : folders) {
      var here = list(folder, "libnvrtc.so*");
      // the newest of a folder first; links to one file once
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
      return found; // a folder that isn't there or can't be read holds nothing for us
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
    for (var variable : List.of("CUDA_HOME", "CUDA_PATH")) {
      words(variable).forEach(found::add);
    }
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
