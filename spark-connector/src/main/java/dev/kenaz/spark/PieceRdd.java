package dev.kenaz.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.Dependency;
import org.apache.spark.OneToOneDependency;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * A dataset with one partition for each piece. It is computed from what its parents have for the
 * same piece.
 */
final class PieceRdd<T> extends RDD<T> {
  private static final long serialVersionUID = 1L;

  /** Computes the elements of a piece. */
  interface Work<T> extends Serializable {
    /**
     * @param given the elements of each parent
     */
    java.util.Iterator<T> run(int piece, List<List<?>> given, TaskContext context);
  }

  private final int pieces;
  private final Work<T> work;
  private final transient List<String> places;

  /** The number of datasets after one another that a task has to know to compute this one. */
  private transient int depth = 1;

  /** Whether no job has computed this dataset yet. */
  private transient boolean waits;

  private transient List<PieceRdd<Piece>> sources = List.of();

  /**
   * @param places where each piece should be computed, in Spark's notation, or ""; empty if parents
   *     decide
   */
  PieceRdd(
      SparkContext spark,
      int pieces,
      List<? extends RDD<?>> parents,
      Work<T> work,
      List<String> places) {
    super(spark, dependencies(parents), ClassTag$.MODULE$.<T>apply(Object.class));
    this.pieces = pieces;
    this.work = work;
    this.places = places;
    for (var parent : parents) {
      if (parent instanceof PieceRdd<?> p) {
        depth = Math.max(depth, p.depth + 1);
      }
    }
  }

  private static Seq<Dependency<?>> dependencies(List<? extends RDD<?>> parents) {
    var all = new ArrayList<Dependency<?>>();
    parents.forEach(p -> all.add(new OneToOneDependency<>(p)));
    return CollectionConverters.asScala(all).toSeq();
  }

  int pieces() {
    return pieces;
  }

  int depth() {
    return depth;
  }

  /** Returns what would be computed with this dataset; empty once a job has computed it. */
  List<PieceRdd<Piece>> sources() {
    return sources;
  }

  /** Says that no job has computed this dataset yet, and what it is computed from. */
  void waitsFor(List<PieceRdd<Piece>> datasets) {
    waits = true;
    sources = datasets;
  }

  boolean waits() {
    return waits;
  }

  /** Says that a job has computed this dataset, and with it what it waited for. */
  void isComputed() {
    var before = sources;
    waits = false;
    sources = List.of();
    before.forEach(PieceRdd::isComputed);
  }

  private record Part(int index) implements Partition {}

  @Override
  public Partition[] getPartitions() {
    var parts = new Partition[pieces];
    Arrays.setAll(parts, Part::new);
    return parts;
  }

  @Override
  public Seq<String> getPreferredLocations(Partition split) {
    var place = places.isEmpty() ? "" : places.get(split.index());
    return CollectionConverters.asScala(place.isEmpty() ? List.<String>of() : List.of(place))
        .toSeq();
  }

  @Override
  public Iterator<T> compute(Partition split, TaskContext context) {
    try {
      var given = new ArrayList<List<?>>();
      for (var dependency : CollectionConverters.asJava(dependencies())) {
        given.add(elements(dependency.rdd(), split.index(), context));
      }
      return CollectionConverters.asScala(work.run(split.index(), given, context));
    } catch (OutOfMemoryError e) {
      // Spark would end this process, which may be the user's.
      ShardCache.OF_PROCESS.clear();
      throw new IllegalStateException(e.toString(), e.getCause());
    }
  }

  private static <U> List<U> elements(RDD<U> rdd, int piece, TaskContext context) {
    var all = new ArrayList<U>();
    var elements = rdd.iterator(rdd.partitions()[piece], context);
    while (elements.hasNext()) {
      all.add(elements.next());
    }
    return all;
  }
}
