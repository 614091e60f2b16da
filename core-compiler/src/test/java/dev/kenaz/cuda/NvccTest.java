package dev.kenaz.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;

/**
 * NVIDIA's compiler takes the CUDA C text, for both architectures, as it is shipped. By default
 * that of the operators and of a few programs; all with {@code -Dkenaz.nvcc=all}, which keeps in
 * {@code target/nvcc-passed.txt} what was compiled, so that the next run goes on from there, and
 * begins nothing after {@code -Dkenaz.nvcc.minutes}.
 */
@Execution(CONCURRENT)
final class NvccTest {
  private static final boolean ALL = System.getProperty("kenaz.nvcc", "").equals("all");
  private static final List<String> ARCHITECTURES = List.of("80", "90");
  private static final Path PASSED = Path.of("target/nvcc-passed.txt");
  private static final Pattern NAME = Pattern.compile("(?m)^KZ_KERNEL void (\\w+)\\(");
  private static final Pattern USED =
      Pattern.compile(
          "entry function '(\\w+)' for '(\\w+)'(?s:.*?) (\\d+) bytes spill stores(?s:.*?)"
              + "Used (\\d+) registers");

  /** Kernels that are compiled at once: one large text takes longer than its parts. */
  private static final int TOGETHER = 40;

  @TempDir Path folder;

  /**
   * A kernel; its name and its place in the source make no difference.
   *
   * @param key of all that its compilation depends on
   */
  private record Piece(String where, String text, String key) {}

  private final List<String> faults = new ArrayList<>();
  private final List<String> spills = new ArrayList<>();
  private int registers;
  private int number;
  private String shared = "";
  private final long start = System.nanoTime();

  @Test
  void compiles() throws Exception {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(d -> Files.isExecutable(Path.of(d, "nvcc"))),
        "there is no nvcc here");
    var files = files();
    var seen = passed();
    int before = seen.size();
    var left = new ArrayList<Piece>();
    var work = new ArrayList<Future<?>>();
    int jobs = Integer.getInteger("kenaz.nvcc.jobs", Runtime.getRuntime().availableProcessors());
    try (var pool = Executors.newFixedThreadPool(jobs)) {
      for (var file : files) {
        for (var piece : pieces(file)) {
          if (seen.add(piece.key())) {
            left.add(piece);
          }
        }
        boolean last = file.equals(files.getLast());
        while (left.size() >= TOGETHER || last && !left.isEmpty()) {
          var some = List.copyOf(left.subList(0, Math.min(TOGETHER, left.size())));
          left.removeAll(some);
          work.add(pool.submit(() -> compile(some)));
        }
      }
      for (var result : work) {
        result.get();
      }
    }
    System.out.printf(
        "%d programs, %d different kernels (%d compiled before); registers: at most %d; kernels"
            + " that spill: %s%n",
        files.size(), seen.size(), before, registers, spills);
    assertEquals(List.of(), faults);
  }

  private Void compile(List<Piece> some) throws IOException, InterruptedException {
    if (seconds() > 60 * Long.getLong("kenaz.nvcc.minutes", 10_000)) {
      return null;
    }
    int mine;
    synchronized (this) {
      mine = number++;
    }
    var text = new StringBuilder(CudaText.prelude());
    for (int k = 0; k < some.size(); k++) {
      // kernels of different programs may have one name
      text.append(NAME.matcher(some.get(k).text()).replaceAll("KZ_KERNEL void p" + k + "("));
    }
    var source = Files.writeString(folder.resolve("kernels" + mine + ".cu"), text);
    var command = new ArrayList<>(List.of("nvcc", "-std=c++17", "-fatbin"));
    command.addAll(List.of("-Werror", "all-warnings", "-Xptxas", "-v"));
    ARCHITECTURES.forEach(a -> command.add("-gencode=arch=compute_" + a + ",code=sm_" + a));
    command.addAll(List.of("-o", source + ".fatbin", source.toString()));
    var log = folder.resolve("log" + mine + ".txt");
    int rc =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start()
            .waitFor();
    ended(some, rc == 0, Files.readString(log));
    return null;
  }

  private synchronized void ended(List<Piece> some, boolean good, String said) throws IOException {
    if (!good) {
      faults.add(some.stream().map(Piece::where).toList() + "\n" + said);
    } else if (ALL) {
      keep(some);
    }
    for (var used : USED.matcher(said).results().toList()) {
      registers = Math.max(registers, Integer.parseInt(used.group(4)));
      if (!used.group(3).equals("0")) {
        var where = some.get(Integer.parseInt(used.group(1).substring(1))).where();
        spills.add("%s (%s, %s bytes)".formatted(where, used.group(2), used.group(3)));
      }
    }
    System.out.printf(
        "%d kernels up to %s %s, after %.0f s%n",
        some.size(), some.getLast().where(), good ? "compiled" : "REFUSED", seconds());
  }

  private double seconds() {
    return (System.nanoTime() - start) / 1e9;
  }

  // What was compiled before

  private static Set<String> passed() throws IOException {
    return ALL && Files.exists(PASSED)
        ? new HashSet<>(Files.readAllLines(PASSED))
        : new HashSet<>();
  }

  private static void keep(List<Piece> pieces) throws IOException {
    Files.createDirectories(PASSED.getParent());
    var keys = pieces.stream().map(Piece::key).toList();
    Files.write(PASSED, keys, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  // The kernels

  private List<Piece> pieces(Path file) throws IOException, NoSuchAlgorithmException {
    var found = new ArrayList<Piece>();
    for (var text : kernels(file)) {
      var name = NAME.matcher(text);
      if (name.find()) {
        var called = name.group(1);
        // the first line tells the place
        var bare = name.replaceAll("KZ_KERNEL void k(").substring(text.indexOf('\n') + 1);
        found.add(new Piece(file.getFileName() + " " + called, bare, key(shared() + bare)));
      }
    }
    return found;
  }

  /** What all kernels depend on. */
  private String shared() throws IOException {
    if (shared.isEmpty()) {
      shared = CudaText.prelude() + ARCHITECTURES + said(List.of("nvcc", "--version"));
    }
    return shared;
  }

  private static String key(String text) throws NoSuchAlgorithmException {
    var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(digest);
  }

  private static String said(List<String> command) throws IOException {
    var process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static List<Path> files() throws IOException {
    var files = new ArrayList<Path>();
    files.add(Path.of("src/test/resources/cuda/operators.fut"));
    var roots =
        List.of(
            "../jobs/src/main/resources/dev/kenaz/jobs",
            "src/test/resources/programs",
            "src/test/resources");
    for (var root : roots) {
      try (var found = Files.walk(Path.of(root))) {
        found
            .filter(f -> f.toString().endsWith(".fut") && !files.contains(f))
            .filter(f -> ALL || SAMPLE.matcher(f.toString()).find())
            .sorted()
            .forEach(files::add);
      }
    }
    return files;
  }

  private static final Pattern SAMPLE = Pattern.compile("/(scatter_hist|reduced|records)\\.fut");

  private List<String> kernels(Path file) {
    try {
      return Pipelines.cuda().apply(Optimised.file(file)).kernels();
    } catch (UserError | Limitation e) {
      return List.of(); // a program that is to be rejected
    } catch (CompilerBug e) {
      synchronized (this) {
        faults.add(file + ": " + e.getMessage());
      }
      return List.of();
    }
  }
}
