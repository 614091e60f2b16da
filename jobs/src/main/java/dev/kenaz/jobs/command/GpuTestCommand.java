package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.cuda.runtime.KernelUse;
import dev.kenaz.cuda.runtime.NvidiaDevice;
import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.ExitStatus;
import dev.kenaz.jobs.OwnProcess;
import dev.kenaz.jobs.Results;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Runs program tests on a GPU, each program in a process of its own: after a kernel has failed, its
 * process can't use the GPU any more, and the other programs must not suffer from that.
 */
@Command(
    name = "gpu-test",
    description =
        "Runs the test blocks of programs on a GPU, each program in a process of its own.")
public final class GpuTestCommand implements Callable<Integer> {
  private static final Pattern COUNTS = Pattern.compile("(\\d+) of (\\d+) cases passed\\s*$");
  private static final Pattern KEPT =
      Pattern.compile("(ok   |FAIL ) (.*) \\((\\d+) of (\\d+), \\d+ s\\)");

  @Parameters(
      arity = "1..*",
      paramLabel = "PROGRAM",
      description = "Programs (.fut files), or folders of programs.")
  private List<Path> places;

  @Option(
      names = "--backend",
      defaultValue = "cuda",
      description =
          "Run programs by this backend: cuda, or another one to try the tests"
              + " themselves (${DEFAULT-VALUE}).")
  private String backend;

  @Option(
      names = "--device",
      split = ",",
      paramLabel = "N",
      description =
          "Divide the programs among the GPUs of these numbers; without this option,"
              + " take the first that can be used.")
  @InRange(from = 0, to = 1023)
  private List<Integer> devices = List.of();

  @Option(
      names = "--jobs",
      description =
          "Run so many processes at a time; without this option, as many as there are"
              + " cores (${DEFAULT-VALUE}).")
  @InRange(from = 1, to = 4096)
  private int jobs = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--minutes",
      defaultValue = "5",
      description = "Stop a program after so many minutes (${DEFAULT-VALUE}).")
  @InRange(from = 1, to = InRange.MANY)
  private int minutes;

  @Option(
      names = "--within",
      paramLabel = "MINUTES",
      description = {
        "Start no program after so many minutes; without this option there is no limit.",
        "What has not been tested by then is left for --resume."
      })
  @InRange(from = 0.001, to = InRange.MANY)
  private double within = Double.POSITIVE_INFINITY;

  @Option(names = "--results", description = "Keep what is printed in this folder.")
  private Path results;

  @Option(
      names = "--resume",
      description = "Test only programs of which the folder of results has no outcome.")
  private boolean resume;

  private long start;
  private int passed;
  private int cases;
  private final TreeSet<String> failures = new TreeSet<>();
  private final KernelUse kernels = new KernelUse();

  /**
   * What became of a program: how many cases passed, and how many there are; if it wasn't tested,
   * there are none.
   */
  private record Outcome(Path program, int good, int all, double seconds, String said) {
    boolean passed() {
      return good == all;
    }

    String line() {
      var word = passed() ? "ok   " : "FAIL ";
      return "%s %s (%d of %d, %.0f s)".formatted(word, program, good, all, seconds);
    }
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (resume && results == null) {
      throw new UserError(K7501, "--resume goes with the folder of --results");
    }
    boolean cuda = Backend.named(backend) == Backend.CUDA;
    var all = devices.isEmpty() ? Collections.<Integer>singletonList(null) : devices;
    var numbers = all.stream().map(d -> BackendOptions.device(d, cuda)).toList();
    if (!cuda) {
      return together();
    }
    numbers.forEach(NvidiaDevice::require);
    var name = "tests-" + backend + ".txt";
    var before = resume ? kept(results.resolve(name)) : Set.<Path>of();
    var programs = programs();
    var left = programs.stream().filter(p -> !before.contains(p)).toList();
    var out = resume ? Results.more(results, name) : Results.in(results, name);
    if (!before.isEmpty()) {
      System.out.printf(
          "%d programs were tested before, %d are left%n", before.size(), left.size());
    }
    int untested = test(left, numbers, out);
    int whole = before.size() + left.size() - untested;
    out.accept(
        "\n%d of %d programs and %d of %d cases passed on %s"
            .formatted(whole - failures.size(), whole, passed, cases, backend));
    failures.forEach(f -> out.accept("  failed: " + f));
    out.accept(kernels.text());
    if (untested > 0) {
      out.accept(untested + " more were left out for lack of time: --resume goes on with them");
    }
    out.end();
    return failures.isEmpty() ? ExitStatus.OK : ExitStatus.BUG;
  }

  /** Tests programs, and returns how many could not be tested for lack of time. */
  private int test(List<Path> programs, List<Integer> numbers, Results out)
      throws InterruptedException {
    start = System.nanoTime();
    // A GPU that only one process at a time may use refuses a second one.
    boolean alone = numbers.stream().anyMatch(NvidiaDevice::exclusive);
    int untested = 0;
    try (var pool = Executors.newFixedThreadPool(alone ? 1 : jobs)) {
      var ended = new ExecutorCompletionService<Optional<Outcome>>(pool);
      for (int i = 0; i < programs.size(); i++) {
        var program = programs.get(i);
        int device = numbers.get(i % numbers.size());
        ended.submit(() -> outcome(program, device));
      }
      for (var _ : programs) {
        var outcome = result(ended.take());
        outcome.ifPresent(o -> tell(o, out));
        untested += outcome.isEmpty() ? 1 : 0;
      }
    }
    return untested;
  }

  private static Optional<Outcome> result(Future<Optional<Outcome>> ended)
      throws InterruptedException {
    try {
      return ended.get();
    } catch (ExecutionException e) {
      throw new CompilerBug("kenaz", "a test can't be run", e.getCause());
    }
  }

  /** Returns how many seconds are left. */
  private double left() {
    return 60 * within - (System.nanoTime() - start) / 1e9;
  }

  /** Returns the programs that have an outcome in the file, and counts these outcomes. */
  private Set<Path> kept(Path file) throws IOException {
    var programs = new TreeSet<Path>();
    if (Files.exists(file)) {
      for (var line : Files.readAllLines(file)) {
        var found = KEPT.matcher(line);
        if (found.matches() && programs.add(Path.of(found.group(2)))) {
          int good = Integer.parseInt(found.group(3));
          count(
              new Outcome(Path.of(found.group(2)), good, Integer.parseInt(found.group(4)), 0, ""));
        }
      }
    }
    return programs;
  }

  /**
   * Returns how many programs a process tests together. Without a GPU nothing is lost by a failure.
   */
  private int together() {
    var arguments = new ArrayList<>(List.of("--backend", backend, "--compare"));
    places.forEach(p -> arguments.add(p.toString()));
    return new CommandLine(new TestCommand()).execute(arguments.toArray(String[]::new));
  }

  /** Returns the programs, the largest ones first, as they may take longest. */
  private List<Path> programs() throws IOException {
    var found = new ArrayList<Path>();
    for (var place : places) {
      try (Stream<Path> files = Files.walk(place)) {
        files
            .filter(f -> f.toString().endsWith(".fut") && tested(f))
            .sorted(Comparator.comparing((Path f) -> -f.toFile().length()).thenComparing(f -> f))
            .forEach(found::add);
      }
    }
    return found;
  }

  /** Whether a program has test blocks. */
  static boolean tested(Path file) {
    try {
      return Files.readString(file).lines().anyMatch(l -> l.strip().startsWith("-- =="));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Tests a program; returns nothing if there is no time for it. */
  private Optional<Outcome> outcome(Path program, int device) throws InterruptedException {
    if (left() <= 0) {
      return Optional.empty();
    }
    long begun = System.nanoTime();
    String said;
    try {
      said = run(program, device);
    } catch (IOException e) {
      said = "can't be run: " + e.getMessage();
    }
    double seconds = (System.nanoTime() - begun) / 1e9;
    var counts = COUNTS.matcher(said);
    boolean whole = counts.find();
    if (!whole && left() <= 0) {
      return Optional.empty();
    }
    int good = whole ? Integer.parseInt(counts.group(1)) : 0;
    int all = whole ? Integer.parseInt(counts.group(2)) : 1;
    return Optional.of(new Outcome(program, good, all, seconds, said));
  }

  /** Returns what the test of one program prints. */
  private String run(Path program, int device) throws IOException, InterruptedException {
    var arguments = new ArrayList<>(List.of("test", "--backend", backend, "--compare"));
    arguments.addAll(List.of("--concurrency", "1", program.toString()));
    if (device != CompileOptions.ANY_DEVICE) {
      arguments.addAll(List.of("--device", "" + device));
    }
    var log = Files.createTempFile("kenaz-test", ".log");
    try {
      var process = OwnProcess.of(arguments).redirectOutput(log.toFile()).start();
      process.getOutputStream().close();
      long seconds = (long) Math.ceil(Math.min(60.0 * minutes, left()));
      boolean ended = process.waitFor(seconds, TimeUnit.SECONDS);
      if (!ended) {
        process.destroyForcibly().waitFor();
      }
      var said = new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
      return ended ? said : said + "\nstopped after " + seconds + " s\n";
    } finally {
      Files.delete(log);
    }
  }

  private void count(Outcome o) {
    passed += o.good();
    cases += o.all();
    if (!o.passed()) {
      failures.add(o.program().toString());
    }
  }

  private void tell(Outcome o, Results out) {
    count(o);
    o.said().lines().forEach(kernels::add);
    o.said().lines().filter(l -> l.startsWith("note  ")).forEach(out);
    var why = o.passed() ? "" : "\n" + o.said().stripTrailing().indent(6).stripTrailing();
    out.accept(o.line() + why);
  }
}
