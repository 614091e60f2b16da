package dev.kenaz.ml.classification;

import dev.kenaz.jobs.ml.DatasetTraining.Fitted;
import dev.kenaz.jobs.ml.FitsTogether;
import dev.kenaz.jobs.ml.Fitting;
import dev.kenaz.jobs.ml.LinearClassifier;
import dev.kenaz.jobs.ml.LinearClassifier.Weights;
import dev.kenaz.jobs.ml.Refused;
import dev.kenaz.jobs.ml.TrainingColumns;
import dev.kenaz.jobs.ml.TrainingColumns.Moments;
import org.apache.spark.ml.classification.LinearSVCModel;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.sql.Dataset;
import scala.Option;
import scala.collection.immutable.Seq;

/**
 * MLlib's {@link org.apache.spark.ml.classification.LinearSVC}, trained by Kenaz. It has the
 * parameters of MLlib's and gives MLlib's model, so that changing an import is enough.
 *
 * <p>{@code tol} ends the training once no component of the gradient by standardised columns is
 * larger, relative to the loss where that is above 1. What says how MLlib computes is refused.
 */
public class LinearSVC extends org.apache.spark.ml.classification.LinearSVC
    implements FitsTogether<LinearSVCModel> {
  private static final long serialVersionUID = 1;

  public LinearSVC(String uid) {
    super(uid);
  }

  public LinearSVC() {
    this(Identifiable.randomUID("linearsvc"));
  }

  /**
   * Trains a model.
   *
   * @throws dev.kenaz.error.Limitation for a parameter that can't be honoured
   */
  @Override
  public LinearSVCModel train(Dataset<?> rows) {
    return fitting(rows).fit();
  }

  @Override
  public Seq<LinearSVCModel> fit(Dataset<?> rows, Seq<ParamMap> maps) {
    return Fitting.all(
        maps,
        map -> {
          var its = copy(map);
          its.transformSchema(rows.schema());
          return its.fitting(TrainingColumns.doubles(its, rows, labelCol(), weightCol()));
        });
  }

  @Override
  public LinearSVC copy(ParamMap extra) {
    return (LinearSVC) super.copy(extra);
  }

  private Fitting<Moments, LinearSVCModel> fitting(Dataset<?> rows) {
    Refused.set(this, aggregationDepth(), maxBlockSizeInMB());
    var columns =
        rows.select(
            TrainingColumns.features(rows, getFeaturesCol()),
            TrainingColumns.classes(getLabelCol(), Option.apply(2)),
            TrainingColumns.weights(this, weightCol()));
    var classifier =
        new LinearClassifier(
            "hinge",
            1,
            getRegParam(),
            0,
            getFitIntercept(),
            getStandardization(),
            getMaxIter(),
            getTol());
    return new Fitting<>(
        TrainingColumns.names(this, featuresCol(), labelCol(), weightCol()),
        () -> new Fitting.Rows<>(columns, Moments.of(columns)),
        classifier::training,
        (moments, folder) -> model(rows, classifier.weights(Fitted.read(folder), moments)));
  }

  private LinearSVCModel model(Dataset<?> rows, Weights found) {
    var model = new LinearSVCModel(uid(), Vectors.dense(found.weights()), found.intercepts()[0]);
    copyValues(model.setParent(this), ParamMap.empty());
    model.createSummary(rows, found.losses());
    return model;
  }

  // Setters and readers of MLlib's have the types of MLlib.

  /** Reads an estimator that was saved. */
  public static LinearSVC load(String path) {
    return (LinearSVC) org.apache.spark.ml.classification.LinearSVC.load(path);
  }

  @Override
  public LinearSVC setRegParam(double value) {
    super.setRegParam(value);
    return this;
  }

  @Override
  public LinearSVC setMaxIter(int value) {
    super.setMaxIter(value);
    return this;
  }

  @Override
  public LinearSVC setFitIntercept(boolean value) {
    super.setFitIntercept(value);
    return this;
  }

  @Override
  public LinearSVC setTol(double value) {
    super.setTol(value);
    return this;
  }

  @Override
  public LinearSVC setStandardization(boolean value) {
    super.setStandardization(value);
    return this;
  }

  @Override
  public LinearSVC setWeightCol(String value) {
    super.setWeightCol(value);
    return this;
  }

  @Override
  public LinearSVC setThreshold(double value) {
    super.setThreshold(value);
    return this;
  }

  @Override
  public LinearSVC setAggregationDepth(int value) {
    super.setAggregationDepth(value);
    return this;
  }

  @Override
  public LinearSVC setMaxBlockSizeInMB(double value) {
    super.setMaxBlockSizeInMB(value);
    return this;
  }

  @Override
  public LinearSVC setLabelCol(String value) {
    super.setLabelCol(value);
    return this;
  }

  @Override
  public LinearSVC setFeaturesCol(String value) {
    super.setFeaturesCol(value);
    return this;
  }

  @Override
  public LinearSVC setPredictionCol(String value) {
    super.setPredictionCol(value);
    return this;
  }

  @Override
  public LinearSVC setRawPredictionCol(String value) {
    super.setRawPredictionCol(value);
    return this;
  }
}
