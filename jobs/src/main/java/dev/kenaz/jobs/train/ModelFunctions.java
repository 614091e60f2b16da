package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7402;

import dev.kenaz.error.UserError;
import dev.kenaz.jobs.train.JobFunction.Kind;
import dev.kenaz.spark.sql.KenazFunctions;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import org.apache.spark.sql.SparkSession;

/** Makes trained models functions of SQL and of DataFrames. */
public final class ModelFunctions {
  private ModelFunctions() {}

  /**
   * Makes a model's {@code predict} a function of a row. Its arguments are the parameters of {@code
   * predict} that are data, in their order: a number for a column {@code [n]t}, an array for {@code
   * [n][d]t}. A function of that name that there is already is replaced.
   *
   * @param name what it is called in SQL
   * @param model the folder that {@code kenaz train} has written; it isn't read again later
   * @throws UserError K7103 if the folder holds no model, K7402 if its program predicts nothing,
   *     K6115 if what is predicted for a row depends on other rows, or SQL has nothing for it
   */
  public static void register(SparkSession session, String name, Path model) {
    var saved = SavedModel.open(model);
    var predict = saved.function(JobFunction.PREDICT);
    var columns = predict.names(Kind.COLUMN);
    if (columns.isEmpty()) {
      throw new UserError(
          K7402, predict.span(), "predict takes no columns, so there are no rows to predict");
    }
    var values = new ArrayList<Value>(saved.model());
    var others = saved.hyperparameters();
    predict.names(Kind.HYPERPARAMETER).forEach(h -> values.add(others.get(h)));
    KenazFunctions.registerColumns(
        session,
        name,
        "predict of " + model,
        saved.program().text().ofRows(predict),
        JobText.ROWS,
        columns.size(),
        values);
  }
}
