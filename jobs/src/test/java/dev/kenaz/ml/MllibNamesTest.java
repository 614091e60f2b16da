package dev.kenaz.ml;

import static org.apache.spark.ml.functions.vector_to_array;
import static org.apache.spark.sql.functions.abs;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.ml.classification.LinearSVC;
import dev.kenaz.ml.classification.LogisticRegression;
import dev.kenaz.ml.clustering.GaussianMixture;
import dev.kenaz.ml.clustering.KMeans;
import dev.kenaz.ml.feature.PCA;
import dev.kenaz.ml.regression.LinearRegression;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.classification.LogisticRegressionModel;
import org.apache.spark.ml.evaluation.RegressionEvaluator;
import org.apache.spark.ml.feature.StandardScaler;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.VectorUDT;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.regression.LinearRegressionModel;
import org.apache.spark.ml.tuning.CrossValidator;
import org.apache.spark.ml.tuning.ParamGridBuilder;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The estimators with MLlib's names, judged by MLlib's on the same rows. */
final class MllibNamesTest {
  private static final int ROWS = 400;

  /** Penalties: regParam and elasticNetParam. */
  private static final double[] NONE = {0, 0};

  private static final double[] RIDGE = {0.05, 0};
  private static final double[] NET = {0.02, 0.6};
  private static final double[] LASSO = {0.2, 1};

  private static SparkSession spark;

  /** Settings with which both train. */
  private record Case(double[] penalty, boolean intercept, boolean standardise) {
    double reg() {
      return penalty[0];
    }

    double alpha() {
      return penalty[1];
    }
  }

  @BeforeAll
  static void open() {
    spark = LocalSession.open(Map.of());
  }

  @AfterAll
  static void close() {
    spark.stop();
  }

  /** Rows around three places, with a label and a weight. */
  private static Dataset<Row> rows(ToDoubleFunction<double[]> label) {
    var random = new Random(3);
    var rows = new ArrayList<Row>();
    for (int i = 0; i < ROWS; i++) {
      int at = i % 3;
      var x = new double[] {at * 10 + random.nextGaussian(), 50 * random.nextGaussian(), 3 + at};
      rows.add(
          RowFactory.create(Vectors.dense(x), label.applyAsDouble(x), 0.5 + random.nextDouble()));
    }
    var none = Metadata.empty();
    return spark.createDataFrame(
        rows,
        new StructType(
            new StructField[] {
              new StructField("features", new VectorUDT(), false, none),
              new StructField("label", DataTypes.DoubleType, false, none),
              new StructField("weight", DataTypes.DoubleType, false, none)
            }));
  }

  private static void near(Vector expected, Vector found, double error) {
    assertArrayEquals(expected.toArray(), found.toArray(), error);
  }

  @Test
  void kmeansFindsTheCostOfMllib() {
    var rows =
        rows(x -> 0).filter(abs(vector_to_array(col("features"), "float64").getItem(1)).lt(5));
    for (boolean weighted : List.of(false, true)) {
      var ours = new KMeans().setK(3).setSeed(1);
      var theirs = new org.apache.spark.ml.clustering.KMeans().setK(3).setSeed(1);
      if (weighted) {
        ours.setWeightCol("weight");
        theirs.setWeightCol("weight");
      }
      var model = ours.fit(rows);
      var expected = theirs.fit(rows).summary();
      assertEquals(3, model.clusterCenters().length);
      assertEquals(
          expected.trainingCost(), model.summary().trainingCost(), 0.01 * expected.trainingCost());
      assertEquals(rows.count(), model.transform(rows).filter("prediction < 3").count());
      assertTrue(model.summary().numIter() <= 20);
    }
  }

  @Test
  void linearRegressionFindsTheCoefficientsOfMllib() {
    var random = new Random(5);
    var rows = rows(x -> 2 * x[0] - 0.1 * x[1] + 4 + random.nextGaussian());
    for (var c :
        List.of(
            new Case(RIDGE, true, true),
            new Case(NET, true, false),
            new Case(NET, false, true),
            new Case(LASSO, false, false))) {
      var ours = new LinearRegression().setRegParam(c.reg()).setElasticNetParam(c.alpha());
      ours.setFitIntercept(c.intercept).setStandardization(c.standardise).setWeightCol("weight");
      var theirs = new org.apache.spark.ml.regression.LinearRegression();
      theirs.setRegParam(c.reg()).setElasticNetParam(c.alpha()).setTol(1e-12).setMaxIter(1000);
      theirs.setFitIntercept(c.intercept).setStandardization(c.standardise).setWeightCol("weight");
      var model = ours.fit(rows);
      var expected = theirs.fit(rows);
      near(expected.coefficients(), model.coefficients(), 1e-3);
      assertEquals(expected.intercept(), model.intercept(), 1e-3);
      double error = expected.summary().rootMeanSquaredError();
      assertEquals(error, model.summary().rootMeanSquaredError(), 1e-4);
      if (c.alpha() == 0) {
        var errors = expected.summary().coefficientStandardErrors();
        assertArrayEquals(errors, model.summary().coefficientStandardErrors(), 1e-6);
      }
    }
  }

  @Test
  void logisticRegressionFindsTheCoefficientsOfMllib() {
    var random = new Random(6);
    var rows = rows(x -> x[0] + 0.05 * x[1] + 4 * random.nextGaussian() > 9 ? 1 : 0);
    for (var c :
        List.of(
            new Case(NONE, true, true), new Case(RIDGE, true, false), new Case(NET, true, true))) {
      var ours = new LogisticRegression().setRegParam(c.reg()).setElasticNetParam(c.alpha());
      ours.setStandardization(c.standardise).setWeightCol("weight").setTol(1e-9).setMaxIter(2000);
      var theirs = new org.apache.spark.ml.classification.LogisticRegression();
      theirs.setRegParam(c.reg()).setElasticNetParam(c.alpha()).setTol(1e-12).setMaxIter(1000);
      theirs.setStandardization(c.standardise).setWeightCol("weight");
      var model = ours.fit(rows);
      var expected = theirs.fit(rows);
      near(expected.coefficients(), model.coefficients(), 1e-3);
      assertEquals(expected.intercept(), model.intercept(), 1e-2);
      double area = expected.binarySummary().areaUnderROC();
      assertEquals(area, model.binarySummary().areaUnderROC(), 1e-3);
    }
  }

  @Test
  void multinomialRegressionFindsTheCoefficientsOfMllib() {
    var random = new Random(7);
    var rows = rows(x -> Math.clamp(Math.round(x[0] / 10 + 0.6 * random.nextGaussian()), 0, 2));
    for (double[] penalty : new double[][] {NONE, NET}) {
      var ours = new LogisticRegression().setRegParam(penalty[0]).setElasticNetParam(penalty[1]);
      ours.setTol(1e-9).setMaxIter(2000);
      var theirs = new org.apache.spark.ml.classification.LogisticRegression();
      theirs.setRegParam(penalty[0]).setElasticNetParam(penalty[1]).setTol(1e-12).setMaxIter(1000);
      var model = ours.fit(rows);
      var expected = theirs.fit(rows);
      assertEquals(3, model.numClasses());
      assertArrayEquals(
          expected.coefficientMatrix().toArray(), model.coefficientMatrix().toArray(), 2e-3);
      near(expected.interceptVector(), model.interceptVector(), 2e-2);
      assertEquals(expected.summary().accuracy(), model.summary().accuracy(), 1e-2);
    }
  }

  @Test
  void linearSvcFindsTheCoefficientsOfMllib() {
    var random = new Random(8);
    var rows = rows(x -> x[0] + 0.05 * x[1] + 2 * random.nextGaussian() > 9 ? 1 : 0);
    var ours = new LinearSVC().setRegParam(0.1).setMaxIter(200).setWeightCol("weight");
    var theirs = new org.apache.spark.ml.classification.LinearSVC().setRegParam(0.1);
    var model = ours.fit(rows);
    var expected = theirs.setMaxIter(200).setWeightCol("weight").fit(rows);
    near(expected.coefficients(), model.coefficients(), 5e-3);
    assertEquals(expected.intercept(), model.intercept(), 5e-2);
    assertEquals(expected.summary().accuracy(), model.summary().accuracy(), 0.02);
  }

  @Test
  void pcaFindsTheComponentsOfMllib() {
    var rows = rows(x -> 0);
    var ours = new PCA().setInputCol("features").setOutputCol("p").setK(2).fit(rows);
    var theirs = new org.apache.spark.ml.feature.PCA().setInputCol("features").setK(2).fit(rows);
    near(theirs.explainedVariance(), ours.explainedVariance(), 1e-9);
    for (int c = 0; c < 2; c++) {
      double sign = Math.signum(ours.pc().apply(0, c) * theirs.pc().apply(0, c));
      for (int i = 0; i < 3; i++) {
        assertEquals(sign * theirs.pc().apply(i, c), ours.pc().apply(i, c), 1e-9);
      }
    }
    assertEquals(ROWS, ours.transform(rows).select("p").count());
  }

  @Test
  void gaussianMixtureFindsTheLikelihoodOfMllib() {
    var random = new Random(10);
    var all = new ArrayList<Row>();
    for (int i = 0; i < ROWS; i++) {
      int at = i % 4 == 0 ? 8 : 0;
      double x = at + random.nextGaussian();
      all.add(RowFactory.create(Vectors.dense(x, 0.5 * x + random.nextGaussian())));
    }
    var schema = new StructType().add("features", new VectorUDT());
    var rows = spark.createDataFrame(all, schema);
    var ours = new GaussianMixture().setK(2).setSeed(3).setTol(1e-6).fit(rows);
    var theirs = new org.apache.spark.ml.clustering.GaussianMixture().setK(2).setSeed(3);
    double expected = theirs.setTol(1e-6).fit(rows).summary().logLikelihood();
    assertEquals(expected, ours.summary().logLikelihood(), 1e-3 * Math.abs(expected));
    var sizes = ours.summary().clusterSizes();
    assertEquals(ROWS / 4, Math.min(sizes[0], sizes[1]), 2);
    int small = sizes[0] < sizes[1] ? 0 : 1;
    assertEquals(8, ours.gaussians()[small].mean().apply(0), 0.5);
    assertEquals(1, ours.gaussians()[small].cov().apply(0, 0), 0.5);
  }

  @Test
  void estimatorsAreStagesOfPipelinesThatAreSaved(@TempDir Path folder) throws IOException {
    var rows = rows(x -> x[0] > 9 ? 1 : 0).drop("weight");
    var scaler = new StandardScaler().setInputCol("features").setOutputCol("scaled");
    var regression = new LogisticRegression().setFeaturesCol("scaled").setRegParam(0.1);
    regression.setPredictionCol("class");
    var stages = new PipelineStage[] {scaler, regression};
    var pipeline = new Pipeline().setStages(stages);
    var at = folder.resolve("pipeline").toString();
    pipeline.write().overwrite().save(at);
    var read = Pipeline.load(at);
    assertInstanceOf(LogisticRegression.class, read.getStages()[1]);
    var model = read.fit(rows);
    assertEquals(0.1, ((LogisticRegressionModel) model.stages()[1]).getRegParam());
    var there = folder.resolve("model").toString();
    model.write().overwrite().save(there);
    var predicted = PipelineModel.load(there).transform(rows);
    var expected = model.transform(rows).select("class").collectAsList();
    assertEquals(expected, predicted.select("class").collectAsList());
    assertTrue(predicted.filter("class = label").count() > 0.9 * ROWS);
    assertTrue(regression.explainParams().contains("regParam"));
    var alone = folder.resolve("estimator").toString();
    regression.write().save(alone);
    assertEquals(0.1, LogisticRegression.load(alone).getRegParam());
  }

  @Test
  void crossValidationChoosesThePenalty() {
    var random = new Random(9);
    var rows = rows(x -> 2 * x[0] + random.nextGaussian());
    var regression = new LinearRegression();
    var grid = new ParamGridBuilder().addGrid(regression.regParam(), new double[] {100, 0.01});
    var validator =
        new CrossValidator()
            .setEstimator(regression)
            .setEvaluator(new RegressionEvaluator())
            .setEstimatorParamMaps(grid.build())
            .setNumFolds(2);
    var best = (LinearRegressionModel) validator.fit(rows).bestModel();
    assertEquals(0.01, best.getRegParam());
    assertEquals(2, best.coefficients().apply(0), 0.1);
  }

  @Test
  void vectorsThatAreNoPointsAreErrors() {
    var schema = new StructType().add("features", new VectorUDT());
    for (var bad :
        new Vector[] {
          null,
          Vectors.dense(Double.NaN, 1),
          Vectors.sparse(2, new int[] {1}, new double[] {Double.NEGATIVE_INFINITY})
        }) {
      var rows = List.of(RowFactory.create(Vectors.dense(1, 2)), RowFactory.create(bad));
      var table = spark.createDataFrame(rows, schema);
      var e = assertThrows(Exception.class, () -> new KMeans().setK(2).fit(table));
      assertTrue(e.getMessage().contains("MUST NOT be"), e.getMessage());
    }
  }

  @Test
  void tooFewRowsAreErrors() {
    var none = rows(x -> 0).where("false");
    var all = List.<Estimator<?>>of(new LogisticRegression(), new LinearSVC(), new KMeans());
    for (Estimator<?> estimator : all) {
      var e = assertThrows(UserError.class, () -> estimator.fit(none));
      assertTrue(e.getMessage().contains("has no rows"), e.getMessage());
    }
    var weightless = rows(x -> 0).withColumn("w", lit(0));
    var e =
        assertThrows(
            UserError.class, () -> new LogisticRegression().setWeightCol("w").fit(weightless));
    assertTrue(e.getMessage().contains("weight 0"), e.getMessage());
    var one = new PCA().setInputCol("features").setOutputCol("p").setK(1);
    e = assertThrows(UserError.class, () -> one.fit(rows(x -> 0).limit(1)));
    assertTrue(e.getMessage().contains("one row"), e.getMessage());
  }

  @Test
  void aParameterThatCannotBeHonouredIsNamed() {
    var rows = rows(x -> 0);
    var e =
        assertThrows(
            Limitation.class, () -> new KMeans().setK(2).setDistanceMeasure("cosine").fit(rows));
    assertTrue(e.getMessage().contains("distanceMeasure=cosine"), e.getMessage());
  }
}
