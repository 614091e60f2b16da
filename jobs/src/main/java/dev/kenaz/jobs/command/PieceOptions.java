package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.util.List;
import picocli.CommandLine.Option;

/** How a run is divided into pieces, if it is. */
final class PieceOptions {
  @Option(
      names = "--rows",
      paramLabel = "PARAMETER",
      split = ",",
      description = "Parameters that are a dataset: arrays whose rows are divided into pieces.")
  private List<String> rows = List.of();

  @Option(
      names = "--pieces",
      paramLabel = "N",
      description = "Number of pieces of about the same size, with --rows (4).")
  @InRange(from = 1, to = 1_000_000)
  private Integer pieces;

  @Option(
      names = "--cuts",
      paramLabel = "ROW",
      split = ",",
      description =
          "Instead: the first row of each piece, from 0 on, then the number of rows. Pieces may be"
              + " empty.")
  @InRange(from = 0, to = 1L << 60)
  private long[] cuts;

  List<String> rows() {
    return rows;
  }

  /**
   * Whether there is anything to divide.
   *
   * @throws UserError (K7501) if it isn't said what
   */
  boolean given() {
    if (rows.isEmpty() && (pieces != null || cuts != null)) {
      throw fault("--pieces and --cuts need --rows PARAMETER,...: what is divided into pieces");
    }
    if (pieces != null && cuts != null) {
      throw fault("--pieces and --cuts both say how to divide the rows; give one of them");
    }
    return !rows.isEmpty();
  }

  /**
   * Divides that many rows.
   *
   * @throws UserError (K7501) if the cuts given are not of that many
   */
  Cuts cuts(long n) {
    if (cuts == null) {
      return Cuts.even(n, pieces == null ? 4 : pieces);
    }
    Cuts given;
    try {
      given = Cuts.between(cuts);
    } catch (IllegalArgumentException e) {
      throw fault("--cuts: " + e.getMessage());
    }
    if (given.rows() != n) {
      throw fault("--cuts end with row " + given.rows() + ", but there are " + n + " rows");
    }
    return given;
  }

  private static UserError fault(String message) {
    return new UserError(K7501, Span.NONE, message);
  }
}
