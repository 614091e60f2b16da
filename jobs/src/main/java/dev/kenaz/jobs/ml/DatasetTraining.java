package dev.kenaz.jobs.ml;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.train.DatasetRows;
import dev.kenaz.jobs.train.SavedModel;
import dev.kenaz.jobs.train.TrainJob;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A training job over the rows of a Dataset: what {@code kenaz train} does with those of a table,
 * on the Spark of the user's session.
 *
 * @param job the configuration, without the place of the data and the output
 * @param folder the folder from which its relative paths start
 */
public record DatasetTraining(ObjectNode job, Path folder) {
  /** What messages call the configuration. */
  private static final String NAME = "the estimator";

  /**
   * What a training came to.
   *
   * @param numbers those of the model, and its arrays, by their paths in its type
   * @param losses at the start and after each iteration; none if the program trains by itself
   */
  public record Fitted(Map<String, Value> numbers, List<Double> losses, long rows) {
    /** Reads what a training has written. */
    public static Fitted read(Path folder) {
      var saved = SavedModel.folder(folder);
      return new Fitted(saved.numbers(), saved.losses(), saved.rows());
    }

    /** Returns a number of the model, or the elements of an array of numbers f64. */
    public double[] array(String name) {
      return switch (numbers.get(name)) {
        case ArrayValue a -> a.toDoubleArray();
        case ScalarValue s -> new double[] {s.asDouble()};
      };
    }

    /** Returns the loss at the start and after each iteration. */
    public double[] history() {
      return losses.stream().mapToDouble(l -> l).toArray();
    }
  }

  /**
   * Returns a job for one of the programs of the estimators that have MLlib's names.
   *
   * @param columns those of the rows, which have the names of the program's parameters
   */
  public static DatasetTraining of(String program, String... columns) {
    var job = JsonNodeFactory.instance.objectNode().put("program", program + ".fut");
    var data = job.putObject("data").putObject("columns");
    List.of(columns).forEach(c -> data.put(c, c));
    job.putObject("parameters");
    return new DatasetTraining(job, EstimatorPrograms.folder());
  }

  private ObjectNode parameters() {
    return (ObjectNode) job.get("parameters");
  }

  /** Sets a hyperparameter. */
  public DatasetTraining with(String name, double value) {
    parameters().put(name, value);
    return this;
  }

  /** Sets a hyperparameter. */
  public DatasetTraining with(String name, long value) {
    parameters().put(name, value);
    return this;
  }

  /** Sets a hyperparameter. */
  public DatasetTraining with(String name, boolean value) {
    parameters().put(name, value);
    return this;
  }

  /** Sets a hyperparameter. */
  public DatasetTraining with(String name, double[] values) {
    ArrayNode all = parameters().putArray(name);
    Arrays.stream(values).forEach(all::add);
    return this;
  }

  /**
   * Trains and writes the model.
   *
   * @return the folder of the model, which is removed when the rows are closed
   */
  Path train(DatasetRows rows) {
    var document = job.deepCopy().put("output", rows.output().toString());
    ((ObjectNode) document.get("data")).put("path", DatasetRows.NAME);
    var config = ConfigReader.train(document, NAME);
    // Fits of a pipeline are many and small, and few of them are looked at.
    boolean reports = config.report().isPresent();
    new TrainJob(config, document, folder, _ -> {}, reports).run(rows);
    return Path.of(config.output());
  }

  /** Whether a job can train several models that differ from this one. */
  boolean canHaveModels() {
    var document = job.deepCopy().put("output", "-");
    ((ObjectNode) document.get("data")).put("path", "-");
    var config = ConfigReader.train(document, NAME);
    return TrainJob.canHaveModels(config, folder);
  }
}
