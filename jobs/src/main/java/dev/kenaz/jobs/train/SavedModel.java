package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7103;
import static dev.kenaz.error.ErrorCode.K7402;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.value.Value;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A trained model with what is needed to use it, all of which is in its folder.
 *
 * @param model its values, in the order of its type
 */
public record SavedModel(
    ModelFolder folder, TrainConfig config, JobProgram program, List<Value> model) {

  /**
   * Opens a folder.
   *
   * @throws UserError K7103 if it holds no model that can be read; what is wrong with the program,
   *     if this version of Kenaz can't compile it
   */
  public static SavedModel open(Path path) {
    var folder = folder(path);
    var config = ConfigReader.train(folder.config(), path + "/model.json, config");
    try {
      var program =
          JobProgram.of(
              folder.program(), config.data().columns().keySet(), config.parameters().keySet());
      return new SavedModel(folder, config, program, folder.model());
    } catch (UserError e) {
      throw new UserError(e.diagnostics().stream().map(d -> inFolder(d, folder)).toList());
    }
  }

  /** A file of the program may be another one by now than that whose text is in the folder. */
  private static Diagnostic inFolder(Diagnostic d, ModelFolder folder) {
    if (!folder.program().files().containsKey(d.span().file())) {
      return d;
    }
    var s = d.span();
    var file = "%s in %s/model.json".formatted(Path.of(s.file()).getFileName(), folder.path());
    return new Diagnostic(
        d.code(),
        new Span(file, s.line(), s.column(), s.endLine(), s.endColumn()),
        d.message(),
        d.hints());
  }

  /** Opens a folder, and reads nothing but what {@code model.json} says. */
  public static ModelFolder folder(Path path) {
    return ModelFolder.open(path).orElseThrow(() -> none(path));
  }

  private static UserError none(Path path) {
    if (!Files.isDirectory(path)) {
      return new UserError(K7103, path + " is no folder of a model", "kenaz train makes one");
    }
    var output = new OutputFolder(path);
    return new UserError(
        K7103,
        path + " holds no model",
        output.hasCheckpoint()
            ? "its training isn't finished: go on with kenaz train --resume"
            : "kenaz models FOLDER shows where models are");
  }

  /** Returns a function of the program. */
  JobFunction function(String name) {
    if (!program.has(name)) {
      throw new UserError(
          K7402,
          "the program of %s has no function %s".formatted(folder.path(), name),
          "its functions are " + String.join(", ", program.functions().keySet()));
    }
    return program.function(name);
  }

  /** Returns the values of hyperparameters by name, the seed among them. */
  Map<String, Value> hyperparameters() {
    return Trainer.hyperparameters(config, program);
  }
}
