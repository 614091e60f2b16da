package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K7501;
import static dev.kenaz.error.ErrorCode.K7611;

import dev.kenaz.cuda.runtime.KernelBuild;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.ExitStatus;
import dev.kenaz.jobs.bench.PaperSuites;
import dev.kenaz.jobs.bundle.BundleClasses;
import dev.kenaz.jobs.bundle.BundleKernels;
import dev.kenaz.jobs.bundle.BundleKernels.Source;
import dev.kenaz.pipeline.ProgramSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Packs all that is needed to test and measure Kenaz on a GPU node, which may have neither Java nor
 * network.
 */
@Command(
    name = "gpu-bundle",
    description = "Packs Kenaz with a Java runtime and its tests, for a GPU node that has neither.")
public final class GpuBundleCommand implements Callable<Integer> {
  private static final String NAME = "kenaz-gpu";
  private static final String RESOURCES = "/dev/kenaz/jobs/bundle/";

  @Option(
      names = {"-o", "--output"},
      description =
          "Write the archive to this file (${DEFAULT-VALUE}); a .tar.xz is smaller, but"
              + " xz must unpack it.")
  private Path archive = Path.of(NAME + ".tar.gz");

  @Option(
      names = "--capability",
      split = ",",
      paramLabel = "N",
      description = {
        "Compile kernels for GPUs of these compute capabilities, 90 for 9.0; without"
            + " this option, 80, 90 and 100.",
        "What is compiled once is kept for the next bundle."
      })
  @InRange(from = 50, to = 999)
  private List<Integer> capabilities = List.of(80, 90, 100);

  @Option(
      names = "--no-kernels",
      description = "Compile no kernels here; the GPU node compiles them.")
  private boolean noKernels;

  @Option(
      names = "--only",
      paramLabel = "NAME",
      description = "Compile kernels only of programs whose names contain this.")
  private String only = "";

  @Option(
      names = "--minutes",
      description = "Compile nothing after so many minutes; the GPU node compiles the rest.")
  @InRange(from = 0.001, to = InRange.MANY)
  private double minutes = Duration.ofDays(365).toMinutes();

  @Option(
      names = "--jobs",
      description =
          "Run so many compilers at a time; without this option, as many as there are"
              + " cores (${DEFAULT-VALUE}).")
  @InRange(from = 1, to = 4096)
  private int jobs = Runtime.getRuntime().availableProcessors();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (jobs < 1 || capabilities.stream().anyMatch(c -> c < 10)) {
      throw new UserError(K7501, "--jobs is at least 1, a --capability at least 10, as 90 for 9.0");
    }
    var os = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
    if (!os.equals("Linux on amd64")) {
      throw new UserError(K7611, "bundles are made on Linux on amd64, not on " + os);
    }
    var classes = BundleClasses.find();
    var target = archive.toAbsolutePath();
    Files.createDirectories(target.getParent());
    List<String> faults;
    var work = Files.createTempDirectory(target.getParent(), "gpu-bundle");
    var interrupted = new Thread(() -> deleteIfPossible(work));
    Runtime.getRuntime().addShutdownHook(interrupted);
    try {
      var root = Files.createDirectory(work.resolve(NAME));
      run(
          Path.of(System.getProperty("java.home"), "bin", "jlink").toString(),
          "--add-modules=" + String.join(",", classes.modules()),
          "--compress=zip-0", // the archive compresses better
          "--strip-debug",
          "--no-man-pages",
          "--no-header-files",
          "--output=" + root.resolve("runtime"));
      classes.write(root.resolve("kenaz.jar"));
      programs(root.resolve("programs"));
      for (var script : List.of("kenaz", "run-tests", "run-bench")) {
        script(root.resolve(script));
      }
      for (var file :
          List.of("README", "peers.py", "LICENSE", "NOTICE", "THIRD-PARTY-NOTICES.txt")) {
        Files.write(root.resolve(file), resource(file));
      }
      faults = noKernels ? List.of() : kernels(root);
      var draft = work.resolve("archive");
      var packed = target.toString().endsWith(".xz") ? "-cJf" : "-czf";
      System.out.println("packing " + archive + " ...");
      run("tar", "-C", work.toString(), packed, draft.toString(), NAME);
      Files.move(draft, target, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      delete(work);
    }
    Runtime.getRuntime().removeShutdownHook(interrupted);
    System.out.printf(
        """
        %s (%.1f MB); on the GPU node:
          tar xf %s
          %s/run-tests
          %s/run-bench
        """,
        archive, Files.size(target) / 1e6, target.getFileName(), NAME, NAME);
    faults.forEach(f -> System.out.println("kernels that were refused: " + f));
    return faults.isEmpty() ? ExitStatus.OK : ExitStatus.BUG;
  }

  /** Compiles the kernels of the benchmarks, then those of the tests. */
  private List<String> kernels(Path root) throws IOException, InterruptedException {
    var compiler = KernelBuild.compiler();
    if (compiler.isEmpty()) {
      System.out.println("no compiler for kernels here: the GPU node compiles them");
      return List.of();
    }
    System.out.println("compiling kernels by " + compiler.get());
    var all = new ArrayList<Source>();
    PaperSuites.programs().forEach(p -> all.add(new Source(p.root(), () -> p)));
    var programs = root.resolve("programs");
    try (var files = Files.walk(programs)) {
      for (var file : files.filter(f -> f.toString().endsWith(".fut")).sorted().toList()) {
        if (GpuTestCommand.tested(file)) {
          var name = programs.relativize(file).toString();
          all.add(new Source(name, () -> ProgramSource.read(file)));
        }
      }
    }
    all.removeIf(p -> !p.name().contains(only));
    var end = Instant.now().plusMillis((long) (60_000 * minutes));
    return new BundleKernels(
            new KernelBuild(root.resolve("kernels")), capabilities, end, System.out::println)
        .compile(all, jobs);
  }

  private static void run(String... command) throws IOException {
    try {
      var builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().putIfAbsent("XZ_OPT", "-T0"); // xz uses one core unless told otherwise
      var process = builder.start();
      var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new UserError(K7611, command[0] + " failed: " + said.strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UserError(K7611, command[0] + " was interrupted");
    }
  }

  private static byte[] resource(String name) throws IOException {
    try (var in = GpuBundleCommand.class.getResourceAsStream(RESOURCES + name)) {
      return in.readAllBytes();
    }
  }

  private static void script(Path file) throws IOException {
    Files.write(file, resource(file.getFileName().toString()));
    if (!file.toFile().setExecutable(true, false)) {
      throw new IOException("can't make " + file + " executable");
    }
  }

  // The programs

  /** The build packs them beside the other files of a bundle, in a jar or a folder. */
  private static void programs(Path target) throws IOException {
    var readme = GpuBundleCommand.class.getResource(RESOURCES + "README");
    try {
      if (readme.openConnection() instanceof JarURLConnection c) {
        try (var jar = FileSystems.newFileSystem(Path.of(c.getJarFileURL().toURI()))) {
          copy(jar.getPath(RESOURCES, "programs"), target);
        }
      } else {
        copy(Path.of(readme.toURI()).resolveSibling("programs"), target);
      }
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
  }

  private static void copy(Path source, Path target) throws IOException {
    try (var files = Files.walk(source)) {
      for (var file : files.toList()) {
        var copy = target.resolve(source.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy);
        }
      }
    }
  }

  /** Deletes a folder, unless compilers that are still at work write into it at the same time. */
  private static void deleteIfPossible(Path folder) {
    try {
      if (Files.exists(folder)) {
        delete(folder);
      }
    } catch (IOException e) {
      System.err.println("kenaz: " + folder + " can't be deleted: " + e.getMessage());
    }
  }

  private static void delete(Path folder) throws IOException {
    var all = new ArrayList<Path>();
    try (var files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(all::add);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    for (var file : all) {
      Files.delete(file);
    }
  }
}
