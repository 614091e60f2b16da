package dev.kenaz.distribute;

import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.List;

/**
 * The variables by which a plan speaks of pieces; all are i64.
 *
 * @param rows how many rows the current piece has in a stage; elsewhere, how many the dataset has
 * @param total how many rows the dataset has
 * @param before how many rows come before the current piece
 * @param piece the piece's number, counted from 0 in the order of the rows
 * @param pieces how many pieces there are
 */
public record Pieces(Var rows, Var total, Var before, Var piece, Var pieces) {
  static Pieces over(Var rows) {
    return new Pieces(rows, i64("total"), i64("before"), i64("piece"), i64("pieces"));
  }

  private static Var i64(String name) {
    return Names.fresh(name, Type.I64);
  }

  /** Returns the variables in the order of a stage's first parameters. */
  List<Var> params() {
    return List.of(rows, total, before, piece, pieces);
  }
}
