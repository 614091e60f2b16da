package dev.kenaz.ml.clustering;

import dev.kenaz.jobs.ml.DatasetTraining;
import dev.kenaz.jobs.ml.DatasetTraining.Fitted;
import dev.kenaz.jobs.ml.FitsTogether;
import dev.kenaz.jobs.ml.Fitting;
import dev.kenaz.jobs.ml.Refused;
import dev.kenaz.jobs.ml.TrainingColumns;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.ml.clustering.KMeansModel;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.mllib.linalg.Vectors;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import scala.collection.immutable.Seq;

/**
 * MLlib's {@link org.apache.spark.ml.clustering.KMeans}, trained by Kenaz. It has the parameters of
 * MLlib's and gives MLlib's model, so that changing an import is enough.
 *
 * <p>The distance is Euclidean. {@code solver} and {@code maxBlockSizeInMB}, which say how MLlib
 * computes, and other distances are refused.
 */
public class KMeans extends org.apache.spark.ml.clustering.KMeans
    implements FitsTogether<KMeansModel> {
  private static final long serialVersionUID = 1;

  public KMeans(String uid) {
    super(uid);
  }

  public KMeans() {
    this(Identifiable.randomUID("kmeans"));
  }

  /**
   * Trains a model.
   *
   * @throws dev.kenaz.error.Limitation for a parameter that can't be honoured
   */
  @Override
  public KMeansModel fit(Dataset<?> rows) {
    return fitting(rows).fit();
  }

  @Override
  public Seq<KMeansModel> fit(Dataset<?> rows, Seq<ParamMap> maps) {
    return Fitting.all(maps, map -> copy(map).fitting(rows));
  }

  @Override
  public KMeans copy(ParamMap extra) {
    return (KMeans) super.copy(extra);
  }

  private Fitting<Boolean, KMeansModel> fitting(Dataset<?> rows) {
    transformSchema(rows.schema());
    Refused.unless(this, distanceMeasure(), "euclidean");
    Refused.set(this, solver(), maxBlockSizeInMB());
    boolean weighted = TrainingColumns.hasWeights(this, weightCol());
    var columns = new ArrayList<Column>();
    columns.add(TrainingColumns.features(rows, getFeaturesCol()));
    if (weighted) {
      columns.add(TrainingColumns.weights(this, weightCol()));
    }
    var training =
        (weighted
                ? DatasetTraining.of("kmeans-weighted", "x", "w")
                : DatasetTraining.of("kmeans-rows", "x"))
            .with("k", getK())
            .with("parallel", getInitMode().equals("k-means||"))
            .with("rounds", getInitSteps())
            .with("max_iter", getMaxIter())
            .with("tol", getTol())
            .with("seed", getSeed());
    var chosen = rows.select(columns.toArray(Column[]::new));
    return new Fitting<>(
        List.of(getFeaturesCol(), weighted ? getWeightCol() : ""),
        () -> Fitting.Rows.of(chosen),
        _ -> training,
        (_, folder) -> model(rows, Fitted.read(folder)));
  }

  private KMeansModel model(Dataset<?> rows, Fitted fitted) {
    double[] all = fitted.array("centres");
    int width = all.length / getK();
    var centres = new ArrayList<org.apache.spark.mllib.linalg.Vector>();
    for (int i = 0; i < getK(); i++) {
      var centre = Vectors.dense(Arrays.copyOfRange(all, i * width, (i + 1) * width));
      // As many rows as centres may be there, or fewer: MLlib's model has none twice.
      if (!centres.contains(centre)) {
        centres.add(centre);
      }
    }
    var parent =
        new org.apache.spark.mllib.clustering.KMeansModel(
            centres.toArray(org.apache.spark.mllib.linalg.Vector[]::new));
    var model = copyValues(new KMeansModel(uid(), parent).setParent(this), ParamMap.empty());
    int iterations = (int) fitted.array("iterations")[0];
    model.createSummary(model.transform(rows), iterations, fitted.array("cost")[0]);
    return model;
  }

  // Setters and readers of MLlib's have the types of MLlib.

  /** Reads an estimator that was saved. */
  public static KMeans load(String path) {
    return (KMeans) org.apache.spark.ml.clustering.KMeans.load(path);
  }

  @Override
  public KMeans setFeaturesCol(String value) {
    super.setFeaturesCol(value);
    return this;
  }

  @Override
  public KMeans setPredictionCol(String value) {
    super.setPredictionCol(value);
    return this;
  }

  @Override
  public KMeans setK(int value) {
    super.setK(value);
    return this;
  }

  @Override
  public KMeans setInitMode(String value) {
    super.setInitMode(value);
    return this;
  }

  @Override
  public KMeans setDistanceMeasure(String value) {
    super.setDistanceMeasure(value);
    return this;
  }

  @Override
  public KMeans setInitSteps(int value) {
    super.setInitSteps(value);
    return this;
  }

  @Override
  public KMeans setMaxIter(int value) {
    super.setMaxIter(value);
    return this;
  }

  @Override
  public KMeans setTol(double value) {
    super.setTol(value);
    return this;
  }

  @Override
  public KMeans setSeed(long value) {
    super.setSeed(value);
    return this;
  }

  @Override
  public KMeans setWeightCol(String value) {
    super.setWeightCol(value);
    return this;
  }

  @Override
  public KMeans setSolver(String value) {
    super.setSolver(value);
    return this;
  }

  @Override
  public KMeans setMaxBlockSizeInMB(double value) {
    super.setMaxBlockSizeInMB(value);
    return this;
  }
}
