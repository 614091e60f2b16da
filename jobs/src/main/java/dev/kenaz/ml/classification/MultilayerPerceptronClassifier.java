package dev.kenaz.ml.classification;

import dev.kenaz.jobs.ml.DatasetTraining.Fitted;
import dev.kenaz.jobs.ml.FitsTogether;
import dev.kenaz.jobs.ml.Fitting;
import dev.kenaz.jobs.ml.Perceptron;
import dev.kenaz.jobs.ml.Refused;
import dev.kenaz.jobs.ml.TrainingColumns;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.ml.classification.MultilayerPerceptronClassificationModel;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.sql.Dataset;
import scala.Option;
import scala.collection.immutable.Seq;

/**
 * MLlib's {@link org.apache.spark.ml.classification.MultilayerPerceptronClassifier}, trained by
 * Kenaz. It has the parameters of MLlib's and gives MLlib's model, so that changing an import is
 * enough.
 *
 * <p>{@code tol} ends the training once no component of the gradient is larger, relative to the
 * loss where that is above 1. The solver {@code gd}, and {@code blockSize}, which says how MLlib
 * computes, are refused; {@code stepSize} is for that solver alone.
 */
public class MultilayerPerceptronClassifier
    extends org.apache.spark.ml.classification.MultilayerPerceptronClassifier
    implements FitsTogether<MultilayerPerceptronClassificationModel> {
  private static final long serialVersionUID = 1;

  public MultilayerPerceptronClassifier(String uid) {
    super(uid);
  }

  public MultilayerPerceptronClassifier() {
    this(Identifiable.randomUID("mlpc"));
  }

  /**
   * Trains a model.
   *
   * @throws dev.kenaz.error.Limitation for a parameter that can't be honoured
   * @throws IllegalArgumentException if {@code layers} doesn't fit the features, or {@code
   *     initialWeights}
   */
  @Override
  public MultilayerPerceptronClassificationModel train(Dataset<?> rows) {
    return fitting(rows).fit();
  }

  @Override
  public Seq<MultilayerPerceptronClassificationModel> fit(Dataset<?> rows, Seq<ParamMap> maps) {
    return Fitting.all(
        maps,
        map -> {
          var its = copy(map);
          its.transformSchema(rows.schema());
          return its.fitting(TrainingColumns.doubles(its, rows, labelCol()));
        });
  }

  @Override
  public MultilayerPerceptronClassifier copy(ParamMap extra) {
    return (MultilayerPerceptronClassifier) super.copy(extra);
  }

  private Fitting<Boolean, MultilayerPerceptronClassificationModel> fitting(Dataset<?> rows) {
    Refused.unless(this, solver(), "l-bfgs");
    Refused.set(this, blockSize());
    if (!isDefined(layers())) {
      throw new IllegalArgumentException(
          "set layers: the sizes of the input, of layers between, and of the output");
    }
    var network = new Perceptron(Arrays.stream(getLayers()).boxed().toList());
    var start = isDefined(initialWeights()) ? getInitialWeights().toArray() : new double[0];
    if (start.length > 0 && start.length != network.weights()) {
      throw new IllegalArgumentException(
          "initialWeights has %d numbers, but layers of the sizes %s have %d"
              .formatted(start.length, network.sizes(), network.weights()));
    }
    int classes = network.sizes().getLast();
    var columns =
        rows.select(
            TrainingColumns.features(rows, getFeaturesCol()),
            TrainingColumns.classes(getLabelCol(), Option.apply(classes)));
    int width = TrainingColumns.width(columns);
    if (width != network.sizes().getFirst()) {
      throw new IllegalArgumentException(
          "layers begins with %d, but %s has vectors of %d"
              .formatted(network.sizes().getFirst(), getFeaturesCol(), width));
    }
    return new Fitting<>(
        List.of(getFeaturesCol(), getLabelCol(), classes),
        () -> Fitting.Rows.of(columns),
        _ -> network.training(start, getSeed(), getMaxIter(), getTol()),
        (_, folder) -> model(rows, network, Fitted.read(folder)));
  }

  private MultilayerPerceptronClassificationModel model(
      Dataset<?> rows, Perceptron network, Fitted fitted) {
    var model =
        new MultilayerPerceptronClassificationModel(uid(), Vectors.dense(network.weights(fitted)));
    copyValues(model.setParent(this), ParamMap.empty());
    model.createSummary(rows, fitted.history());
    return model;
  }

  // Setters and readers of MLlib's have the types of MLlib.

  /** Reads an estimator that was saved. */
  public static MultilayerPerceptronClassifier load(String path) {
    return (MultilayerPerceptronClassifier)
        org.apache.spark.ml.classification.MultilayerPerceptronClassifier.load(path);
  }

  @Override
  public MultilayerPerceptronClassifier setLayers(int[] value) {
    super.setLayers(value);
    return this;
  }

  @Override
  public MultilayerPerceptronClassifier setBlockSize(int value) {
    super.setBlockSize(value);
    return this;
  }

  @Override
  public MultilayerPerceptronClassifier setSolver(String value) {
    super.setSolver(value);
    return this;
  }

  @Override
  public MultilayerPerceptronClassifier setMaxIter(int value) {
    super.setMaxIter(value);
    return this;
  }

  @Override
  public MultilayerPerceptronClassifier setTol(double value) {
    super.setTol(value);
    return this;
  }

  @Override
  public MultilayerPerceptronClassifier setSeed(long value) {
    super.setSeed(value);
    return this;
  }

  @Override
  public MultilayerPerceptronClassifier setInitialWeights(Vector value) {
    super.setInitialWeights(value);
    return this;
  }

  @Override
  public MultilayerPerceptronClassifier setStepSize(double value) {
    super.setStepSize(value);
    return this;
  }

  @Override
  public MultilayerPerceptronClassifier setThresholds(double[] value) {
    super.setThresholds(value);
    return this;
  }

  @Override
  public MultilayerPerceptronClassifier setLabelCol(String value) {
    super.setLabelCol(value);
    return this;
  }

  @Override
  public MultilayerPerceptronClassifier setFeaturesCol(String value) {
    super.setFeaturesCol(value);
    return this;
  }

  @Override
  public MultilayerPerceptronClassifier setPredictionCol(String value) {
    super.setPredictionCol(value);
    return this;
  }

  @Override
  public MultilayerPerceptronClassifier setRawPredictionCol(String value) {
    super.setRawPredictionCol(value);
    return this;
  }

  @Override
  public MultilayerPerceptronClassifier setProbabilityCol(String value) {
    super.setProbabilityCol(value);
    return this;
  }
}
