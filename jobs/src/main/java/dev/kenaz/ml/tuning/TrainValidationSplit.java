package dev.kenaz.ml.tuning;

import dev.kenaz.jobs.ml.GridFits;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.evaluation.Evaluator;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.tuning.TrainValidationSplitModel;
import org.apache.spark.ml.tuning.ValidatorParams$;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Dataset;
import scala.Option;

/**
 * MLlib's {@link org.apache.spark.ml.tuning.TrainValidationSplit}, which trains the whole grid
 * together as {@link CrossValidator} does.
 */
public class TrainValidationSplit extends org.apache.spark.ml.tuning.TrainValidationSplit {
  private static final long serialVersionUID = 1;

  public TrainValidationSplit(String uid) {
    super(uid);
  }

  public TrainValidationSplit() {
    this(Identifiable.randomUID("tvs"));
  }

  @Override
  public TrainValidationSplitModel fit(Dataset<?> rows) {
    transformSchema(rows.schema());
    var grid = GridFits.of(getEstimator(), getEstimatorParamMaps());
    if (!GridFits.areShared(grid.estimator(), grid.maps())) {
      return super.fit(rows);
    }
    var parts =
        rows.toDF().randomSplit(new double[] {getTrainRatio(), 1 - getTrainRatio()}, getSeed());
    var training = parts[0].cache();
    var judging = parts[1].cache();
    try {
      var models = grid.models(training);
      var metrics = grid.metrics(models, judging, getEvaluator(), getParallelism());
      var best = grid.model(rows, GridFits.best(metrics, getEvaluator()));
      var model = new TrainValidationSplitModel(uid(), best, metrics);
      if (getCollectSubModels()) {
        model.setSubModels(Option.apply(models.toArray(Model<?>[]::new)));
      }
      return copyValues(model.setParent(this), ParamMap.empty());
    } finally {
      training.unpersist();
      judging.unpersist();
    }
  }

  // Setters and readers of MLlib's have the types of MLlib.

  /** Returns what reads a validator that was saved. */
  public static MLReader<org.apache.spark.ml.tuning.TrainValidationSplit> read() {
    return new MLReader<>() {
      @Override
      public TrainValidationSplit load(String path) {
        var saved =
            ValidatorParams$.MODULE$.loadImpl(
                path, sparkSession(), TrainValidationSplit.class.getName());
        var validator = new TrainValidationSplit(saved._1().uid());
        validator.setEstimator(saved._2()).setEvaluator(saved._3());
        validator.setEstimatorParamMaps(saved._4());
        saved._1().getAndSetParams(validator, Saved.withoutMaps());
        return validator;
      }
    };
  }

  /** Reads a validator that was saved. */
  public static TrainValidationSplit load(String path) {
    return (TrainValidationSplit) read().load(path);
  }

  @Override
  public TrainValidationSplit copy(ParamMap extra) {
    return (TrainValidationSplit) super.copy(extra);
  }

  @Override
  public TrainValidationSplit setEstimator(Estimator<?> value) {
    super.setEstimator(value);
    return this;
  }

  @Override
  public TrainValidationSplit setEstimatorParamMaps(ParamMap[] value) {
    super.setEstimatorParamMaps(value);
    return this;
  }

  @Override
  public TrainValidationSplit setEvaluator(Evaluator value) {
    super.setEvaluator(value);
    return this;
  }

  @Override
  public TrainValidationSplit setTrainRatio(double value) {
    super.setTrainRatio(value);
    return this;
  }

  @Override
  public TrainValidationSplit setSeed(long value) {
    super.setSeed(value);
    return this;
  }

  @Override
  public TrainValidationSplit setParallelism(int value) {
    super.setParallelism(value);
    return this;
  }

  @Override
  public TrainValidationSplit setCollectSubModels(boolean value) {
    super.setCollectSubModels(value);
    return this;
  }
}
