package dev.kenaz.spark;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Value;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;

/**
 * The work of a task: it calls the function of the program with some shards.
 *
 * @param program what the function is compiled from
 * @param replicated the values that are the same for every shard
 * @param cacheBytes how much loaded data this executor may keep
 * @param counters count what it does
 */
record ShardTask(
    Broadcast<Shared> program,
    Broadcast<Carried<ShardSource>> source,
    List<SentValues.Sent> replicated,
    long cacheBytes,
    TaskCounters counters)
    implements Serializable {
  static final Recent<String, ShardFunction> FUNCTIONS = new Recent<>(256);

  /** A program that all tasks of an executor share. */
  @DefaultSerializer(JavaSerializer.class)
  static final class Shared implements Serializable {
    private static final long serialVersionUID = 1L;
    private final ShardProgram program;
    private transient ShardFunction function;

    Shared(ShardProgram program) {
      this.program = program;
    }

    synchronized ShardFunction function() {
      if (function == null) {
        function = FUNCTIONS.get(program.key(), program::open);
      }
      return function;
    }
  }

  /** Returns the task with other counters. */
  ShardTask counting(TaskCounters others) {
    return new ShardTask(program, source, replicated, cacheBytes, others);
  }

  /**
   * Does the work of several tasks, which read the same shards.
   *
   * @return their outcomes
   */
  static List<Outcome> run(List<ShardTask> tasks, ShardGroup group, TaskContext context) {
    var turns = tasks.stream().map(t -> new Turn(t, group.index())).toList();
    var first = tasks.getFirst();
    int shard = group.shards()[0];
    try {
      beginInProcess();
      for (int s : group.shards()) {
        shard = s;
        context.killTaskIfInterrupted();
        long start = System.nanoTime();
        var found = first.shard(s);
        long reading = System.nanoTime() - start;
        first.counters.add(TaskCounters.Amounts.of(found, reading));
        long nanos = reading / turns.size();
        turns.forEach(t -> t.take(found, place(s), nanos, context.cpus()));
      }
    } catch (UserError | CompilerBug | OutOfMemoryError e) {
      var failed = failed(group.index(), shard, e);
      return tasks.stream().map(_ -> (Outcome) failed).toList();
    }
    return turns.stream().map(Turn::outcome).toList();
  }

  /** The work of one task on a group of shards. */
  private static final class Turn {
    private final ShardTask task;
    private final int group;
    private final List<Outcome.Place> places = new ArrayList<>();
    private CombineTree tree;
    private int loads;
    private Outcome.Times times = Outcome.Times.NONE;
    private Outcome.Failed failed;

    Turn(ShardTask task, int group) {
      this.task = task;
      this.group = group;
    }

    void take(ShardCache.Found shard, Outcome.Place place, long nanos, int cores) {
      if (failed != null) {
        return;
      }
      try {
        var function = task.program.value().function();
        var given = SentValues.Sent.read(task.replicated);
        tree = tree == null ? new CombineTree(function, given) : tree;
        loads += shard.loaded() ? 1 : 0;
        places.add(place);
        long start = System.nanoTime();
        var values =
            task.computed(
                shard.values(), () -> function.local(place.shard(), shard.values(), given, cores));
        long computed = System.nanoTime();
        tree.add(place.shard(), values);
        long combined = System.nanoTime();
        times = times.plus(new Outcome.Times(computed - start, nanos, combined - computed));
      } catch (FailingRow e) {
        failed =
            failed(
                group,
                place.shard(),
                e.told(task.source.value().it(), place.shard(), shard.values()));
      } catch (UserError | CompilerBug | OutOfMemoryError e) {
        failed = failed(group, place.shard(), e);
      }
    }

    Outcome outcome() {
      return failed != null
          ? failed
          : Outcome.Done.of(group, tree.parts(WireValue::held), places, loads, times);
    }
  }

  /**
   * Calls the function with one piece, and keeps the last of its results.
   *
   * @param reads what executors have for the piece
   * @param loads whether the function takes the dataset's columns before that
   * @param stored how many results are kept
   */
  Piece run(int piece, List<Value> reads, boolean loads, int stored, TaskContext context) {
    var values = new ArrayList<Value>();
    try {
      beginInProcess();
      var function = program.value().function();
      var given = SentValues.Sent.read(replicated);
      var places = new ArrayList<Outcome.Place>();
      int loaded = 0;
      long begun = System.nanoTime();
      if (loads) {
        var found = shard(piece);
        counters.add(TaskCounters.Amounts.of(found, System.nanoTime() - begun));
        loaded = found.loaded() ? 1 : 0;
        values.addAll(found.values());
        places.add(place(piece));
      }
      values.addAll(reads);
      long start = System.nanoTime();
      var results = computed(values, () -> function.local(piece, values, given, context.cpus()));
      var times = new Outcome.Times(System.nanoTime() - start, start - begun, 0);
      int told = results.size() - stored;
      var tree = new CombineTree(function, given);
      tree.add(piece, results.subList(0, told));
      return new Piece(
          Outcome.Done.of(piece, tree.parts(WireValue::of), places, loaded, times),
          List.copyOf(WireValue.of(results.subList(told, results.size()))));
    } catch (FailingRow e) {
      var fault = loads ? e.told(source.value().it(), piece, values) : e.fault();
      return new Piece(failed(piece, piece, fault), List.of());
    } catch (UserError | CompilerBug | OutOfMemoryError e) {
      return new Piece(failed(piece, piece, e), List.of());
    }
  }

  private ShardCache.Found shard(int shard) {
    return ReadFault.told(() -> ShardCache.OF_PROCESS.get(source.value().it(), shard, cacheBytes));
  }

  /** Does what is done once in each process, before its first task. */
  static void beginInProcess() {
    ExecutorMemory.respect();
    ProcessMetrics.register();
    Gpus.keepKernels();
    LapackConstants.find();
  }

  /** Calls the function, on a GPU once there is room if it uses one, and counts that. */
  private List<Value> computed(List<Value> values, Supplier<List<Value>> call) {
    long rows =
        values.stream()
            .filter(v -> v.shape().length > 0)
            .findFirst()
            .map(v -> v.shape()[0])
            .orElse(0L);
    boolean meant = program.value().program.usesGpu();
    boolean onGpu = meant && Gpus.areHere();
    if (meant) {
      counters.pieces().add(onGpu);
    }
    if (onGpu) {
      var computed = Gpus.computing(call);
      counters.add(TaskCounters.Amounts.of(rows, computed));
      return computed.value();
    }
    long start = System.nanoTime();
    var results = ReadFault.told(call);
    counters.add(TaskCounters.Amounts.of(rows, System.nanoTime() - start));
    return results;
  }

  private static Outcome.Place place(int shard) {
    var here = SparkEnv.get().blockManager().blockManagerId();
    return new Outcome.Place(shard, here.host(), here.executorId());
  }

  /** Returns the outcome of a fault of the user's program; throws any other fault again. */
  private static Outcome.Failed failed(int group, int shard, Throwable failure) {
    switch (failure) {
      case UserError e -> {
        GpuFault.check(e);
        return new Outcome.Failed(group, shard, Outcome.Fault.of(e));
      }
      case CompilerBug e -> {
        GpuFault.check(e);
        throw e;
      }
      default -> {
        // Spark would end this process without a message; in an embedded Spark it is the user's
        // process.
        ShardCache.OF_PROCESS.clear();
        var fault = SparkFaults.outOfMemory(failure.getMessage());
        return new Outcome.Failed(group, shard, Outcome.Fault.of(fault));
      }
    }
  }

  /** Combines what several tasks give to what one task would give for all their shards. */
  Outcome combined(int group, Iterable<Outcome> outcomes) {
    return switch (Outcome.joined(group, outcomes)) {
      case Outcome.Failed f -> f;
      case Outcome.Done d -> {
        long start = System.nanoTime();
        var tree = new CombineTree(program.value().function(), SentValues.Sent.read(replicated));
        tree.addAll(d.parts());
        var times = d.times().plus(new Outcome.Times(0, 0, System.nanoTime() - start));
        var parts = tree.parts(WireValue::held);
        yield new Outcome.Done(group, parts, d.places(), d.loads(), times, d.bytes());
      }
    };
  }
}
