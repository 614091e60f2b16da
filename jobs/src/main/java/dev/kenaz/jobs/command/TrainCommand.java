package dev.kenaz.jobs.command;

import dev.kenaz.jobs.Screen;
import dev.kenaz.jobs.SparkLog;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.jobs.train.TrainConsole;
import dev.kenaz.jobs.train.TrainJob;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Trains a model, by a {@link TrainJob}. */
@Command(
    name = "train",
    description =
        "Trains a model on Spark as a configuration says, by derivatives of its objective.")
public final class TrainCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "CONFIG",
      description = "A configuration of a job; configs/schema/train.schema.json describes it.")
  private Path config;

  @Mixin private SetOptions settings;

  @ArgGroup private Noise noise = new Noise();

  private static final class Noise {
    @Option(
        names = {"-q", "--quiet"},
        description = "Print only warnings and errors.")
    private boolean quiet;

    @Option(
        names = {"-v", "--verbose"},
        description = "Also print all that Spark logs.")
    private boolean verbose;
  }

  @ArgGroup private Choice choice = new Choice();

  private static final class Choice {
    @Option(names = "--resume", description = "Continue from the last checkpoint, if there is one.")
    private boolean resume;

    @Option(
        names = "--overwrite",
        description = "Replace the model in the output folder, if there is one.")
    private boolean overwrite;
  }

  @Override
  public Integer call() {
    SparkLog.choose(noise.verbose);
    var existing = Existing.of(choice.resume, choice.overwrite);
    var screen = Screen.standard(!noise.verbose);
    TrainJob.read(config, settings.all(), new TrainConsole(screen, noise.quiet)).run(existing);
    return 0;
  }
}
