package dev.kenaz.loopir;

/**
 * The elements of a matrix that matter: those in a row i and a column j with {@code i + from <= j <
 * i + to}. A triangle is a band that has no bound on one side, {@link #FAR}.
 *
 * @param from i64
 * @param to i64
 */
public record Band(Expr from, Expr to) {
  /** Farther than this, there are no elements. */
  public static final long FAR = 1L << 61;

  /** The elements below the diagonal, and those on it too where {@code to} is 1 in place of 0. */
  public static Band below(long to) {
    return new Band(Expr.i64(-FAR), Expr.i64(to));
  }

  /** The elements above the diagonal, and those on it too where {@code from} is 0 in place of 1. */
  public static Band above(long from) {
    return new Band(Expr.i64(from), Expr.i64(FAR));
  }

  /** Returns the same elements in the part of the matrix that begins at that row and column. */
  public Band in(Expr row, Expr column) {
    var shift = Expr.sub(row, column);
    return new Band(Expr.add(from, shift), Expr.add(to, shift));
  }
}
