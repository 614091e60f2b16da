package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.cuda.runtime.KernelUse;
import dev.kenaz.cuda.runtime.NvidiaDevice;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.ExitStatus;
import dev.kenaz.jobs.Results;
import dev.kenaz.jobs.bench.DataSize;
import dev.kenaz.jobs.bench.PaperSuites;
import dev.kenaz.jobs.bench.SuiteProcesses;
import dev.kenaz.jobs.bench.SuiteRows;
import dev.kenaz.options.Backend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** These are the subcommands that measure and count the papers' programs. */
final class PaperSuiteCommands {
  private PaperSuiteCommands() {}

  /** The options that select some of the papers' programs. */
  private static final class Selection {
    @Parameters(
        paramLabel = "SUITE",
        arity = "0..*",
        description = "The suites: operators, applications; without a suite, both.")
    private List<String> suites = List.of("operators", "applications");

    @Option(names = "--only", description = "Take only cases whose names contain this.")
    private String only = "";

    @Option(
        names = "--large",
        description = "Take the large data sets, which the papers measured on GPUs.")
    private boolean large;

    @Option(names = "--small", description = "Take small data sets, to see that everything runs.")
    private boolean small;

    DataSize data(boolean onGpu) {
      return small ? DataSize.SMALL : large || onGpu ? DataSize.LARGE : DataSize.ORDINARY;
    }

    void each(Consumer<PaperSuites> action, long... sizes) {
      PaperSuites.named(suites, only, sizes).forEach(action);
    }
  }

  /** The papers' programs, counted. */
  @Command(
      name = "counts",
      description = "Counts the work of the papers' programs and of their derivatives.")
  static final class CountsCommand implements Callable<Integer> {
    @Mixin private Selection selection;

    @Option(
        names = "--statements",
        defaultValue = "0",
        description =
            "Also list this many statements of each derivative, those that do the most work.")
    @InRange(from = 0, to = InRange.MANY)
    private int statements;

    @Override
    public Integer call() {
      selection.each(suite -> suite.count(statements, System.out::println));
      return 0;
    }
  }

  /** What the papers' programs ask of a GPU. */
  @Command(
      name = "launches",
      description = {
        "Counts what calls of the papers' programs ask of a GPU: kernels, launches, how often the"
            + " host waits, bytes.",
        "It needs no GPU: nothing is computed, and all that the host reads for its"
            + " decisions is 0."
      })
  static final class LaunchesCommand implements Callable<Integer> {
    @Mixin private Selection selection;

    @Option(names = "--kernels", description = "Also list how often each kernel is launched.")
    private boolean kernels;

    @Option(
        names = "--sizes",
        split = ",",
        description = "Call operators with so many elements (1000000).")
    @InRange(from = 0, to = 1L << 40)
    private long[] sizes = {1_000_000};

    @Override
    public Integer call() {
      selection.each(
          suite -> suite.launches(kernels, selection.data(false), System.out::println), sizes);
      return 0;
    }
  }

  /** The papers' programs, measured. */
  @Command(name = "suite", description = "Measures the papers' programs and their derivatives.")
  static final class SuiteCommand implements Callable<Integer> {
    @Mixin private Selection selection;

    @Option(
        names = "--sizes",
        split = ",",
        description = "Measure operators with so many elements (1000000).")
    @InRange(from = 0, to = 1L << 40)
    private long[] sizes = {1_000_000};

    @Mixin private BackendOptions backend;

    @Option(
        names = "--cores",
        defaultValue = "1",
        description = "Use so many threads for a call (${DEFAULT-VALUE}).")
    @InRange(from = 1, to = 4096)
    private int cores;

    @Option(
        names = "--seconds",
        defaultValue = "0.5",
        description =
            "Warm each function up for so many seconds, and measure it for so many"
                + " (${DEFAULT-VALUE}).")
    @InRange(from = 0, to = 86_400)
    private double seconds;

    @Option(
        names = "--kernels",
        description = "Also list how long each kernel of a call takes; with --backend cuda.")
    private boolean kernels;

    @Option(
        names = "--minutes",
        description = "Begin no row after so many minutes; without this option there is no limit.")
    @InRange(from = 0, to = InRange.MANY)
    private Double minutes;

    @Option(names = "--results", description = "Keep the table in this folder, as it grows.")
    private Path results;

    @Option(
        names = "--resume",
        description = "Measure only rows that the folder of results doesn't have.")
    private boolean resume;

    @Option(names = "--from", hidden = true)
    @InRange(from = 0, to = InRange.MANY)
    private int from;

    @Option(names = "--until", hidden = true)
    @InRange(from = 0, to = InRange.ANY)
    private Long until;

    @Option(names = "--told", hidden = true)
    private boolean told;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
      var options = backend.get().onCores(cores);
      boolean cuda = options.backend() == Backend.CUDA;
      if (kernels && !cuda) {
        throw new UserError(K7501, "--kernels goes with --backend cuda");
      }
      if (cuda && !told) {
        NvidiaDevice.require(options.device());
        return processes();
      }
      var end = Optional.ofNullable(until).map(Instant::ofEpochMilli).or(this::end);
      var name = cuda ? cudaName() : "suite-" + options.backend().text() + ".md";
      var before = SuiteRows.kept(before(name));
      var kept = kept(told ? null : results, name);
      var rows = new SuiteRows(before, from, end, told, kept);
      if (from == 0 && before.isEmpty()) {
        PaperSuites.device(options).ifPresent(d -> kept.accept(d + "\n"));
      }
      try {
        var data = selection.data(cuda);
        selection.each(suite -> suite.measure(options, seconds, kernels, data, rows), sizes);
      } finally {
        if (cuda) { // This also holds when a row ends the process.
          kept.accept(KernelUse.line());
        }
      }
      rows.done();
      kept.end();
      return rows.failed() == 0 ? ExitStatus.OK : ExitStatus.BUG;
    }

    private Optional<Instant> end() {
      return Optional.ofNullable(minutes).map(m -> Instant.now().plusMillis((long) (m * 60_000)));
    }

    private String cudaName() {
      return "suite-cuda-" + String.join("-", selection.suites) + ".md";
    }

    /** Returns what an earlier run has printed, so that this run can go on. */
    private List<String> before(String name) throws IOException {
      if (resume && results == null) {
        throw new UserError(K7501, "--resume goes with the folder of --results");
      }
      boolean there = resume && Files.exists(results.resolve(name));
      return there ? Files.readAllLines(results.resolve(name)) : List.of();
    }

    private Results kept(Path folder, String name) throws IOException {
      return resume && folder != null ? Results.more(folder, name) : Results.in(folder, name);
    }

    private int processes() throws IOException, InterruptedException {
      var arguments = new ArrayList<>(spec.commandLine().getParseResult().originalArgs());
      var end = end();
      end.ifPresent(e -> arguments.addAll(List.of("--until", "" + e.toEpochMilli())));
      var before = before(cudaName());
      var kept = kept(results, cudaName());
      var processes = new SuiteProcesses(arguments, PATIENCE, end, kept);
      processes.before(before);
      int status = processes.run();
      kept.end();
      return status;
    }
  }

  /** How many seconds a row on a GPU may take without output. */
  private static final long PATIENCE = 180;
}
