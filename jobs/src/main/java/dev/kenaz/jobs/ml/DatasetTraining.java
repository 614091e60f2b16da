package dev.kenaz.jobs.ml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.jobs.train.SavedModel;
import dev.kenaz.jobs.train.TrainJob;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A training job over rows that are copied: what {@code kenaz train} does with Arrow files, on the
 * Spark of the user's session.
 *
 * @param job the configuration, without the place of the data and the output
 */
public record DatasetTraining(ObjectNode job) {
  /** What messages call the configuration. */
  private static final String NAME = "the estimator";

  /**
   * What a training came to.
   *
   * @param numbers those of the model, and its arrays, by their paths in its type
   * @param losses at the start and after each iteration; none if the program trains by itself
   */
  public record Fitted(Map<String, Value> numbers, List<Double> losses) {
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
   * @param columns those of the copy, which have the names of the program's parameters
   */
  public static DatasetTraining of(String program, String... columns) {
    var job = JsonNodeFactory.instance.objectNode().put("program", program + ".fut");
    var data = job.putObject("data").putObject("columns");
    List.of(columns).forEach(c -> data.put(c, c));
    job.putObject("parameters");
    return new DatasetTraining(job);
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
   * Trains one of the programs of this package.
   *
   * @param rows have columns with the names of the program's parameters
   */
  public Fitted fit(RowsCopy rows) {
    var saved = SavedModel.folder(train(job, rows, EstimatorPrograms.folder()));
    return new Fitted(saved.numbers(), saved.losses());
  }

  /**
   * Trains and writes the model.
   *
   * @return the folder of the model, which is removed with the copy
   */
  public Path train(RowsCopy rows) {
    return train(job, rows, Path.of("").toAbsolutePath());
  }

  /**
   * Trains several models, which pass over the rows together if they are a whole grid.
   *
   * @param grid the values of the settings in which they differ, by their paths
   * @param jobs the configuration of each
   * @return their folders
   */
  public List<Path> trainAll(
      RowsCopy rows, Map<String, ? extends Collection<JsonNode>> grid, List<ObjectNode> jobs) {
    long count = grid.values().stream().mapToLong(Collection::size).reduce(1, (a, b) -> a * b);
    if (count != jobs.size() || Set.copyOf(jobs).size() < count || count == 1) {
      return jobs.stream().map(j -> new DatasetTraining(j).train(rows)).toList();
    }
    var together = job.deepCopy();
    var written = together.putObject("models").putObject("grid");
    grid.forEach((path, values) -> written.putArray(path).addAll(values));
    var folder = train(together, rows, Path.of("").toAbsolutePath());
    var trained = new HashMap<ObjectNode, Path>();
    for (int i = 1; i <= count; i++) {
      var at = folder.resolve("model-" + i);
      if (Files.exists(at)) {
        var config = (ObjectNode) SavedModel.folder(at).config().deepCopy();
        config.remove("output");
        ((ObjectNode) config.get("data")).remove("path");
        trained.put(config, at);
      }
    }
    return jobs.stream().map(j -> one(j, trained)).toList();
  }

  private static Path one(ObjectNode job, Map<ObjectNode, Path> trained) {
    var folder = trained.get(job);
    if (folder == null) {
      throw new UserError(
          ErrorCode.K7301,
          "the training of one of the models has failed: that of " + job,
          "leave it out, or train it alone to see why");
    }
    return folder;
  }

  private static Path train(ObjectNode job, RowsCopy rows, Path folder) {
    var document = job.deepCopy().put("output", rows.output().toString());
    ((ObjectNode) document.get("data")).put("path", rows.rows().toString());
    var config = ConfigReader.train(document, NAME);
    var spark = JavaSparkContext.fromSparkContext(rows.session().sparkContext());
    // Fits of a pipeline are many and small, and few of them are looked at.
    boolean reports = config.report().isPresent();
    new TrainJob(config, document, folder, _ -> {}, reports).run(Existing.REFUSE, spark);
    return Path.of(config.output());
  }
}
