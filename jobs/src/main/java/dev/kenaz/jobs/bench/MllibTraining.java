package dev.kenaz.jobs.bench;

import dev.kenaz.spark.ShardSource;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.classification.LogisticRegression;
import org.apache.spark.ml.clustering.GaussianMixture;
import org.apache.spark.ml.clustering.KMeans;
import org.apache.spark.ml.feature.PCA;
import org.apache.spark.ml.linalg.DenseMatrix;
import org.apache.spark.ml.linalg.Matrix;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.VectorUDT;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.recommendation.ALS;
import org.apache.spark.ml.regression.LinearRegression;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.storage.StorageLevel;

/** MLlib's estimators on the same rows in the same partitions, cached in memory. */
final class MllibTraining implements AutoCloseable {
  private final TrainingRows.Kind kind;
  private final Dataset<Row> rows;

  /**
   * What an estimator found: a model of our program, whose loss can be asked for; or, if that can't
   * be made of it, the objective as MLlib tells it.
   */
  sealed interface Found {
    record Model(List<Value> values) implements Found {}

    record Objective(double value) implements Found {}
  }

  MllibTraining(JavaSparkContext spark, TrainingRows source) {
    kind = source.kind();
    var indices = IntStream.range(0, source.shards()).boxed().toList();
    var all = spark.parallelize(indices, source.shards()).flatMap(i -> rows(source, i).iterator());
    var session = SparkSession.builder().config(spark.getConf()).getOrCreate();
    var schema =
        kind == TrainingRows.Kind.RATINGS
            ? schema(
                List.of("user", "item", "rating"),
                List.of(DataTypes.IntegerType, DataTypes.IntegerType, DataTypes.FloatType))
            : schema(List.of("features", "label"), List.of(new VectorUDT(), DataTypes.DoubleType));
    rows = session.createDataFrame(all, schema).persist(StorageLevel.MEMORY_ONLY());
    rows.count();
  }

  private static StructType schema(List<String> names, List<DataType> types) {
    return new StructType(
        IntStream.range(0, names.size())
            .mapToObj(i -> new StructField(names.get(i), types.get(i), false, Metadata.empty()))
            .toArray(StructField[]::new));
  }

  private static List<Row> rows(ShardSource source, int shard) {
    var loaded = source.load(shard).stream().map(ArrayValue.class::cast).toList();
    var columns = loaded.stream().map(ArrayValue::toDoubleArray).toList();
    var first = loaded.getFirst();
    int n = Math.toIntExact(first.dim(0));
    var rows = new ArrayList<Row>();
    for (int i = 0; i < n; i++) {
      if (columns.size() == 3) {
        int user = (int) columns.get(0)[i];
        rows.add(RowFactory.create(user, (int) columns.get(1)[i], (float) columns.get(2)[i]));
        continue;
      }
      int d = Math.toIntExact(first.dim(1));
      var numbers = Arrays.copyOfRange(columns.getFirst(), i * d, (i + 1) * d);
      double label = columns.size() == 2 ? columns.get(1)[i] : 0;
      rows.add(RowFactory.create(Vectors.dense(numbers), label));
    }
    return rows;
  }

  /** Trains with the settings of the case in {@link TrainingComparison}. */
  Found fit() {
    return switch (kind) {
      case CLASSES -> {
        var fit = new LogisticRegression().setMaxIter(100).setTol(1e-6).fit(rows);
        var bias = ScalarValue.f64(fit.intercept());
        yield classes(bias, ArrayValue.ofDoubles(fit.coefficients().toArray(), kind.width));
      }
      case LINE -> {
        var fit = new LinearRegression().setSolver("normal").fit(rows);
        yield new Found.Model(line(fit.coefficients(), fit.intercept()));
      }
      case DIGITS -> {
        var softmax = new LogisticRegression().setFamily("multinomial").setMaxIter(25);
        var fit = softmax.setTol(0).fit(rows);
        var bias = fit.interceptVector().toArray();
        yield classes(ArrayValue.ofDoubles(bias, bias.length), matrix(fit.coefficientMatrix()));
      }
      case GROUPS -> {
        var fit = new GaussianMixture().setK(8).setMaxIter(25).setTol(0).setSeed(1).fit(rows);
        yield new Found.Objective(-fit.summary().logLikelihood() / rows.count());
      }
      case PLANE -> {
        var fit = new PCA().setK(8).setInputCol("features").setOutputCol("out").fit(rows);
        var part = Arrays.stream(fit.explainedVariance().toArray()).sum();
        yield new Found.Objective(1 - part);
      }
      case RATINGS -> factors();
      case POINTS -> {
        var fit = new KMeans().setK(16).setMaxIter(10).setTol(0).setSeed(1).fit(rows);
        yield new Found.Objective(fit.summary().trainingCost());
      }
    };
  }

  private static List<Value> line(Vector weights, double bias) {
    return List.of(ScalarValue.f64(bias), ArrayValue.ofDoubles(weights.toArray(), weights.size()));
  }

  /** Returns a model of classes; the scale of its features is that of numbers as they are. */
  private Found classes(Value bias, Value weights) {
    var one = new double[kind.width];
    Arrays.fill(one, 1);
    var deviation = ArrayValue.ofDoubles(one, kind.width);
    var mean = ArrayValue.ofDoubles(new double[kind.width], kind.width);
    return new Found.Model(List.of(bias, deviation, mean, weights));
  }

  private static ArrayValue matrix(Matrix m) {
    var rows = new DenseMatrix(m.numRows(), m.numCols(), m.toArray()).transpose();
    return ArrayValue.ofDoubles(rows.toArray(), m.numRows(), m.numCols());
  }

  private Found factors() {
    int rank = kind.width;
    var als = new ALS().setRank(rank).setRegParam(0.1).setMaxIter(10).setSeed(1);
    var fit = als.setUserCol("user").setItemCol("item").setRatingCol("rating").fit(rows);
    return new Found.Model(
        List.of(
            factors(fit.itemFactors(), TrainingRows.ITEMS, rank),
            factors(fit.userFactors(), TrainingRows.USERS, rank)));
  }

  private static ArrayValue factors(Dataset<Row> found, int count, int rank) {
    var all = new double[count * rank];
    for (var row : found.collectAsList()) {
      List<Float> numbers = row.getList(1);
      for (int j = 0; j < rank; j++) {
        all[row.getInt(0) * rank + j] = numbers.get(j);
      }
    }
    return ArrayValue.ofDoubles(all, count, rank);
  }

  @Override
  public void close() {
    rows.unpersist(true);
  }
}
