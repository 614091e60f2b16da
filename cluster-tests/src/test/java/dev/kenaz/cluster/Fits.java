package dev.kenaz.cluster;

import dev.kenaz.ml.KenazEstimator;
import dev.kenaz.ml.KenazModel;
import dev.kenaz.ml.clustering.KMeans;
import dev.kenaz.ml.tuning.CrossValidator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.evaluation.RegressionEvaluator;
import org.apache.spark.ml.feature.VectorAssembler;
import org.apache.spark.ml.tuning.ParamGridBuilder;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import scala.jdk.javaapi.CollectionConverters;

/**
 * An application that fits estimators, round after round, until it is told to end. Each round must
 * give the models of the first one, to the last bit, whatever happens to executors.
 */
public final class Fits {
  private static final String RIDGE =
      """
      type model = {w: [2]f64, b: f64}
      def init : model = {w = [0, 0], b = 0}
      def value (m: model) (x: [2]f64) = f64.sum (map2 (*) m.w x) + m.b
      def loss [n] (lambda: f64) (m: model) (x: [n][2]f64) (y: [n]f64) : f64 =
        f64.sum (map2 (\\x y -> (value m x - y) ** 2) x y) / f64.i64 n
        + lambda * f64.sum (map (** 2) m.w)
      def predict [n] (m: model) (x: [n][2]f64) : [n]f64 = map (value m) x
      """;

  private Fits() {}

  /**
   * Prints a line for each part of each round.
   *
   * @param args a folder to work in, and a file that is there when no round shall follow
   */
  public static void main(String[] args) throws IOException {
    var spark = SparkSession.builder().appName("fits").getOrCreate();
    var program = Files.writeString(Path.of(args[0], "ridge.fut"), RIDGE).toString();
    var rows =
        spark
            .range(0, 200_000, 1, 5)
            .selectExpr(
                "id % 97 / 97D a", "id % 31 / 31D b", "id % 7 / 7D y", "cast(id % 2 as int) fold");
    var assembler = new VectorAssembler().setInputCols(new String[] {"a", "b"}).setOutputCol("x");
    for (int round = 0; round == 0 || !Files.exists(Path.of(args[1])); round++) {
      System.out.println("clustered " + clustered(assembler.transform(rows)));
      System.out.println("piped " + piped(program, assembler, rows));
      System.out.println("validated " + validated(program, assembler, rows));
      System.out.println("round " + round);
    }
    spark.stop();
  }

  private static KenazEstimator ridge(String program) {
    return new KenazEstimator()
        .setProgram(program)
        .setParameter("lambda", 0.1)
        .setOptimiser("gradient-descent")
        .setSetting("optimiser.rate", 0.1)
        .setSetting("tolerance", 0)
        .setIterations(100);
  }

  private static String clustered(Dataset<Row> rows) {
    var kmeans = new KMeans().setFeaturesCol("x").setK(7).setSeed(1).setMaxIter(40).setTol(0);
    return Arrays.toString(kmeans.fit(rows).clusterCenters());
  }

  private static String piped(String program, VectorAssembler assembler, Dataset<Row> rows) {
    var pipeline = new Pipeline().setStages(new PipelineStage[] {assembler, ridge(program)});
    return last(pipeline.fit(rows));
  }

  private static String last(PipelineModel model) {
    var numbers = ((KenazModel) model.stages()[1]).numbers();
    return Arrays.toString(numbers.get("w")) + " " + Arrays.toString(numbers.get("b"));
  }

  /** MLlib's metrics depend on the order in which tasks end, the model that is chosen doesn't. */
  private static String validated(String program, VectorAssembler assembler, Dataset<Row> rows) {
    var ridge = ridge(program);
    var lambda = ridge.setting("parameters.lambda");
    var values = CollectionConverters.asScala(List.<Object>of(0.01, 10.0));
    var validator =
        new CrossValidator()
            .setEstimator(new Pipeline().setStages(new PipelineStage[] {assembler, ridge}))
            .setEvaluator(new RegressionEvaluator().setLabelCol("y"))
            .setEstimatorParamMaps(new ParamGridBuilder().addGrid(lambda, values).build())
            .setNumFolds(2)
            .setFoldCol("fold");
    return last((PipelineModel) validator.fit(rows).bestModel());
  }
}
