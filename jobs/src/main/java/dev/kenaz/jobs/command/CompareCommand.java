package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.error.UserError;
import dev.kenaz.jobs.ExitStatus;
import dev.kenaz.jobs.measure.Comparison;
import dev.kenaz.jobs.measure.Comparison.Side;
import dev.kenaz.jobs.measure.Comparison.Verdict;
import dev.kenaz.jobs.sweep.SweepComparison;
import dev.kenaz.jobs.sweep.SweepReport;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares the results of two sweeps, which both measure, or both train. */
@Command(
    name = "compare",
    description =
        "Compares the times of two sweeps, and tells which changes are significant; of sweeps that"
            + " train, also the losses.",
    footer = {
      "",
      "The status is 0 if no cell has become slower or fails now, or has a worse loss, and 4 if one"
          + " has."
    })
public final class CompareCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "BEFORE", description = "The output folder of a sweep.")
  private Path before;

  @Parameters(index = "1", paramLabel = "AFTER", description = "The output folder of another one.")
  private Path after;

  @Option(
      names = "--threshold",
      paramLabel = "PERCENT",
      defaultValue = "5%",
      description = "A change that is smaller doesn't count (${DEFAULT-VALUE}).")
  private String threshold;

  @Override
  public Integer call() {
    return compare() ? ExitStatus.SLOWER : ExitStatus.OK;
  }

  /** Prints what has changed, and returns whether something has become worse. */
  private boolean compare() {
    if (SweepReport.isOf(before) && SweepReport.isOf(after)) {
      var models = SweepComparison.of(before, after, part());
      models.lines().forEach(System.out::println);
      return models.isWorse();
    }
    var times = Comparison.of(Side.of(before), Side.of(after), part());
    times.lines().forEach(System.out::println);
    return times.count(Verdict.SLOWER) + times.count(Verdict.FAILS) > 0;
  }

  private double part() {
    if (!threshold.matches("\\d{1,4}(\\.\\d{1,6})?%?")) {
      throw new UserError(K7501, "--threshold " + threshold + " is no percentage", "write 5%");
    }
    return Double.parseDouble(threshold.replace("%", "")) / 100;
  }
}
