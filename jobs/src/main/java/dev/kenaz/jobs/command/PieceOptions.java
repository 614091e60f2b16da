package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K7501;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How a run is divided into pieces, if it is. */
final class PieceOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--rows",
      paramLabel = "PARAMETER",
      split = ",",
      description =
          "Parameters that are a dataset: arrays whose rows are divided into pieces, or numbers of"
              + " rows (i64).")
  private List<String> rows = List.of();

  @Option(
      names = "--pieces",
      paramLabel = "N",
      description = "Number of pieces of about the same size (of arguments: 4).")
  @InRange(from = 1, to = 1_000_000)
  private Integer pieces;

  @Option(
      names = "--cuts",
      paramLabel = "ROW",
      split = ",",
      description =
          "Instead, with --rows: the first row of each piece, from 0 on, then the number of rows."
              + " Pieces may be empty.")
  @InRange(from = 0, to = 1L << 60)
  private long[] cuts;

  List<String> rows() {
    return rows;
  }

  boolean hasCuts() {
    return cuts != null;
  }

  /** Returns how many pieces are wanted, if that is said. */
  OptionalInt number() {
    return pieces == null ? OptionalInt.empty() : OptionalInt.of(pieces);
  }

  /**
   * Whether there is anything to divide.
   *
   * @throws ParameterException for options that make no sense
   */
  boolean given() {
    return given(false);
  }

  /**
   * Does the same.
   *
   * @param otherwise whether another option says what to divide
   */
  boolean given(boolean otherwise) {
    requireNames(rows, command);
    if (rows.isEmpty() && !otherwise && (pieces != null || cuts != null)) {
      throw fault("--pieces and --cuts need --rows PARAMETER,...: what is divided into pieces");
    }
    if (pieces != null && cuts != null) {
      throw fault("--pieces and --cuts both say how to divide the rows; give one of them");
    }
    if (cuts != null) {
      between();
    }
    return otherwise || !rows.isEmpty();
  }

  /** Refuses names of parameters that are empty or occur twice. */
  static void requireNames(List<String> rows, CommandSpec command) {
    var seen = new HashSet<String>();
    for (var name : rows) {
      if (name.isBlank()) {
        throw new ParameterException(command.commandLine(), "--rows: a parameter has no name");
      }
      if (!seen.add(name)) {
        throw new ParameterException(
            command.commandLine(), "--rows names the parameter " + name + " twice");
      }
    }
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
    var given = between();
    if (given.rows() != n) {
      throw new UserError(
          K7501,
          Span.NONE,
          "--cuts end with row " + given.rows() + ", but there are " + n + " rows");
    }
    return given;
  }

  private Cuts between() {
    try {
      return Cuts.between(cuts);
    } catch (IllegalArgumentException e) {
      throw fault("--cuts: " + e.getMessage());
    }
  }

  private ParameterException fault(String message) {
    return new ParameterException(command.commandLine(), message);
  }
}
