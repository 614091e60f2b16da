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
 * A dataset with one element for each group of shards: its outcome. It asks Spark for the executor
 * that has the shards in memory.
 */
final class ShardRdd extends RDD<Outcome> {
  private static final long serialVersionUID = 1L;
  private final ShardTask task;
  private final transient List<ShardGroup> groups;

  @SuppressWarnings("unchecked")
  ShardRdd(SparkContext spark, ShardTask task, List<ShardGroup> groups) {
    super(
        spark,
        (Seq<Dependency<?>>) (Seq<?>) Nil$.MODULE$,
        ClassTag$.MODULE$.<Outcome>apply(Outcome.class));
    this.task = task;
    this.groups = groups;
  }

  @Override
  public Partition[] getPartitions() {
    return groups.toArray(Partition[]::new);
  }

  @Override
  public Seq<String> getPreferredLocations(Partition split) {
    var place = ((ShardGroup) split).place();
    return CollectionConverters.asScala(place.isEmpty() ? List.<String>of() : List.of(place))
        .toSeq();
  }

  @Override
  public Iterator<Outcome> compute(Partition split, TaskContext context) {
    return CollectionConverters.asScala(List.of(task.run((ShardGroup) split, context)).iterator());
  }
}
