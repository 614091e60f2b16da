package dev.kenaz.spark;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.RowFiles;
import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Var;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The row-wise values that executors have, by their variables. What stages and exchanges make waits
 * until a job needs it. Spark computes lost pieces again. A dataset that no variable stands for any
 * more is dropped.
 */
final class StoredRows {
  /** So many datasets may depend on each other until tasks would have to know too much. */
  private static final int LINEAGE = 20;

  /** So many datasets may wait for the next job; executors keep them all until it has ended. */
  private static final int WAITING = 8;

  private final SparkRunner runner;
  private final Exchanges exchanges;
  private final Map<Var, Piece.Rows> values = new HashMap<>();
  private final Set<PieceRdd<Piece>> kept = new HashSet<>();

  /** What stages make and no job has computed; they may fail, even if no step reads it. */
  private final Set<PieceRdd<Piece>> ofStages = new HashSet<>();

  StoredRows(SparkRunner runner, Exchanges exchanges) {
    this.runner = runner;
    this.exchanges = exchanges;
  }

  boolean has(Var value) {
    return values.containsKey(value);
  }

  Piece.Rows get(Var value) {
    var rows = values.get(value);
    if (rows == null) {
      throw new CompilerBug("spark", "no executor has rows of " + value);
    }
    return rows;
  }

  List<Piece.Rows> all(List<Var> vars) {
    return vars.stream().map(this::get).toList();
  }

  /** Says which variables stand for what a stage stores. */
  void storeOfStage(List<Var> vars, PieceRdd<Piece> made) {
    ofStages.add(made);
    if (made.depth() < LINEAGE) {
      store(vars, made);
    } else {
      kept.add(made);
      store(vars, exchanges.shuffled(made));
    }
  }

  /** Says which variables stand for what a stage or an exchange makes. */
  void store(List<Var> vars, PieceRdd<Piece> made) {
    kept.add(made);
    for (int i = 0; i < vars.size(); i++) {
      values.put(vars.get(i), new Piece.Rows(made, i));
    }
    drop();
    if (kept.stream().filter(PieceRdd::waits).count() > WAITING) {
      computeAll();
    }
  }

  /** Gives what some variables stand for to others, all at once. */
  void bind(List<Var> to, List<Var> from) {
    var rows = all(from);
    for (int i = 0; i < to.size(); i++) {
      values.put(to.get(i), rows.get(i));
    }
    drop();
  }

  /** Writes what a variable stands for, and returns how its rows are cut. */
  Cuts write(Var v, RowFiles to) {
    var rows = get(v);
    return compute(rows.pieces(), new Piece.Written(rows.column(), to));
  }

  /** Says that a variable stands for what was written, and returns how its rows are cut. */
  Cuts read(Var v, RowFiles from) {
    var read = exchanges.read(from);
    store(List.of(v), read);
    return compute(read);
  }

  /** Computes what an exchange has made, and returns how its rows are cut. */
  Cuts compute(PieceRdd<Piece> made) {
    return compute(made, new Piece.OutcomeOf());
  }

  private Cuts compute(PieceRdd<Piece> made, PieceRdd.Work<Outcome> work) {
    var rows = runner.compute(List.of(made), work);
    return Cuts.ofRows(rows.stream().mapToLong(Piece::rowsOf).toArray());
  }

  /** Computes what stages make that no step reads, because they may fail. */
  void end() {
    values.clear();
    drop();
    computeAll();
  }

  /** Computes what waits, by one job. */
  private void computeAll() {
    var waiting = new HashSet<>(kept);
    waiting.removeIf(rows -> !rows.waits());
    var last = new HashSet<>(waiting);
    waiting.forEach(rows -> last.removeAll(rows.sources()));
    if (!last.isEmpty()) {
      runner.compute(List.copyOf(last), new Piece.OutcomeOf());
    }
    drop();
  }

  /** Drops what nothing stands for, but not before what waits for it is computed. */
  private void drop() {
    var used = new HashSet<PieceRdd<Piece>>();
    values.values().forEach(rows -> use(rows.pieces(), used));
    ofStages.removeIf(rows -> !rows.waits());
    ofStages.forEach(rows -> use(rows, used));
    kept.stream().filter(rows -> !used.contains(rows)).forEach(rows -> rows.unpersist(false));
    kept.retainAll(used);
  }

  private static void use(PieceRdd<Piece> rows, Set<PieceRdd<Piece>> used) {
    if (used.add(rows)) {
      rows.sources().forEach(source -> use(source, used));
    }
  }

  void clear() {
    kept.forEach(rows -> rows.unpersist(false));
    kept.clear();
    ofStages.clear();
    values.clear();
  }
}
