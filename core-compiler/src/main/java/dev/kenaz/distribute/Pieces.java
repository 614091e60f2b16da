package dev.kenaz.distribute;

import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.List;

/**
 * The variables by which a plan speaks of pieces; all are i64.
 *
 * @param rows in a stage the rows of the current piece, elsewhere those of the dataset
 * @param total the rows of the dataset
 * @param before how many rows come before the current piece
 * @param piece the piece's number, from 0 in the order of the rows
 * @param pieces how many there are
 */
public record Pieces(Var rows, Var total, Var before, Var piece, Var pieces) {
  static Pieces over(Var rows) {
    return new Pieces(rows, i64("total"), i64("before"), i64("piece"), i64("pieces"));
  }

  private static Var i64(String name) {
    return Names.fresh(name, Type.I64);
  }

  /** The variables in the order of a stage's first parameters. */
  List<Var> params() {
    return List.of(rows, total, before, piece, pieces);
  }
}
