package dev.kenaz.jobs.command;

import dev.kenaz.cuda.runtime.GpuReport;
import dev.kenaz.jobs.ExitStatus;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Says whether, and on what, the CUDA backend can run. */
@Command(
    name = "gpu",
    description =
        "Reports which driver, GPUs and compilers there are for --backend cuda, and"
            + " why one of them can't be used.",
    footer = "Ends with 0 if kernels can be run, and with 2 if not.")
public final class GpuCommand implements Callable<Integer> {
  @Override
  public Integer call() {
    var report = GpuReport.look();
    report.lines().forEach(line -> System.out.printf("%-14s %s%n", line.what(), line.found()));
    System.out.println();
    if (report.usable()) {
      System.out.println("--backend cuda can be used");
      return ExitStatus.OK;
    }
    System.out.println("--backend cuda can't be used: " + String.join("; ", report.problems()));
    return ExitStatus.USER_ERROR;
  }
}
