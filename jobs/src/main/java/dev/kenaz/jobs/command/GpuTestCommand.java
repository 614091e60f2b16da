package dev.kenaz.jobs.command;

import dev.kenaz.Backend;
import dev.kenaz.cuda.runtime.NvidiaDevice;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.ExitStatus;
import dev.kenaz.jobs.OwnProcess;
import dev.kenaz.jobs.Results;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
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
 * Runs program tests on a GPU, each program in a process of its own: a kernel that fails takes the
 * process's use of the GPU with it, and must not take the other programs' results.
 */
@Command(
    name = "gpu-test",
    description = "Runs test blocks on a GPU, each program in a process of its own.",
    mixinStandardHelpOptions = true)
public final class GpuTestCommand implements Callable<Integer> {
  private static final Pattern COUNTS = Pattern.compile("(\\d+) of (\\d+) cases passed\\s*$");

  @Parameters(arity = "1..*", paramLabel = "PROGRAM", description = "Programs, or folders.")
  private List<Path> places;

  @Option(names = "--backend", defaultValue = "cuda", description = "(${DEFAULT-VALUE})")
  private String backend;

  @Option(
      names = "--device",
      split = ",",
      paramLabel = "N",
      description = "Numbers of GPUs that share the programs; the first usable one unless given.")
  private List<Integer> devices = List.of();

  @Option(names = "--jobs", defaultValue = "4", description = "Processes (${DEFAULT-VALUE}).")
  private int jobs;

  @Option(
      names = "--minutes",
      defaultValue = "5",
      description = "That a program may take (${DEFAULT-VALUE}).")
  private int minutes;

  @Option(names = "--results", description = "A folder where what is printed is kept.")
  private Path results;

  private int passed;
  private int cases;
  private final TreeSet<String> failures = new TreeSet<>();

  @Override
  public Integer call() throws IOException {
    if (jobs < 1 || minutes < 1) {
      throw new UserError("K7501", Span.NONE, "--jobs and --minutes are at least 1");
    }
    boolean cuda = Backend.named(backend) == Backend.CUDA;
    var all = devices.isEmpty() ? Collections.<Integer>singletonList(null) : devices;
    var numbers = all.stream().map(d -> BackendOptions.device(d, cuda)).toList();
    if (!cuda) {
      return together();
    }
    numbers.forEach(NvidiaDevice::require);
    var programs = programs();
    var out = Results.in(results, "tests-" + backend + ".txt");
    // a GPU for one process at a time refuses a second one
    boolean alone = numbers.stream().anyMatch(NvidiaDevice::exclusive);
    try (var pool = Executors.newFixedThreadPool(alone ? 1 : jobs)) {
      var runs = new ArrayList<Future<String>>();
      for (var p : programs) {
        int device = numbers.get(runs.size() % numbers.size());
        runs.add(pool.submit(() -> run(p, device)));
      }
      for (int i = 0; i < runs.size(); i++) {
        tell(programs.get(i), runs.get(i), out);
      }
    }
    out.accept(
        "\n%d of %d programs and %d of %d cases passed on %s"
            .formatted(programs.size() - failures.size(), programs.size(), passed, cases, backend));
    failures.forEach(f -> out.accept("  failed: " + f));
    out.end();
    return failures.isEmpty() ? ExitStatus.OK : ExitStatus.BUG;
  }

  /** Nothing is lost with a failure where there is no GPU. */
  private int together() {
    var arguments = new ArrayList<>(List.of("--backend", backend, "--compare"));
    places.forEach(p -> arguments.add(p.toString()));
    return new CommandLine(new TestCommand()).execute(arguments.toArray(String[]::new));
  }

  private List<Path> programs() throws IOException {
    var found = new ArrayList<Path>();
    for (var place : places) {
      try (Stream<Path> files = Files.walk(place)) {
        files.filter(f -> f.toString().endsWith(".fut") && tested(f)).sorted().forEach(found::add);
      }
    }
    return found;
  }

  private static boolean tested(Path file) {
    try {
      return Files.readString(file).lines().anyMatch(l -> l.strip().startsWith("-- =="));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What the test of one program prints. */
  private String run(Path program, int device) throws IOException, InterruptedException {
    var arguments = new ArrayList<>(List.of("test", "--backend", backend, "--compare"));
    arguments.add(program.toString());
    if (device != NvidiaDevice.ANY) {
      arguments.addAll(List.of("--device", "" + device));
    }
    var log = Files.createTempFile("kenaz-test", ".log");
    try {
      var process = OwnProcess.of(arguments).redirectOutput(log.toFile()).start();
      process.getOutputStream().close();
      boolean ended = process.waitFor(minutes, TimeUnit.MINUTES);
      if (!ended) {
        process.destroyForcibly().waitFor();
      }
      var said = new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
      return ended ? said : said + "\nstopped after " + minutes + " minutes\n";
    } finally {
      Files.delete(log);
    }
  }

  private void tell(Path program, Future<String> run, Results out) {
    String said;
    try {
      said = run.get();
    } catch (Exception e) {
      said = "can't be run: " + e.getMessage();
    }
    var counts = COUNTS.matcher(said);
    boolean whole = counts.find();
    int good = whole ? Integer.parseInt(counts.group(1)) : 0;
    int all = whole ? Integer.parseInt(counts.group(2)) : 1;
    passed += good;
    cases += all;
    if (good == all) {
      out.accept("ok    " + program);
    } else {
      failures.add(program.toString());
      out.accept("FAIL  " + program + "\n" + said.stripTrailing().indent(6).stripTrailing());
    }
  }
}
