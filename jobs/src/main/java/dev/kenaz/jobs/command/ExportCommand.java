package dev.kenaz.jobs.command;

import dev.kenaz.jobs.train.ModelExport;
import dev.kenaz.jobs.train.SavedModel;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a model for other programs. */
@Command(
    name = "export",
    description = "Writes a model for NumPy, for readers of safetensors or JSON, or for Futhark.")
public final class ExportCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "MODEL", description = "The folder of a trained model.")
  private Path model;

  @Parameters(
      index = "1",
      paramLabel = "FILE",
      description =
          "The extension decides the format: .npz, .safetensors, .json, .values (Futhark's text) or"
              + " .fut-values (Futhark's binary format).")
  private Path file;

  @Option(names = "--overwrite", description = "Replace the file, if there is one.")
  private boolean overwrite;

  @Override
  public Integer call() {
    ModelExport.write(SavedModel.folder(model), file, overwrite);
    return 0;
  }
}
