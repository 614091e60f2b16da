package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7402;

import dev.kenaz.arrow.ListColumns;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.jobs.train.JobFunction.Kind;
import dev.kenaz.spark.sql.RowColumns;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * What a model predicts for a row, as a function of columns.
 *
 * @param inputs for each parameter of {@code predict} that is data the names of its columns, as the
 *     configuration has them
 */
public record RowPrediction(List<List<String>> inputs, RowColumns function) {
  private static final String WHOLE = "prediction";

  /**
   * Plans the predictions of a model.
   *
   * @throws UserError K7402 if the program has no function that predicts, K6115 if what it predicts
   *     for a row depends on other rows, or Spark has no type for it
   * @throws Limitation for lists of different lengths
   */
  public static RowPrediction of(SavedModel model) {
    var predict = predict(model.program());
    var inputs =
        predict.names(Kind.COLUMN).stream().map(c -> inputs(model.config(), predict, c)).toList();
    return new RowPrediction(inputs, function(model, JobFunction.PREDICT, "predict of the model"));
  }

  /**
   * Plans the predictions of a model as a function of the parameters of {@code predict} that are
   * data, in their order.
   *
   * @param name what it is called in SQL, and in plans
   * @param shown what messages call it
   * @throws UserError as {@link #of} does
   */
  static RowColumns function(SavedModel model, String name, String shown) {
    var predict = predict(model.program());
    var values = new ArrayList<Value>(model.model());
    var others = model.hyperparameters();
    predict.names(Kind.HYPERPARAMETER).forEach(h -> values.add(others.get(h)));
    return RowColumns.of(
        name,
        shown,
        model.program().text().ofRows(predict),
        JobText.ROWS,
        predict.names(Kind.COLUMN).size(),
        values);
  }

  /**
   * Returns the type of what a job's model will predict.
   *
   * @param folder the folder from which relative paths start
   * @return nothing if the program doesn't predict
   */
  public static Optional<DataType> type(TrainConfig config, Path folder) {
    var program = JobProgram.read(config, folder);
    if (!program.has(JobFunction.PREDICT)) {
      return Optional.empty();
    }
    var results = program.types().get(predict(program).name()).results();
    var types = results.stream().map(EntryPoint.Result::type).toList();
    return Optional.of(RowColumns.type(types, "the result of predict"));
  }

  /** Returns the columns that are predicted: the fields of a record, or one. */
  public static List<StructField> fields(DataType type) {
    return type instanceof StructType s
        ? List.of(s.fields())
        : List.of(new StructType().add(WHOLE, type, true).fields());
  }

  private static JobFunction predict(JobProgram program) {
    if (!program.has(JobFunction.PREDICT)) {
      throw new UserError(K7402, "the program has no function predict");
    }
    var predict = program.function(JobFunction.PREDICT);
    if (predict.names(Kind.COLUMN).isEmpty()) {
      throw new UserError(
          K7402, predict.span(), "predict takes no columns, so there are no rows to predict");
    }
    return predict;
  }

  private static List<String> inputs(TrainConfig config, JobFunction predict, String parameter) {
    var names = config.data().names(parameter);
    if (names.stream().anyMatch(n -> !ListColumns.column(n).equals(n))) {
      throw new Limitation(
          predict.span(),
          "a prediction by lists of different lengths, as a column of a table",
          "kenaz predict computes it for all rows of a file or a table");
    }
    return names;
  }
}
