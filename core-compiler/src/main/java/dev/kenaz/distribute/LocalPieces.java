package dev.kenaz.distribute;

import dev.kenaz.ir.Var;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The engine of one process: it has the columns in memory, and takes piece after piece. */
public final class LocalPieces implements StageExecutor {
  private final List<Value> columns;
  private final Cuts cuts;
  private final PlanRunner.Caller caller;
  private final Map<Var, List<ArrayValue>> kept = new HashMap<>();

  /**
   * @param columns of the whole dataset, as {@link Plan#sharded} has them
   * @param caller calls the plan's functions
   */
  public LocalPieces(List<Value> columns, Cuts cuts, PlanRunner.Caller caller) {
    this.columns = List.copyOf(columns);
    this.cuts = cuts;
    this.caller = caller;
  }

  @Override
  public long rows() {
    return cuts.rows();
  }

  @Override
  public long pieces() {
    return cuts.pieces();
  }

  /**
   * Runs the plan; results that stay in pieces are put together.
   *
   * @param arguments as {@link PlanRunner#run} wants them
   */
  public List<Value> results(Plan plan, List<Value> arguments) {
    return new PlanRunner(plan, this, caller)
        .results(arguments, v -> ArrayValue.joined(kept.get(v)));
  }

  @Override
  public List<Value> run(Plan.Stage stage, List<Value> broadcast, List<Value> combineWith) {
    List<Value> combined = null;
    int n = stage.outputs().size();
    var rows = new ArrayList<>(stage.kept());
    rows.addAll(stage.gathered());
    rows.forEach(v -> kept.put(v, new ArrayList<>()));
    for (int p = 0; p < cuts.pieces(); p++) {
      var arguments = new ArrayList<>(cuts.numbers(p));
      arguments.addAll(broadcast);
      for (int c : stage.sharded()) {
        arguments.add(((ArrayValue) columns.get(c)).rows(cuts.first(p), cuts.first(p + 1)));
      }
      var results = caller.call(stage.local(), arguments);
      for (int k = 0; k < rows.size(); k++) {
        kept.get(rows.get(k)).add((ArrayValue) results.get(n + k));
      }
      var partial = results.subList(0, n);
      combined = combined == null ? partial : combine(stage, combined, partial, combineWith);
    }
    var all = new ArrayList<>(combined);
    stage.gathered().forEach(v -> all.add(ArrayValue.joined(kept.remove(v))));
    return all;
  }

  private List<Value> combine(
      Plan.Stage stage, List<Value> left, List<Value> right, List<Value> with) {
    if (left.isEmpty()) {
      return left;
    }
    var arguments = new ArrayList<>(with);
    arguments.addAll(left);
    arguments.addAll(right);
    return caller.call(stage.combine(), arguments);
  }
}
