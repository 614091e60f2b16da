package dev.kenaz.jobs.command;

import dev.kenaz.jobs.ExitStatus;
import dev.kenaz.jobs.bench.BenchOptions;
import dev.kenaz.jobs.bench.ProgramBench;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures programs. */
@Command(
    name = "bench",
    description =
        "Measures programs on the inputs of their test blocks, or compares Kenaz with others.",
    subcommands = {
      PaperSuiteCommands.CountsCommand.class,
      PaperSuiteCommands.LaunchesCommand.class,
      PaperSuiteCommands.SuiteCommand.class
    })
public final class BenchCommand implements Callable<Integer> {
  // At least one, but the subcommands take none.
  @Parameters(
      arity = "0..*",
      paramLabel = "PROGRAM",
      description = "Programs (.fut files), or folders of programs.")
  private List<Path> places = List.of();

  @Spec private CommandSpec spec;

  @Mixin private BackendOptions backend;

  @Option(
      names = "--cores",
      description =
          "Use at most so many threads for a call; without this option, as many as"
              + " there are cores.")
  @InRange(from = 1, to = 4096)
  private int cores = Runtime.getRuntime().availableProcessors();

  @Option(
      names = {"-r", "--runs"},
      defaultValue = "10",
      description = "Run each dataset at least so many times (${DEFAULT-VALUE}).")
  @InRange(from = 1, to = InRange.MANY)
  private int runs;

  @Option(
      names = "--warm-up",
      defaultValue = "1",
      description = "Call for so many seconds before the measurement (${DEFAULT-VALUE}).")
  @InRange(from = 0, to = 86_400)
  private double warmUp;

  @Option(
      names = "--min-seconds",
      defaultValue = "0.5",
      description = "Measure for at least so many seconds in all (${DEFAULT-VALUE}).")
  @InRange(from = 0, to = 86_400)
  private double least;

  @Option(
      names = "--convergence-max-seconds",
      defaultValue = "60",
      description =
          "Go on for at most so many seconds while the mean of the runs is uncertain"
              + " (${DEFAULT-VALUE}).")
  @InRange(from = 0, to = 86_400)
  private double most;

  @Option(
      names = "--no-convergence-phase",
      description =
          "Stop after the number of runs that --runs gives, even if their mean is uncertain.")
  private boolean noConvergence;

  @Option(names = "--no-validate", description = "Don't compare results with expected outputs.")
  private boolean noValidate;

  @Option(
      names = {"-e", "--entry-point"},
      description =
          "Take only this entry point; without this option, all that the test blocks name.")
  private String entry;

  @Option(names = "--exclude-case", description = "Leave out cases that have this tag.")
  private Set<String> excluded = Set.of();

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write all running times to this file, as JSON.")
  private Path json;

  @Override
  public Integer call() throws IOException {
    if (places.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "Missing required parameter: 'PROGRAM'");
    }
    var options =
        new BenchOptions(
            backend.get().onCores(cores),
            runs,
            seconds(warmUp),
            seconds(noConvergence ? 0 : least),
            seconds(noConvergence ? 0 : most),
            !noValidate,
            Optional.ofNullable(entry),
            excluded);
    var bench = new ProgramBench(options, System.out::println);
    bench.run(places);
    if (json != null) {
      Files.writeString(json, bench.report().json());
    }
    return bench.failed() ? ExitStatus.BUG : ExitStatus.OK;
  }

  private static Duration seconds(double s) {
    return Duration.ofNanos((long) (s * 1e9));
  }
}
