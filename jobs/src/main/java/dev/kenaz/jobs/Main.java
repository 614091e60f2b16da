package dev.kenaz.jobs;

import dev.kenaz.jobs.command.Bench;
import dev.kenaz.jobs.command.Check;
import dev.kenaz.jobs.command.ClusterHome;
import dev.kenaz.jobs.command.DatasetCommand;
import dev.kenaz.jobs.command.Dev;
import dev.kenaz.jobs.command.Run;
import dev.kenaz.jobs.command.Train;
import dev.kenaz.jobs.command.WarmUp;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** The {@code kenaz} command line. */
@Command(
    name = "kenaz",
    description = "Compiles, differentiates and runs Futhark programs, on one machine or on Spark.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    subcommands = {
      Run.class,
      Check.class,
      Dev.class,
      Train.class,
      DatasetCommand.class,
      Bench.class,
      ClusterHome.class,
      WarmUp.class
    })
public final class Main {

  /** Starts the command and ends the process with its status. */
  public static void main(String[] args) {
    int status = run(args);
    System.out.flush();
    System.exit(status);
  }

  /** As {@link #main}, but returns the status. */
  public static int run(String... args) {
    var line = new CommandLine(new Main());
    line.setExitCodeExceptionMapper(
        e -> e instanceof ParameterException ? ExitStatus.USAGE : ExitStatus.BUG);
    line.setExecutionExceptionHandler(
        (failure, command, parsed) -> ErrorReport.print(failure, command.getErr()));
    if (args.length == 0) {
      line.usage(line.getErr());
      return ExitStatus.USAGE;
    }
    try {
      return line.execute(args);
    } catch (Error e) { // picocli hands on only exceptions
      return ErrorReport.print(e, new PrintWriter(System.err, true));
    }
  }

  /** From the build. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      var version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"kenaz " + (version == null ? "(not packaged)" : version)};
    }
  }
}
