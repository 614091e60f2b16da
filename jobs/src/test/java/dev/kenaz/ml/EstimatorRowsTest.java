package dev.kenaz.ml;

import static org.apache.spark.ml.functions.array_to_vector;
import static org.apache.spark.ml.functions.vector_to_array;
import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.rand;
import static org.apache.spark.sql.functions.when;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.ml.clustering.KMeans;
import dev.kenaz.ml.feature.PCA;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.spark.ml.feature.VectorAssembler;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.VectorUDT;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Estimators train on the rows that executors have, and copy those that can't be had again. */
final class EstimatorRowsTest {
  private static final String COPY = "spark.kenaz.copy";

  /** The descriptions of Spark's jobs. */
  private static final Queue<String> JOBS = new ConcurrentLinkedQueue<>();

  private static SparkSession spark;
  private static Dataset<Row> numbers;

  @TempDir Path folder;

  @BeforeAll
  static void open() {
    spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.kenaz.cache", "64k")
            .getOrCreate();
    spark.sparkContext().setLogLevel("OFF");
    spark
        .sparkContext()
        .addSparkListener(
            new SparkListener() {
              @Override
              public void onJobStart(SparkListenerJobStart start) {
                JOBS.add(start.properties().getProperty("spark.job.description", ""));
              }
            });
    numbers = spark.range(0, 300, 1, 3).selectExpr("cast(id % 7 AS double) a", "id % 3 + 0.5D b");
  }

  @AfterAll
  static void close() {
    spark.stop();
  }

  @BeforeEach
  void forget() {
    spark.conf().unset(COPY);
    JOBS.clear();
  }

  private static Dataset<Row> vectors(Dataset<Row> rows) {
    return rows.select(array_to_vector(array(col("a"), col("b"))).as("features"));
  }

  private static List<Vector> centres(Dataset<Row> rows) {
    var model = new KMeans().setK(2).setSeed(3).setInitMode("random").fit(rows);
    return Arrays.asList(model.clusterCenters());
  }

  private static boolean copies() {
    try {
      spark.sparkContext().listenerBus().waitUntilEmpty();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return JOBS.stream().anyMatch(j -> j.contains("copies the rows of the dataset"));
  }

  @Test
  void rowsOfFilesAreNotCopied() {
    var files = folder.resolve("rows").toString();
    numbers.write().parquet(files);
    var found = centres(vectors(spark.read().parquet(files)));
    assertTrue(!copies(), JOBS.toString());
    spark.conf().set(COPY, folder.resolve("copies").toString());
    assertEquals(found, centres(vectors(spark.read().parquet(files))));
    assertTrue(copies(), JOBS.toString());
  }

  /** MLlib marks its function as one that gives something else each time; rand() is one. */
  @Test
  void vectorsThatMllibAssemblesAreNotCopied() {
    var assembler = new VectorAssembler().setOutputCol("features");
    var names = new String[] {"a", "b"};
    var found = centres(assembler.setInputCols(names).transform(numbers));
    assertTrue(!copies(), JOBS.toString());
    assertEquals(centres(vectors(numbers)), found);
    centres(assembler.transform(numbers.select(col("a"), rand(1).as("b"))));
    assertTrue(copies(), JOBS.toString());
  }

  @Test
  void copiesAreRemoved() throws IOException {
    var place = folder.resolve("copies");
    spark.conf().set(COPY, place.toString());
    centres(vectors(numbers));
    try (var left = Files.list(place)) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void rowsThatHaveMovedAreCopiedUnlessTheyAreCached() {
    var moved = vectors(numbers).repartition(2);
    var found = centres(moved);
    assertTrue(copies(), JOBS.toString());
    var cached = moved.cache();
    JOBS.clear();
    assertEquals(found, centres(cached));
    assertTrue(!copies(), JOBS.toString());
    cached.unpersist();
  }

  @Test
  void rowsThatDoNotFitTheMemoryAreCopied() {
    var many = spark.range(0, 5000, 1, 2).selectExpr("id % 7D a", "id % 3 + 0.5D b");
    centres(vectors(many));
    assertTrue(copies(), JOBS.toString());
  }

  @Test
  void keysOfASessionThatHaveNoEffectAreRefused() {
    for (var key : List.of("spark.kenaz.cpoy", "spark.kenaz.cache")) {
      spark.conf().set(key, "1g");
      try {
        var e = assertThrows(UserError.class, () -> centres(vectors(numbers)));
        assertEquals(ErrorCode.K8207, e.diagnostics().getFirst().code());
        assertTrue(e.getMessage().contains(key), e.getMessage());
      } finally {
        spark.conf().unset(key);
      }
    }
  }

  @Test
  void sparseVectorsAndArraysAreRowsToo() {
    var dense = Vectors.dense(0, 2.5, 0);
    var sparse = dense.toSparse();
    var schema = new StructType().add("features", new VectorUDT());
    var of =
        List.of(
            dense, sparse, Vectors.dense(1, 0, -3), Vectors.sparse(3, new int[0], new double[0]));
    var rows = spark.createDataFrame(of.stream().map(v -> RowFactory.create(v)).toList(), schema);
    var plain =
        spark.createDataFrame(
            of.stream().map(v -> RowFactory.create(v.toDense())).toList(), schema);
    var pca = new PCA().setInputCol("features").setOutputCol("p").setK(2);
    assertArrayEquals(pca.fit(plain).pc().values(), pca.fit(rows).pc().values());
    for (var type : List.of("double", "float")) {
      var list = "transform(vector, x -> cast(x AS " + type + ")) features";
      var arrays =
          plain.select(vector_to_array(col("features"), "float64").as("vector")).selectExpr(list);
      assertEquals(List.of(centres(plain)), List.of(centres(arrays)), type);
    }
    assertTrue(!copies(), JOBS.toString());
  }

  /** MLlib's array_to_vector has 0 for a null in an array. */
  @Test
  void anArrayBecomesTheVectorThatMllibMakes() {
    var holes = numbers.withColumn("b", when(col("b").gt(1), col("b")));
    var zeros = numbers.withColumn("b", when(col("b").gt(1), col("b")).otherwise(0));
    assertEquals(centres(vectors(zeros)), centres(vectors(holes)));
  }

  @Test
  void faultsOfRowsAreTold() {
    var nan =
        vectors(numbers.withColumn("a", when(col("a").equalTo(6), lit(Double.NaN)).otherwise(1)));
    var e = assertThrows(UserError.class, () -> centres(nan));
    assertEquals(ErrorCode.K6106, e.diagnostics().getFirst().code());
    assertTrue(
        e.getMessage().contains("MUST NOT be NaN or Infinity, but got [NaN,"), e.getMessage());
    var none = assertThrows(UserError.class, () -> centres(vectors(numbers.where("a > 100"))));
    assertEquals("the dataset has no rows", none.getMessage());
    var moved = vectors(numbers).where("1 > 2").repartition(2);
    var empty = assertThrows(UserError.class, () -> centres(moved));
    assertEquals("the dataset has no rows", empty.getMessage());
    var nulls = numbers.selectExpr("if(a = 3, null, array(a, b)) features");
    var k = new KenazEstimator().setProgram("builtin:kmeans-f64").setColumn("points", "features");
    var missing =
        assertThrows(UserError.class, () -> k.setParameter("k", 2).setIterations(1).fit(nulls));
    assertEquals(ErrorCode.K6106, missing.diagnostics().getFirst().code());
  }
}
