package dev.kenaz.ml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import dev.kenaz.ml.classification.LinearSVC;
import dev.kenaz.ml.classification.LogisticRegression;
import dev.kenaz.ml.classification.MultilayerPerceptronClassifier;
import dev.kenaz.ml.clustering.GaussianMixture;
import dev.kenaz.ml.clustering.KMeans;
import dev.kenaz.ml.feature.PCA;
import dev.kenaz.ml.recommendation.ALS;
import dev.kenaz.ml.regression.LinearRegression;
import dev.kenaz.ml.tuning.CrossValidator;
import dev.kenaz.ml.tuning.TrainValidationSplit;
import dev.kenaz.spark.KenazKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.classification.LinearSVCModel;
import org.apache.spark.ml.classification.LogisticRegressionModel;
import org.apache.spark.ml.classification.MultilayerPerceptronClassificationModel;
import org.apache.spark.ml.clustering.GaussianMixtureModel;
import org.apache.spark.ml.clustering.KMeansModel;
import org.apache.spark.ml.evaluation.BinaryClassificationEvaluator;
import org.apache.spark.ml.evaluation.RegressionEvaluator;
import org.apache.spark.ml.feature.PCAModel;
import org.apache.spark.ml.feature.StandardScaler;
import org.apache.spark.ml.linalg.VectorUDT;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.recommendation.ALSModel;
import org.apache.spark.ml.regression.LinearRegressionModel;
import org.apache.spark.ml.tuning.CrossValidatorModel;
import org.apache.spark.ml.tuning.ParamGridBuilder;
import org.apache.spark.ml.tuning.TrainValidationSplitModel;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import scala.jdk.javaapi.CollectionConverters;

/** Models of a grid share copies and passes, and are those that are trained alone. */
final class GridsTest {
  private static final int ROWS = 120;

  private static final String RIDGE =
      """
      type model [d] = { weights: [d]f64, bias: f64 }
      def init [n][d] (x: [n][d]f64) : model [d] = { weights = replicate d 0, bias = 0 }
      def value [d] (m: model [d]) (x: [d]f64) = f64.sum (map2 (*) m.weights x) + m.bias
      def loss [n][d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) (lambda: f64) : f64 =
        f64.sum (map2 (\\x y -> (value m x - y) ** 2) x y) / f64.i64 n
        + lambda * f64.sum (map (** 2) m.weights)
      def predict [n][d] (m: model [d]) (x: [n][d]f64) : [n]f64 = map (value m) x
      """;

  private static final AtomicInteger JOBS = new AtomicInteger();

  private static SparkSession spark;
  private static Dataset<Row> rows;

  @TempDir Path folder;

  @BeforeAll
  static void open() {
    // Each run is a job, so that jobs can be counted.
    spark = LocalSession.open(Map.of(KenazKey.STAY.key(), "false"));
    spark
        .sparkContext()
        .addSparkListener(
            new SparkListener() {
              @Override
              public void onJobStart(SparkListenerJobStart start) {
                JOBS.incrementAndGet();
              }
            });
    var random = new Random(4);
    var all = new ArrayList<Row>();
    for (int i = 0; i < ROWS; i++) {
      double a = random.nextGaussian();
      double b = random.nextGaussian() + 5 * (i % 2);
      double y = 3 * a - 2 * b + 1 + random.nextGaussian();
      double label = y + random.nextGaussian() > 0 ? 1.0 : 0.0;
      all.add(RowFactory.create(Vectors.dense(a, b), b, y, label, i % 7, i % 5, i % 3));
    }
    var schema =
        new StructType()
            .add("features", new VectorUDT())
            .add("b", DataTypes.DoubleType)
            .add("y", DataTypes.DoubleType)
            .add("label", DataTypes.DoubleType)
            .add("user", DataTypes.IntegerType)
            .add("item", DataTypes.IntegerType)
            .add("fold", DataTypes.IntegerType);
    rows = spark.createDataFrame(all, schema).coalesce(1).cache();
    rows.count();
  }

  @AfterAll
  static void close() {
    spark.stop();
  }

  private static int jobs(Executable work) {
    try {
      spark.sparkContext().listenerBus().waitUntilEmpty();
      int before = JOBS.get();
      work.execute();
      spark.sparkContext().listenerBus().waitUntilEmpty();
      return JOBS.get() - before;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  private KenazEstimator ridge() throws IOException {
    var file = folder.resolve("ridge.fut");
    Files.writeString(file, RIDGE);
    return new KenazEstimator()
        .setProgram(file.toString())
        .setColumn("x", "features")
        .setColumn("y", "y")
        .setParameter("lambda", 0.0)
        .setOptimiser("l-bfgs")
        .setIterations(8)
        .setTolerance(1e-9);
  }

  private static ParamMap[] grid(KenazEstimator estimator, Object... lambdas) {
    return new ParamGridBuilder()
        .addGrid(
            estimator.setting("parameters.lambda"), CollectionConverters.asScala(List.of(lambdas)))
        .build();
  }

  /** A grid of some parameters. */
  private static ParamMap[] grid(Object... paramsAndValues) {
    var maps = List.of(new ParamMap());
    for (int i = 0; i < paramsAndValues.length; i += 2) {
      var next = new ArrayList<ParamMap>();
      for (var map : maps) {
        for (var value : (Object[]) paramsAndValues[i + 1]) {
          next.add(with(map.copy(), (Param<?>) paramsAndValues[i], value));
        }
      }
      maps = next;
    }
    return maps.toArray(ParamMap[]::new);
  }

  @SuppressWarnings("unchecked") // The tests know the types of parameters.
  private static ParamMap with(ParamMap map, Param<?> param, Object value) {
    return map.put((Param<Object>) param, value);
  }

  private static Object[] of(Object... values) {
    return values;
  }

  /**
   * Trains a grid together and each alone.
   *
   * @return the Spark jobs of both
   */
  private static <M extends Model<M>> int[] same(
      Estimator<M> estimator, ParamMap[] maps, Function<M, double[]> numbers) {
    var together = new ArrayList<M>();
    var seq = CollectionConverters.asScala(List.of(maps)).toSeq();
    int shared = jobs(() -> together.addAll(CollectionConverters.asJava(estimator.fit(rows, seq))));
    var alone = new ArrayList<M>();
    int each = jobs(() -> Stream.of(maps).forEach(m -> alone.add(estimator.fit(rows, m))));
    assertEquals(maps.length, together.size());
    for (int i = 0; i < maps.length; i++) {
      assertArrayEquals(
          numbers.apply(alone.get(i)), numbers.apply(together.get(i)), 1e-12, maps[i].toString());
      var parent = together.get(i).parent();
      for (var pair : CollectionConverters.asJava(maps[i].toSeq())) {
        assertEquals(pair.value(), parent.getOrDefault(parent.getParam(pair.param().name())));
      }
    }
    return new int[] {shared, each};
  }

  private static double[] numbers(LogisticRegressionModel m) {
    var all = new ArrayList<Double>();
    Arrays.stream(m.coefficientMatrix().toArray()).forEach(all::add);
    Arrays.stream(m.interceptVector().toArray()).forEach(all::add);
    Arrays.stream(m.summary().objectiveHistory()).forEach(all::add);
    return all.stream().mapToDouble(d -> d).toArray();
  }

  @Test
  void gridsOfStepsAreOnePass() {
    var logistic = new LogisticRegression().setMaxIter(6);
    var maps = grid(logistic.regParam(), of(0.1, 0.01), logistic.elasticNetParam(), of(0.0, 0.5));
    var jobs = same(logistic, maps, GridsTest::numbers);
    assertTrue(jobs[0] < 0.7 * jobs[1], Arrays.toString(jobs));

    var svc = new LinearSVC().setMaxIter(6);
    var tolerances = grid(svc.regParam(), of(0.1, 0.01));
    Function<LinearSVCModel, double[]> numbers = m -> m.coefficients().toArray();
    jobs = same(svc, tolerances, numbers);
    assertTrue(jobs[0] < 0.7 * jobs[1], Arrays.toString(jobs));
  }

  @Test
  @Tag("slow")
  void whatCannotShareIsTrainedOneAfterTheOther() {
    var network = new MultilayerPerceptronClassifier().setMaxIter(5).setSeed(1);
    var layers = of(new int[] {2, 2}, new int[] {2, 3, 2});
    Function<MultilayerPerceptronClassificationModel, double[]> weights =
        m -> m.weights().toArray();
    var jobs = same(network, grid(network.layers(), layers), weights);
    assertTrue(jobs[0] < jobs[1], Arrays.toString(jobs));

    var kmeans = new KMeans().setSeed(2);
    Function<KMeansModel, double[]> centres =
        m ->
            Stream.of(m.clusterCenters())
                .flatMapToDouble(c -> Arrays.stream(c.toArray()))
                .toArray();
    same(kmeans, grid(kmeans.k(), of(2, 3)), centres);

    var mixture = new GaussianMixture().setSeed(2).setMaxIter(3);
    Function<GaussianMixtureModel, double[]> shares = GaussianMixtureModel::weights;
    same(mixture, grid(mixture.k(), of(2, 3)), shares);

    var linear = new LinearRegression().setLabelCol("y");
    Function<LinearRegressionModel, double[]> coefficients = m -> m.coefficients().toArray();
    same(
        linear,
        grid(linear.regParam(), of(0.0, 1.0), linear.labelCol(), of("y", "b")),
        coefficients);

    var pca = new PCA().setInputCol("features");
    Function<PCAModel, double[]> components = m -> m.pc().toArray();
    same(pca, grid(pca.k(), of(1, 2)), components);

    var als = new ALS().setRatingCol("y").setMaxIter(2).setSeed(1);
    Function<ALSModel, double[]> factors =
        m ->
            m.userFactors().orderBy("id").collectAsList().stream()
                .flatMap(r -> r.<Float>getList(1).stream())
                .mapToDouble(f -> f)
                .toArray();
    same(als, grid(als.rank(), of(1, 2)), factors);
  }

  @Test
  void programsShareWhatTheyCan() throws IOException {
    var estimator = ridge();
    var rates = estimator.setting("optimiser.memory");
    var lambda = estimator.setting("parameters.lambda");
    Function<KenazModel, double[]> weights = m -> m.numbers().get("weights");
    var jobs = same(estimator, grid(lambda, of(0.0, 1.0), rates, of(3, 5)), weights);
    assertTrue(jobs[0] < 0.7 * jobs[1], Arrays.toString(jobs));
    // Columns are others, and combinations are no grid.
    var x = estimator.setting("data.columns.x");
    same(estimator, grid(x, of("features", List.of("b", "y")), lambda, of(0.0, 1.0)), weights);
    var some = grid(lambda, of(0.0, 1.0), rates, of(3, 5));
    same(estimator, Arrays.copyOf(some, 3), weights);
    same(estimator, new ParamMap[] {some[0], some[0], some[1]}, weights);
    // Without a loss, nothing says which model of a job is the best one.
    var file = folder.resolve("own.fut");
    Files.writeString(
        file,
        """
        type model = { weights: [1]f64 }
        def train [n] (y: [n]f64) (lambda: f64) : model = { weights = [f64.sum y + lambda] }
        """);
    var own = new KenazEstimator().setProgram(file.toString()).setColumn("y", "y");
    same(own, grid(own.setting("parameters.lambda"), of(0.5, 1.5)), weights);
    var bad = ridge();
    bad.setSetting("iterations", 0.5);
    assertThrows(UserError.class, () -> bad.fitAll(rows, List.of(grid(bad, 0.0, 1.0))));
  }

  @Test
  void crossValidationIsThatOfMllib() throws IOException {
    var estimator = ridge();
    var maps = grid(estimator, 5.0, 0.0);
    var evaluator = new RegressionEvaluator().setLabelCol("y");
    for (var foldCol : List.of("", "fold")) {
      var theirs = new org.apache.spark.ml.tuning.CrossValidator();
      theirs.setEstimator(estimator).setEvaluator(evaluator).setEstimatorParamMaps(maps);
      theirs.setNumFolds(foldCol.isEmpty() ? 2 : 3).setSeed(7).setFoldCol(foldCol);
      var ours = new CrossValidator().setEstimator(estimator).setEvaluator(evaluator);
      ours.setEstimatorParamMaps(maps)
          .setNumFolds(foldCol.isEmpty() ? 2 : 3)
          .setSeed(7)
          .setFoldCol(foldCol);
      ours.setCollectSubModels(true).setParallelism(2);
      var models = new ArrayList<CrossValidatorModel>();
      int each = jobs(() -> models.add(theirs.fit(rows)));
      int shared = jobs(() -> models.add(ours.fit(rows)));
      assertTrue(shared < 0.8 * each, shared + " " + each);
      assertArrayEquals(models.get(0).avgMetrics(), models.get(1).avgMetrics(), 1e-12);
      var best = assertInstanceOf(KenazModel.class, models.get(1).bestModel());
      var expected = assertInstanceOf(KenazModel.class, models.get(0).bestModel());
      assertArrayEquals(expected.numbers().get("weights"), best.numbers().get("weights"), 1e-12);
      assertEquals(theirs.getNumFolds(), models.get(1).subModels().length);
      assertEquals(2, models.get(1).subModels()[1].length);
    }
  }

  @Test
  void whatIsValidatedIsSaved() throws IOException {
    var estimator = ridge();
    var evaluator = new RegressionEvaluator().setLabelCol("y");
    var validator = new CrossValidator().setEstimator(estimator).setEvaluator(evaluator);
    validator.setEstimatorParamMaps(grid(estimator, 5.0, 0.0)).setNumFolds(2).setSeed(7);
    var at = folder.resolve("validator").toString();
    validator.setCollectSubModels(true).write().save(at);
    var model = CrossValidator.load(at).fit(rows);
    assertEquals(2, CrossValidator.load(at).getNumFolds());
    var there = folder.resolve("model").toString();
    model.save(there);
    var read = CrossValidatorModel.load(there);
    assertArrayEquals(model.avgMetrics(), read.avgMetrics());
    assertEquals(
        model.transform(rows).select("prediction").collectAsList(),
        read.transform(rows).select("prediction").collectAsList());
    assertEquals(2, read.subModels()[1].length);
    var loaded = assertInstanceOf(KenazModel.class, read.subModels()[1][0]);
    var was = (KenazModel) model.subModels()[1][0];
    assertArrayEquals(was.numbers().get("weights"), loaded.numbers().get("weights"));

    var split = new TrainValidationSplit().setEstimator(estimator).setEvaluator(evaluator);
    split.setEstimatorParamMaps(grid(estimator, 5.0, 0.0)).setTrainRatio(0.6).setSeed(3);
    var also = folder.resolve("split").toString();
    split.write().save(also);
    assertEquals(0.6, TrainValidationSplit.load(also).getTrainRatio());
    assertEquals(2, TrainValidationSplit.load(also).getEstimatorParamMaps().length);
  }

  @Test
  @Tag("slow")
  void stagesBeforeTheEstimatorAreTrainedOnce() throws IOException {
    var scaler = new StandardScaler().setInputCol("features").setOutputCol("scaled");
    var svc = new LinearSVC().setFeaturesCol("scaled").setMaxIter(10);
    var pipeline = new Pipeline().setStages(new PipelineStage[] {scaler, svc});
    var evaluator = new BinaryClassificationEvaluator();
    for (var maps :
        List.of(
            grid(svc.regParam(), of(0.1, 0.01)),
            grid(svc.regParam(), of(0.1, 0.01), scaler.withMean(), of(true, false)))) {
      var theirs = new org.apache.spark.ml.tuning.TrainValidationSplit().setEstimator(pipeline);
      theirs.setEvaluator(evaluator).setEstimatorParamMaps(maps).setSeed(5);
      var ours = new TrainValidationSplit().setEstimator(pipeline).setEvaluator(evaluator);
      ours.setEstimatorParamMaps(maps).setSeed(5);
      var models = new ArrayList<TrainValidationSplitModel>();
      int each = jobs(() -> models.add(theirs.fit(rows)));
      int shared = jobs(() -> models.add(ours.fit(rows)));
      assertArrayEquals(
          models.get(0).validationMetrics(), models.get(1).validationMetrics(), 1e-12);
      assertTrue(maps.length > 2 || shared < 0.9 * each, shared + " " + each);
      var at = folder.resolve("pipeline-" + maps.length).toString();
      models.get(1).save(at);
      var best =
          assertInstanceOf(PipelineModel.class, TrainValidationSplitModel.load(at).bestModel());
      assertEquals(
          ((PipelineModel) models.get(0).bestModel())
              .transform(rows)
              .select("prediction")
              .collectAsList(),
          best.transform(rows).select("prediction").collectAsList());
    }
  }
}
