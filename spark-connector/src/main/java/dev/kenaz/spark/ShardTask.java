package dev.kenaz.spark;

import dev.kenaz.error.UserError;
import java.io.Serializable;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;

/**
 * The work of a task: it calls the function of the program with one shard.
 *
 * @param cacheBytes how much loaded data this executor may keep
 */
record ShardTask(
    ShardProgram program,
    ShardSource source,
    Broadcast<List<WireValue>> replicated,
    long cacheBytes)
    implements Serializable {
  private static final ConcurrentHashMap<String, ShardFunction> FUNCTIONS =
      new ConcurrentHashMap<>();

  Outcome run(int shard, TaskContext context) {
    try {
      ExecutorMemory.respect();
      var function = function(program);
      var found = ShardCache.OF_PROCESS.get(source, shard, cacheBytes);
      var given = WireValue.read(replicated.value());
      var values = function.local(shard, found.values(), given, context.cpus());
      var here = SparkEnv.get().blockManager().blockManagerId();
      return new Outcome.Partial(
          shard,
          List.copyOf(WireValue.of(values)),
          List.of(new Outcome.Place(shard, here.host(), here.executorId())),
          found.loaded() ? 1 : 0);
    } catch (UserError e) {
      return failed(shard, e);
    } catch (OutOfMemoryError e) {
      // Spark would end this process without a message; in an embedded Spark it is the user's
      // process.
      ShardCache.OF_PROCESS.clear();
      return failed(shard, SparkFaults.outOfMemory(e.getMessage()));
    }
  }

  private static Outcome failed(int shard, UserError e) {
    return new Outcome.Failed(
        shard, List.copyOf(e.diagnostics().stream().map(Outcome.Fault::of).toList()));
  }

  static ShardFunction function(ShardProgram program) {
    return FUNCTIONS.computeIfAbsent(program.key(), k -> program.open());
  }
}
