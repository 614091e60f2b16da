package dev.kenaz.jobs.ml;

import static dev.kenaz.error.ErrorCode.K6111;
import static dev.kenaz.error.ErrorCode.K7103;

import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.train.RowPrediction;
import dev.kenaz.jobs.train.SavedModel;
import dev.kenaz.jobs.train.TableCopy;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;

/**
 * A trained model in memory: the files of its folder, and what they say. The folder may be gone.
 *
 * @param contents of the files, by their names
 * @param numbers the elements of the model's arrays, by their paths in its type
 */
public record ModelFiles(
    Map<String, byte[]> contents,
    SavedModel model,
    Map<String, double[]> numbers,
    Planned planned) {
  /** The files of a model. Reports and histories of trainings are there only if they were. */
  private static final List<String> NAMES =
      List.of("model.arrow", "model.json", "history.jsonl", "report.html");

  /** The prediction, planned when it is first asked for. */
  private static final class Planned {
    private RowPrediction prediction;

    synchronized RowPrediction of(SavedModel model) {
      if (prediction == null) {
        prediction = RowPrediction.of(model);
      }
      return prediction;
    }
  }

  /**
   * Reads a folder.
   *
   * @throws UserError K7103 if it holds no model
   */
  public static ModelFiles read(Path folder) {
    var model = SavedModel.open(folder);
    var contents = new LinkedHashMap<String, byte[]>();
    try {
      for (var name : NAMES) {
        if (Files.exists(folder.resolve(name))) {
          contents.put(name, Files.readAllBytes(folder.resolve(name)));
        }
      }
    } catch (IOException e) {
      throw UserPath.cannotRead(folder, K7103, e);
    }
    var numbers = new LinkedHashMap<String, double[]>();
    model
        .folder()
        .numbers()
        .forEach(
            (name, value) ->
                numbers.put(
                    name,
                    switch (value) {
                      case ArrayValue a -> a.toDoubleArray();
                      case ScalarValue s -> new double[] {s.asDouble()};
                    }));
    return new ModelFiles(contents, model, numbers, new Planned());
  }

  /** Returns how rows are predicted. */
  public RowPrediction prediction() {
    return planned.of(model);
  }

  /** Writes the folder into any file system of Hadoop. */
  public void save(String folder, SparkSession session) {
    var target = new org.apache.hadoop.fs.Path(folder);
    try {
      var system = target.getFileSystem(session.sessionState().newHadoopConf());
      for (var file : contents.entrySet()) {
        try (var out = system.create(new org.apache.hadoop.fs.Path(target, file.getKey()))) {
          out.write(file.getValue());
        }
      }
    } catch (IOException e) {
      throw new UserError(K6111, "can't write " + folder + ": " + e.getMessage());
    }
  }

  /** Reads what {@link #save} has written. */
  public static ModelFiles load(String folder, SparkSession session) {
    var source = new org.apache.hadoop.fs.Path(folder);
    try {
      var system = source.getFileSystem(session.sessionState().newHadoopConf());
      var local = Files.createTempDirectory("kenaz-model-");
      try {
        for (var name : NAMES) {
          var file = new org.apache.hadoop.fs.Path(source, name);
          if (system.exists(file)) {
            try (var in = system.open(file)) {
              Files.copy(in, local.resolve(name));
            }
          }
        }
        return read(local);
      } finally {
        TableCopy.delete(local);
      }
    } catch (IOException e) {
      throw new UserError(K7103, "can't read " + folder + ": " + e.getMessage());
    }
  }
}
