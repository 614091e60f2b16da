package dev.kenaz.spark;

import dev.kenaz.distribute.Plan;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A stage of a plan, as executors run it.
 *
 * @param number the stage's, in the plan of {@code text}
 * @param before how many rows stand before each shard; last, how many there are
 */
record PlanStage(ProgramText text, int number, long[] before) implements StageProgram {
  @Override
  public String key() {
    return text.key() + " stage " + number + " of " + Arrays.toString(before);
  }

  @Override
  public Stage open() {
    var stage =
        text.plan().stages().stream().filter(s -> s.number() == number).findFirst().orElseThrow();
    return new Opened(text, stage, before);
  }

  /** The broadcast values are the stage's own, then those that only combining needs. */
  private record Opened(ProgramText text, Plan.Stage stage, long[] before) implements Stage {
    @Override
    public List<Value> local(int shard, List<Value> values, List<Value> replicated, int cores) {
      var arguments = new ArrayList<Value>();
      arguments.add(ScalarValue.i64(before[shard + 1] - before[shard]));
      arguments.add(ScalarValue.i64(before[before.length - 1]));
      arguments.add(ScalarValue.i64(before[shard]));
      arguments.add(ScalarValue.i64(shard));
      arguments.add(ScalarValue.i64(before.length - 1));
      arguments.addAll(replicated.subList(0, stage.broadcast().size()));
      stage.sharded().forEach(i -> arguments.add(values.get(i)));
      return text.caller(cores).call(stage.local(), arguments);
    }

    @Override
    public List<Value> combine(List<Value> left, List<Value> right, List<Value> replicated) {
      var arguments =
          new ArrayList<>(replicated.subList(stage.broadcast().size(), replicated.size()));
      arguments.addAll(left);
      arguments.addAll(right);
      return text.caller(1).call(stage.combine(), arguments);
    }
  }
}
