package dev.kenaz.jobs.command;

import dev.kenaz.jobs.train.Report;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Makes the report of a training again. */
@Command(
    name = "report",
    description =
        "Makes the report of a training, which may be finished, interrupted or still running.")
public final class ReportCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FOLDER", description = "The output folder of a training.")
  private Path folder;

  @Override
  public Integer call() {
    System.out.println("report   " + Report.write(folder));
    return 0;
  }
}
