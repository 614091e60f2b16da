package dev.kenaz.distribute;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The simplest engine: pieces of columns in this process, one after the other. */
final class PiecesEngine implements StageExecutor {
  private final List<Value> columns;
  private final long[] cuts;
  private final PlanRunner.Caller caller;
  private final Map<Integer, List<Value>> kept = new HashMap<>();

  /** {@code cuts}: first row of every piece, then the number of rows. */
  PiecesEngine(List<Value> columns, long[] cuts, PlanRunner.Caller caller) {
    this.columns = columns;
    this.cuts = cuts.clone();
    this.caller = caller;
  }

  @Override
  public long rows() {
    return cuts[cuts.length - 1];
  }

  @Override
  public long pieces() {
    return cuts.length - 1;
  }

  @Override
  public List<Value> run(Plan.Stage stage, List<Value> broadcast, List<Value> combineWith) {
    List<Value> combined = null;
    int n = stage.outputs().size();
    for (int p = 0; p + 1 < cuts.length; p++) {
      var arguments = new ArrayList<Value>();
      arguments.add(ScalarValue.i64(cuts[p + 1] - cuts[p]));
      arguments.add(ScalarValue.i64(rows()));
      arguments.add(ScalarValue.i64(cuts[p]));
      arguments.add(ScalarValue.i64(p));
      arguments.add(ScalarValue.i64(pieces()));
      arguments.addAll(broadcast);
      for (int c : stage.sharded()) {
        arguments.add(((ArrayValue) columns.get(c)).rows(cuts[p], cuts[p + 1]));
      }
      var results = caller.call(stage.local(), arguments);
      for (int k = 0; k < stage.kept().size(); k++) {
        kept.computeIfAbsent(stage.kept().get(k).tag(), _ -> new ArrayList<>())
            .add(results.get(n + k));
      }
      var partial = results.subList(0, n);
      combined = combined == null ? partial : combine(stage, combined, partial, combineWith);
    }
    return combined;
  }

  private List<Value> combine(
      Plan.Stage stage, List<Value> left, List<Value> right, List<Value> with) {
    var arguments = new ArrayList<>(with);
    arguments.addAll(left);
    arguments.addAll(right);
    return caller.call(stage.combine(), arguments);
  }

  /** The pieces of a result that stays with the engine. */
  List<Value> pieces(int tag) {
    return kept.get(tag);
  }
}
