package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K7102;
import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.measure.BenchmarkReport;
import dev.kenaz.jobs.train.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes the report of a training, or of a sweep that measures, again. */
@Command(
    name = "report",
    description =
        "Makes the report of a training or of a sweep that measures, which may be finished,"
            + " interrupted or still running.")
public final class ReportCommand implements Callable<Integer> {
  @Parameters(
      arity = "1..*",
      paramLabel = "FOLDER",
      description =
          "The output folder of a training or of a sweep; several of sweeps that measure become one"
              + " page.")
  private List<Path> folders;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Where the page goes; it is written into the folder if this isn't given.")
  private Path output;

  @Override
  public Integer call() {
    System.out.println("report   " + (output == null ? inFolder() : elsewhere()));
    return 0;
  }

  private Path inFolder() {
    if (folders.size() > 1) {
      throw new UserError(K7501, "several folders become one page", "say where by -o FILE");
    }
    var folder = folders.getFirst();
    return BenchmarkReport.isOf(folder) ? BenchmarkReport.write(folder) : Report.write(folder);
  }

  private Path elsewhere() {
    for (var folder : folders) {
      if (!BenchmarkReport.isOf(folder)) {
        throw new UserError(
            K7501, folder + " is not of a sweep that measures", "leave out -o for other folders");
      }
    }
    try {
      return Files.writeString(output, BenchmarkReport.page(folders));
    } catch (IOException e) {
      throw new UserError(
          K7102, "can't write " + output + ": " + UserPath.reason(output, e), "name another file");
    }
  }
}
