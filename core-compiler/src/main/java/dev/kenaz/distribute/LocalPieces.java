package dev.kenaz.distribute;

import dev.kenaz.ir.Var;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The engine of one process: it takes piece after piece. */
public final class LocalPieces implements StageExecutor {
  /** The pieces of a dataset, each of which is there when it is asked for. */
  @FunctionalInterface
  public interface Source {
    /** Returns the piece's rows of the columns that {@link Plan#sharded} has. */
    List<? extends Value> columns(int piece);
  }

  /** Takes the rows of a piece that stay in pieces, instead of this engine. */
  @FunctionalInterface
  public interface Taker {
    /**
     * @param rows an array for each variable of the stage's {@code kept}
     */
    void take(Plan.Stage stage, int piece, List<ArrayValue> rows);
  }

  private final Source source;
  private final Cuts cuts;
  private final PlanRunner.Caller caller;
  private final Taker taker;
  private final Map<Var, List<ArrayValue>> parts = new HashMap<>();

  /**
   * An engine that has all of the dataset in memory, and keeps the rows that stay in pieces there.
   *
   * @param columns of the whole dataset, as {@link Plan#sharded} has them
   * @param caller calls the plan's functions
   */
  public LocalPieces(List<Value> columns, Cuts cuts, PlanRunner.Caller caller) {
    this(whole(columns, cuts), cuts, caller);
  }

  /** An engine that keeps the rows that stay in pieces in memory. */
  public LocalPieces(Source source, Cuts cuts, PlanRunner.Caller caller) {
    this.source = source;
    this.cuts = cuts;
    this.caller = caller;
    this.taker = (stage, _, rows) -> keep(stage.kept(), rows);
  }

  public LocalPieces(Source source, Cuts cuts, PlanRunner.Caller caller, Taker taker) {
    this.source = source;
    this.cuts = cuts;
    this.caller = caller;
    this.taker = taker;
  }

  /** The pieces of columns that are in memory as a whole. */
  public static Source whole(List<? extends Value> columns, Cuts cuts) {
    var all = columns.stream().map(c -> (ArrayValue) c).toList();
    return piece ->
        all.stream().map(c -> c.rows(cuts.first(piece), cuts.first(piece + 1))).toList();
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
    return results(plan, arguments, PlanObserver.NONE);
  }

  /** Does the same while an observer is told how far it has come. */
  public List<Value> results(Plan plan, List<Value> arguments, PlanObserver observer) {
    return new PlanRunner(plan, this, caller, observer).results(arguments, this::rows);
  }

  /** Returns all rows of a result that stays in pieces, if this engine keeps them. */
  public Value rows(Var result) {
    return ArrayValue.joined(parts.get(result));
  }

  private void keep(List<Var> vars, List<ArrayValue> rows) {
    for (int k = 0; k < vars.size(); k++) {
      parts.computeIfAbsent(vars.get(k), _ -> new ArrayList<>()).add(rows.get(k));
    }
  }

  @Override
  public List<Value> run(Plan.Stage stage, List<Value> broadcast, List<Value> combineWith) {
    List<Value> combined = null;
    int n = stage.outputs().size();
    int kept = n + stage.kept().size();
    stage.kept().forEach(parts::remove);
    for (int p = 0; p < cuts.pieces(); p++) {
      var arguments = new ArrayList<>(cuts.numbers(p));
      arguments.addAll(broadcast);
      if (!stage.sharded().isEmpty()) {
        var columns = source.columns(p);
        stage.sharded().forEach(c -> arguments.add(columns.get(c)));
      }
      var results = caller.call(stage.local(), arguments);
      if (kept > n) {
        taker.take(stage, p, arrays(results.subList(n, kept)));
      }
      keep(stage.gathered(), arrays(results.subList(kept, results.size())));
      var partial = results.subList(0, n);
      combined = combined == null ? partial : combine(stage, combined, partial, combineWith);
    }
    var all = new ArrayList<>(combined);
    stage.gathered().forEach(v -> all.add(ArrayValue.joined(parts.remove(v))));
    return all;
  }

  private static List<ArrayValue> arrays(List<Value> values) {
    return values.stream().map(v -> (ArrayValue) v).toList();
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
