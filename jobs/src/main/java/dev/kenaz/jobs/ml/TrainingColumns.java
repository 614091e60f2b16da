package dev.kenaz.jobs.ml;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.Params;
import org.apache.spark.ml.stat.Summarizer;
import org.apache.spark.ml.util.DatasetUtils$;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.ExpressionUtils;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.Option;

/**
 * The columns of a training in the form that the programs take: {@code x}, {@code y} and {@code w}.
 * What MLlib finds wrong with a row is an error here, too: negative weights, labels that are none,
 * and vectors with NaNs.
 */
public final class TrainingColumns {
  private static final DatasetUtils$ CHECKS = DatasetUtils$.MODULE$;

  private TrainingColumns() {}

  /** Returns the column of vectors, or of arrays of numbers, as vectors. */
  public static Column features(Dataset<?> rows, String name) {
    var type = rows.schema().apply(name).dataType();
    var vectors =
        type instanceof ArrayType a && isFloat(a.elementType())
            ? col("`" + name.replace("`", "``") + "`")
            : CHECKS.columnToVector(rows, name);
    return ExpressionUtils.column(new FiniteVector(ExpressionUtils.expression(vectors))).as("x");
  }

  private static boolean isFloat(DataType type) {
    return type.equals(DataTypes.DoubleType) || type.equals(DataTypes.FloatType);
  }

  /** Returns labels that are numbers. */
  public static Column numbers(String label) {
    return CHECKS.checkRegressionLabels(label).as("y");
  }

  /**
   * Returns labels that are classes.
   *
   * @param classes how many there are, if that is known
   */
  public static Column classes(String label, Option<Object> classes) {
    return CHECKS.checkClassificationLabels(label, classes).as("y");
  }

  /** Returns identities, which are integers. */
  public static Column identities(Column integers, String name) {
    return functions
        .when(integers.isNull(), functions.raise_error(lit(name + " MUST NOT be null")))
        .otherwise(integers);
  }

  /** Returns ratings. */
  public static Column ratings(String name) {
    return CHECKS.checkNonNanValues(name, "Ratings").cast(DataTypes.DoubleType).as("rating");
  }

  /**
   * Returns rows in which columns are f64, as the training of a predictor takes them. What is known
   * of a column stays.
   *
   * @param columns one that has no value, or an empty one, isn't there
   */
  @SafeVarargs
  public static Dataset<Row> doubles(Params estimator, Dataset<?> rows, Param<String>... columns) {
    var all = rows.toDF();
    for (var c : columns) {
      var name = estimator.get(c).orElse(() -> estimator.getDefault(c)).getOrElse(() -> "");
      if (!name.isEmpty()) {
        var known = rows.schema().apply(name).metadata();
        all = all.withColumn(name, col(name).cast(DataTypes.DoubleType).as(name, known));
      }
    }
    return all;
  }

  /** Returns the names of columns; that of one that has no name is empty. */
  @SafeVarargs
  public static List<String> names(Params estimator, Param<String>... columns) {
    var names = new ArrayList<String>();
    for (var c : columns) {
      names.add(estimator.get(c).orElse(() -> estimator.getDefault(c)).getOrElse(() -> ""));
    }
    return names;
  }

  /**
   * Returns how long the vector of the first row is.
   *
   * @throws UserError K7302 if there are no rows
   */
  public static int width(Dataset<Row> rows) {
    var first = rows.select("x").takeAsList(1);
    if (first.isEmpty()) {
      throw new UserError(ErrorCode.K7302, "the dataset has no rows");
    }
    return first.getFirst().<Vector>getAs(0).size();
  }

  /** Returns the weights; 1 if there is no column of them. */
  public static Column weights(Params estimator, Param<String> weightCol) {
    return CHECKS.checkNonNegativeWeights(weight(estimator, weightCol)).as("w");
  }

  /** Whether rows have weights. */
  public static boolean hasWeights(Params estimator, Param<String> weightCol) {
    return weight(estimator, weightCol).exists(name -> !name.isEmpty());
  }

  private static Option<String> weight(Params estimator, Param<String> weightCol) {
    return estimator.get(weightCol);
  }

  /**
   * What a classifier must know of its rows before it begins.
   *
   * @param mean of each column
   * @param deviation of each column
   * @param most the largest label
   * @param only the label of all rows that have a weight, if it is the same
   */
  public record Moments(double[] mean, double[] deviation, double most, Optional<Double> only) {
    /** What MLlib says where all weights are 0, or there are none. */
    private static final String NOTHING = "Nothing has been added to this summarizer";

    /**
     * Computes them.
     *
     * @param rows have x, y and w
     * @throws UserError K7302 if there is no row with a weight
     */
    public static Moments of(Dataset<Row> rows) {
      var found = summarised(rows);
      double least = found.getDouble(3);
      return new Moments(
          ((Vector) found.get(0)).toArray(),
          ((Vector) found.get(1)).toArray(),
          found.getDouble(2),
          least == found.getDouble(4) ? Optional.of(least) : Optional.empty());
    }

    private static Row summarised(Dataset<Row> rows) {
      var counted = functions.when(col("w").gt(0), col("y"));
      try {
        return rows.select(
                Summarizer.metrics("mean", "std").summary(col("x"), col("w")).as("s"),
                functions.max(col("y")).as("most"),
                functions.min(counted).as("first"),
                functions.max(counted).as("last"))
            .select("s.mean", "s.std", "most", "first", "last")
            .first();
      } catch (Exception e) { // What Spark throws isn't always declared.
        for (Throwable t = e; t != null; t = t.getCause()) {
          if (t instanceof IllegalArgumentException && t.getMessage().contains(NOTHING)) {
            throw new UserError(
                ErrorCode.K7302,
                "the dataset has no rows, or only rows with weight 0",
                "there is nothing to train with");
          }
        }
        throw e;
      }
    }
  }
}
