package dev.kenaz.spark;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.Plan;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;

/**
 * A stage of a plan, as executors run it. Its values are the combined ones, then the gathered ones,
 * then what the sink made of the rows that stay in pieces.
 *
 * @param number the number of the stage in the plan of {@code text}
 * @param cuts which rows each shard has
 * @param sink what takes the rows that stay in pieces
 */
record PlanStage(ProgramText text, int number, Cuts cuts, RowSink sink) implements ShardProgram {
  @Override
  public String key() {
    return String.join(" ", text.key(), "stage", number + "", "of", cuts.toString(), sink.key());
  }

  @Override
  public ShardFunction open() {
    var stage =
        text.plan().stages().stream().filter(s -> s.number() == number).findFirst().orElseThrow();
    return new Opened(text, stage, cuts, sink);
  }

  /**
   * A compiled stage. The broadcast values are those that the stage needs, then those that only its
   * combination needs.
   */
  private record Opened(ProgramText text, Plan.Stage stage, Cuts cuts, RowSink sink)
      implements ShardFunction {
    @Override
    public List<Value> local(int shard, List<Value> values, List<Value> replicated, int cores) {
      var arguments = new ArrayList<>(cuts.numbers(shard));
      arguments.addAll(replicated.subList(0, stage.broadcast().size()));
      stage.sharded().forEach(i -> arguments.add(values.get(i)));
      var results = text.caller(cores).call(stage.local(), arguments);
      if (stage.kept().isEmpty()) {
        return results;
      }
      int combined = stage.outputs().size();
      int kept = combined + stage.kept().size();
      var all = new ArrayList<>(results.subList(0, combined));
      all.addAll(results.subList(kept, results.size()));
      all.addAll(sink.take(shard, results.subList(combined, kept)));
      return all;
    }

    @Override
    public List<Value> combine(List<Value> left, List<Value> right, List<Value> replicated) {
      int combined = stage.outputs().size();
      var all = new ArrayList<Value>();
      if (combined > 0) {
        var arguments =
            new ArrayList<>(replicated.subList(stage.broadcast().size(), replicated.size()));
        arguments.addAll(left.subList(0, combined));
        arguments.addAll(right.subList(0, combined));
        all.addAll(text.caller(1).call(stage.combine(), arguments));
      }
      for (int i = combined; i < left.size(); i++) {
        all.add(ArrayValue.joined(List.of((ArrayValue) left.get(i), (ArrayValue) right.get(i))));
      }
      return all;
    }
  }
}
