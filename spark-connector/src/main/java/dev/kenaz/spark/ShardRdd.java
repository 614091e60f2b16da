package dev.kenaz.spark;

import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
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
 * A dataset with the outcomes of programs for groups of shards. It asks Spark for the executor that
 * has the shards in memory.
 */
final class ShardRdd extends RDD<Outcome> {
  private static final long serialVersionUID = 1L;
  private final List<ShardTask> tasks;
  private final transient List<Part> parts;
  private final Handover.Key stay;

  /**
   * Some shards, and the programs that a task runs over them.
   *
   * @param runs which of the tasks it does; its outcomes are in this order
   */
  record Part(ShardGroup group, int[] runs) implements Partition {
    @Override
    public int index() {
      return group.index();
    }
  }

  /**
   * @param tasks those whose runs are of one part read the same shards
   */
  ShardRdd(SparkContext spark, List<ShardTask> tasks, List<Part> parts) {
    this(spark, tasks, parts, null);
  }

  /**
   * @param stay the key of a {@link Stay} in this process, which takes the outcomes, so that the
   *     dataset has none; or null
   */
  @SuppressWarnings("unchecked")
  ShardRdd(SparkContext spark, List<ShardTask> tasks, List<Part> parts, Handover.Key stay) {
    super(
        spark,
        (Seq<Dependency<?>>) (Seq<?>) Nil$.MODULE$,
        ClassTag$.MODULE$.<Outcome>apply(Outcome.class));
    this.tasks = tasks;
    this.parts = parts;
    this.stay = stay;
  }

  @Override
  public Partition[] getPartitions() {
    return parts.toArray(Partition[]::new);
  }

  @Override
  public Seq<String> getPreferredLocations(Partition split) {
    var place = ((Part) split).group().place();
    return CollectionConverters.asScala(place.isEmpty() ? List.<String>of() : List.of(place))
        .toSeq();
  }

  @Override
  public Iterator<Outcome> compute(Partition split, TaskContext context) {
    var part = (Part) split;
    if (stay != null) {
      Handover.get(stay, Stay.class).orElseThrow().serve(tasks, part, context);
      return CollectionConverters.asScala(Collections.<Outcome>emptyIterator());
    }
    var mine = IntStream.of(part.runs).mapToObj(tasks::get).toList();
    return CollectionConverters.asScala(ShardTask.run(mine, part.group, context).iterator());
  }
}
