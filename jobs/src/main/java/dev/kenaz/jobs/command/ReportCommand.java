package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K7102;
import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.measure.BenchmarkReport;
import dev.kenaz.jobs.picture.Page;
import dev.kenaz.jobs.sweep.SweepReport;
import dev.kenaz.jobs.train.OutputFolder;
import dev.kenaz.jobs.train.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes the report of a training or of a sweep again. */
@Command(
    name = "report",
    description =
        "Makes the report of a training or of a sweep, which may be finished, interrupted or still"
            + " running.")
public final class ReportCommand implements Callable<Integer> {
  @Parameters(
      arity = "1..*",
      paramLabel = "FOLDER",
      description =
          "The output folder of a training or of a sweep; several of sweeps become one page.")
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
    var output = new OutputFolder(folder);
    if (!isOfSweep(folder)) {
      return Report.write(folder);
    }
    output.writeText(Page.NAME, Page.of(List.of(part(folder))));
    return folder.resolve(Page.NAME);
  }

  private static boolean isOfSweep(Path folder) {
    return BenchmarkReport.isOf(folder) || SweepReport.isOf(folder);
  }

  private static Page.Part part(Path folder) {
    return BenchmarkReport.isOf(folder) ? BenchmarkReport.read(folder) : SweepReport.read(folder);
  }

  private Path elsewhere() {
    for (var folder : folders) {
      if (!isOfSweep(folder)) {
        throw new UserError(K7501, folder + " is not of a sweep", "leave out -o for other folders");
      }
    }
    try {
      return Files.writeString(output, Page.of(folders.stream().map(ReportCommand::part).toList()));
    } catch (IOException e) {
      throw new UserError(
          K7102, "can't write " + output + ": " + UserPath.reason(output, e), "name another file");
    }
  }
}
