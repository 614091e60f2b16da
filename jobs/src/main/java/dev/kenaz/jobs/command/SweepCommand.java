package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K7102;
import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.ExitStatus;
import dev.kenaz.jobs.HiddenText;
import dev.kenaz.jobs.SparkLog;
import dev.kenaz.jobs.measure.BenchmarkSweep;
import dev.kenaz.jobs.measure.BenchmarkSweeps;
import dev.kenaz.jobs.measure.FutharkJson;
import dev.kenaz.jobs.measure.Measurement;
import dev.kenaz.jobs.sweep.CellResult;
import dev.kenaz.jobs.sweep.SweepJob;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.jobs.train.TrainConsole;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Measures programs, or trains models, once for every combination of settings. */
@Command(
    name = "sweep",
    description =
        "Measures programs or trains models, once for every combination of settings, and compares"
            + " the results.",
    footer = {
      "",
      "A cell that fails is a line of the table like others. The status is 0 if any cell was done."
    })
public final class SweepCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "CONFIG",
      description =
          "A configuration of a sweep; configs/schema/sweep.schema.json describes those that train,"
              + " benchmark.schema.json those that measure.")
  private Path config;

  @Mixin private SetOptions settings;

  @Option(
      names = {"-v", "--verbose"},
      description =
          "Also print what the trainings report; given twice, also print all that Spark logs.")
  private boolean[] verbose = {};

  @Option(
      names = "--plan",
      description = "List the cells of a sweep that measures, and measure nothing.")
  private boolean plan;

  @Option(
      names = "--only",
      paramLabel = "AXIS=VALUE",
      description =
          "Measure only the cells that have this value; may be repeated. Of conditions on one"
              + " axis, a cell must fulfil one.")
  private List<String> only = List.of();

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description =
          "Also write the times of a sweep that measures in the format of futhark bench --json.")
  private Path json;

  @ArgGroup private Choice choice = new Choice();

  private static final class Choice {
    @Option(
        names = "--resume",
        description = "Run only cells of the table that are not done yet, new ones included.")
    private boolean resume;

    @Option(
        names = "--overwrite",
        description = "Replace the table in the output folder, and the models of its cells.")
    private boolean overwrite;
  }

  @Override
  public Integer call() {
    SparkLog.choose(verbose.length > 1);
    var existing = Existing.of(choice.resume, choice.overwrite);
    return BenchmarkSweep.isMeant(config) ? measure(existing) : train(existing);
  }

  private int measure(Existing existing) {
    var sweep = BenchmarkSweeps.read(config, settings.all(), only, SweepCommand::say);
    if (plan) {
      sweep.plan();
      return ExitStatus.OK;
    }
    var results = sweep.run(existing);
    writeJson(results);
    return results.stream().anyMatch(Measurement::isDone) ? ExitStatus.OK : ExitStatus.USER_ERROR;
  }

  private void writeJson(List<Measurement> results) {
    try {
      if (json != null) {
        Files.writeString(json, FutharkJson.of(results));
      }
    } catch (IOException e) {
      throw new UserError(
          K7102, "can't write " + json + ": " + UserPath.reason(json, e), "name another file");
    }
  }

  private static void say(String line) {
    System.out.println(HiddenText.without(line));
  }

  private int train(Existing existing) {
    if (plan || !only.isEmpty() || json != null) {
      var option = plan ? "--plan" : json != null ? "--json" : "--only";
      throw new UserError(K7501, option + " is for sweeps that measure, which have \"axes\"");
    }
    var job =
        SweepJob.read(
            config,
            settings.all(),
            SweepCommand::say,
            verbose.length > 0 ? TrainConsole.lines(l -> System.out.println("  " + l)) : _ -> {});
    var results = job.run(existing);
    if (results.stream().anyMatch(CellResult::isBug)) {
      return ExitStatus.BUG;
    }
    return results.stream().anyMatch(CellResult::isDone) ? ExitStatus.OK : ExitStatus.USER_ERROR;
  }
}
