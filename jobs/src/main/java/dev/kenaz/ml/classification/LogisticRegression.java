package dev.kenaz.ml.classification;

import dev.kenaz.jobs.ml.DatasetTraining.Fitted;
import dev.kenaz.jobs.ml.FirstWeights;
import dev.kenaz.jobs.ml.FitsTogether;
import dev.kenaz.jobs.ml.Fitting;
import dev.kenaz.jobs.ml.LinearClassifier;
import dev.kenaz.jobs.ml.LinearClassifier.Weights;
import dev.kenaz.jobs.ml.Refused;
import dev.kenaz.jobs.ml.TrainingColumns;
import dev.kenaz.jobs.ml.TrainingColumns.Moments;
import java.util.Optional;
import org.apache.spark.ml.classification.LogisticRegressionModel;
import org.apache.spark.ml.linalg.DenseMatrix;
import org.apache.spark.ml.linalg.Matrix;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.ml.util.MetadataUtils;
import org.apache.spark.sql.Dataset;
import scala.Option;
import scala.collection.immutable.Seq;

/**
 * MLlib's {@link org.apache.spark.ml.classification.LogisticRegression}, trained by Kenaz. It has
 * the parameters of MLlib's and gives MLlib's model, so that changing an import is enough.
 *
 * <p>{@code tol} ends the training once no component of the gradient by standardised columns is
 * larger, relative to the loss where that is above 1; with a penalty of absolute values, once the
 * loss changes by less than this part of itself. Bounds of coefficients, and what says how MLlib
 * computes, are refused.
 */
public class LogisticRegression extends org.apache.spark.ml.classification.LogisticRegression
    implements FitsTogether<LogisticRegressionModel> {
  private static final long serialVersionUID = 1;

  public LogisticRegression(String uid) {
    super(uid);
  }

  public LogisticRegression() {
    this(Identifiable.randomUID("logreg"));
  }

  /**
   * Trains a model.
   *
   * @throws dev.kenaz.error.Limitation for a parameter that can't be honoured
   */
  @Override
  public LogisticRegressionModel train(Dataset<?> rows) {
    return fitting(rows).fit();
  }

  @Override
  public Seq<LogisticRegressionModel> fit(Dataset<?> rows, Seq<ParamMap> maps) {
    return Fitting.all(
        maps,
        map -> {
          var its = copy(map);
          its.transformSchema(rows.schema());
          return its.fitting(TrainingColumns.doubles(its, rows, labelCol(), weightCol()));
        });
  }

  @Override
  public LogisticRegression copy(ParamMap extra) {
    return (LogisticRegression) super.copy(extra);
  }

  private Fitting<Moments, LogisticRegressionModel> fitting(Dataset<?> rows) {
    Refused.set(
        this,
        lowerBoundsOnCoefficients(),
        upperBoundsOnCoefficients(),
        lowerBoundsOnIntercepts(),
        upperBoundsOnIntercepts(),
        aggregationDepth(),
        maxBlockSizeInMB());
    var known = MetadataUtils.getNumClasses(rows.schema().apply(getLabelCol()));
    var columns =
        rows.select(
            TrainingColumns.features(rows, getFeaturesCol()),
            TrainingColumns.classes(getLabelCol(), known),
            TrainingColumns.weights(this, weightCol()));
    return new Fitting<>(
        TrainingColumns.names(this, featuresCol(), labelCol(), weightCol()),
        () -> new Fitting.Rows<>(columns, Moments.of(columns)),
        its -> untrained(rows, classes(known, its.known()), its),
        moments -> classifier(classes(known, moments)).training(moments),
        (moments, folder) -> model(rows, classes(known, moments), Fitted.read(folder), moments));
  }

  /**
   * Returns the model that MLlib gives without a training: where one label is that of all rows, and
   * where no step is to be taken.
   */
  private Optional<LogisticRegressionModel> untrained(
      Dataset<?> rows, int classes, Fitting.Rows<Moments> its) {
    boolean multinomial = isMultinomial(classes);
    int width = its.known().mean().length;
    var only = its.known().only();
    if (getFitIntercept() && only.isPresent()) {
      var certain = FirstWeights.certain(only.get().intValue(), width, classes, multinomial);
      return Optional.of(model(rows, classes, certain, width));
    }
    if (getMaxIter() > 0) {
      return Optional.empty();
    }
    var first = FirstWeights.of(its.columns(), width, classes, multinomial, getFitIntercept());
    return Optional.of(model(rows, classes, first, width));
  }

  private static int classes(Option<Object> known, Moments moments) {
    return known.isDefined() ? (Integer) known.get() : (int) moments.most() + 1;
  }

  private LinearClassifier classifier(int classes) {
    boolean multinomial = isMultinomial(classes);
    return new LinearClassifier(
        multinomial ? "multinomial" : "logistic",
        multinomial ? classes : 1,
        getRegParam(),
        getElasticNetParam(),
        getFitIntercept(),
        getStandardization(),
        getMaxIter(),
        getTol());
  }

  private LogisticRegressionModel model(
      Dataset<?> rows, int classes, Fitted fitted, Moments moments) {
    boolean multinomial = isMultinomial(classes);
    int outputs = multinomial ? classes : 1;
    var found = classifier(classes).weights(fitted, moments);
    if (multinomial) {
      centre(found, outputs);
    }
    return model(rows, classes, found, moments.mean().length);
  }

  private LogisticRegressionModel model(Dataset<?> rows, int classes, Weights found, int width) {
    boolean multinomial = isMultinomial(classes);
    int outputs = multinomial ? classes : 1;
    var model =
        new LogisticRegressionModel(
            uid(),
            new DenseMatrix(outputs, width, found.weights(), true),
            Vectors.dense(found.intercepts()),
            multinomial ? classes : 2,
            multinomial);
    copyValues(model.setParent(this), ParamMap.empty());
    model.createSummary(rows, found.losses());
    return model;
  }

  private boolean isMultinomial(int classes) {
    if (getFamily().equals("binomial") && classes > 2) {
      throw Refused.refused(this, family(), "the labels have " + classes + " classes");
    }
    return getFamily().equals("multinomial") || getFamily().equals("auto") && classes > 2;
  }

  /**
   * Intercepts that all change by the same number give the same model, and so do the weights of a
   * column if they have no penalty. As MLlib does, those are taken whose mean is 0.
   */
  private void centre(Weights found, int outputs) {
    if (getFitIntercept()) {
      centre(found.intercepts(), 0, 1, outputs);
    }
    if (getRegParam() == 0) {
      int width = found.weights().length / outputs;
      for (int column = 0; column < width; column++) {
        centre(found.weights(), column, width, outputs);
      }
    }
  }

  private static void centre(double[] all, int first, int step, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
      sum += all[first + i * step];
    }
    for (int i = 0; i < count; i++) {
      all[first + i * step] -= sum / count;
    }
  }

  // Setters and readers of MLlib's have the types of MLlib.

  /** Reads an estimator that was saved. */
  public static LogisticRegression load(String path) {
    return (LogisticRegression) org.apache.spark.ml.classification.LogisticRegression.load(path);
  }

  @Override
  public LogisticRegression setRegParam(double value) {
    super.setRegParam(value);
    return this;
  }

  @Override
  public LogisticRegression setElasticNetParam(double value) {
    super.setElasticNetParam(value);
    return this;
  }

  @Override
  public LogisticRegression setMaxIter(int value) {
    super.setMaxIter(value);
    return this;
  }

  @Override
  public LogisticRegression setTol(double value) {
    super.setTol(value);
    return this;
  }

  @Override
  public LogisticRegression setFitIntercept(boolean value) {
    super.setFitIntercept(value);
    return this;
  }

  @Override
  public LogisticRegression setFamily(String value) {
    super.setFamily(value);
    return this;
  }

  @Override
  public LogisticRegression setStandardization(boolean value) {
    super.setStandardization(value);
    return this;
  }

  @Override
  public LogisticRegression setThreshold(double value) {
    super.setThreshold(value);
    return this;
  }

  @Override
  public LogisticRegression setWeightCol(String value) {
    super.setWeightCol(value);
    return this;
  }

  @Override
  public LogisticRegression setThresholds(double[] value) {
    super.setThresholds(value);
    return this;
  }

  @Override
  public LogisticRegression setAggregationDepth(int value) {
    super.setAggregationDepth(value);
    return this;
  }

  @Override
  public LogisticRegression setLowerBoundsOnCoefficients(Matrix value) {
    super.setLowerBoundsOnCoefficients(value);
    return this;
  }

  @Override
  public LogisticRegression setUpperBoundsOnCoefficients(Matrix value) {
    super.setUpperBoundsOnCoefficients(value);
    return this;
  }

  @Override
  public LogisticRegression setLowerBoundsOnIntercepts(Vector value) {
    super.setLowerBoundsOnIntercepts(value);
    return this;
  }

  @Override
  public LogisticRegression setUpperBoundsOnIntercepts(Vector value) {
    super.setUpperBoundsOnIntercepts(value);
    return this;
  }

  @Override
  public LogisticRegression setMaxBlockSizeInMB(double value) {
    super.setMaxBlockSizeInMB(value);
    return this;
  }

  @Override
  public LogisticRegression setLabelCol(String value) {
    super.setLabelCol(value);
    return this;
  }

  @Override
  public LogisticRegression setFeaturesCol(String value) {
    super.setFeaturesCol(value);
    return this;
  }

  @Override
  public LogisticRegression setPredictionCol(String value) {
    super.setPredictionCol(value);
    return this;
  }

  @Override
  public LogisticRegression setRawPredictionCol(String value) {
    super.setRawPredictionCol(value);
    return this;
  }

  @Override
  public LogisticRegression setProbabilityCol(String value) {
    super.setProbabilityCol(value);
    return this;
  }
}
