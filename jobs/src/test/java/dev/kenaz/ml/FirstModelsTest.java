package dev.kenaz.ml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.ml.classification.LinearSVC;
import dev.kenaz.ml.classification.LogisticRegression;
import dev.kenaz.ml.classification.MultilayerPerceptronClassifier;
import dev.kenaz.ml.clustering.GaussianMixture;
import dev.kenaz.ml.clustering.KMeans;
import dev.kenaz.ml.recommendation.ALS;
import dev.kenaz.ml.regression.LinearRegression;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.ml.attribute.NominalAttribute;
import org.apache.spark.ml.classification.LogisticRegressionModel;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.VectorUDT;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.jdk.javaapi.CollectionConverters;

/** Models that take no step: with {@code maxIter=0}, and where all rows have one label. */
final class FirstModelsTest {
  private static SparkSession spark;
  private static Dataset<Row> rows;

  @BeforeAll
  static void open() {
    spark = LocalSession.open(Map.of());
    var random = new Random(8);
    var all = new ArrayList<Row>();
    for (int i = 0; i < 40; i++) {
      var x = Vectors.dense(random.nextGaussian() + i % 2, random.nextGaussian());
      double three = i % 5 == 0 ? 2 : i % 2;
      double two = i % 4 == 0 ? 1 : 0;
      all.add(RowFactory.create(x, two, three, 1.0 + i % 3, i % 8, i / 8));
    }
    var schema =
        new StructType()
            .add("features", new VectorUDT(), false)
            .add("label", DataTypes.DoubleType)
            .add("class", DataTypes.DoubleType)
            .add("w", DataTypes.DoubleType)
            .add("user", DataTypes.IntegerType)
            .add("item", DataTypes.IntegerType);
    rows = spark.createDataFrame(all, schema).coalesce(1).cache();
  }

  @AfterAll
  static void close() {
    spark.stop();
  }

  private static Dataset<Row> labelled(double label) {
    return rows.withColumn("label", functions.lit(label));
  }

  private static org.apache.spark.ml.classification.LogisticRegression set(
      org.apache.spark.ml.classification.LogisticRegression logistic,
      String label,
      String family,
      boolean intercept,
      double l1) {
    logistic.setLabelCol(label).setFamily(family).setFitIntercept(intercept);
    return logistic.setRegParam(l1).setElasticNetParam(1).setWeightCol("w").setMaxIter(0);
  }

  private static void same(LogisticRegressionModel expected, LogisticRegressionModel found) {
    assertArrayEquals(
        expected.coefficientMatrix().toArray(), found.coefficientMatrix().toArray(), 0);
    assertArrayEquals(
        expected.interceptVector().toArray(), found.interceptVector().toArray(), 1e-12);
    assertArrayEquals(
        expected.summary().objectiveHistory(), found.summary().objectiveHistory(), 1e-12);
    assertEquals(expected.summary().totalIterations(), found.summary().totalIterations());
    assertEquals(expected.summary().accuracy(), found.summary().accuracy());
  }

  @ParameterizedTest
  @CsvSource({
    "label, auto, true, 0",
    "label, auto, false, 0",
    "label, auto, true, 0.1",
    "label, multinomial, true, 0",
    "class, auto, true, 0",
    "class, multinomial, false, 0",
    "class, auto, true, 0.1"
  })
  void logisticRegressionBeginsAsThatOfMllib(
      String label, String family, boolean intercept, double l1) {
    var theirs = new org.apache.spark.ml.classification.LogisticRegression();
    var expected = set(theirs, label, family, intercept, l1).fit(rows);
    same(expected, set(new LogisticRegression(), label, family, intercept, l1).fit(rows));
  }

  @ParameterizedTest
  @CsvSource({
    "0, auto",
    "1, auto",
    "0, binomial",
    "1, binomial",
    "0, multinomial",
    "1, multinomial",
    "2, auto",
    "2, multinomial"
  })
  void oneLabelIsCertainAsForMllib(double label, String family) {
    var theirs = new org.apache.spark.ml.classification.LogisticRegression();
    var data = labelled(label);
    var expected = theirs.setFamily(family).setRegParam(0.1).fit(data);
    var found = new LogisticRegression().setFamily(family).setRegParam(0.1).fit(data);
    same(expected, found);
    var at = found.transform(data).select("prediction", "probability").first();
    assertEquals(label, at.getDouble(0));
    var probable = expected.transform(data).select("probability").first();
    assertEquals(probable.getAs(0), at.<Vector>getAs(1));
  }

  /** MLlib's intercept is +infinity here, so it predicts a class that no row has. */
  @Test
  void oneLabelOfTwoThatAreKnownIsPredicted() {
    var known = NominalAttribute.defaultAttr().withName("label").withValues("no", "yes");
    var label = functions.lit(0.0).as("label", known.toMetadata());
    var data = rows.withColumn("label", label);
    var found = new LogisticRegression().fit(data);
    assertEquals(Double.NEGATIVE_INFINITY, found.intercept());
    assertEquals(0, found.transform(data).select("prediction").first().getDouble(0));
  }

  @Test
  void rowsWithoutWeightHaveNoLabel() {
    var data =
        rows.withColumn("w", functions.col("label")); // Those with the label 0 have no weight.
    assertEquals(
        Double.POSITIVE_INFINITY, new LogisticRegression().setWeightCol("w").fit(data).intercept());
  }

  /** Without an intercept there is something to find. */
  @ParameterizedTest
  @CsvSource({"0, auto", "1, auto", "1, multinomial", "0, multinomial"})
  void oneLabelWithoutAnInterceptIsTrained(double label, String family) {
    var theirs = new org.apache.spark.ml.classification.LogisticRegression();
    theirs.setFamily(family).setRegParam(0.1).setFitIntercept(false).setTol(1e-10);
    var ours = new LogisticRegression().setFamily(family).setRegParam(0.1).setFitIntercept(false);
    var expected = theirs.fit(labelled(label));
    var found = ours.setTol(1e-10).fit(labelled(label));
    assertArrayEquals(
        expected.coefficientMatrix().toArray(), found.coefficientMatrix().toArray(), 1e-4);
  }

  @Test
  void aSupportVectorMachineBeginsAtZero() {
    var theirs = new org.apache.spark.ml.classification.LinearSVC();
    var expected = theirs.setMaxIter(0).setWeightCol("w").fit(rows);
    var found = new LinearSVC().setMaxIter(0).setWeightCol("w").fit(rows);
    assertEquals(expected.coefficients(), found.coefficients());
    assertEquals(expected.intercept(), found.intercept());
    assertArrayEquals(
        expected.summary().objectiveHistory(), found.summary().objectiveHistory(), 1e-12);
  }

  @Test
  void aPerceptronBeginsWithItsWeights() {
    var given = Vectors.dense(new Random(2).doubles(15, -1, 1).toArray());
    var theirs = new org.apache.spark.ml.classification.MultilayerPerceptronClassifier();
    theirs.setLabelCol("class").setMaxIter(0);
    var layers = new int[] {2, 2, 3};
    var expected = theirs.setLayers(layers).setInitialWeights(given).fit(rows);
    var ours = new MultilayerPerceptronClassifier().setLabelCol("class").setMaxIter(0);
    var found = ours.setLayers(layers).setInitialWeights(given).fit(rows);
    assertArrayEquals(expected.weights().toArray(), found.weights().toArray(), 0);
    assertArrayEquals(
        expected.summary().objectiveHistory(), found.summary().objectiveHistory(), 1e-12);
    ours.clear(ours.initialWeights());
    assertEquals(15, ours.setSeed(3).fit(rows).weights().size());
  }

  @Test
  void clustersAndFactorsAreThoseOfTheStart() {
    var centres = new KMeans().setK(2).setSeed(1).setMaxIter(0).fit(rows);
    assertEquals(0, centres.summary().numIter());
    assertEquals(0, centres.summary().trainingCost());
    assertEquals(2, centres.clusterCenters().length);

    var theirs = new org.apache.spark.ml.clustering.GaussianMixture();
    var expected = theirs.setK(2).setSeed(1).setMaxIter(0).fit(rows).summary();
    var mixture = new GaussianMixture().setK(2).setSeed(1).setMaxIter(0).fit(rows);
    assertEquals(expected.logLikelihood(), mixture.summary().logLikelihood());
    assertEquals(expected.numIter(), mixture.summary().numIter());

    var factors = new ALS().setRatingCol("w").setRank(2).setSeed(1).setMaxIter(0).fit(rows);
    for (var side : List.of(factors.userFactors(), factors.itemFactors())) {
      for (var row : side.collectAsList()) {
        assertTrue(row.<Float>getList(1).stream().anyMatch(f -> f != 0), row.toString());
      }
    }
  }

  /** A grid may begin with no step: each model is that which is fitted alone. */
  @Test
  void aGridMayHaveModelsWithoutAStep() {
    var ours = new LogisticRegression().setTol(0);
    var maps = IntStream.of(0, 1, 4).mapToObj(n -> new ParamMap().put(ours.maxIter(), n)).toList();
    var found = ours.fit(rows, CollectionConverters.asScala(maps).toSeq());
    for (int i = 0; i < maps.size(); i++) {
      assertEquals(ours.fit(rows, maps.get(i)).coefficients(), found.apply(i).coefficients());
    }
    assertNotEquals(found.apply(0).coefficients(), found.apply(2).coefficients());
    var svc = new LinearSVC().setTol(0);
    var few = IntStream.of(0, 2).mapToObj(n -> new ParamMap().put(svc.maxIter(), n)).toList();
    var machines = svc.fit(rows, CollectionConverters.asScala(few).toSeq());
    assertEquals(Vectors.dense(0, 0), machines.apply(0).coefficients());
    assertEquals(svc.fit(rows, few.get(1)).coefficients(), machines.apply(1).coefficients());
  }

  /** Least squares need one, as MLlib says, too. */
  @Test
  void linearRegressionTakesAnIteration() {
    var ours = new LinearRegression().setMaxIter(0).setLabelCol("w");
    assertThrows(IllegalArgumentException.class, () -> theirs().fit(rows));
    var e = assertThrows(RuntimeException.class, () -> ours.fit(rows));
    assertTrue(e.getMessage().contains("maxIter=0"), e.getMessage());
  }

  private static org.apache.spark.ml.regression.LinearRegression theirs() {
    return new org.apache.spark.ml.regression.LinearRegression().setMaxIter(0).setLabelCol("w");
  }
}
