package dev.kenaz.spark;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;

/**
 * Runs a job and collects its outcomes. Its function is a class of its own, because Spark reads the
 * code of a lambda in each job, to find what the lambda captures; that takes longer than the rest
 * of a small job.
 */
final class OutcomeJob {
  private OutcomeJob() {}

  /**
   * The outcomes of a partition as a task gives them to the driver.
   *
   * @param outcomes null if they are handed to it by {@link Handover}
   */
  @DefaultSerializer(JavaSerializer.class)
  private record Given(List<Outcome> outcomes) implements Serializable {}

  /** What tasks in the process of the driver have handed to it, by partition. */
  private record Arrived(Map<Integer, List<Outcome>> of) {}

  private static final class Giving extends AbstractFunction2<TaskContext, Iterator<Outcome>, Given>
      implements Serializable {
    private static final long serialVersionUID = 1L;
    private final Handover.Key arrived;

    Giving(Handover.Key arrived) {
      this.arrived = arrived;
    }

    @Override
    public Given apply(TaskContext context, Iterator<Outcome> outcomes) {
      var all = List.<Outcome>copyOf(CollectionConverters.asJava(outcomes.toSeq()));
      var here = Handover.get(arrived, Arrived.class);
      here.ifPresent(a -> a.of.put(context.partitionId(), all));
      return new Given(here.isPresent() ? null : all);
    }
  }

  /** Returns the outcomes of each partition of a dataset. */
  static List<List<Outcome>> runAll(SparkContext spark, RDD<Outcome> outcomes) {
    return run(spark, outcomes, IntStream.range(0, outcomes.getNumPartitions()).boxed().toList());
  }

  /** Returns the outcomes of a dataset that has one in each partition. */
  static List<Outcome> run(SparkContext spark, RDD<Outcome> outcomes) {
    return runAll(spark, outcomes).stream().map(List::getFirst).toList();
  }

  /** Returns the outcome of one partition of such a dataset. */
  static Outcome run(SparkContext spark, RDD<Outcome> outcomes, int partition) {
    return run(spark, outcomes, List.of(partition)).getFirst().getFirst();
  }

  private static List<List<Outcome>> run(
      SparkContext spark, RDD<Outcome> outcomes, List<Integer> partitions) {
    var arrived = new Arrived(new ConcurrentHashMap<>());
    var key = Handover.put(arrived);
    try {
      var given =
          (Given[])
              spark.runJob(
                  outcomes,
                  new Giving(key),
                  CollectionConverters.asScala(List.<Object>copyOf(partitions)).toSeq(),
                  ClassTag$.MODULE$.<Given>apply(Given.class));
      return IntStream.range(0, given.length)
          .mapToObj(
              i ->
                  given[i].outcomes == null ? arrived.of.get(partitions.get(i)) : given[i].outcomes)
          .toList();
    } finally {
      Handover.remove(key);
    }
  }
}
