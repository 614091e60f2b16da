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
 * The row-wise values that executors have, by their variables. Spark computes lost pieces again. A
 * dataset that no variable stands for any more is dropped.
 */
final class StoredRows {
  /** So many datasets may depend on each other until tasks would have to know too much. */
  private static final int LINEAGE = 20;

  private final SparkRunner runner;
  private final Exchanges exchanges;
  private final Map<Var, Piece.Rows> values = new HashMap<>();
  private final Set<PieceRdd<Piece>> kept = new HashSet<>();

  StoredRows(SparkRunner runner, Exchanges exchanges) {
    this.runner = runner;
    this.exchanges = exchanges;
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

  /** Says which variables stand for what a stage has stored. */
  void storeComputed(List<Var> vars, PieceRdd<Piece> made) {
    store(vars, vars.isEmpty() ? made : withShortLineage(made));
  }

  /** Says which variables stand for what an exchange has made. */
  void store(List<Var> vars, PieceRdd<Piece> made) {
    kept.add(made);
    for (int i = 0; i < vars.size(); i++) {
      values.put(vars.get(i), new Piece.Rows(made, i));
    }
    drop();
  }

  /** Gives what some variables stand for to others, all at once. */
  void bind(List<Var> to, List<Var> from) {
    var rows = all(from);
    for (int i = 0; i < to.size(); i++) {
      values.put(to.get(i), rows.get(i));
    }
    drop();
  }

  private PieceRdd<Piece> withShortLineage(PieceRdd<Piece> made) {
    if (made.depth() < LINEAGE) {
      return made;
    }
    var again = exchanges.shuffled(made);
    compute(again);
    made.unpersist(false);
    return again;
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
    var rows = runner.rowsOf(made, work);
    made.sources().forEach(PieceRdd::isComputed);
    made.isComputed();
    return Cuts.ofRows(rows);
  }

  /** Drops what nothing stands for, but not before what is computed from it. */
  private void drop() {
    var used = new HashSet<PieceRdd<Piece>>();
    values.values().forEach(rows -> used.add(rows.pieces()));
    var dropped = new HashSet<>(kept);
    dropped.removeAll(used);
    for (var rows : used) {
      if (rows.sources().stream().anyMatch(dropped::contains)) {
        compute(rows);
      }
    }
    dropped.forEach(rows -> rows.unpersist(false));
    kept.retainAll(used);
  }

  void clear() {
    kept.forEach(rows -> rows.unpersist(false));
    kept.clear();
    values.clear();
  }
}
