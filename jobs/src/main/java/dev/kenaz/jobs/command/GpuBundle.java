package dev.kenaz.jobs.command;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.Main;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Packs all that a GPU node needs to test and measure Kenaz, which may have neither Java nor
 * network.
 */
@Command(
    name = "gpu-bundle",
    description = "Packs Kenaz with a Java runtime and its tests, for a GPU node that has neither.",
    mixinStandardHelpOptions = true)
public final class GpuBundle implements Callable<Integer> {
  private static final String NAME = "kenaz-gpu";

  /** Libraries that programs need at run time, by the beginnings of their names. */
  private static final List<String> LIBRARIES =
      List.of("jobs-", "core-compiler-", "picocli-", "slf4j-api-", "jcuda-");

  private static final String MODULES =
      "java.base,java.logging,java.management,jdk.management,jdk.unsupported,jdk.incubator.vector";

  @Option(
      names = {"-o", "--output"},
      description = "The archive (${DEFAULT-VALUE}).")
  private Path archive = Path.of(NAME + ".tar.gz");

  @Override
  public Integer call() throws IOException {
    var os = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
    if (!os.equals("Linux on amd64")) {
      throw new UserError("K7611", Span.NONE, "bundles are made on Linux on amd64, not on " + os);
    }
    var target = archive.toAbsolutePath();
    Files.createDirectories(target.getParent());
    var work = Files.createTempDirectory(target.getParent(), "gpu-bundle");
    try {
      var root = Files.createDirectory(work.resolve(NAME));
      run(
          Path.of(System.getProperty("java.home"), "bin", "jlink").toString(),
          "--add-modules=" + MODULES,
          "--compress=zip-0", // the archive compresses better
          "--strip-debug",
          "--no-man-pages",
          "--no-header-files",
          "--output=" + root.resolve("runtime"));
      jar(root.resolve("kenaz.jar"));
      programs(root.resolve("programs"));
      for (var script : List.of("kenaz", "run-tests", "run-bench")) {
        script(root.resolve(script));
      }
      for (var file : List.of("README", "peers.py")) {
        Files.write(root.resolve(file), resource(file));
      }
      var draft = work.resolve("archive");
      run("tar", "-C", work.toString(), "-czf", draft.toString(), NAME);
      Files.move(draft, target, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      delete(work);
    }
    System.out.printf(
        """
        %s (%.1f MB); on the GPU node:
          tar xzf %s
          %s/run-tests
          %s/run-bench
        """,
        archive, Files.size(target) / 1e6, target.getFileName(), NAME, NAME);
    return 0;
  }

  private static void run(String... command) throws IOException {
    try {
      var process = new ProcessBuilder(command).redirectErrorStream(true).start();
      var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new UserError("K7611", Span.NONE, command[0] + " failed: " + said.strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UserError("K7611", Span.NONE, command[0] + " was interrupted");
    }
  }

  private static byte[] resource(String name) throws IOException {
    try (var in = GpuBundle.class.getResourceAsStream("/dev/kenaz/jobs/bundle/" + name)) {
      return in.readAllBytes();
    }
  }

  private static void script(Path file) throws IOException {
    Files.write(file, resource(file.getFileName().toString()));
    if (!file.toFile().setExecutable(true, false)) {
      throw new IOException("can't make " + file + " executable");
    }
  }

  // One jar of all that is needed

  private static void jar(Path target) throws IOException {
    var manifest = new Manifest();
    var attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.put(Attributes.Name.MAIN_CLASS, Main.class.getName());
    var version = Main.class.getPackage().getImplementationVersion();
    attributes.put(Attributes.Name.IMPLEMENTATION_VERSION, version == null ? "dev" : version);
    var seen = new HashSet<String>();
    try (var out = new JarOutputStream(new BufferedOutputStream(Files.newOutputStream(target)))) {
      out.setLevel(0);
      out.putNextEntry(new ZipEntry(JarFile.MANIFEST_NAME));
      manifest.write(out);
      out.closeEntry();
      seen.add(JarFile.MANIFEST_NAME);
      for (var place : System.getProperty("java.class.path").split(File.pathSeparator)) {
        var path = Path.of(place);
        if (Files.isDirectory(path)) {
          addFolder(path, out, seen);
        } else if (LIBRARIES.stream().anyMatch(path.getFileName().toString()::startsWith)) {
          addJar(path, out, seen);
        }
      }
    }
  }

  private static boolean wanted(String name) {
    boolean ofJar = name.startsWith("META-INF/") || name.endsWith("module-info.class");
    // of JCuda's natives, the driver binding alone
    return !ofJar && (!name.startsWith("lib/lib") || name.startsWith("lib/libJCudaDriver"));
  }

  private static void addJar(Path jar, JarOutputStream out, Set<String> seen) throws IOException {
    try (var in = new JarFile(jar.toFile())) {
      for (var entry : in.stream().filter(e -> !e.isDirectory() && wanted(e.getName())).toList()) {
        if (seen.add(entry.getName())) {
          out.putNextEntry(new ZipEntry(entry.getName()));
          in.getInputStream(entry).transferTo(out);
          out.closeEntry();
        }
      }
    }
  }

  private static void addFolder(Path folder, JarOutputStream out, Set<String> seen)
      throws IOException {
    try (var files = Files.walk(folder)) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        var name = folder.relativize(file).toString();
        if (wanted(name) && seen.add(name)) {
          out.putNextEntry(new ZipEntry(name));
          Files.copy(file, out);
          out.closeEntry();
        }
      }
    }
  }

  // The tests

  private static void programs(Path target) throws IOException {
    var home = Optional.ofNullable(System.getProperty("kenaz.home")).orElse("");
    var source = Path.of(home).resolve("core-compiler/src/test/resources/programs");
    if (!Files.isDirectory(source)) {
      throw new UserError(
          "K7611",
          Span.NONE,
          "there are no program tests in " + source.toAbsolutePath(),
          "bundles are made from a checkout, by its kenaz command");
    }
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
