package dev.kenaz.ml.clustering;

import dev.kenaz.jobs.ml.DatasetTraining;
import dev.kenaz.jobs.ml.DatasetTraining.Fitted;
import dev.kenaz.jobs.ml.FitsTogether;
import dev.kenaz.jobs.ml.Fitting;
import dev.kenaz.jobs.ml.Refused;
import dev.kenaz.jobs.ml.TrainingColumns;
import java.util.Arrays;
import org.apache.spark.ml.clustering.GaussianMixtureModel;
import org.apache.spark.ml.linalg.DenseMatrix;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.stat.distribution.MultivariateGaussian;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.sql.Dataset;
import scala.collection.immutable.Seq;

/**
 * MLlib's {@link org.apache.spark.ml.clustering.GaussianMixture}, trained by Kenaz. It has the
 * parameters of MLlib's and gives MLlib's model, so that changing an import is enough.
 *
 * <p>Weights of rows, and {@code aggregationDepth}, which says how MLlib computes, are refused.
 */
public class GaussianMixture extends org.apache.spark.ml.clustering.GaussianMixture
    implements FitsTogether<GaussianMixtureModel> {
  private static final long serialVersionUID = 1;

  public GaussianMixture(String uid) {
    super(uid);
  }

  public GaussianMixture() {
    this(Identifiable.randomUID("GaussianMixture"));
  }

  /**
   * Trains a model.
   *
   * @throws dev.kenaz.error.Limitation for a parameter that can't be honoured
   */
  @Override
  public GaussianMixtureModel fit(Dataset<?> rows) {
    return fitting(rows).fit();
  }

  @Override
  public Seq<GaussianMixtureModel> fit(Dataset<?> rows, Seq<ParamMap> maps) {
    return Fitting.all(maps, map -> copy(map).fitting(rows));
  }

  @Override
  public GaussianMixture copy(ParamMap extra) {
    return (GaussianMixture) super.copy(extra);
  }

  private Fitting<Boolean, GaussianMixtureModel> fitting(Dataset<?> rows) {
    transformSchema(rows.schema());
    Refused.set(this, weightCol(), aggregationDepth());
    var training =
        DatasetTraining.of("mixture", "x")
            .with("k", getK())
            .with("max_iter", getMaxIter())
            .with("tol", getTol())
            .with("seed", getSeed());
    var features = TrainingColumns.features(rows, getFeaturesCol());
    return new Fitting<>(
        getFeaturesCol(),
        () -> Fitting.Rows.of(rows.select(features)),
        _ -> training,
        (_, folder) -> model(rows, Fitted.read(folder)));
  }

  private GaussianMixtureModel model(Dataset<?> rows, Fitted fitted) {
    var means = fitted.array("means");
    var covariances = fitted.array("covariances");
    int width = means.length / getK();
    int square = width * width;
    var gaussians = new MultivariateGaussian[getK()];
    for (int i = 0; i < gaussians.length; i++) {
      var mean = Vectors.dense(Arrays.copyOfRange(means, i * width, (i + 1) * width));
      var covariance = Arrays.copyOfRange(covariances, i * square, (i + 1) * square);
      gaussians[i] = new MultivariateGaussian(mean, new DenseMatrix(width, width, covariance));
    }
    var model = new GaussianMixtureModel(uid(), fitted.array("weights"), gaussians);
    copyValues(model.setParent(this), ParamMap.empty());
    int iterations = (int) fitted.array("iterations")[0];
    // Before the first iteration no likelihood is known; MLlib gives the least number then.
    double likelihood = iterations > 0 ? fitted.array("likelihood")[0] : -Double.MAX_VALUE;
    model.createSummary(model.transform(rows), likelihood, iterations);
    return model;
  }

  // Setters and readers of MLlib's have the types of MLlib.

  /** Reads an estimator that was saved. */
  public static GaussianMixture load(String path) {
    return (GaussianMixture) org.apache.spark.ml.clustering.GaussianMixture.load(path);
  }

  @Override
  public GaussianMixture setFeaturesCol(String value) {
    super.setFeaturesCol(value);
    return this;
  }

  @Override
  public GaussianMixture setPredictionCol(String value) {
    super.setPredictionCol(value);
    return this;
  }

  @Override
  public GaussianMixture setProbabilityCol(String value) {
    super.setProbabilityCol(value);
    return this;
  }

  @Override
  public GaussianMixture setWeightCol(String value) {
    super.setWeightCol(value);
    return this;
  }

  @Override
  public GaussianMixture setK(int value) {
    super.setK(value);
    return this;
  }

  @Override
  public GaussianMixture setMaxIter(int value) {
    super.setMaxIter(value);
    return this;
  }

  @Override
  public GaussianMixture setTol(double value) {
    super.setTol(value);
    return this;
  }

  @Override
  public GaussianMixture setSeed(long value) {
    super.setSeed(value);
    return this;
  }

  @Override
  public GaussianMixture setAggregationDepth(int value) {
    super.setAggregationDepth(value);
    return this;
  }
}
