package dev.kenaz.spark;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Value;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;

/**
 * The work of a task: it calls the function of the program with some shards.
 *
 * @param program what the function is compiled from
 * @param replicated the values that are the same for every shard
 * @param cacheBytes how much loaded data this executor may keep
 */
record ShardTask(
    Broadcast<Shared> program,
    Broadcast<ShardSource> source,
    List<SentValues.Sent> replicated,
    long cacheBytes)
    implements Serializable {
  static final Recent<String, ShardFunction> FUNCTIONS = new Recent<>(256);

  /** A program that all tasks of an executor share. */
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

  Outcome run(ShardGroup group, TaskContext context) {
    int shard = group.shards()[0];
    try {
      ExecutorMemory.respect();
      var function = program.value().function();
      var given = SentValues.Sent.read(replicated);
      var tree = new CombineTree(function, given);
      var places = new ArrayList<Outcome.Place>();
      int loads = 0;
      var times = Outcome.Times.NONE;
      for (int s : group.shards()) {
        shard = s;
        long start = System.nanoTime();
        var found = ShardCache.OF_PROCESS.get(source.value(), s, cacheBytes);
        loads += found.loaded() ? 1 : 0;
        places.add(place(s));
        long loaded = System.nanoTime();
        var values = function.local(s, found.values(), given, context.cpus());
        long computed = System.nanoTime();
        tree.add(s, values);
        long combined = System.nanoTime();
        times =
            times.plus(new Outcome.Times(computed - loaded, loaded - start, combined - computed));
      }
      return Outcome.Done.of(group.index(), tree.parts(), places, loads, times);
    } catch (UserError | CompilerBug | OutOfMemoryError e) {
      return failed(group.index(), shard, e);
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
    try {
      ExecutorMemory.respect();
      var function = program.value().function();
      var given = SentValues.Sent.read(replicated);
      var values = new ArrayList<Value>();
      var places = new ArrayList<Outcome.Place>();
      int loaded = 0;
      long begun = System.nanoTime();
      if (loads) {
        var found = ShardCache.OF_PROCESS.get(source.value(), piece, cacheBytes);
        loaded = found.loaded() ? 1 : 0;
        values.addAll(found.values());
        places.add(place(piece));
      }
      values.addAll(reads);
      long start = System.nanoTime();
      var results = function.local(piece, values, given, context.cpus());
      var times = new Outcome.Times(System.nanoTime() - start, start - begun, 0);
      int told = results.size() - stored;
      var tree = new CombineTree(function, given);
      tree.add(piece, results.subList(0, told));
      return new Piece(
          Outcome.Done.of(piece, tree.parts(), places, loaded, times),
          List.copyOf(WireValue.of(results.subList(told, results.size()))));
    } catch (UserError | CompilerBug | OutOfMemoryError e) {
      return new Piece(failed(piece, piece, e), List.of());
    }
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
        yield new Outcome.Done(group, tree.parts(), d.places(), d.loads(), times, d.bytes());
      }
    };
  }
}
