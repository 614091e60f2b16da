package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7102;
import static dev.kenaz.error.ErrorCode.K7103;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The folder of a trained model: the model itself, and how it came about.
 *
 * @param path the folder
 * @param document what {@code model.json} says
 */
public record ModelFolder(Path path, Document document) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * The contents of {@code model.json}.
   *
   * @param kenaz the version that has trained the model
   * @param type the model's type, as text
   * @param parts the model's numbers and arrays, which {@code model.arrow} has
   * @param loss that of the model, if there is any; {@code losses} has those of all iterations
   * @param metrics of the model over the data that it was trained on
   * @param validation what it is worth by other data; null if there was none
   * @param trained the models that were trained before it; null if there was but one
   * @param folds how the numbers of the validation spread over folds; null if there were none
   * @param rows how many rows this was
   * @param program the text of the program, by the names of its files
   * @param root which of them is the program
   * @param config the configuration, as it was given
   * @param folder the folder from which its relative paths start
   */
  record Document(
      String kenaz,
      String type,
      List<ModelFile.Part> parts,
      Double loss,
      Map<String, Number> metrics,
      Scores validation,
      List<Trained> trained,
      Map<String, Trained.Spread> folds,
      int iterations,
      long rows,
      List<Double> losses,
      List<Double> seconds,
      String root,
      Map<String, String> program,
      JsonNode config,
      String folder) {
    /**
     * Returns the same of the best of several models.
     *
     * @param job the configuration that has them all
     */
    Document of(JsonNode job, List<Trained> models) {
      return new Document(
          kenaz,
          type,
          parts,
          loss,
          metrics,
          validation,
          models,
          null,
          iterations,
          rows,
          losses,
          seconds,
          root,
          program,
          job,
          folder);
    }

    private boolean isWhole() {
      return Stream.of(type, parts, losses, seconds, root, program, config)
              .allMatch(Objects::nonNull)
          && Stream.of(parts, losses, seconds).allMatch(l -> l.stream().allMatch(Objects::nonNull))
          && parts.stream().allMatch(ModelFile.Part::isWhole)
          && program.containsKey(root)
          && folder != null;
    }
  }

  /** What tells a model of an earlier version. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  private record Old(JsonNode centres) {}

  /**
   * Opens a folder.
   *
   * @return nothing if it holds no model
   * @throws UserError K7103 if the model can't be read, or is of an earlier version
   */
  public static Optional<ModelFolder> open(Path path) {
    var file = path.resolve(OutputFolder.MODEL_JSON);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      var tree = JSON.readTree(file.toFile());
      if (JSON.treeToValue(tree, Old.class) instanceof Old(var centres) && centres != null) {
        throw new UserError(
            K7103,
            file + " is a model of an earlier version of Kenaz, which had centres only",
            "train it again, or read its centres from " + OutputFolder.MODEL_ARROW);
      }
      var document = JSON.treeToValue(tree, Document.class);
      if (document == null || !document.isWhole()) {
        throw new UserError(K7103, file + " is not a model: it lacks a part");
      }
      return Optional.of(new ModelFolder(path, document));
    } catch (JsonProcessingException e) {
      throw new UserError(K7103, file + " is not a model: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw UserPath.cannotRead(file, K7103, e);
    }
  }

  /** Returns the model. */
  public List<Value> model() {
    return ModelFile.read(path.resolve(OutputFolder.MODEL_ARROW), document.parts());
  }

  /** Returns the losses at the start and after each iteration; none if there is no loss. */
  public List<Double> losses() {
    return document.losses();
  }

  /** Returns the numbers of {@code metrics} for the rows of the training. */
  public Map<String, Number> metrics() {
    return document.metrics();
  }

  /** Returns how many iterations there were. */
  public int iterations() {
    return document.iterations();
  }

  /** Returns how many rows the model was trained on. */
  public long rows() {
    return document.rows();
  }

  /** Returns how long the start and each iteration took. */
  public List<Double> seconds() {
    return document.seconds();
  }

  /** Returns the numbers and arrays of the model by their paths in its type. */
  public Map<String, Value> numbers() {
    var values = model();
    var named = new LinkedHashMap<String, Value>();
    for (int i = 0; i < values.size(); i++) {
      named.put(document.parts().get(i).name(), values.get(i));
    }
    return named;
  }

  /**
   * Returns an event that tells that a training was finished before.
   *
   * @param configs of trainings; it is one of these
   * @throws UserError K7103 if it is none of them
   */
  TrainEvent finished(List<JsonNode> configs) {
    if (!Subject.isOneOf(config(), configs)) {
      throw new UserError(
          K7103,
          path + " holds a model of other data, program, parameters or optimiser",
          "name another output, or pass --overwrite");
    }
    return TrainEvent.Model.before(
        document.iterations(), "model    " + path.resolve(OutputFolder.MODEL_ARROW));
  }

  /** Returns the program that has trained it. */
  public ProgramSource program() {
    return new ProgramSource(document.root(), document.program());
  }

  /** Returns the configuration, as it was given. */
  public JsonNode config() {
    return document.config();
  }

  /**
   * Writes a model. {@code model.json} is written last, as it marks a finished training.
   *
   * @param state how the training ended
   * @return lines that say where the files are
   */
  static List<String> write(
      OutputFolder output, Document document, List<Value> model, TrainState state) {
    var arrow = output.path().resolve(OutputFolder.MODEL_ARROW);
    try {
      ModelFile.write(arrow, document.type(), document.parts(), model);
    } catch (UserError e) {
      throw new UserError(K7102, e.diagnostics().getFirst().message(), output.kept());
    }
    var judged = new HashMap<Integer, Scores>();
    state.judged().forEach(j -> judged.put(j.round(), j.scores()));
    boolean validates = document.validation() != null;
    output.write(
        OutputFolder.HISTORY,
        out -> {
          for (int i = 0; i < state.seconds().size(); i++) {
            var line = JSON.createObjectNode().put("iteration", i);
            if (i < state.losses().size()) {
              line.put("loss", state.losses().get(i));
            }
            line.put("seconds", state.seconds().get(i));
            if (judged.containsKey(i)) {
              line.set(validates ? "validation" : "training", JSON.valueToTree(judged.get(i)));
            }
            out.write(JSON.writeValueAsBytes(line));
            out.write('\n');
          }
        });
    var lines = new ArrayList<String>();
    lines.add("model    " + arrow);
    lines.add("         " + output.path().resolve(OutputFolder.MODEL_JSON));
    if (!state.losses().isEmpty()) {
      lines.add(picture(output, state.losses()));
    }
    output.writeJson(OutputFolder.MODEL_JSON, document);
    return lines;
  }

  /** Copies a model. {@code model.json} is written last, as it marks a finished training. */
  static List<String> copy(ModelFolder from, OutputFolder output, Document document) {
    for (var name : OutputFolder.OF_MODEL) {
      var file = from.path().resolve(name);
      if (Files.exists(file)) {
        output.write(name, out -> Files.copy(file, out));
      }
    }
    output.writeJson(OutputFolder.MODEL_JSON, document);
    return List.of(
        "model    " + output.path().resolve(OutputFolder.MODEL_ARROW),
        "         " + output.path().resolve(OutputFolder.MODEL_JSON));
  }

  /**
   * Writes the picture. A machine without fonts can't draw text; that is no error, as the model is
   * worth more than its picture.
   */
  private static String picture(OutputFolder output, List<Double> losses) {
    try {
      output.write(
          OutputFolder.PICTURE, out -> CostPicture.write("loss by iteration", losses, out));
      return "picture  " + output.path().resolve(OutputFolder.PICTURE);
    } catch (LinkageError | InternalError | NullPointerException e) {
      return "picture  none: Java can't draw here (" + e + "); are fonts installed?";
    }
  }
}
