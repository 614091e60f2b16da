package dev.kenaz.jobs.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kenaz.cuda.runtime.DriverProbe;
import dev.kenaz.jobs.ExitStatus;
import dev.kenaz.jobs.GpuNode;
import dev.kenaz.jobs.Main;
import dev.kenaz.jobs.bundle.ClassPlaces;
import dev.kenaz.jobs.bundle.ClassWalk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A bundle is used as it is unpacked, in a folder whose name has a blank, with an empty
 * environment. With {@code -Dkenaz.bundle=all} all its programs are tested and measured on the
 * substitute of a GPU. It is slow: it makes a Java runtime.
 */
@Tag("slow")
final class GpuBundleTest {
  private static final boolean ALL = System.getProperty("kenaz.bundle", "").equals("all");

  /** What is measured, and whose kernels are in the bundle. */
  private static final String MEASURED = "sparse k-means";

  private static final String BARE = "/nonexistent";

  @TempDir private static Path folder;
  private static Path root;

  private record Ended(int status, String said) {
    Ended contains(String... texts) {
      for (var text : texts) {
        assertTrue(said.contains(text), "no '" + text + "' in:\n" + said);
      }
      return this;
    }

    Ended with(int expected) {
      assertEquals(expected, status, said);
      return this;
    }
  }

  private static Ended ended(List<String> command, Map<String, String> environment, Path place)
      throws IOException, InterruptedException {
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.directory(place.toFile()).environment().clear();
    builder.environment().putAll(environment);
    var process = builder.start();
    process.getOutputStream().close();
    var said = new String(process.getInputStream().readAllBytes());
    return new Ended(process.waitFor(), said);
  }

  @BeforeAll
  static void make() throws IOException, InterruptedException {
    assumeTrue(
        Files.exists(Path.of(System.getProperty("java.home"), "bin", "jlink")),
        "this Java has no jlink: no bundle is made");
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--add-modules=jdk.incubator.vector", "-Xss16m"));
    var environment = new TreeMap<>(Map.of("PATH", System.getenv("PATH")));
    boolean kernels = SubstituteGpu.available();
    if (kernels) {
      var gpu = SubstituteGpu.in(folder.resolve("gpu"));
      command.addAll(gpu.options());
      environment.putAll(gpu.environment());
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    var archive = folder.resolve("bundle.tar.gz");
    command.addAll(List.of("gpu-bundle", "-o", archive.toString(), "--capability", "90"));
    command.addAll(kernels ? List.of("--only", "kmeans-sparse") : List.of("--no-kernels"));
    environment.put("KENAZ_CACHE", folder.resolve("making").toString());
    var made = ended(command, environment, Path.of(".")).with(ExitStatus.OK);
    if (kernels) {
      made.contains(
          "compiling kernels by NVRTC 13.0", " compiled, 0 kept from before, 0 refused, 0 left");
    }
    assertTrue(Files.size(archive) < 40_000_000, Files.size(archive) + " bytes");
    var place = Files.createDirectory(folder.resolve("un packed"));
    var unpack = List.of("tar", "xzf", archive.toString(), "-C", place.toString());
    ended(unpack, Map.of("PATH", System.getenv("PATH")), place).with(0);
    root = place.resolve("kenaz-gpu");
  }

  /** With an empty environment: no driver, no compiler, no home. */
  private static Ended bare(String script, String... arguments)
      throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of(root.resolve(script).toString()));
    command.addAll(Arrays.asList(arguments));
    var cache = Map.of("PATH", BARE, "KENAZ_CACHE", folder.resolve("bare").toString());
    return ended(command, cache, folder);
  }

  /**
   * On the substitute of a GPU.
   *
   * @param path where compilers and Python may be found
   */
  private static Ended onGpu(String path, String script, String... arguments)
      throws IOException, InterruptedException {
    var gpu = new SubstituteGpu(folder.resolve("gpu"));
    var command = new ArrayList<>(List.of(root.resolve(script).toString()));
    command.addAll(Arrays.asList(arguments));
    var environment = new TreeMap<>(gpu.environment());
    environment.put("PATH", path);
    environment.put("KENAZ_CACHE", folder.resolve("cache").toString());
    environment.put("KENAZ_JAVA_OPTS", String.join(" ", gpu.options()));
    return ended(command, environment, folder);
  }

  @Test
  void whatItsCommandsReachIsInIt() throws IOException {
    var jar = new ClassPlaces(List.of(root.resolve("kenaz.jar")));
    var release = Files.readString(root.resolve("runtime/release"));
    var modules = release.replaceAll("(?s).*MODULES=\"([^\"]*)\".*", "$1").split(" ");
    var walk = ClassWalk.from(List.of(GpuNode.class.getName()), jar, List.of(modules));
    var missing = new TreeMap<>(walk.missing());
    // not called where it is missing, as the next test shows
    missing.values().removeIf("dev/kenaz/jobs/tools/script/Media"::equals);
    assertEquals(Map.of(), missing);
  }

  @Test
  void licensesOfAllThatIsInItAreWithIt() throws IOException {
    assertTrue(Files.readString(root.resolve("LICENSE")).contains("Version 2.0, January 2004"));
    assertTrue(Files.readString(root.resolve("NOTICE")).contains("THIRD-PARTY-NOTICES.txt"));
    var notices = Files.readString(root.resolve("THIRD-PARTY-NOTICES.txt"));
    var named = Map.of("jcuda", "JCuda", "picocli", "picocli", "org/slf4j", "SLF4J API");
    named.values().forEach(name -> assertTrue(notices.contains("\n" + name + " "), name));
    try (var jar = new JarFile(root.resolve("kenaz.jar").toFile())) {
      var unnamed =
          jar.stream()
              .map(JarEntry::getName)
              .filter(n -> n.endsWith(".class") && !n.startsWith("dev/kenaz/"))
              .filter(n -> named.keySet().stream().noneMatch(root -> n.startsWith(root + "/")))
              .toList();
      assertEquals(List.of(), unnamed);
    }
    assertTrue(Files.isDirectory(root.resolve("runtime/legal/java.base")));
  }

  @Test
  void bareMachine() throws IOException, InterruptedException {
    if (!DriverProbe.report().usable()) {
      for (var script : new String[] {"run-tests", "run-bench"}) {
        bare(script).with(ExitStatus.USER_ERROR).contains("--backend cuda can't be used: ");
      }
    }
    for (var script : new String[] {"run-tests", "run-bench"}) {
      bare(script, "--help").with(ExitStatus.OK).contains("--resume", "--results FOLDER");
    }
    bare("kenaz", "--help").with(ExitStatus.OK).contains("  gpu-test ", "  bench ");
    bare("kenaz", "bench", "suite", "--help").with(ExitStatus.OK);
    var usual = Map.of("PATH", System.getenv("PATH"));
    var help = ended(List.of(root.resolve("kenaz").toString(), "dev", "--help"), usual, folder);
    assertFalse(help.with(ExitStatus.OK).said().contains("incubator"), help.said());
    bare("run-bench", "--small", "--only", MEASURED, "--backend", "jvm")
        .with(ExitStatus.OK)
        .contains("all benchmarks ran", "no python3 here");
    bare("kenaz", "gpu-test", "--backend", "simulate", root.resolve("programs/small").toString())
        .with(ExitStatus.OK)
        .contains("cases passed");
    var picture = folder.resolve("picture.fut");
    var test =
        "-- ==\n-- script input { $loadimg \"x.png\" }\nentry main (p: [][]u32) = length p\n";
    Files.writeString(picture, test);
    bare("kenaz", "test", picture.toString()).contains("without its module java.desktop");
  }

  /** No compiler is needed for a program whose kernels came with the bundle. */
  @Test
  void measures() throws IOException, InterruptedException {
    SubstituteGpu.assumeCompiler();
    onGpu(BARE, "kenaz", "gpu").with(ExitStatus.OK).contains("shipped kernels", "kernel on 0  ");
    var what = ALL ? new String[] {"--small"} : new String[] {"--small", "--only", MEASURED};
    var path = ALL ? System.getenv("PATH") : BARE;
    var first = onGpu(path, "run-bench", what).with(ExitStatus.OK).contains("all benchmarks ran");
    if (!ALL) {
      first.contains(" modules shipped, 0 kept from before, 0 compiled in 0.0 s");
    }
    var again = new ArrayList<>(List.of(what));
    again.add("--resume");
    onGpu(System.getenv("PATH"), "run-bench", again.toArray(String[]::new))
        .with(ExitStatus.OK)
        .contains("kernels: 0 modules shipped, 0 kept from before, 0 compiled in 0.0 s");
  }

  @Test
  void tests() throws IOException, InterruptedException {
    SubstituteGpu.assumeCompiler();
    if (!ALL) {
      keep("small/hist.fut", "small/life.fut");
    }
    var path = System.getenv("PATH");
    var results = List.of("--results", folder.resolve("results of tests").toString());
    onGpu(path, "run-tests", with(results, "--within", "0.001"))
        .contains("more were left out for lack of time");
    onGpu(path, "run-tests", with(results, "--resume", "--jobs", "2"))
        .with(ExitStatus.OK)
        .contains("cases passed on cuda", "kernels: 0 modules shipped, 0 kept from before, ");
    onGpu(path, "run-tests", with(results, "--resume"))
        .with(ExitStatus.OK)
        .contains("programs were tested before, 0 are left");
  }

  private static String[] with(List<String> some, String... more) {
    var all = new ArrayList<>(some);
    all.addAll(Arrays.asList(more));
    return all.toArray(String[]::new);
  }

  /** Deletes all other programs but those that are tested elsewhere. */
  private static void keep(String... names) throws IOException {
    var programs = root.resolve("programs");
    var kept = Arrays.stream(names).map(programs::resolve).toList();
    try (var files = Files.walk(programs)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
        if (Files.isRegularFile(file) && !kept.contains(file)) {
          Files.delete(file);
        }
      }
    }
  }
}
