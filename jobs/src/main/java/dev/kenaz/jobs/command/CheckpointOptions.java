package dev.kenaz.jobs.command;

import dev.kenaz.jobs.run.LoopCheckpoints;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Whether a run keeps the state of its loops. */
final class CheckpointOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--checkpoint",
      paramLabel = "DIR",
      description = "Keep the state of the program's loops in this folder, with --every.")
  private Path folder;

  @Option(
      names = "--every",
      paramLabel = "K",
      description = "Keep it each time that a loop has done so many iterations.")
  @InRange(from = 1, to = InRange.MANY)
  private Integer every;

  @Option(names = "--resume", description = "Continue from the checkpoint, if there is one.")
  private boolean resume;

  boolean given() {
    return folder != null;
  }

  void check(boolean inPieces) {
    if ((folder == null) != (every == null)) {
      throw fault("--checkpoint DIR and --every K go together");
    }
    if (resume && folder == null) {
      throw fault("--resume needs --checkpoint DIR --every K");
    }
    if (given() && !inPieces) {
      throw fault("--checkpoint needs --data or --rows");
    }
  }

  Optional<LoopCheckpoints.Choice> chosen() {
    return Optional.ofNullable(folder).map(f -> new LoopCheckpoints.Choice(f, every, resume));
  }

  private ParameterException fault(String message) {
    return new ParameterException(command.commandLine(), message);
  }
}
