package dev.kenaz.ml.regression;

import dev.kenaz.jobs.ml.DatasetTraining;
import dev.kenaz.jobs.ml.DatasetTraining.Fitted;
import dev.kenaz.jobs.ml.FitsTogether;
import dev.kenaz.jobs.ml.Fitting;
import dev.kenaz.jobs.ml.Refused;
import dev.kenaz.jobs.ml.TrainingColumns;
import java.util.Arrays;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.regression.LinearRegressionModel;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.sql.Dataset;
import scala.collection.immutable.Seq;

/**
 * MLlib's {@link org.apache.spark.ml.regression.LinearRegression}, trained by Kenaz. It has the
 * parameters of MLlib's and gives MLlib's model, so that changing an import is enough.
 *
 * <p>One pass over the rows gives the normal equations, and their solution is exact whatever {@code
 * maxIter} and {@code tol} are: the summary has one iteration. The loss of Huber, the solver
 * l-bfgs, and what says how MLlib computes are refused.
 */
public class LinearRegression extends org.apache.spark.ml.regression.LinearRegression
    implements FitsTogether<LinearRegressionModel> {
  private static final long serialVersionUID = 1;

  public LinearRegression(String uid) {
    super(uid);
  }

  public LinearRegression() {
    this(Identifiable.randomUID("linReg"));
  }

  /**
   * Trains a model.
   *
   * @throws dev.kenaz.error.Limitation for a parameter that can't be honoured
   */
  @Override
  public LinearRegressionModel train(Dataset<?> rows) {
    return fitting(rows).fit();
  }

  @Override
  public Seq<LinearRegressionModel> fit(Dataset<?> rows, Seq<ParamMap> maps) {
    return Fitting.all(
        maps,
        map -> {
          var its = copy(map);
          its.transformSchema(rows.schema());
          return its.fitting(TrainingColumns.doubles(its, rows, labelCol(), weightCol()));
        });
  }

  @Override
  public LinearRegression copy(ParamMap extra) {
    return (LinearRegression) super.copy(extra);
  }

  private Fitting<Boolean, LinearRegressionModel> fitting(Dataset<?> rows) {
    Refused.unless(this, loss(), "squaredError");
    Refused.unless(this, solver(), "auto", "normal");
    Refused.set(this, epsilon(), aggregationDepth(), maxBlockSizeInMB());
    if (getMaxIter() == 0) {
      throw Refused.refused(this, maxIter(), "the solution takes one iteration");
    }
    var columns =
        rows.select(
            TrainingColumns.features(rows, getFeaturesCol()),
            TrainingColumns.numbers(getLabelCol()),
            TrainingColumns.weights(this, weightCol()));
    var training =
        DatasetTraining.of("linear", "x", "y", "w")
            .with("reg", getRegParam())
            .with("alpha", getElasticNetParam())
            .with("intercept", getFitIntercept())
            .with("standardise", getStandardization());
    return new Fitting<>(
        TrainingColumns.names(this, featuresCol(), labelCol(), weightCol()),
        () -> Fitting.Rows.of(columns),
        _ -> training,
        (_, folder) -> model(rows, Fitted.read(folder)));
  }

  private LinearRegressionModel model(Dataset<?> rows, Fitted fitted) {
    var weights = fitted.array("weights");
    var bias = fitted.array("bias")[0];
    var model = new LinearRegressionModel(uid(), Vectors.dense(weights), bias);
    copyValues(model.setParent(this), ParamMap.empty());
    boolean sparse = getRegParam() * getElasticNetParam() > 0;
    var inverse = fitted.array("inverse");
    var diagonal =
        sparse
            ? new double[] {0} // This is how MLlib says that there are no errors.
            : getFitIntercept() ? inverse : Arrays.copyOf(inverse, weights.length);
    var solution = Arrays.copyOf(weights, weights.length + (getFitIntercept() ? 1 : 0));
    if (getFitIntercept()) {
      solution[weights.length] = bias;
    }
    model.createSummary(rows, diagonal, fitted.array("loss"), solution);
    return model;
  }

  // Setters and readers of MLlib's have the types of MLlib.

  /** Reads an estimator that was saved. */
  public static LinearRegression load(String path) {
    return (LinearRegression) org.apache.spark.ml.regression.LinearRegression.load(path);
  }

  @Override
  public LinearRegression setRegParam(double value) {
    super.setRegParam(value);
    return this;
  }

  @Override
  public LinearRegression setFitIntercept(boolean value) {
    super.setFitIntercept(value);
    return this;
  }

  @Override
  public LinearRegression setStandardization(boolean value) {
    super.setStandardization(value);
    return this;
  }

  @Override
  public LinearRegression setElasticNetParam(double value) {
    super.setElasticNetParam(value);
    return this;
  }

  @Override
  public LinearRegression setMaxIter(int value) {
    super.setMaxIter(value);
    return this;
  }

  @Override
  public LinearRegression setTol(double value) {
    super.setTol(value);
    return this;
  }

  @Override
  public LinearRegression setWeightCol(String value) {
    super.setWeightCol(value);
    return this;
  }

  @Override
  public LinearRegression setSolver(String value) {
    super.setSolver(value);
    return this;
  }

  @Override
  public LinearRegression setAggregationDepth(int value) {
    super.setAggregationDepth(value);
    return this;
  }

  @Override
  public LinearRegression setLoss(String value) {
    super.setLoss(value);
    return this;
  }

  @Override
  public LinearRegression setEpsilon(double value) {
    super.setEpsilon(value);
    return this;
  }

  @Override
  public LinearRegression setMaxBlockSizeInMB(double value) {
    super.setMaxBlockSizeInMB(value);
    return this;
  }

  @Override
  public LinearRegression setLabelCol(String value) {
    super.setLabelCol(value);
    return this;
  }

  @Override
  public LinearRegression setFeaturesCol(String value) {
    super.setFeaturesCol(value);
    return this;
  }

  @Override
  public LinearRegression setPredictionCol(String value) {
    super.setPredictionCol(value);
    return this;
  }
}
