package dev.kenaz.jobs.command;

import dev.kenaz.jobs.SparkLog;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Whether a run is on Spark, and on which. */
final class SparkOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--spark",
      arity = "0..1",
      fallbackValue = "",
      paramLabel = "MASTER",
      description =
          "Compute on Spark: that of MASTER or spark-submit, else one within this process. A"
              + " program's name does not follow this option.")
  private String master;

  @Option(
      names = {"-v", "--verbose"},
      description = "Also print all that Spark logs.")
  private boolean verbose;

  boolean given() {
    return master != null;
  }

  /** Refuses what makes no sense together. */
  void check(PieceOptions pieces, boolean data, boolean tables) {
    if (given() && !data && pieces.rows().isEmpty()) {
      throw fault("--spark needs --data, or --rows with a number of rows");
    }
    if (!given() && data && tables) {
      throw fault("--data with {...} is what Spark reads; give --spark, too");
    }
    if (given() && pieces.hasCuts()) {
      throw fault("--cuts divide arguments in this process; with --spark there is --pieces N");
    }
    if (verbose && !given()) {
      throw fault("--verbose is for --spark");
    }
  }

  /** Returns the master, if the command line names one, and prepares the log. */
  Optional<String> master() {
    SparkLog.choose(verbose);
    return Optional.of(master).filter(m -> !m.isEmpty());
  }

  private ParameterException fault(String message) {
    return new ParameterException(command.commandLine(), message);
  }
}
