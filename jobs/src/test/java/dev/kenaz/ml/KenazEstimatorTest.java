package dev.kenaz.ml;

import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.when;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.evaluation.RegressionEvaluator;
import org.apache.spark.ml.feature.VectorAssembler;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.tuning.CrossValidator;
import org.apache.spark.ml.tuning.ParamGridBuilder;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs of users as estimators. */
final class KenazEstimatorTest {
  private static final int ROWS = 200;

  private static final String RIDGE =
      """
      type model [d] = { weights: [d]f64, bias: f64 }
      def init [n][d] (x: [n][d]f64) : model [d] = { weights = replicate d 0, bias = 0 }
      def value [d] (m: model [d]) (x: [d]f64) = f64.sum (map2 (*) m.weights x) + m.bias
      def loss [n][d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) (lambda: f64) : f64 =
        f64.sum (map2 (\\x y -> (value m x - y) ** 2) x y) / f64.i64 n
        + lambda * f64.sum (map (** 2) m.weights)
      def metrics [n][d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) : { rmse: f64 } =
        { rmse = f64.sqrt (f64.sum (map2 (\\x y -> (value m x - y) ** 2) x y) / f64.i64 n) }
      def predict [n][d] (m: model [d]) (x: [n][d]f64) (lambda: f64)
        : { prediction: [n]f64, large: [n]bool, parts: [n][d]f64 } =
        { prediction = map (value m) x, large = map (\\x -> value m x > lambda) x
        , parts = map (map2 (*) m.weights) x }
      """;

  private static SparkSession spark;
  private static Dataset<Row> rows;

  @TempDir Path folder;

  @BeforeAll
  static void open() {
    spark =
        SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false").getOrCreate();
    spark.sparkContext().setLogLevel("ERROR");
    var random = new Random(4);
    var all = new ArrayList<Row>();
    for (int i = 0; i < ROWS; i++) {
      double a = random.nextGaussian();
      float b = random.nextFloat();
      all.add(RowFactory.create(i, a, b, 3 * a - 2 * b + 1));
    }
    var schema =
        new StructType()
            .add("id", DataTypes.IntegerType)
            .add("a", DataTypes.DoubleType)
            .add("b", DataTypes.FloatType)
            .add("y", DataTypes.DoubleType);
    rows = spark.createDataFrame(all, schema).repartition(3);
  }

  @AfterAll
  static void close() {
    spark.stop();
  }

  private KenazEstimator ridge(String program) throws IOException {
    var file = folder.resolve("ridge.fut");
    Files.writeString(file, program);
    return new KenazEstimator()
        .setProgram(file.toString())
        .setColumn("x", "features")
        .setColumn("y", "y")
        .setParameter("lambda", 0.0)
        .setOptimiser("l-bfgs")
        .setIterations(50)
        .setTolerance(1e-9);
  }

  private static VectorAssembler features() {
    return new VectorAssembler().setInputCols(new String[] {"a", "b"}).setOutputCol("features");
  }

  @Test
  void aReportIsWrittenIfItIsAskedFor() throws IOException {
    var table = features().transform(rows);
    var program =
        RIDGE.substring(0, RIDGE.indexOf("def predict"))
            + "def predict [n][d] (m: model [d]) (x: [n][d]f64) : [n]f64 = map (value m) x\n";
    var asked = ridge(program).setIterations(2).setSetting("report.label", "y");
    var alone = ridge(program).setIterations(2);
    for (var estimator : List.of(asked, alone)) {
      var at = folder.resolve(estimator.uid());
      estimator.fit(table).write().save(at.toString());
      assertTrue(Files.exists(at.resolve("model/model.json")));
      assertEquals(estimator == asked, Files.exists(at.resolve("model/report.html")));
    }
  }

  @Test
  void aProgramIsAStageOfAPipelineThatIsSaved() throws IOException {
    var stages = new PipelineStage[] {features(), ridge(RIDGE)};
    var at = folder.resolve("pipeline").toString();
    new Pipeline().setStages(stages).write().overwrite().save(at);
    var model = Pipeline.load(at).fit(rows);
    var trained = assertInstanceOf(KenazModel.class, model.stages()[1]);
    assertArrayEquals(new double[] {3, -2}, trained.numbers().get("weights"), 1e-6);
    var summary = trained.summary();
    assertEquals(ROWS, summary.rows());
    assertEquals(summary.iterations() + 1, summary.losses().size());
    assertEquals(0, summary.metrics().get("rmse"), 1e-6);

    var there = folder.resolve("model").toString();
    model.write().overwrite().save(there);
    var predicted = PipelineModel.load(there).transform(rows);
    assertEquals(
        List.of("id", "a", "b", "y", "features", "large", "parts", "prediction"),
        List.of(predicted.columns()));
    assertEquals(ROWS, predicted.filter("abs(prediction - y) < 1e-5").count());
    assertEquals(ROWS, predicted.filter("large = (prediction > 0)").count());
    assertEquals(ROWS, predicted.filter("abs(parts[0] - 3 * a) < 1e-5").count());
    assertEquals(predicted.schema().fields().length, model.transform(rows).columns().length);
  }

  @Test
  void aGridIsTrainedInOnePass() throws IOException {
    var estimator = ridge(RIDGE).setColumn("x", "a", "b");
    var lambda = estimator.setting("parameters.lambda");
    var maps = new ArrayList<ParamMap>();
    for (double value : new double[] {10, 0, 0.1}) {
      maps.add(new ParamMap().put(lambda, (Object) value));
    }
    var models = estimator.fitAll(rows, maps);
    assertEquals(3, models.size());
    for (int i = 0; i < maps.size(); i++) {
      var alone = estimator.fit(rows, maps.get(i));
      assertEquals(alone.summary().losses(), models.get(i).summary().losses());
      assertArrayEquals(alone.numbers().get("weights"), models.get(i).numbers().get("weights"));
    }
    assertEquals(0.0, models.get(1).summary().losses().getLast(), 1e-9);
  }

  @Test
  void crossValidationTakesSettings() throws IOException {
    var estimator = ridge(RIDGE).setColumn("x", "a", "b");
    var grid = new ParamGridBuilder();
    grid.addGrid(
        estimator.setting("parameters.lambda"),
        scala.jdk.javaapi.CollectionConverters.asScala(List.<Object>of(5.0, 0.0)));
    var validator =
        new CrossValidator()
            .setEstimator(estimator)
            .setEvaluator(new RegressionEvaluator().setLabelCol("y"))
            .setEstimatorParamMaps(grid.build())
            .setNumFolds(2);
    var best = assertInstanceOf(KenazModel.class, validator.fit(rows).bestModel());
    assertArrayEquals(new double[] {3, -2}, best.numbers().get("weights"), 1e-6);
  }

  @Test
  void columnsArePredictedWhereverTheyAre() throws IOException {
    var model = ridge(RIDGE).setColumn("x", "a", "b").fit(rows).setOutput("prediction", "p");
    var none = model.transform(rows.filter("id < 0"));
    assertEquals(0, none.count());
    var nulls = rows.withColumn("a", when(col("id").gt(9), col("a")));
    assertEquals(10, model.transform(nulls).filter("p is null").count());
    assertThrows(
        IllegalArgumentException.class, () -> model.transform(rows.withColumn("p", col("a"))));
    assertEquals("p", model.copy(new ParamMap()).transform(rows).columns()[6]);
    // Spark finds two columns whose names differ in case only ambiguous.
    assertThrows(
        IllegalArgumentException.class, () -> model.transform(rows.withColumn("P", col("a"))));
    var unknown = model.copy(new ParamMap()).setOutput("predicted", "q");
    var e = assertThrows(IllegalArgumentException.class, () -> unknown.transform(rows));
    assertTrue(e.getMessage().contains("setOutput names predicted"), e.getMessage());
    var three = rows.drop("x").withColumn("x", array(lit(1d), lit(2d), lit(3d)));
    var lists = ridge(RIDGE).setColumn("x", "x");
    var two = lists.fit(rows.withColumn("x", array(col("a"), col("b"))));
    var size = assertThrows(Exception.class, () -> two.transform(three).collectAsList());
    assertTrue(size.getMessage().contains("as the model says"), size.getMessage());
  }

  @Test
  void whatDependsOnOtherRowsIsRefused() throws IOException {
    for (var body : List.of("map (* (f64.sum y)) y", "map (/ f64.i64 n) y", "reverse y")) {
      var predict =
          "def predict [n][d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) : [n]f64 = " + body;
      var program = RIDGE.substring(0, RIDGE.indexOf("def predict")) + predict;
      var model = ridge(program).setColumn("x", "a", "b").setIterations(1).fit(rows);
      var e = assertThrows(UserError.class, () -> model.transform(rows), body);
      assertEquals(ErrorCode.K6115, e.diagnostics().getFirst().code(), body);
    }
  }

  @Test
  void parametersAreColumnsOfTheirNames() throws IOException {
    var file = folder.resolve("named.fut");
    Files.writeString(file, RIDGE);
    var estimator =
        new KenazEstimator()
            .setProgram(file.toString())
            .setParameter("lambda", 0.0)
            .setOptimiser("l-bfgs")
            .setIterations(20);
    // The table also has a column with the name of a hyperparameter, and one that no parameter has.
    var table = rows.selectExpr("array(a, double(b)) as x", "y", "1D as lambda", "id as m");
    var named = estimator.fit(table);
    var set = estimator.copy(new ParamMap()).setColumn("x", "x").setColumn("y", "y").fit(table);
    assertArrayEquals(set.numbers().get("weights"), named.numbers().get("weights"));
    var predicted = named.transform(table.drop("y", "lambda"));
    assertEquals(ROWS, predicted.filter("prediction is not null").count());
    var e = assertThrows(UserError.class, () -> estimator.fit(table.drop("y")));
    assertTrue(e.getMessage().contains("y"), e.getMessage());
    // A text names the way to numbers.
    var texts = table.withColumn("y", lit("one"));
    var text = assertThrows(UserError.class, () -> estimator.fit(texts));
    assertTrue(text.toString().contains("StringIndexer"), text.toString());
  }

  @Test
  void manySettingsAreOneText() throws IOException {
    var file = folder.resolve("text.fut");
    Files.writeString(file, RIDGE);
    var estimator =
        new KenazEstimator()
            .setSettings(
                "{\"data.columns.x\": [\"a\", \"b\"], \"parameters.lambda\": 0.5, \"iterations\": 3}")
            .setProgram(file.toString())
            .setOptimiser("l-bfgs")
            .setParameter("lambda", 0.0);
    var set = ridge(RIDGE).setColumn("x", "a", "b").setIterations(3).setTolerance(0);
    assertArrayEquals(
        set.fit(rows).numbers().get("weights"), estimator.fit(rows).numbers().get("weights"));
    assertThrows(
        IllegalArgumentException.class, () -> new KenazEstimator().setSettings("[1]").fit(rows));
  }

  @Test
  void faultsAreTold() throws IOException {
    var estimator = ridge(RIDGE);
    var e = assertThrows(UserError.class, () -> estimator.fit(rows));
    assertEquals(ErrorCode.K6104, e.diagnostics().getFirst().code());
    estimator.setColumn("x", "a", "b").setSetting("iterations", "many");
    assertThrows(UserError.class, () -> estimator.fit(rows));
    estimator.setIterations(2).setColumn("y", "text");
    var text = rows.withColumn("text", lit("one"));
    var type = assertThrows(UserError.class, () -> estimator.fit(text));
    assertEquals(ErrorCode.K6105, type.diagnostics().getFirst().code());
    for (var place : List.of("output", "data.path", "data.table", "output.folder")) {
      var given = ridge(RIDGE).setColumn("x", "a", "b").setSetting(place, "here");
      var none = assertThrows(UserError.class, () -> given.fit(rows));
      assertEquals(ErrorCode.K7003, none.diagnostics().getFirst().code());
    }
    assertTrue(estimator.explainParams().contains("optimiser.name"));
    assertTrue(new KenazEstimator(Identifiable.randomUID("k")).explainParams().isEmpty());
  }
}
