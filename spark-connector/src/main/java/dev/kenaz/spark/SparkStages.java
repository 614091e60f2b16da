package dev.kenaz.spark;

import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.StageExecutor;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.Span;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;

/** Spark as the engine of a plan: every stage is a job over the same shards. */
public final class SparkStages implements StageExecutor {
  private final SparkRunner runner;
  private final ProgramText text;
  private final long[] before;

  /**
   * @param rowsOfShards how many rows each shard has
   */
  public SparkStages(SparkRunner runner, ProgramText text, long[] rowsOfShards) {
    this.runner = runner;
    this.text = text;
    this.before = new long[rowsOfShards.length + 1];
    for (int i = 0; i < rowsOfShards.length; i++) {
      before[i + 1] = before[i] + rowsOfShards[i];
    }
  }

  @Override
  public long rows() {
    return before[before.length - 1];
  }

  @Override
  public long pieces() {
    return before.length - 1;
  }

  @Override
  public List<Value> run(Plan.Stage stage, List<Value> broadcast, List<Value> combineWith) {
    if (!stage.kept().isEmpty()) {
      throw new Limitation(
          Span.NONE,
          "an entry point that gives or keeps an array as long as the dataset, on Spark",
          "return something smaller: a sum, a histogram, new parameters");
    }
    var replicated = new ArrayList<>(broadcast);
    replicated.addAll(combineWith);
    return runner.run(new PlanStage(text, stage.number(), before), replicated).values();
  }
}
