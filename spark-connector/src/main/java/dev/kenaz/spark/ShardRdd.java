package dev.kenaz.spark;

import java.util.List;
import org.apache.spark.Dependency;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import scala.collection.Iterator;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * A dataset with one element for each shard: its outcome. It asks Spark for the executor that has
 * the shard in memory.
 */
final class ShardRdd extends RDD<Outcome> {
  private static final long serialVersionUID = 1L;
  private final ShardTask task;
  private final int shards;
  private final transient List<String> places;

  record Shard(int index) implements Partition {}

  /**
   * @param places the location that had each shard last, in Spark's notation, or ""
   */
  @SuppressWarnings("unchecked")
  ShardRdd(SparkContext spark, ShardTask task, List<String> places) {
    super(
        spark,
        (Seq<Dependency<?>>) (Seq<?>) Nil$.MODULE$,
        ClassTag$.MODULE$.<Outcome>apply(Outcome.class));
    this.task = task;
    this.shards = task.source().shards();
    this.places = places;
  }

  @Override
  public Partition[] getPartitions() {
    var partitions = new Partition[shards];
    for (int i = 0; i < shards; i++) {
      partitions[i] = new Shard(i);
    }
    return partitions;
  }

  @Override
  public Seq<String> getPreferredLocations(Partition split) {
    var place = places.get(split.index());
    return CollectionConverters.asScala(place.isEmpty() ? List.<String>of() : List.of(place))
        .toSeq();
  }

  @Override
  public Iterator<Outcome> compute(Partition split, TaskContext context) {
    return CollectionConverters.asScala(List.of(task.run(split.index(), context)).iterator());
  }
}
