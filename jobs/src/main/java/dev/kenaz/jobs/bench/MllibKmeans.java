package dev.kenaz.jobs.bench;

import dev.kenaz.spark.ShardSource;
import dev.kenaz.value.ArrayValue;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.clustering.KMeans;
import org.apache.spark.ml.linalg.VectorUDT;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.storage.StorageLevel;

/** Spark MLlib's k-means on the same rows in the same partitions, cached in memory. */
final class MllibKmeans implements AutoCloseable {
  private final Dataset<Row> rows;

  /**
   * @param centres k times width numbers
   */
  record Trained(double[] centres, double seconds, int iterations) {}

  MllibKmeans(JavaSparkContext spark, ShardSource source) {
    var indices = IntStream.range(0, source.shards()).boxed().toList();
    var vectors =
        spark.parallelize(indices, source.shards()).flatMap(i -> vectors(source, i).iterator());
    var schema =
        new StructType(
            new StructField[] {
              new StructField("features", new VectorUDT(), false, Metadata.empty())
            });
    var session = SparkSession.builder().config(spark.getConf()).getOrCreate();
    rows = session.createDataFrame(vectors, schema).persist(StorageLevel.MEMORY_ONLY());
    rows.count();
  }

  private static List<Row> vectors(ShardSource source, int shard) {
    var matrix = (ArrayValue) source.load(shard).getFirst();
    var list = new ArrayList<Row>();
    for (long i = 0; i < matrix.dim(0); i++) {
      var numbers = ((ArrayValue) matrix.at(i)).toDoubleArray();
      list.add(RowFactory.create(Vectors.dense(numbers)));
    }
    return list;
  }

  /** Exactly so many iterations, from k-means|| with this seed. */
  Trained train(int k, int iterations, long seed) {
    long start = System.nanoTime();
    var model = new KMeans().setK(k).setMaxIter(iterations).setTol(0).setSeed(seed).fit(rows);
    double seconds = (System.nanoTime() - start) / 1e9;
    var centres = new ArrayList<Double>();
    for (var c : model.clusterCenters()) {
      for (double x : c.toArray()) {
        centres.add(x);
      }
    }
    return new Trained(
        centres.stream().mapToDouble(x -> x).toArray(), seconds, model.summary().numIter());
  }

  @Override
  public void close() {
    rows.unpersist();
  }
}
