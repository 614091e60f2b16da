package dev.kenaz.jobs.bench;

import dev.kenaz.spark.ShardSource;
import dev.kenaz.value.ArrayValue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.clustering.KMeans;
import org.apache.spark.ml.linalg.VectorUDT;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.storage.StorageLevel;

/** Runs Spark MLlib's k-means on the same rows in the same partitions, cached in memory. */
final class MllibKmeans implements AutoCloseable {
  private final Dataset<Row> rows;
  private final IterationTimes times = new IterationTimes();
  private final JavaSparkContext spark;

  /**
   * @param centres the centres: k times width numbers
   * @param seconds the time of an iteration
   */
  record Trained(double[] centres, Clock.Seconds seconds) {}

  /**
   * Measures the times of iterations. Every iteration of MLlib is one Spark job with this name;
   * initialisation has jobs with other names.
   */
  private static final class IterationTimes extends SparkListener {
    private static final String ITERATION = "collectAsMap at KMeans";
    private final List<Clock> ends = new ArrayList<>();
    private final Set<Integer> jobs = new HashSet<>();

    @Override
    public synchronized void onJobStart(SparkListenerJobStart start) {
      if (start.stageInfos().exists(s -> s.name().startsWith(ITERATION))) {
        jobs.add(start.jobId());
      }
    }

    @Override
    public synchronized void onJobEnd(SparkListenerJobEnd end) {
      if (jobs.remove(end.jobId())) {
        ends.add(Clock.now(end.time()));
      }
    }

    /** Waits until the events of all iterations have arrived, which are a little late. */
    synchronized void await(int iterations) {
      long end = System.nanoTime() + 10_000_000_000L;
      while (ends.size() < iterations && System.nanoTime() < end) {
        try {
          wait(20);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }

    synchronized void clear() {
      ends.clear();
    }

    /**
     * Returns the median time from the end of a job to the end of the next, so that the driver's
     * work between jobs counts.
     */
    synchronized Clock.Seconds median() {
      List<Clock.Seconds> seconds =
          IntStream.range(1, ends.size())
              .mapToObj(i -> ends.get(i).since(ends.get(i - 1)))
              .toList();
      return Clock.median(seconds);
    }
  }

  MllibKmeans(JavaSparkContext spark, ShardSource source) {
    this.spark = spark;
    spark.sc().addSparkListener(times);
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

  /** Trains with exactly so many iterations, from k-means|| with this seed. */
  Trained train(int k, int iterations, long seed) {
    times.clear();
    var model = new KMeans().setK(k).setMaxIter(iterations).setTol(0).setSeed(seed).fit(rows);
    var centres = new ArrayList<Double>();
    for (var c : model.clusterCenters()) {
      for (double x : c.toArray()) {
        centres.add(x);
      }
    }
    times.await(model.summary().numIter());
    return new Trained(centres.stream().mapToDouble(x -> x).toArray(), times.median());
  }

  @Override
  public void close() {
    rows.unpersist();
    spark.sc().removeSparkListener(times);
  }
}
