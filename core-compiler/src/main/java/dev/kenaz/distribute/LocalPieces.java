package dev.kenaz.distribute;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Var;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** The engine of one process: it takes piece after piece. */
public final class LocalPieces implements StageExecutor {
  /** The pieces of the datasets, each of which is there when it is asked for. */
  @FunctionalInterface
  public interface Source {
    /** Returns the piece's rows of the columns that {@link Plan#sharded} has. */
    List<? extends Value> columns(int piece);
  }

  /** Takes the rows of a piece that are results, instead of this engine. */
  @FunctionalInterface
  public interface Taker {
    /**
     * @param rows an array for each variable of the stage's {@code kept}
     */
    void take(Plan.Stage stage, int piece, List<ArrayValue> rows);
  }

  private final Source source;
  private final List<Cuts> cuts;
  private final PlanRunner.Caller caller;
  private final Taker taker;

  /** What the pieces have of row-wise values, each as a list of the pieces' parts. */
  private final Map<Var, List<ArrayValue>> store = new HashMap<>();

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
    this(source, List.of(cuts), caller);
  }

  /** The same for several datasets, with the cuts of each in the order of {@link Pieces}. */
  public LocalPieces(Source source, List<Cuts> cuts, PlanRunner.Caller caller) {
    this.source = source;
    this.cuts = List.copyOf(cuts);
    this.caller = caller;
    this.taker = (stage, _, rows) -> keep(stage.kept(), rows);
  }

  public LocalPieces(Source source, List<Cuts> cuts, PlanRunner.Caller caller, Taker taker) {
    this.source = source;
    this.cuts = List.copyOf(cuts);
    this.caller = caller;
    this.taker = taker;
  }

  /** The pieces of columns that are in memory as a whole. */
  public static Source whole(List<? extends Value> columns, Cuts cuts) {
    var all = columns.stream().map(c -> (ArrayValue) c).toList();
    return piece ->
        all.stream().map(c -> c.rows(cuts.first(piece), cuts.first(piece + 1))).toList();
  }

  /** The same for the columns of several datasets. */
  public static Source whole(Plan plan, List<? extends Value> columns, List<Cuts> cuts) {
    return piece -> {
      var rows = new ArrayList<ArrayValue>();
      for (int c = 0; c < columns.size(); c++) {
        var of = cuts.get(plan.datasetOf(c));
        rows.add(((ArrayValue) columns.get(c)).rows(of.first(piece), of.first(piece + 1)));
      }
      return rows;
    };
  }

  @Override
  public long rows() {
    return cuts.getFirst().rows();
  }

  @Override
  public long pieces() {
    return cuts.getFirst().pieces();
  }

  @Override
  public Cuts cuts(int dataset) {
    return cuts.get(dataset);
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
    return ArrayValue.joined(store.get(result));
  }

  private void keep(List<Var> vars, List<ArrayValue> rows) {
    for (int k = 0; k < vars.size(); k++) {
      store.computeIfAbsent(vars.get(k), _ -> new ArrayList<>()).add(rows.get(k));
    }
  }

  @Override
  public List<Value> run(
      Plan.Stage stage, List<Value> broadcast, List<Value> combineWith, List<Cuts> spaces) {
    List<Value> combined = null;
    int kept = stage.outputs().size();
    int gathered = kept + stage.kept().size();
    int stored = gathered + stage.gathered().size();
    stage.kept().forEach(store::remove);
    var made = new HashMap<Var, List<ArrayValue>>();
    var sent = new ArrayList<>(broadcast);
    var states = sent.subList(sent.size() - stage.states(), sent.size());
    for (int p = 0; p < pieces(); p++) {
      var results = stage.delivered(caller.call(stage.local(), arguments(stage, sent, spaces, p)));
      for (int k = 0; k < states.size(); k++) {
        states.set(k, results.get(k));
      }
      if (!stage.kept().isEmpty()) {
        taker.take(stage, p, arrays(results.subList(kept, gathered)));
      }
      keep(stage.gathered(), arrays(results.subList(gathered, stored)));
      for (int k = 0; k < stage.stored().size(); k++) {
        made.computeIfAbsent(stage.stored().get(k), _ -> new ArrayList<>())
            .add((ArrayValue) results.get(stored + k));
      }
      var partial = results.subList(0, kept);
      combined = combined == null ? partial : combine(stage, combined, partial, combineWith);
    }
    store.putAll(made);
    var all = new ArrayList<>(combined);
    stage.gathered().forEach(v -> all.add(ArrayValue.joined(store.remove(v))));
    return all;
  }

  private List<Value> arguments(
      Plan.Stage stage, List<Value> broadcast, List<Cuts> spaces, int piece) {
    var arguments = new ArrayList<>(cuts.getFirst().numbers(piece));
    var reads = stage.reads().stream().map(v -> store.get(v).get(piece)).toList();
    arguments.addAll(stage.numbers(piece, spaces, reads));
    arguments.addAll(broadcast);
    if (!stage.sharded().isEmpty()) {
      var columns = source.columns(piece);
      stage.sharded().forEach(c -> arguments.add(columns.get(c)));
    }
    arguments.addAll(reads);
    return arguments;
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

  @Override
  public void bind(List<Var> to, List<Var> from) {
    var parts = from.stream().map(store::get).toList();
    for (int i = 0; i < to.size(); i++) {
      store.put(to.get(i), parts.get(i));
    }
  }

  @Override
  public boolean holds(Var rows) {
    return store.containsKey(rows);
  }

  @Override
  public List<ArrayValue> held(Var rows) {
    var parts = store.get(rows);
    if (parts == null) {
      throw new CompilerBug("distribute", "no rows of " + rows);
    }
    return parts;
  }

  @Override
  public void write(Var rows, RowFiles to) {
    var parts = held(rows);
    for (int p = 0; p < pieces(); p++) {
      to.write(p, parts.get(p));
    }
  }

  @Override
  public void read(Var rows, RowFiles from) {
    store.put(rows, IntStream.range(0, (int) pieces()).mapToObj(from::read).toList());
  }

  @Override
  public Optional<Cuts> exchange(Plan.Exchange exchange, List<Cuts> spaces, long offset) {
    var of = spaces.get(0);
    var into = spaces.get(1);
    switch (exchange) {
      case Plan.Recut(var from, _, _, var result, _, _) ->
          store.put(result, MovedRows.recut(store.get(from), of, offset, into));
      case Plan.Fetch(var from, _, var index, _, var result, _) ->
          store.put(result, MovedRows.fetch(store.get(from), of, store.get(index)));
      case Plan.Send s -> {
        var columns = s.values().stream().map(store::get).toList();
        var arrived = MovedRows.send(store.get(s.index()), columns, into);
        for (int k = 0; k < s.to().size(); k++) {
          store.put(s.to().get(k), arrived.get(k));
        }
        return Optional.of(
            Cuts.ofRows(arrived.getFirst().stream().mapToLong(a -> a.dim(0)).toArray()));
      }
    }
    return Optional.empty();
  }
}
