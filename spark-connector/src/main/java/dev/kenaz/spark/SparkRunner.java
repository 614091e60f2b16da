package dev.kenaz.spark;

import dev.kenaz.arrow.RowLayout;
import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.Plan;
import dev.kenaz.error.UserError;
import dev.kenaz.spark.Outcome.Done;
import dev.kenaz.spark.Outcome.Failed;
import dev.kenaz.spark.ShardJob.Request;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.RDD;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.storage.StorageLevel;
import scala.reflect.ClassTag$;

/**
 * Runs programs over one dataset, again and again. A run is one Spark job, or is done by the tasks
 * of one that stay for it, see {@link Stay}. Each task has some shards, and combines what it gets
 * of them; see {@link CombineTree}. Not thread-safe.
 */
public final class SparkRunner {
  /** How many outcomes are combined in one place. */
  private static final int FAN = 32;

  /** If tasks give no more bytes than that in all, the driver combines them by itself. */
  private static final long COMBINED_BY_DRIVER = 32L << 20;

  /** A task should take so long that what Spark does for it matters little. */
  private static final long NANOS_OF_TASK = 500_000_000;

  /** How many bytes of the state that each piece begins with may travel with the tasks of all. */
  private static final int ROOM_OF_STATE = 1 << 10;

  /** How many tasks each slot gets while it isn't known how long they take. */
  private static final int TASKS_OF_SLOT = 4;

  private final JavaSparkContext spark;
  private final Cluster cluster;

  /** What stages that compute on GPUs ask for, if that isn't the usual. */
  private final Optional<ResourceProfile> gpus;

  private final ShardSource source;
  private final Broadcast<Carried<ShardSource>> sourceOfTasks;
  private final long cacheBytes;
  private final ShardPlaces places = new ShardPlaces();
  private final SentValues sent;
  private final SentValues sentForLineage;
  private final Map<String, Known> programs = new HashMap<>();
  private Spent spent = Spent.NOTHING;

  /** Whether tasks may stay for other runs. */
  private final boolean stays;

  /** The job of the last run, if its tasks may be there for the next. */
  private Stay stay;

  /** What is known of a program that has run here. */
  private static final class Known {
    final Broadcast<ShardTask.Shared> broadcast;
    int runs;

    /** How long the last run took, all tasks together; and how many bytes they gave. */
    long nanos = -1;

    long bytes = Long.MAX_VALUE;

    Known(Broadcast<ShardTask.Shared> broadcast) {
      this.broadcast = broadcast;
    }
  }

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
    this.cluster = new Cluster(spark);
    this.stays = spark.isLocal() && KenazKey.STAY.flag(spark.getConf());
    this.gpus = cluster.gpus();
    LostExecutors.of(spark.sc()).watch(places);
    this.source = source;
    // A Spark that has not found its master has stopped by now.
    this.sourceOfTasks = explained(() -> spark.broadcast(new Carried<>(source)));
    this.cacheBytes = cacheBytes;
    this.sent = SentValues.whileUsed(spark);
    this.sentForLineage = SentValues.whileReachable(spark);
  }

  /**
   * Returns what runs programs over some of the rows, which executors keep beside those of others.
   *
   * @param cuts how all rows are cut
   * @param layout which arrays have elements of lists; those of the rows are taken
   * @param uses how many draw rows of the same pieces, which executors keep for them where there is
   *     room; with 1, each reads what it needs by itself
   */
  public SparkRunner over(DrawnRows drawn, Cuts cuts, RowLayout layout, int uses) {
    var rows = new DrawnRows.Shards(source, cuts, drawn, layout, uses, cacheBytes);
    return new SparkRunner(spark, rows, cacheBytes);
  }

  /** Returns how many bytes of data the executors that are there may keep. */
  public long room() {
    return cacheBytes * Math.max(1, cluster.executors().size());
  }

  /**
   * @throws UserError if the program fails on the data, or executors can't run it
   */
  public Result run(ShardProgram program, List<Value> replicated) {
    return Lockstep.answer(new Request(this, program, replicated)).get();
  }

  /** Runs jobs and adds up their time; faults are told as by {@link #explained}. */
  private <T> T timed(Supplier<T> jobs) {
    Stay.closeLast();
    long start = System.nanoTime();
    try {
      return explained(jobs);
    } finally {
      spend(new Spent(0, 0, 0, (System.nanoTime() - start) / 1e9));
    }
  }

  /** Runs jobs; faults of Spark become errors that tell a user what to do. */
  <T> T explained(Supplier<T> jobs) {
    try {
      return jobs.get();
    } catch (UserError e) {
      throw e;
    } catch (Exception e) { // Spark throws checked exceptions that it does not declare.
      throw SparkFaults.explain(e, spark.sc());
    }
  }

  void spend(Spent more) {
    spent = spent.plus(more);
  }

  /** Returns what all jobs so far have spent their time on. */
  public Spent spent() {
    return spent;
  }

  SparkContext context() {
    return spark.sc();
  }

  /**
   * Runs a stage whose pieces read what executors have, or make what executors keep. If it gives
   * nothing to the driver, no job runs: the next one computes what executors keep.
   */
  PiecesMade runPieces(
      ShardProgram program, Plan.Stage stage, List<Value> replicated, Piece.Reads reads) {
    return timed(
        () -> {
          var known = known(program);
          var sent = sentForLineage.send(replicated);
          var counters = TaskCounters.of(spark.sc());
          var task = new ShardTask(known.broadcast, sourceOfTasks, sent, cacheBytes, counters);
          var work = Piece.OfStage.of(task, reads.where(), stage);
          return JobTitle.during(
              spark.sc(),
              title(program, known),
              () -> {
                var pieces = pieces(work, reads, program);
                var values =
                    tells(stage) ? told(work, pieces, known, replicated) : List.<Value>of();
                return new PiecesMade(values, pieces);
              });
        });
  }

  /** Whether the driver gets anything of a stage. */
  private static boolean tells(Plan.Stage stage) {
    return !(stage.outputs().isEmpty() && stage.gathered().isEmpty() && stage.kept().isEmpty());
  }

  /**
   * Computes datasets by one job.
   *
   * @param work returns what a piece tells
   */
  List<Outcome> compute(List<PieceRdd<Piece>> made, PieceRdd.Work<Outcome> work) {
    int pieces = made.getFirst().pieces();
    var outcomes = new PieceRdd<>(spark.sc(), pieces, made, work, List.of());
    var all = timed(() -> OutcomeJob.run(spark.sc(), outcomes));
    if (Outcome.joined(0, all) instanceof Failed f) {
      throw Outcome.Fault.error(f.faults());
    }
    made.forEach(PieceRdd::isComputed);
    return all;
  }

  /** What {@link #runPieces} gives: the combined values, and what executors keep. */
  record PiecesMade(List<Value> values, PieceRdd<Piece> pieces) {}

  private PieceRdd<Piece> pieces(Piece.OfStage work, Piece.Reads reads, ShardProgram program) {
    int count = source.shards();
    var locations = work.loads() ? locations() : List.<String>of();
    var making = new Piece.Making(work);
    var pieces = new PieceRdd<>(spark.sc(), count, reads.datasets(), making, locations);
    asking(pieces, Stream.of(program));
    pieces.persist(StorageLevel.MEMORY_AND_DISK());
    pieces.waitsFor(reads.datasets());
    return pieces;
  }

  private List<Value> told(
      Piece.OfStage work, PieceRdd<Piece> pieces, Known known, List<Value> replicated) {
    int count = pieces.pieces();
    try {
      var outcomes =
          new PieceRdd<>(spark.sc(), count, List.of(pieces), new Piece.OutcomeOf(), List.of());
      var all =
          work.states() == 0
              ? collect(work.task(), outcomes, count, known)
              : oneAfterTheOther(work, outcomes, replicated);
      int atOnce = work.states() == 0 ? Math.min(count, cluster.slots(Optional.empty())) : 1;
      var values = combined(all, known, replicated, atOnce).values();
      pieces.isComputed();
      return values;
    } catch (Throwable e) {
      pieces.unpersist(false);
      throw e;
    }
  }

  /** Runs a job for each piece, because it needs the state in which the piece before it ends. */
  private List<Outcome> oneAfterTheOther(
      Piece.OfStage work, PieceRdd<Outcome> outcomes, List<Value> replicated) {
    var state = replicated.subList(work.firstState(), work.firstState() + work.states());
    var all = new ArrayList<Outcome>();
    while (all.size() < outcomes.pieces()) {
      work.begins().add(sentForLineage.send(state, ROOM_OF_STATE));
      var outcome = OutcomeJob.run(spark.sc(), outcomes, all.size());
      all.add(outcome);
      switch (outcome) {
        case Failed _ -> {
          return all;
        }
        case Done d ->
            state = WireValue.read(d.parts().getFirst().values()).subList(0, work.states());
      }
    }
    return all;
  }

  private Known known(ShardProgram program) {
    var known =
        programs.computeIfAbsent(
            program.key(), _ -> new Known(spark.broadcast(new ShardTask.Shared(program))));
    known.runs++;
    return known;
  }

  private static String title(ShardProgram program, Known known) {
    return program.title() + ", run " + known.runs;
  }

  String title(ShardProgram program) {
    return title(program, programs.get(program.key()));
  }

  /**
   * Returns roughly how many bytes a run takes and gives; very many if nothing may run beside it.
   */
  long bytes(Request r) {
    var known = programs.get(r.program().key());
    long given = known == null ? Long.MAX_VALUE : known.bytes;
    if (given > COMBINED_BY_DRIVER && source.shards() > FAN) {
      return Long.MAX_VALUE / 4; // Tasks combine what its tasks give.
    }
    return (given == Long.MAX_VALUE ? 0 : given)
        + r.replicated().stream().mapToLong(v -> ArrayValue.byteSize(v.prim(), v.shape())).sum();
  }

  /** Returns the tasks of runs that are in one job. */
  List<ShardTask> tasks(List<Request> runs) {
    var values = sent.sendAll(runs.stream().map(Request::replicated).toList());
    var counters = TaskCounters.of(spark.sc());
    var tasks = new ArrayList<ShardTask>();
    for (var run : runs) {
      var broadcast = known(run.program()).broadcast;
      var given = values.get(tasks.size());
      tasks.add(new ShardTask(broadcast, sourceOfTasks, given, cacheBytes, counters));
    }
    return tasks;
  }

  /** Divides the shards among tasks, each of which does these runs. */
  List<ShardGroup> groups(List<Request> runs) {
    return ShardGroup.of(locations(), tasksOf(runs));
  }

  /**
   * Returns for each shard where the next task with it should be, in Spark's notation, or "": where
   * it is in memory, or where it is read best.
   */
  public List<String> locations() {
    var known = places.locations(source.shards(), cluster.executors());
    var all = new ArrayList<String>();
    for (int i = 0; i < known.size(); i++) {
      all.add(known.get(i).isEmpty() ? source.place(i) : known.get(i));
    }
    return all;
  }

  /**
   * Whether tasks for these parts may stay for other runs. All of them need a slot at once; and a
   * program that has run twice is likely to run again.
   */
  boolean mayStay(ShardProgram program, List<ShardRdd.Part> parts) {
    return stays
        && programs.get(program.key()).runs > 1
        && !program.usesGpu()
        && parts.size() <= Math.min(FAN, slots(Stream.of(program)));
  }

  /** Runs programs by the tasks of the last run if they are still there, or by new ones. */
  List<List<Outcome>> stay(
      String title, List<Request> runs, List<ShardTask> tasks, List<ShardRdd.Part> parts) {
    var keys = runs.stream().map(r -> r.program().key()).toList();
    if (stay == null || !stay.takes(keys, tasks, parts)) {
      stay = Stay.start(spark.sc(), title, keys, tasks, parts);
    }
    return stay.outcomes();
  }

  /** Returns how many tasks of some programs can run at once. */
  int slots(Stream<ShardProgram> programs) {
    return cluster.slots(asked(programs));
  }

  /** Returns what tasks of some programs ask for, if that isn't the usual. */
  private Optional<ResourceProfile> asked(Stream<ShardProgram> programs) {
    return gpus.filter(_ -> programs.anyMatch(ShardProgram::usesGpu));
  }

  /** Lets the tasks of a dataset have what the programs ask for. */
  <R extends RDD<?>> R asking(R rdd, Stream<ShardProgram> programs) {
    asked(programs).ifPresent(rdd::withResources);
    return rdd;
  }

  /**
   * @param tasks how many tasks could run at once if there were room for them
   */
  Result combined(List<Outcome> outcomes, Request run, int tasks) {
    int atOnce = Math.min(tasks, slots(Stream.of(run.program())));
    return combined(outcomes, programs.get(run.program().key()), run.replicated(), atOnce);
  }

  private Result combined(List<Outcome> outcomes, Known known, List<Value> replicated, int atOnce) {
    return switch (Outcome.joined(0, outcomes)) {
      case Failed f -> throw Outcome.Fault.error(f.faults());
      case Done d -> {
        places.update(d.places());
        known.nanos = d.times().compute() + d.times().combination();
        known.bytes = d.bytes();
        long start = System.nanoTime();
        var tree = new CombineTree(known.broadcast.value().function(), replicated);
        tree.addAll(d.parts());
        var whole = tree.whole();
        double combination = (System.nanoTime() - start) / 1e9;
        spent = spent.plus(Spent.inTasks(d.times(), atOnce)).plus(new Spent(0, 0, combination, 0));
        yield new Result(whole, d.loads());
      }
    };
  }

  /** Returns how many tasks runs of one job should have. */
  private int tasksOf(List<Request> runs) {
    int slots = slots(runs.stream().map(Request::program));
    long nanos = 0;
    for (var run : runs) {
      long last = programs.get(run.program().key()).nanos;
      nanos = last < 0 || nanos < 0 ? -1 : nanos + last;
    }
    // With as many on each slot, none waits for another's last task.
    long ofSlot = nanos < 0 ? TASKS_OF_SLOT : Math.max(1, nanos / (NANOS_OF_TASK * slots));
    return (int) Math.min(ofSlot * slots, source.shards());
  }

  List<Outcome> collect(ShardTask task, RDD<Outcome> rdd, int groups, ShardProgram program) {
    return collect(task, rdd, groups, programs.get(program.key()));
  }

  private List<Outcome> collect(ShardTask task, RDD<Outcome> rdd, int groups, Known program) {
    var outcomes = new JavaRDD<>(rdd, ClassTag$.MODULE$.<Outcome>apply(Outcome.class));
    int count = groups;
    boolean large = program.bytes > COMBINED_BY_DRIVER;
    while (large && count > FAN) {
      count = Math.ceilDiv(count, FAN);
      outcomes =
          outcomes
              .groupBy(o -> o.group() / FAN, count)
              .map(group -> task.combined(group._1(), group._2()));
    }
    return OutcomeJob.run(spark.sc(), outcomes.rdd());
  }
}
