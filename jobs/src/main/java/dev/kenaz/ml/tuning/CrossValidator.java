package dev.kenaz.ml.tuning;

import dev.kenaz.jobs.ml.GridFits;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.evaluation.Evaluator;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.tuning.CrossValidatorModel;
import org.apache.spark.ml.tuning.ValidatorParams$;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.mllib.util.MLUtils;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.Tuple2;
import scala.reflect.ClassTag$;

/**
 * MLlib's {@link org.apache.spark.ml.tuning.CrossValidator}, which trains the whole grid of a fold
 * together if the estimator is one of Kenaz, or a pipeline that ends with one and the grid is about
 * this one alone. Folds, metrics and the model are those of MLlib's. For other estimators it is
 * MLlib's.
 *
 * <p>{@code parallelism} is the number of models that are evaluated at the same time.
 */
public class CrossValidator extends org.apache.spark.ml.tuning.CrossValidator {
  private static final long serialVersionUID = 1;

  public CrossValidator(String uid) {
    super(uid);
  }

  public CrossValidator() {
    this(Identifiable.randomUID("cv"));
  }

  @Override
  public CrossValidatorModel fit(Dataset<?> rows) {
    transformSchema(rows.schema());
    var grid = GridFits.of(getEstimator(), getEstimatorParamMaps());
    if (!GridFits.areShared(grid.estimator(), grid.maps())) {
      return super.fit(rows);
    }
    var table = rows.toDF();
    var schema = withoutFolds(table.schema());
    var session = table.sparkSession();
    var metrics = new double[grid.maps().size()];
    var all = new ArrayList<Model<?>[]>();
    for (var fold : folds(table)) {
      var training = session.createDataFrame(fold._1(), schema).cache();
      var judging = session.createDataFrame(fold._2(), schema).cache();
      try {
        var models = grid.models(training);
        var found = grid.metrics(models, judging, getEvaluator(), getParallelism());
        for (int i = 0; i < metrics.length; i++) {
          metrics[i] += found[i] / getNumFolds();
        }
        all.add(models.toArray(Model<?>[]::new));
      } finally {
        training.unpersist();
        judging.unpersist();
      }
    }
    var best = grid.model(rows, GridFits.best(metrics, getEvaluator()));
    var model = new CrossValidatorModel(uid(), best, metrics);
    if (getCollectSubModels()) {
      model.setSubModels(Option.apply(all.toArray(Model<?>[][]::new)));
    }
    return copyValues(model.setParent(this), ParamMap.empty());
  }

  private List<Tuple2<RDD<Row>, RDD<Row>>> folds(Dataset<Row> rows) {
    return List.of(
        getFoldCol().isEmpty()
            ? MLUtils.kFold(
                rows.rdd(), getNumFolds(), getSeed(), ClassTag$.MODULE$.apply(Row.class))
            : MLUtils.kFold(rows, getNumFolds(), getFoldCol()));
  }

  private StructType withoutFolds(StructType schema) {
    var fields = new ArrayList<StructField>(List.of(schema.fields()));
    fields.removeIf(f -> f.name().equals(getFoldCol()));
    return new StructType(fields.toArray(StructField[]::new));
  }

  // Setters and readers of MLlib's have the types of MLlib.

  /** Returns what reads a validator that was saved. */
  public static MLReader<org.apache.spark.ml.tuning.CrossValidator> read() {
    return new MLReader<>() {
      @Override
      public CrossValidator load(String path) {
        var saved =
            ValidatorParams$.MODULE$.loadImpl(path, sparkSession(), CrossValidator.class.getName());
        var validator = new CrossValidator(saved._1().uid());
        validator.setEstimator(saved._2()).setEvaluator(saved._3());
        validator.setEstimatorParamMaps(saved._4());
        saved._1().getAndSetParams(validator, Saved.withoutMaps());
        return validator;
      }
    };
  }

  /** Reads a validator that was saved. */
  public static CrossValidator load(String path) {
    return (CrossValidator) read().load(path);
  }

  @Override
  public CrossValidator copy(ParamMap extra) {
    return (CrossValidator) super.copy(extra);
  }

  @Override
  public CrossValidator setEstimator(Estimator<?> value) {
    super.setEstimator(value);
    return this;
  }

  @Override
  public CrossValidator setEstimatorParamMaps(ParamMap[] value) {
    super.setEstimatorParamMaps(value);
    return this;
  }

  @Override
  public CrossValidator setEvaluator(Evaluator value) {
    super.setEvaluator(value);
    return this;
  }

  @Override
  public CrossValidator setNumFolds(int value) {
    super.setNumFolds(value);
    return this;
  }

  @Override
  public CrossValidator setSeed(long value) {
    super.setSeed(value);
    return this;
  }

  @Override
  public CrossValidator setFoldCol(String value) {
    super.setFoldCol(value);
    return this;
  }

  @Override
  public CrossValidator setParallelism(int value) {
    super.setParallelism(value);
    return this;
  }

  @Override
  public CrossValidator setCollectSubModels(boolean value) {
    super.setCollectSubModels(value);
    return this;
  }
}
