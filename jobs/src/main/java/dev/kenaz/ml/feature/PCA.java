package dev.kenaz.ml.feature;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.ml.DatasetTraining;
import dev.kenaz.jobs.ml.DatasetTraining.Fitted;
import dev.kenaz.jobs.ml.FitsTogether;
import dev.kenaz.jobs.ml.Fitting;
import dev.kenaz.jobs.ml.TrainingColumns;
import org.apache.spark.ml.feature.PCAModel;
import org.apache.spark.ml.linalg.DenseMatrix;
import org.apache.spark.ml.linalg.DenseVector;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.sql.Dataset;
import scala.collection.immutable.Seq;

/**
 * MLlib's {@link org.apache.spark.ml.feature.PCA}, trained by Kenaz. It has the parameters of
 * MLlib's and gives MLlib's model, so that changing an import is enough. The largest number of a
 * component is positive; MLlib's components may point the other way.
 */
public class PCA extends org.apache.spark.ml.feature.PCA implements FitsTogether<PCAModel> {
  private static final long serialVersionUID = 1;

  public PCA(String uid) {
    super(uid);
  }

  public PCA() {
    this(Identifiable.randomUID("pca"));
  }

  /** Trains a model. */
  @Override
  public PCAModel fit(Dataset<?> rows) {
    return fitting(rows).fit();
  }

  @Override
  public Seq<PCAModel> fit(Dataset<?> rows, Seq<ParamMap> maps) {
    return Fitting.all(maps, map -> copy(map).fitting(rows));
  }

  @Override
  public PCA copy(ParamMap extra) {
    return (PCA) super.copy(extra);
  }

  private Fitting<Boolean, PCAModel> fitting(Dataset<?> rows) {
    transformSchema(rows.schema());
    var training = DatasetTraining.of("pca", "x").with("k", getK());
    var features = TrainingColumns.features(rows, getInputCol());
    return new Fitting<>(
        getInputCol(),
        () -> Fitting.Rows.of(rows.select(features)),
        _ -> training,
        (_, folder) -> model(Fitted.read(folder)));
  }

  private PCAModel model(Fitted fitted) {
    if (fitted.rows() < 2) {
      throw new UserError(
          ErrorCode.K7302, "one row varies in no direction", "components need two rows at least");
    }
    var components = fitted.array("components");
    // A component is a column of MLlib's matrix, and its numbers follow each other.
    var matrix = new DenseMatrix(components.length / getK(), getK(), components);
    var model = new PCAModel(uid(), matrix, new DenseVector(fitted.array("explained")));
    return copyValues(model.setParent(this), ParamMap.empty());
  }

  // Setters and readers of MLlib's have the types of MLlib.

  /** Reads an estimator that was saved. */
  public static PCA load(String path) {
    return (PCA) org.apache.spark.ml.feature.PCA.load(path);
  }

  @Override
  public PCA setInputCol(String value) {
    super.setInputCol(value);
    return this;
  }

  @Override
  public PCA setOutputCol(String value) {
    super.setOutputCol(value);
    return this;
  }

  @Override
  public PCA setK(int value) {
    super.setK(value);
    return this;
  }
}
