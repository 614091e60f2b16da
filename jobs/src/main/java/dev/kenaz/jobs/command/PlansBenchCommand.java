package dev.kenaz.jobs.command;

import dev.kenaz.jobs.bench.PlanCost;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Compares the times that plans foretell with measured ones. */
@Command(
    name = "plans",
    description = "Compares the times that plans foretell with those of programs in this process.",
    mixinStandardHelpOptions = true)
public final class PlansBenchCommand implements Callable<Integer> {
  @Option(
      names = "--pieces",
      defaultValue = "8",
      description = "Cut the rows into so many pieces (${DEFAULT-VALUE}).")
  @InRange(from = 1, to = 1_000_000)
  private int pieces;

  @Option(
      names = "--repeats",
      defaultValue = "9",
      description =
          "Measure each program so many times, after as many runs to warm up (${DEFAULT-VALUE}).")
  @InRange(from = 1, to = 1_000_000)
  private int repeats;

  @Option(
      names = "--cores",
      description = "Use so many cores; without this option, all that there are.")
  @InRange(from = 1, to = 4096)
  private int cores = Runtime.getRuntime().availableProcessors();

  @Override
  public Integer call() {
    new PlanCost(pieces, repeats, System.out::println).run(cores);
    return 0;
  }
}
