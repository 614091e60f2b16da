package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;

/**
 * A number of rows that is divided among the pieces: that of a dataset, or of something that is
 * computed in pieces. Each piece has a stretch of the rows, which may be empty; the stretches in
 * order are all rows.
 *
 * @param rows the size (i64): in a stage it is how many rows the current piece has; in the driver
 *     it is how many there are in all
 * @param total in a stage, how many rows there are in all (i64)
 * @param before in a stage, how many rows come before the current piece's (i64)
 * @param cut in the driver, the first row of each piece, and then the number of rows: {@code
 *     [pieces + 1]i64}
 */
public record Space(Var rows, Var total, Var before, Var cut) {
  /** Makes the space of a size; {@code bounds} is one more than the number of pieces. */
  static Space of(Var rows, Atom bounds) {
    return new Space(
        rows,
        Names.fresh("total", Type.I64),
        Names.fresh("before", Type.I64),
        Names.fresh("cut", Type.I64.under(bounds)));
  }
}
