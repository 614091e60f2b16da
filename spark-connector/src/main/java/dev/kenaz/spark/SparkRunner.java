package dev.kenaz.spark;

import dev.kenaz.error.UserError;
import dev.kenaz.spark.Outcome.Failed;
import dev.kenaz.spark.Outcome.Partial;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;
import scala.reflect.ClassTag$;

/**
 * Runs programs over one dataset, again and again: it broadcasts values, runs a task for each
 * shard, and combines partial results as a tree in shard order, so that the result does not depend
 * on which task ended first or was repeated.
 */
public final class SparkRunner {
  /** If there are at most so many partial results, the driver combines them all by itself. */
  private static final int COMBINED_BY_DRIVER = 32;

  private final JavaSparkContext spark;
  private final ShardSource source;
  private final long cacheBytes;
  private final Map<Integer, String> places = new HashMap<>();

  /**
   * The result of a run of a program.
   *
   * @param values the combined result
   * @param loads how many shards had to be read, rather than being in an executor's memory
   */
  public record Result(List<Value> values, int loads) {}

  /**
   * @param cacheBytes how much loaded data each executor may keep
   */
  public SparkRunner(JavaSparkContext spark, ShardSource source, long cacheBytes) {
    if (source.shards() < 1) {
      throw new IllegalArgumentException("a dataset has at least one shard");
    }
    this.spark = spark;
    this.source = source;
    this.cacheBytes = cacheBytes;
  }

  /**
   * @throws UserError if the program fails on the data, or executors can't run it
   */
  public Result run(ShardProgram program, List<Value> replicated) {
    try {
      return runOnce(program, replicated);
    } catch (UserError e) {
      throw e;
    } catch (Exception e) { // Spark throws checked exceptions that it does not declare.
      throw SparkFaults.explain(e, spark.sc().isStopped(), spark.isLocal(), spark.master());
    }
  }

  private Result runOnce(ShardProgram program, List<Value> replicated) {
    var broadcast = spark.broadcast(List.copyOf(WireValue.of(replicated)));
    try {
      var task = new ShardTask(program, source, broadcast, cacheBytes);
      var shards = new ShardRdd(spark.sc(), task, locations());
      var outcomes = new JavaRDD<Outcome>(shards, ClassTag$.MODULE$.<Outcome>apply(Outcome.class));
      var partial = combineAll(program, collect(task, outcomes), replicated);
      partial.place().forEach(p -> places.put(p.shard(), p.location()));
      return new Result(WireValue.read(partial.values()), partial.loads());
    } finally {
      if (!spark.sc().isStopped()) {
        broadcast.destroy();
      }
    }
  }

  private List<String> locations() {
    var list = new ArrayList<String>();
    for (int i = 0; i < source.shards(); i++) {
      list.add(places.getOrDefault(i, ""));
    }
    return list;
  }

  private List<Outcome> collect(ShardTask task, JavaRDD<Outcome> outcomes) {
    int shards = source.shards();
    if (shards <= COMBINED_BY_DRIVER) {
      return outcomes.collect();
    }
    int fan = (int) Math.ceil(Math.sqrt(shards));
    int groups = Math.ceilDiv(shards, fan);
    return outcomes
        .mapToPair(o -> new Tuple2<>(o.firstShard() / fan, o))
        .groupByKey(groups)
        .map(
            group -> {
              var members = new ArrayList<Outcome>();
              group._2().forEach(members::add);
              return combineOrFault(
                  task.program(), members, WireValue.read(task.replicated().value()));
            })
        .collect();
  }

  private static Partial combineAll(
      ShardProgram program, List<Outcome> outcomes, List<Value> replicated) {
    return switch (combineOrFault(program, outcomes, replicated)) {
      case Partial p -> p;
      case Failed f ->
          throw new UserError(f.faults().stream().map(Outcome.Fault::diagnostic).toList());
    };
  }

  private static Outcome combineOrFault(
      ShardProgram program, List<Outcome> outcomes, List<Value> replicated) {
    var ordered = new ArrayList<>(outcomes);
    ordered.sort(Comparator.comparingInt(Outcome::firstShard));
    var partials = new ArrayList<Partial>();
    for (var outcome : ordered) {
      switch (outcome) {
        case Partial p -> partials.add(p);
        case Failed f -> {
          return f;
        }
      }
    }
    var function = ShardTask.function(program);
    var values = WireValue.read(partials.getFirst().values());
    for (var p : partials.subList(1, partials.size())) {
      values = function.combine(values, WireValue.read(p.values()), replicated);
    }
    return new Partial(
        partials.getFirst().firstShard(),
        List.copyOf(WireValue.of(values)),
        new ArrayList<>(partials.stream().flatMap(p -> p.place().stream()).toList()),
        partials.stream().mapToInt(Partial::loads).sum());
  }
}
