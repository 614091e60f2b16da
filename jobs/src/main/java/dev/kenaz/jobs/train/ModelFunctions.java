package dev.kenaz.jobs.train;

import dev.kenaz.error.UserError;
import java.nio.file.Path;
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
    RowPrediction.function(SavedModel.open(model), name, "predict of " + model).register(session);
  }
}
