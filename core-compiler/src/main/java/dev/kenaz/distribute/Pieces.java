package dev.kenaz.distribute;

import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.List;

/**
 * The variables by which a plan speaks of pieces.
 *
 * @param datasets the rows of the datasets, in the order of the parameters; at least one
 * @param piece the piece's number (i64), counted from 0 in the order of the rows
 * @param pieces how many pieces there are (i64)
 * @param bounds one more than that (i64), the size of {@link Space#cut}
 */
public record Pieces(List<Space> datasets, Var piece, Var pieces, Var bounds) {
  /** The number of {@link #params}. */
  static final int PARAMS = 5;

  public Pieces {
    datasets = List.copyOf(datasets);
  }

  static Pieces over(List<Var> rows) {
    var bounds = i64("bounds");
    var spaces = rows.stream().map(r -> Space.of(r, bounds)).toList();
    return new Pieces(spaces, i64("piece"), i64("pieces"), bounds);
  }

  private static Var i64(String name) {
    return Names.fresh(name, Type.I64);
  }

  /** Returns the rows of the first dataset. */
  public Space first() {
    return datasets.getFirst();
  }

  /** Returns the variables in the order of a stage's first parameters. */
  List<Var> params() {
    var rows = first();
    return List.of(rows.rows(), rows.total(), rows.before(), piece, pieces);
  }
}
